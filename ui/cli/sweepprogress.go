package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// SweepProgress is one line on stderr that says how far a sweep is. On anything
// but a terminal it writes nothing. Its methods may be called from any
// goroutine.
type SweepProgress struct {
	w  io.Writer
	of int
	on bool

	mu   sync.Mutex
	step int
	name string
	view func() metrics.View
	from time.Time
}

// NewSweepProgress returns the progress of a sweep of that many steps; on =
// false keeps it silent.
func NewSweepProgress(w io.Writer, steps int, on bool) *SweepProgress {
	return &SweepProgress{w: w, of: steps, on: on}
}

// Step begins step number n (from 1); view is asked for its figures.
func (p *SweepProgress) Step(n int, name string, view func() metrics.View) {
	p.mu.Lock()
	p.step, p.name, p.view, p.from = n, name, view, time.Now()
	p.mu.Unlock()
}

// Line is the line as it stands, "" before the first step.
func (p *SweepProgress) Line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step == 0 {
		return ""
	}
	s := fmt.Sprintf("step %d of %d: %s, %.0f s", p.step, p.of, p.name, now.Sub(p.from).Seconds())
	if p.view == nil {
		return s
	}
	v := p.view()
	s += fmt.Sprintf(", %d ended", v.Live.Requests)
	if v.Live.Failed > 0 {
		s += fmt.Sprintf(", %d failed", v.Live.Failed)
	}
	if v.Live.Total.OK {
		s += fmt.Sprintf(", %s tok/s in all", number(v.Live.Total.V))
	}
	if v.Live.Why != "" {
		s += "; " + sanitize.Line(v.Live.Why, 80)
	}
	return sanitize.Line(s, 150)
}

// Start begins to write and returns what ends it and wipes the line.
func (p *SweepProgress) Start() (stop func()) {
	if !p.on {
		return func() {}
	}
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		for {
			select {
			case now := <-t.C:
				fmt.Fprintf(p.w, "\r\x1b[2K%s", p.Line(now))
			case <-quit:
				fmt.Fprint(p.w, "\r\x1b[2K")
				return
			}
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}
