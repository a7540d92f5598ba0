package probetest

import (
	"context"
	"sync"

	"tokscope/metrics"
)

const (
	// idHeader carries a request's number in the response.
	idHeader = "X-Script-Request"
	// idMark is the placeholder of that number in rendered bytes. It has the
	// same width.
	idMark = "000000000000"
	// keyMark is the placeholder of the request's key in an answer that echoes
	// it.
	keyMark = "{key}"
)

// Log is the server's record of one request. Times are ns of CLOCK_MONOTONIC,
// see Base.
type Log struct {
	ID int
	// Arrived is when the request's last byte arrived: the kernel's stamp of
	// its last segment, if available.
	Arrived int64
	Writes  []Span
	Header  map[string][]string // the request's
	Body    []byte
}

// Span holds the times around one write(2).
type Span struct{ Before, After int64 }

// book collects the logs of a server.
type book struct {
	mu       sync.Mutex
	logs     []*Log
	added    chan struct{} // closed by the next add; nil when nobody waits
	underWay int           // responses not written to their end
	written  sync.Cond     // underWay is 0
}

// done says that the response of an added request is written.
func (b *book) done() {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.underWay--; b.underWay == 0 {
		b.written.Broadcast()
	}
}

func (b *book) add() *Log {
	b.mu.Lock()
	defer b.mu.Unlock()
	l := &Log{ID: len(b.logs) + 1}
	b.underWay++
	b.logs = append(b.logs, l)
	if b.added != nil {
		close(b.added)
		b.added = nil
	}
	return l
}

// count returns the number of requests so far.
func (b *book) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return len(b.logs)
}

// await returns true when n requests have been added, false when ctx ends before.
func (b *book) await(ctx context.Context, n int) bool {
	for {
		b.mu.Lock()
		if len(b.logs) >= n {
			b.mu.Unlock()
			return true
		}
		if b.added == nil {
			b.added = make(chan struct{})
		}
		added := b.added
		b.mu.Unlock()
		select {
		case <-added:
		case <-ctx.Done():
			return false
		}
	}
}

// all returns the logs when no response is under way.
func (b *book) all() []*Log {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.underWay > 0 {
		b.written.Wait()
	}
	return append([]*Log(nil), b.logs...)
}

// abs converts a stamp of a clock with this base to ns of CLOCK_MONOTONIC.
// NoStamp becomes 0.
func abs(base int64, s metrics.Stamp) int64 {
	if !s.Known() {
		return 0
	}
	return base + int64(s)
}
