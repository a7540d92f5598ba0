package transport

import (
	"math/bits"
	"sync/atomic"
	"time"
)

// lag is a histogram of durations in fixed memory: 8 buckets an octave from
// 64 ns to 68 s, so that a quantile is within 7 % of the truth. One goroutine
// adds, any may read.
type lag struct {
	n       atomic.Uint32
	buckets [1 + 30*8]atomic.Uint32
}

func lagBucket(d time.Duration) int {
	if d < 64 {
		return 0
	}
	e := bits.Len64(uint64(d)) - 1
	return min(1+(e-6)*8+int(uint64(d)>>(e-3)&7), 30*8)
}

// lagValue returns the middle of a bucket.
func lagValue(i int) time.Duration {
	if i == 0 {
		return 32
	}
	e, sub := (i-1)/8+6, (i-1)%8
	width := time.Duration(1) << (e - 3)
	return time.Duration(8+sub)*width + width/2
}

func (l *lag) add(d time.Duration) {
	b := &l.buckets[lagBucket(d)]
	b.Store(b.Load() + 1)
	l.n.Store(l.n.Load() + 1)
}

// quantile returns the value below which a share p of all lies; 0 when there are none.
func (l *lag) quantile(p float64) time.Duration {
	rank := uint32(p * float64(l.n.Load()))
	seen, last := uint32(0), time.Duration(0)
	for i := range l.buckets {
		if c := l.buckets[i].Load(); c > 0 {
			seen, last = seen+c, lagValue(i)
			if seen > rank {
				break
			}
		}
	}
	return last
}
