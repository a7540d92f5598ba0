package tap

import (
	"hash/crc64"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// copyBytes is the largest write to a client. A read of the upstream is smaller.
const copyBytes = 64 << 10

var table = crc64.MakeTable(crc64.ECMA)

// sum counts the bytes that are written to it, and sums them up. One goroutine writes, any reads.
type sum struct {
	n   atomic.Int64
	crc atomic.Uint64
}

func (s *sum) Write(p []byte) (int, error) {
	s.n.Add(int64(len(p)))
	s.crc.Store(crc64.Update(s.crc.Load(), table, p))
	return len(p), nil
}

// leg is one direction through the tap.
type leg struct{ in, out sum }

func (l *leg) said() turn.Leg {
	return turn.Leg{Read: l.in.n.Load(), Written: l.out.n.Load(), Differs: l.in.crc.Load() != l.out.crc.Load()}
}

// mostDelays bounds what is kept of the delays of one turn.
const mostDelays = 4096

// meter measures what the tap adds to one answer.
type meter struct {
	up   *leg
	down leg

	mu     sync.Mutex
	delays []float64 // ns from a read of the upstream to the end of its write; the latest mostDelays
	n      int       // of all
	added  metrics.Dist
}

// passed notes that what was read at a moment is now written.
func (m *meter) passed(read time.Time, p []byte, wrote int) {
	d := float64(time.Since(read))
	_, _ = m.down.in.Write(p)
	_, _ = m.down.out.Write(p[:wrote])
	m.mu.Lock()
	defer m.mu.Unlock()
	if len(m.delays) < mostDelays {
		m.delays = append(m.delays, d)
	} else {
		m.delays[m.n%mostDelays] = d
	}
	m.n++
}

// passes notes what the tap added to all so far.
func (m *meter) passes() {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.added = metrics.Distribution(m.delays)
}

// state returns what passes noted, and what was read and written so far.
func (m *meter) state() turn.Passed {
	m.mu.Lock()
	defer m.mu.Unlock()
	return turn.Passed{Added: m.added, Up: m.up.said(), Down: m.down.said()}
}

// pass copies in, a write for each read, and tells of each. One of the errors is not nil: that of
// reading, io.EOF at the end, or that of writing.
func pass(in io.Reader, write func([]byte) (int, error), passed func(read time.Time, p []byte, wrote int)) (
	reading, writing error) {
	buf := make([]byte, copyBytes)
	for {
		n, err := in.Read(buf)
		if n > 0 {
			at := time.Now()
			wrote, werr := write(buf[:n])
			passed(at, buf[:n], wrote)
			if werr != nil {
				return nil, werr
			}
		}
		if err != nil {
			return err, nil
		}
	}
}
