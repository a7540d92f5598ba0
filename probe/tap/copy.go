package tap

import (
	"hash"
	"hash/crc64"
	"io"
	"net/http"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// copyBytes is the largest write to a client. A read of the upstream is smaller.
const copyBytes = 64 << 10

// sums are the counts of one leg of what passed: what was read on one side, and what was
// written on the other.
type sums struct {
	read, wrote count
}

// count counts bytes and sums them up.
type count struct {
	n   int64
	sum hash.Hash64
}

var table = crc64.MakeTable(crc64.ECMA)

func (c *count) add(p []byte) {
	if c.sum == nil {
		c.sum = crc64.New(table)
	}
	c.n += int64(len(p))
	_, _ = c.sum.Write(p)
}

// digest returns the sum of what was counted.
func (c *count) digest() turn.Digest {
	if c.sum == nil {
		return 0
	}
	return turn.Digest(c.sum.Sum64())
}

// leg returns the sums as a turn has them.
func (s *sums) leg() turn.Leg {
	return turn.Leg{Read: s.read.n, Written: s.wrote.n, ReadDigest: s.read.digest(), WrittenDigest: s.wrote.digest()}
}

// mostDelays bounds what is kept of the delays of one turn.
const mostDelays = 4096

// meter measures what the tap adds to one answer.
type meter struct {
	mu     sync.Mutex
	delays []float64 // ns from a read of the upstream to the end of its write; the latest mostDelays
	n      int       // of all
	added  metrics.Dist
	up     sums
	down   sums
}

// passed notes that what was read at a moment is now written.
func (m *meter) passed(read time.Time, p []byte, wrote int) {
	d := float64(time.Since(read))
	m.mu.Lock()
	defer m.mu.Unlock()
	m.down.read.add(p)
	m.down.wrote.add(p[:wrote])
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
func (m *meter) state() (added metrics.Dist, up, down turn.Leg) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.added, m.up.leg(), m.down.leg()
}

// pass copies body to w, a write and a flush for each read.
func (m *meter) pass(w http.ResponseWriter, body io.Reader) error {
	flush := http.NewResponseController(w).Flush
	buf := make([]byte, copyBytes)
	for {
		n, err := body.Read(buf)
		if n > 0 {
			read := time.Now()
			wrote, werr := w.Write(buf[:n])
			if werr == nil {
				werr = flush()
			}
			m.passed(read, buf[:n], wrote)
			if werr != nil {
				return werr
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

// asked notes what was read of the client and passed on.
func (m *meter) asked(s *sums) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.up = *s
}

// counted counts what is read of a body.
type counted struct {
	m  *meter
	to *count
	r  io.Reader
	io.Closer
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	c.to.add(p[:n])
	return n, err
}
