// Package plain is the append-only way to watch a request: lines that are
// written once and never changed, for screen readers, logs and terminals that
// cannot draw. It moves no cursor and uses no colour.
package plain

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/ui"
)

// Options configures a run and its output.
type Options struct {
	Work metrics.Workload
	// N is the number of requests, sent one after the other; 0 is 1.
	N int
	// Wake, when set, fires when the backend has something new. Without it Run
	// polls the backend once in Every.
	Wake <-chan struct{}
	// Every is the polling interval of a running request; 0 is 100 ms.
	Every time.Duration
}

// lookEvery is short enough for text to seem immediate, and long enough to
// leave the readers alone.
const lookEvery = 100 * time.Millisecond

// ErrFailed reports that at least one request failed.
var ErrFailed = errors.New("a request failed")

// Run runs the requests on b and writes what happens to w: the state changes,
// the text line by line, and a summary of each run. When ctx ends, the running
// request is stopped, its summary written, and ctx's error returned. It returns
// ErrFailed when a request failed, and the error of a writer that does not take
// what it is given.
func Run(ctx context.Context, b ui.Backend, w io.Writer, o Options) error {
	if o.Every <= 0 {
		o.Every = lookEvery
	}
	failed := false
	for range max(o.N, 1) {
		t := &printer{w: w, b: b}
		state, err := t.run(ctx, o)
		if err != nil {
			return err
		}
		failed = failed || state != metrics.Done
	}
	if failed {
		return ErrFailed
	}
	return nil
}

// stopWithin limits how long a stopped request may take to end.
const stopWithin = 2 * time.Second

// run runs one request to its end.
func (t *printer) run(ctx context.Context, o Options) (metrics.State, error) {
	before := t.b.Snapshot().ID
	t.b.Begin(o.Work)
	tick := time.NewTicker(o.Every)
	defer tick.Stop()
	for {
		if s := t.b.Snapshot(); s.ID != before {
			t.tell(&s)
			if s.State.Ended() {
				t.end(&s)
				return s.State, errors.Join(t.err, ctx.Err())
			}
		}
		if t.err != nil {
			t.b.Stop()
			return metrics.Cancelled, t.err
		}
		select {
		case <-ctx.Done():
			t.b.Stop()
			return metrics.Cancelled, errors.Join(ctx.Err(), t.last(before, tick.C))
		case <-o.Wake:
		case <-tick.C:
		}
	}
}

// last waits for a stopped request to end and writes what became of it.
func (t *printer) last(before int, tick <-chan time.Time) error {
	late := time.NewTimer(stopWithin)
	defer late.Stop()
	for {
		if s := t.b.Snapshot(); s.ID != before && s.State.Ended() {
			t.tell(&s)
			t.end(&s)
			return t.err
		}
		select {
		case <-late.C:
			return t.err
		case <-tick:
		}
	}
}

// printf writes one or more whole lines; after an error it writes nothing more.
func (t *printer) printf(format string, args ...any) {
	if t.err == nil {
		_, t.err = fmt.Fprintf(t.w, format, args...)
	}
}
