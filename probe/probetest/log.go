package probetest

import (
	"slices"
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
	ended   bool // the response is written; the book's lock is held
}

// Span holds the times around one write(2).
type Span struct{ Before, After int64 }

// book collects the logs of a server.
type book struct {
	mu       sync.Mutex
	logs     []*Log    // those that are kept
	n        int       // requests so far
	underWay int       // responses not written to their end
	changed  sync.Cond // n or underWay
}

// done says that the response of an added request is written.
func (b *book) done(l *Log) {
	b.mu.Lock()
	defer b.mu.Unlock()
	l.ended = true
	b.underWay--
	b.changed.Broadcast()
}

// add counts a request and returns its log, which belongs to the book if keep is
// set.
func (b *book) add(keep bool) *Log {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.n++
	l := &Log{ID: b.n}
	b.underWay++
	if keep {
		b.logs = append(b.logs, l)
	}
	b.changed.Broadcast()
	return l
}

// count returns the number of requests so far.
func (b *book) count() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.n
}

// await returns when n requests have been added.
func (b *book) await(n int) {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.n < n {
		b.changed.Wait()
	}
}

// all returns the logs when no response is under way.
func (b *book) all() []*Log {
	b.mu.Lock()
	defer b.mu.Unlock()
	for b.underWay > 0 {
		b.changed.Wait()
	}
	return append([]*Log(nil), b.logs...)
}

// takeEnded returns the logs whose response is written and forgets them.
func (b *book) takeEnded() (ended []*Log) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.logs = slices.DeleteFunc(b.logs, func(l *Log) bool {
		if l.ended {
			ended = append(ended, l)
		}
		return l.ended
	})
	return ended
}

// abs converts a stamp of a clock with this base to ns of CLOCK_MONOTONIC.
// NoStamp becomes 0.
func abs(base int64, s metrics.Stamp) int64 {
	if !s.Known() {
		return 0
	}
	return base + int64(s)
}
