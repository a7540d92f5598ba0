package dialect

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/sse"
)

// API is one way to ask for a streamed answer, as far as a request needs it. What its
// events mean is decided by their content alone: see Decoder.
type API struct {
	// Name is what a person types: "messages". Title is for a sentence.
	Name, Title string
	// Version is the path with which a base URL of it ends, "" for none: "/v1".
	Version string
	// Path is what follows the base URL, with its query. {model} stands for the model.
	Path string
	// Pasted are further ends of an address that people paste for it. Owns reports whether
	// an address without such an end is one of it; nil: none is.
	Pasted []string
	Owns   func(host, port, path string) bool
	// Models are the lists of its models below the base URL, the preferred models first; nil is
	// the one that go-openai asks for.
	Models []string
	// Form is a form of the body that is a stream beside events.
	Form sse.Form
	// Auth is how a key is sent where neither provider nor profile says so, "" as bearer:
	// see endpoint.Target. Header are those that every request has.
	Auth   string
	Header map[string]string
	// Sampled are the headers in place of those of Header for a request with a temperature.
	Sampled map[string]string
	// Bound is the field that bounds the output where nobody names another.
	Bound string
	// Marker is what the end of a whole answer is called; "" where only the body ends.
	Marker string
	// Body returns the request for w: what go-openai sends, or nil where it knows no such
	// API, and the fields to be merged into it. w has its prompt written out.
	Body func(p *Params, model string, w *metrics.Workload) (typed any, fields map[string]any)
	// Effort returns the fields of the body, by their paths with dots, that ask for a level of
	// thinking: none, low, … max, or a number of tokens. It is nil for a level that the API
	// cannot have; a nil Effort has none.
	Effort func(level string) map[string]any
	// NoService says that no field of it asks for a tier or a speed.
	NoService bool
	// Refuses says what of w, or of the fields to be merged, no such request can have, and
	// the next step; "" is nothing. nil takes all.
	Refuses func(w *metrics.Workload, extra map[string]any) (what, next string)

	// Ends says that requests go over a WebSocket, and what a message of the answer is: the
	// last of it, or, with a status and headers, a refusal. nil: over HTTP.
	Ends func(message []byte) (end bool, status int, h http.Header)
	// Step is the next step after a refusal with that status and body of a request for model,
	// "" where the API says nothing of its own; nil: never.
	Step func(status int, body []byte, model string) string
	// Notes say what the requests for w have and nobody asked for, and what w has that the API
	// cannot carry; nil: nothing. extra is merged into the body.
	Notes func(w *metrics.Workload, extra map[string]any) []metrics.Note

	// event decodes an event that is no chat chunk; false where it is of another API.
	// doc is the document of m. nil: see Decoder.chunk.
	event func(d *Decoder, m *message, doc []byte, out *Out) bool
}

// apis is the table. The first is meant where nothing says another.
var apis = []*API{&chat, &messages, &responses, &responsesWS, &completions, &ollama, &ollamaGenerate, &gemini}

// Names returns the names of the table.
func Names() []string { return pick.Each(apis, func(a **API) string { return (*a).Name }) }

// Speaks returns the API with that name, in any case; "" is the first. It is nil for a name
// that is none.
func Speaks(name string) *API {
	name = cmp.Or(name, chat.Name)
	a, _ := pick.Value(apis, func(a **API) bool { return strings.EqualFold((*a).Name, name) })
	return a
}

// untold are ends of an address that are of several APIs.
var untold = []string{"/models", "/embeddings"}

// Pasted returns the API of a pasted address and the model that it names, "" where nothing
// tells them, and its path without the operation at its end.
func Pasted(host, port, path string) (name, model, base string) {
	for _, end := range untold {
		if model, base, ok := cutEnd(path, end); ok {
			return "", model, base
		}
	}
	for _, a := range apis {
		for _, end := range append([]string{a.Path}, a.Pasted...) {
			if model, base, ok := cutEnd(path, end); ok {
				return a.Name, model, base
			}
		}
	}
	for _, a := range apis {
		if a.Owns != nil && a.Owns(host, port, path) {
			return a.Name, "", path
		}
	}
	return "", "", path
}

// AskedAt reports whether a path ends as the address of a request in a.
func (a *API) AskedAt(path string) bool {
	_, _, ok := cutEnd(path, a.Path)
	return ok
}

// cutEnd returns path without end, a path as in API.Path, and the model that stands in it.
func cutEnd(path, end string) (model, base string, ok bool) {
	end, _, _ = strings.Cut(end, "?")
	before, after, named := strings.Cut(end, "{model}")
	if named {
		n := len(path) - len(after)
		if n < 0 || !strings.EqualFold(path[n:], after) {
			return "", path, false
		}
		slash := strings.LastIndexByte(path[:n], '/') + 1
		model, path = path[slash:n], path[:slash]
		if text, err := url.PathUnescape(model); err == nil {
			model = text
		}
	}
	n := len(path) - len(before)
	if n < 0 || !strings.EqualFold(path[n:], before) {
		return "", path, false
	}
	return model, path[:n], true
}

// version matches the version at the end of a path, also before the place of a project. In
// capitals it is another word: that of a tap is random and may begin so.
var version = regexp.MustCompile(`/[vV][0-9]+[a-z0-9]*(/projects/.*)?$`)

// Bases returns the base URLs to try in this order for one that a person has given. One
// that names a version is taken as it is, unless a has none.
func (a *API) Bases(given string) []string {
	bare := version.ReplaceAllString(given, "")
	switch {
	case a.Version == "":
		return []string{bare}
	case bare != given:
		return []string{given}
	}
	return []string{given + a.Version, given}
}

// URL returns the address of a request for model below a base URL.
func (a *API) URL(base, model string) string {
	return a.under(base) + strings.ReplaceAll(a.Path, "{model}", url.PathEscape(strings.TrimPrefix(model, "models/")))
}

// ListURLs returns the addresses of the lists of models below a base URL, as Models.
func (a *API) ListURLs(base string) []string {
	return pick.Each(a.Models, func(path *string) string { return a.under(base) + *path })
}

// under returns base without the version that an API without one does not have.
func (a *API) under(base string) string {
	if a.Version == "" {
		return a.Bases(base)[0]
	}
	return base
}

// Write returns what go-openai sends, nil where it knows no such API, and the body of the
// request as JSON, with extra merged into it. The error is that of a value that cannot be
// written as JSON, or a *metrics.Fault with what the API refuses.
func (a *API) Write(p *Params, model string, w *metrics.Workload,
	extra map[string]any) (typed any, body []byte, err error) {
	if a.Refuses != nil {
		if what, next := a.Refuses(w, extra); what != "" {
			return nil, nil, &metrics.Fault{Kind: metrics.FaultConfig, Message: a.Title + ": " + what, Next: next}
		}
	}
	typed, fields := a.Body(p, model, w)
	if typed == nil { // such APIs have objects of settings
		body, err = json.Marshal(within(fields, extra))
		return nil, body, err
	}
	if body, err = json.Marshal(typed); err != nil {
		return nil, nil, err
	}
	body, err = Merge(body, fields, extra)
	return typed, body, err
}
