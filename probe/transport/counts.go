package transport

import (
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/transport/stamp"
)

// lateBy is the distance between kernel and own stamp from which an event
// counts as late.
const lateBy = time.Millisecond

// counts are the reads, bytes and data lines of one response, and how late this
// program saw the lines. The goroutine that reads the response writes them, so
// that a load and a store are enough. Any goroutine may read them.
type counts struct {
	reads    atomic.Int64 // with body bytes
	lastRead atomic.Int64 // number of the last of them, from 1
	body     atomic.Int64 // bytes, without the framing of chunks
	withheld atomic.Int64 // of body, that net/http does not see
	events   atomic.Int64 // data lines
	kernel   atomic.Int64 // of these, with a stamp of the kernel
	user     atomic.Int64 // with a stamp of our own
	late     atomic.Int64 // seen more than lateBy after the kernel
	shared   atomic.Int64 // in a read with another one
	lag      metrics.LagHistogram
}

// bodyPart counts n bytes of the body that the given read of the connection
// brought, and returns the bytes so far.
func (k *counts) bodyPart(read int32, n int) (total int64) {
	if number := int64(read) + 1; k.lastRead.Load() != number {
		k.lastRead.Store(number)
		k.reads.Store(k.reads.Load() + 1)
	}
	total = k.body.Load() + int64(n)
	k.body.Store(total)
	return total
}

// dataLine counts a data line of a read with stamps s. inRead is its ordinal
// within the arrival, from 1.
func (k *counts) dataLine(s *stamp.Stamps, inRead int) {
	k.events.Store(k.events.Load() + 1)
	switch inRead {
	case 1:
	case 2:
		k.shared.Store(k.shared.Load() + 2)
	default:
		k.shared.Store(k.shared.Load() + 1)
	}
	if !s.Kernel {
		k.user.Store(k.user.Load() + 1)
		return
	}
	k.kernel.Store(k.kernel.Load() + 1)
	d, _ := s.User.Sub(s.At)
	k.lag.Add(d)
	if d > lateBy {
		k.late.Store(k.late.Load() + 1)
	}
}

// source returns who took the stamps so far. tapped is whether a tap saw the
// connection.
func (k *counts) source(tapped bool) metrics.Source {
	kernel, user := k.kernel.Load(), k.user.Load()
	switch {
	case kernel > 0 && user > 0:
		return metrics.SourceMixed
	case kernel > 0:
		return metrics.SourceKernel
	case user > 0 && !tapped:
		return metrics.SourceBody
	}
	return metrics.SourceUser
}
