package cli

import (
	"fmt"
	"io"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// SweepProgress is one line on stderr with the progress of a sweep. Without a
// terminal it writes nothing. Its methods may be called from any goroutine.
type SweepProgress struct {
	w  io.Writer
	of int
	on bool

	mu   sync.Mutex
	step int
	name string
	view func() loadstat.View
	from time.Time
}

// NewSweepProgress returns the progress of a sweep of that many steps; on =
// false keeps it silent.
func NewSweepProgress(w io.Writer, steps int, on bool) *SweepProgress {
	return &SweepProgress{w: w, of: steps, on: on}
}

// Step begins step number n (from 1). view returns its figures.
func (p *SweepProgress) Step(n int, s metrics.LoadStep, view func() loadstat.View) {
	p.mu.Lock()
	p.step, p.name, p.view, p.from = n, format.Step(s), view, time.Now()
	p.mu.Unlock()
}

// Depth begins depth number n (from 1) of a sweep over prompt lengths.
func (p *SweepProgress) Depth(n, depth int) {
	p.Step(n, metrics.LoadStep{Depth: depth}, nil)
}

// Line is the present line, "" before the first step.
func (p *SweepProgress) Line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step == 0 {
		return ""
	}
	s := fmt.Sprintf("step %d of %d: %s, %s", p.step, p.of, p.name, format.AppendElapsed(nil, now.Sub(p.from).Seconds()))
	if p.view == nil {
		return s
	}
	v := p.view()
	s += ", " + format.Count(v.Live.Requests) + " ended"
	if v.Live.Failed > 0 {
		s += ", " + format.Count(v.Live.Failed) + " failed"
	}
	if v.Live.Total.OK {
		s += ", " + format.Rate(v.Live.Total.V) + " aggregate"
	}
	if why := format.Unsteady(v.Live.Why); why != "" {
		s += "; " + sanitize.Line(why, 80)
	}
	return sanitize.Line(s, 150)
}

// Start starts writing. stop ends it and removes the line.
func (p *SweepProgress) Start() (stop func()) { return keepLine(p.w, p.on, p.Line) }
