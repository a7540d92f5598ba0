package probetest

import (
	"fmt"
	"slices"
)

// Seen is what a client measured of one stream. Times are in ns of Abs; without
// their base only differences mean something.
type Seen struct {
	Request int   // its number in the server's log, see RequestID
	Sent    int64 // the last byte of the request was handed to the kernel
	Tokens  []int64
	// Reads numbers the read that delivered each of Tokens; nil when the client
	// does not know.
	Reads []int32
	// Late is how long after each of Tokens the client's own clock read it, ns; nil
	// when the client does not know.
	Late []int64
	Err  error
}

// Comparison collects by how much clients were wrong about streams, in ns. The
// zero value is empty.
type Comparison struct {
	// Gap is the error of each gap against the beginnings of the server's writes.
	// It is an upper bound: bytes leave between the beginning and the end of a
	// write, and an interrupt of the machine may lie there.
	Gap []int64
	// Sure is the part of Gap that the width of the writes cannot explain: a lower
	// bound.
	Sure []int64
	// TTFT is the error of the time from Seen.Sent to the first token.
	TTFT []int64
	// Lag is each stamp minus the beginning of its write. It needs the base of Abs.
	Lag []int64
	// Window is the duration of each write: the truth is not known better.
	Window []int64
	// Outside counts stamps outside of their write. It needs the base of Abs.
	Outside int
	// Measured and True are all gaps. Known are those of Measured between two
	// reads: only they mean something to a client that knows its reads.
	Measured, True, Known []int64
}

// Add compares one stream with the server's log of it. It is an error when not
// every token of the plan was seen.
func (c *Comparison) Add(p *Plan, l *Log, s Seen) error {
	tokens := p.Tokens()
	if len(s.Tokens) != len(tokens) {
		return fmt.Errorf("%d of %d tokens seen", len(s.Tokens), len(tokens))
	}
	at := func(i int) int64 { return l.Writes[tokens[i].Write].Before }
	c.TTFT = append(c.TTFT, abs64(s.Tokens[0]-s.Sent-(at(0)-l.Arrived)))
	for i := range tokens {
		c.Lag = append(c.Lag, s.Tokens[i]-at(i))
		w := l.Writes[tokens[i].Write]
		c.Window = append(c.Window, w.After-w.Before)
		if s.Tokens[i] < w.Before || s.Tokens[i] > w.After {
			c.Outside++
		}
		if i == 0 {
			continue
		}
		measured, was := s.Tokens[i]-s.Tokens[i-1], at(i)-at(i-1)
		c.Gap = append(c.Gap, abs64(measured-was))
		before := l.Writes[tokens[i-1].Write]
		c.Sure = append(c.Sure, max(0, measured-(w.After-before.Before), w.Before-before.After-measured))
		c.Measured, c.True = append(c.Measured, measured), append(c.True, was)
		if s.Reads == nil || s.Reads[i] != s.Reads[i-1] {
			c.Known = append(c.Known, measured)
		}
	}
	return nil
}

// Quantile is that of values, 0 of none. p is from 0 to 1.
func Quantile(values []int64, p float64) int64 {
	if len(values) == 0 {
		return 0
	}
	v := slices.Sorted(slices.Values(values))
	return v[int(p*float64(len(v)-1))]
}

func abs64(n int64) int64 { return max(n, -n) }
