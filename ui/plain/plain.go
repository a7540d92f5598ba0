// Package plain shows a request as lines that are written once and never
// changed. It serves screen readers, logs and terminals that cannot draw. It
// moves no cursor and uses no color.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
)

// Backend is the measuring side as Run uses it. All methods may be called at
// any time and return at once.
type Backend interface {
	// Begin cancels the running request and starts one with w on the chosen
	// endpoint.
	Begin(w metrics.Workload)
	// Stop ends the running request. What arrived is kept.
	Stop()
	// Snapshot is the current or last stream; the zero Stream before any.
	Snapshot() metrics.Stream
	// Runs are the ended requests of this session, oldest first. The slice is
	// shared and read-only.
	Runs() []metrics.Run
}

// lookEvery is short enough for text to seem immediate, and long enough to
// leave the readers alone.
const lookEvery = 100 * time.Millisecond

// ErrFailed reports that the request failed.
var ErrFailed = errors.New("a request failed")

// Run sends a request with w through b and writes its progress to out: state
// changes, the text line by line, and a summary, with its origin by. When ctx ends,
// Run stops the request, writes its summary, and returns ctx's error. It returns
// ErrFailed after a failed request, and the error of a failing writer.
func Run(ctx context.Context, b Backend, out io.Writer, w metrics.Workload, by report.Origin) error {
	t := &printer{w: out, b: b, by: by, dec: sanitize.Decoder{Faithful: true}}
	before := b.Snapshot().ID
	b.Begin(w)
	tick := time.NewTicker(lookEvery)
	defer tick.Stop()
	stopped, late := ctx.Done(), (<-chan time.Time)(nil)
	for {
		if s := b.Snapshot(); s.ID != before {
			t.print(&s)
			if s.State.Ended() {
				t.end(&s)
				err := errors.Join(t.err, ctx.Err())
				return format.Either(err == nil && s.State != metrics.Done, ErrFailed, err)
			}
		}
		if t.err != nil {
			b.Stop()
			return errors.Join(t.err, ctx.Err())
		}
		select {
		case <-stopped:
			b.Stop()
			stopped, late = nil, time.After(stopWithin) // what becomes of it is written too
		case <-late:
			return ctx.Err()
		case <-tick.C:
		}
	}
}

// stopWithin limits how long a stopped request may take to end.
const stopWithin = 2 * time.Second

// printf writes one or more whole lines; after an error it writes nothing more.
func (t *printer) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}
