package cli

import (
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/ui/format"
)

// progressEvery is how often the progress line is rewritten.
const progressEvery = 250 * time.Millisecond

// Progress is one line on stderr with the progress of a probe. Without a
// terminal it writes nothing: stderr of a job is for errors. Its methods may
// be called from any goroutine.
type Progress struct {
	w     io.Writer
	total int
	on    bool

	warmup               int // requests before the measured ones
	warmed               atomic.Int64
	began, ended, failed atomic.Int64
	chunks               atomic.Int64
}

// NewProgress returns the progress of total requests; on = false keeps it silent.
func NewProgress(w io.Writer, total int, on bool) *Progress {
	return &Progress{w: w, total: total, on: on}
}

// Began counts a request that started.
func (p *Progress) Began(int) { p.began.Add(1) }

// Chunks counts chunks that arrived.
func (p *Progress) Chunks(n int) { p.chunks.Add(int64(n)) }

// Ended counts a request that ended.
func (p *Progress) Ended(r metrics.Run) {
	if r.Stream.State != metrics.Done {
		p.failed.Add(1)
	}
	p.ended.Add(1)
}

// WarmupEnded counts a request of the warm-up that ended.
func (p *Progress) WarmupEnded(metrics.Run) { p.warmed.Add(1) }

// Line is the present line.
func (p *Progress) Line() string {
	if n := int(p.warmed.Load()); n < p.warmup && p.began.Load() == 0 {
		return fmt.Sprintf("warm-up: %s of %s ended", format.Count(n), format.Count(p.warmup))
	}
	ended, failed := p.ended.Load(), p.failed.Load()
	s := fmt.Sprintf("%s of %s ended, %s running, %s chunks", format.Count(int(ended)),
		format.Count(p.total), format.Count(int(p.began.Load()-ended)), format.Count(int(p.chunks.Load())))
	if failed > 0 {
		s += ", " + format.Count(int(failed)) + " failed"
	}
	return s
}

// Start starts writing. stop ends it and removes the line.
func (p *Progress) Start() (stop func()) {
	return keepLine(p.w, p.on, func(time.Time) string { return p.Line() })
}

// keepLine rewrites line every progressEvery. Its result ends that and
// removes the line. With on = false it writes nothing.
func keepLine(w io.Writer, on bool, line func(now time.Time) string) (stop func()) {
	if !on {
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
				fmt.Fprintf(w, "\r\x1b[2K%s", line(now))
			case <-quit:
				fmt.Fprint(w, "\r\x1b[2K")
				return
			}
		}
	})
	return func() {
		close(quit)
		wg.Wait()
	}
}
