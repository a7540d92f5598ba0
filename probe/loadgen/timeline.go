package loadgen

import (
	"time"

	"tokscope/metrics"
)

// interval holds the sums over all users for a period of sliceLen. Times are
// in ms.
type interval struct {
	tokens      float64 // received
	provisional float64 // part of tokens not counted by the server (yet)
	// laterTokens arrived after the first chunk of their request, laterMs is
	// their time.
	laterTokens, laterMs float64
	done, failed         float64
	arrived              float64 // scheduled requests that were due
	retried              float64 // ended requests that had been sent again
	// decoding and prefill are requests times ms, with and without a first
	// chunk. waiting covers the requests known to be in the server's queue,
	// which are in neither.
	decoding, prefill, waiting float64
	backlog                    float64 // scheduled requests due and not sent, times ms
	sampled                    float64 // ms sampled for them
	perChunk                   float64 // what a chunk without a server's count counts in it; 0: none has come
}

// sums returns all that b sums up, in the order of loadstat.Part.
func (b *interval) sums() [13]*float64 {
	return [...]*float64{&b.tokens, &b.provisional, &b.laterTokens, &b.laterMs, &b.done, &b.failed, &b.arrived, &b.retried,
		&b.decoding, &b.prefill, &b.waiting, &b.backlog, &b.sampled}
}

func (b *interval) add(o *interval) {
	from := o.sums()
	for i, to := range b.sums() {
		*to += *from[i]
	}
}

// timeline is the recent past of a load in intervals, numbered from its
// beginning. It has no lock: its owner is the load, under the load's mutex.
type timeline struct {
	began metrics.Stamp
	ring  []interval
	next  int // one after the newest written interval

	perChunk float64  // tokens per chunk, by the ended requests
	dropped  interval // takes what is written to dropped ones
}

func newTimeline(began metrics.Stamp, window time.Duration) *timeline {
	return &timeline{began: began, ring: make([]interval, int(window/sliceLen)+64), perChunk: 1}
}

// index returns the number of the interval that contains at.
func (t *timeline) index(at metrics.Stamp) int {
	return max(int((at-t.began)/metrics.Stamp(sliceLen)), 0)
}

// start returns when interval i begins.
func (t *timeline) start(i int) metrics.Stamp {
	return t.began + metrics.Stamp(i)*metrics.Stamp(sliceLen)
}

// interval returns interval i for writing, nil when it was dropped.
func (t *timeline) interval(i int) *interval {
	if i < t.next-len(t.ring) {
		return nil
	}
	if i >= t.next+len(t.ring) {
		clear(t.ring)
		t.next = i + 1
	}
	for ; t.next <= i; t.next++ {
		t.ring[t.next%len(t.ring)] = interval{}
	}
	return &t.ring[i%len(t.ring)]
}

// at returns the interval that contains s, for writing. Writes to a dropped
// one are discarded.
func (t *timeline) at(s metrics.Stamp) *interval {
	if b := t.interval(t.index(s)); b != nil {
		return b
	}
	t.dropped = interval{}
	return &t.dropped
}

// part is what one chunk brings its interval. It is the same whenever it is asked for.
type part struct {
	at                  metrics.Stamp
	tokens, provisional float64
	later, ms           float64 // after the first chunk of the request: tokens, and the time that they took
}

// part returns what c brings, and its interval for writing: c came now unless it has a
// stamp, and the chunk of its request before it at last, NoStamp for none.
func (t *timeline) part(c *metrics.Chunk, now, last metrics.Stamp) (*interval, part) {
	p := part{at: c.At, tokens: float64(c.Tokens)}
	if !p.at.Known() {
		p.at = now
	}
	b := t.at(p.at)
	if c.Tokens < 0 {
		if b.perChunk == 0 {
			b.perChunk = t.perChunk
		}
		p.tokens, p.provisional = b.perChunk, b.perChunk
	}
	if last.Known() {
		p.later, p.ms = p.tokens, max(float64(p.at-last)/1e6, 0)
	}
	return b, p
}

// sum returns the sum over the intervals from..to (to excluded).
func (t *timeline) sum(from, to int) (sum interval) {
	for i := max(from, t.next-len(t.ring)); i < min(to, t.next); i++ {
		sum.add(&t.ring[i%len(t.ring)])
	}
	return sum
}
