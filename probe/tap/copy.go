package tap

import (
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

var table = crc64.MakeTable(crc64.ECMA)

// tally counts bytes and sums them up.
func tally(n *int64, sum *turn.Digest, p []byte) {
	*n += int64(len(p))
	*sum = turn.Digest(crc64.Update(uint64(*sum), table, p))
}

// mostDelays bounds what is kept of the delays of one turn.
const mostDelays = 4096

// meter measures what the tap adds to one answer.
type meter struct {
	mu     sync.Mutex
	delays []float64 // ns from a read of the upstream to the end of its write; the latest mostDelays
	n      int       // of all
	added  metrics.Dist
	up     turn.Leg
	down   turn.Leg
}

// passed notes that what was read at a moment is now written.
func (m *meter) passed(read time.Time, p []byte, wrote int) {
	d := float64(time.Since(read))
	m.mu.Lock()
	defer m.mu.Unlock()
	tally(&m.down.Read, &m.down.ReadDigest, p)
	tally(&m.down.Written, &m.down.WrittenDigest, p[:wrote])
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
	return m.added, m.up, m.down
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
func (m *meter) asked(up turn.Leg) {
	m.mu.Lock()
	defer m.mu.Unlock()
	m.up = up
}

// counted counts what is read of a body.
type counted struct {
	m   *meter
	n   *int64
	sum *turn.Digest
	r   io.Reader
	io.Closer
}

func (c *counted) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.m.mu.Lock()
	defer c.m.mu.Unlock()
	tally(c.n, c.sum, p[:n])
	return n, err
}
