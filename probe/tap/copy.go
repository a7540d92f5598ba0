package tap

import (
	"hash/crc64"
	"io"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// copyBytes is the largest write to a client. A read of the upstream is smaller.
const copyBytes = 64 << 10

var table = crc64.MakeTable(crc64.ECMA)

// leg is one direction through the tap: of what came in and of what went out the number of
// bytes and their checksum.
type leg struct {
	read, written int64
	in, out       uint64
}

func (l *leg) reads(p []byte) { l.read, l.in = l.read+int64(len(p)), crc64.Update(l.in, table, p) }
func (l *leg) writes(p []byte) {
	l.written, l.out = l.written+int64(len(p)), crc64.Update(l.out, table, p)
}

func (l *leg) said() turn.Leg {
	return turn.Leg{Read: l.read, Written: l.written, Differs: l.in != l.out}
}

// mostDelays bounds what is kept of the delays of one turn.
const mostDelays = 4096

// meter measures what the tap adds to one answer.
type meter struct {
	mu       sync.Mutex
	delays   []float64 // ns from a read of the upstream to the end of its write; the latest mostDelays
	n        int       // of all
	added    metrics.Dist
	up, down leg
}

// passed notes that what was read at a moment is now written.
func (m *meter) passed(read time.Time, p []byte, wrote int) {
	d := float64(time.Since(read))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down.reads(p)
	m.down.writes(p[:wrote])
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

// asked notes what was read of the client and passed on.
func (m *meter) asked(up leg) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.up = up
}

// counted is a body of a client whose reads are told to the meter.
type counted struct {
	io.Reader
	io.Closer
	m    *meter
	tell func(p []byte)
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.tell(p[:n])
	return n, err
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
