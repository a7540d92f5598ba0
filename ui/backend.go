package ui

import (
	"context"
	"io"

	"tokscope/metrics"
)

// Backend is the measuring side as the root uses it. Each screen needs more:
// see screen.Deps. All methods may be called from the UI's goroutine at any
// time. Methods without a context return at once.
type Backend interface {
	// Now reads the clock of all stamps.
	Now() metrics.Stamp
	// Endpoint is the endpoint in use.
	Endpoint() metrics.Endpoint
	// Endpoints lists the choices: those measured last, embedded, profiles, providers,
	// and servers found on loopback. The search may take up to 2 s.
	Endpoints(ctx context.Context) []metrics.Endpoint
	// Models asks e for its models.
	Models(ctx context.Context, e metrics.Endpoint) ([]string, error)
	// Select makes e (with e.Model) the endpoint of the next request.
	Select(e metrics.Endpoint) error
	// Typed says where a typed URL or a pasted curl command goes, and what the command
	// would read: NAME and @PATH. It reads none of that. The error says what is wrong.
	Typed(text string) (e metrics.Endpoint, reads []string, err error)
	// UseCurl makes its endpoint that of the next request, with what it reads. It returns
	// what to send, and sentences for the person.
	UseCurl(text string) (w metrics.Workload, notes []string, err error)
	// SaveScreen writes a picture of the screen with that name and its text
	// beside the recording, and returns the path of the picture.
	SaveScreen(ctx context.Context, name string, picture, text []byte) (path string, err error)
	// SavePage gives write what of v a page without texts may show, of the type of v, and
	// saves what it writes beside the recording, under a name with that word. It returns the path.
	SavePage(ctx context.Context, name string, v any, write func(w io.Writer, shown any) error) (path string, err error)
	// SaveText writes text beside the result that is at path, into a file with that
	// ending, and returns the path of the text.
	SaveText(ctx context.Context, path, ending string, text []byte) (string, error)
}
