package cli

import (
	"fmt"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// progressEvery is how often the progress line is rewritten.
const progressEvery = 250 * time.Millisecond

// progress rewrites line on stderr every progressEvery, from the first on that is not
// "". stop ends that and removes it. Unless wanted, and without a terminal, it writes
// nothing: stderr of a job is for errors.
func (c *Console) progress(wanted bool, line func(now time.Time) string) (stop func()) {
	if !wanted || !c.ErrTerminal {
		return func() {}
	}
	begun := false
	end := regularly(func(now time.Time) {
		text := line(now)
		if begun = begun || text != ""; begun {
			fmt.Fprintf(c.Err, "\r\x1b[2K%s", text)
		}
	})
	return func() {
		if end(); begun {
			fmt.Fprint(c.Err, "\r\x1b[2K")
		}
	}
}

// regularly calls f every progressEvery, one call at a time, until stop, which waits for
// the last one.
func regularly(f func(now time.Time)) (stop func()) {
	quit := make(chan struct{})
	var wg sync.WaitGroup
	wg.Go(func() {
		t := time.NewTicker(progressEvery)
		defer t.Stop()
		for {
			select {
			case now := <-t.C:
				f(now)
			case <-quit:
				return
			}
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}

// counts is the progress of a number of requests. Its methods may be called from
// any goroutine.
type counts struct {
	total, warmup        int // requests that are measured, and before those
	warmed               atomic.Int64
	began, ended, failed atomic.Int64
	chunks               atomic.Int64
	held                 atomic.Int64 // no request before it, Unix time in ns
}

// observe lets p report to c.
func (c *counts) observe(p *loadstat.ProbePlan) {
	p.Began = func(int) { c.began.Add(1) }
	p.Chunks = func(n int) { c.chunks.Add(int64(n)) }
	p.Held = func(wait time.Duration) { c.held.Store(time.Now().Add(wait).UnixNano()) }
	p.WarmupEnded = func(metrics.Run) { c.warmed.Add(1) }
	p.Ended = func(r metrics.Run) {
		if r.Stream.State != metrics.Done {
			c.failed.Add(1)
		}
		c.ended.Add(1)
	}
}

// line is the present line.
func (c *counts) line(now time.Time) string {
	if n := int(c.warmed.Load()); n < c.warmup && c.began.Load() == 0 {
		return fmt.Sprintf("warm-up: %s of %s ended", format.Count(n), format.Count(c.warmup))
	}
	ended, failed := int(c.ended.Load()), int(c.failed.Load())
	wait := time.Duration(c.held.Load() - now.UnixNano())
	return fmt.Sprintf("%s of %s ended, %s running, %s chunks", format.Count(ended), format.Count(c.total),
		format.Count(int(c.began.Load())-ended), format.Count(int(c.chunks.Load()))) +
		format.If(failed > 0, ", "+format.Count(failed)+" failed") + format.If(wait > 0, "; "+say.Allowed(wait))
}

// steps is the progress of a sweep. Its methods may be called from any goroutine.
type steps struct {
	of int

	starts time.Time // the first, zero for at once

	mu   sync.Mutex
	step int
	name string
	view func() loadstat.View // of the step; nil without figures
	from time.Time
}

// begin begins step number n (from 1). view returns its figures.
func (p *steps) begin(n int, s metrics.LoadStep, view func() loadstat.View) {
	p.mu.Lock()
	p.step, p.name, p.view, p.from = n, say.Step(s), view, time.Now()
	p.mu.Unlock()
}

// line is the present line, "" before the first step.
func (p *steps) line(now time.Time) string {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.step == 0 {
		wait := p.starts.Sub(now)
		return format.If(wait > 0, "begins in "+wait.Round(time.Second).String())
	}
	s := fmt.Sprintf("step %d of %d: %s, %s", p.step, p.of, p.name, format.AppendElapsed(nil, now.Sub(p.from).Seconds()))
	if p.view == nil {
		return s
	}
	live := p.view().Live
	s = format.Join(", ", s, format.Count(live.Requests)+" ended",
		format.If(live.Failed > 0, format.Count(live.Failed)+" failed"),
		format.If(live.Total.OK, format.Rate(live.Total.V)+" aggregate"))
	return sanitize.Line(format.Join("; ", s, sanitize.Line(say.Unsteady(live.Why), 80)), 150)
}
