package transport

import (
	"bytes"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http/httptrace"
	"net/http/httputil"
	"testing"

	"tokscope/probe/transport/stamp"
)

// However a body is cut into chunks, writes and reads: net/http sees a valid
// framing, gets bytes with every read, and what it does not see is counted.
func TestWithheldChunksLeaveAValidFraming(t *testing.T) {
	const seed, rounds = 20261123, 300
	most := int64(0)
	for round := range rounds {
		random := rand.New(rand.NewPCG(seed, uint64(round)))
		var body, framed bytes.Buffer
		for i := range 1 + random.IntN(60) {
			chunk := fmt.Appendf(nil, "data: {\"n\":%d,\"x\":\"%s\"}\n\n", i, bytes.Repeat([]byte("x"), random.IntN(1<<random.IntN(11))))
			body.Write(chunk)
			for len(chunk) > 0 { // most events are one chunk
				n := len(chunk)
				if random.IntN(8) == 0 {
					n = 1 + random.IntN(n)
				}
				fmt.Fprintf(&framed, "%x\r\n%s\r\n", n, chunk[:n])
				chunk = chunk[n:]
			}
		}
		framed.WriteString("0\r\n\r\n")
		here, there := net.Pipe()
		clock := NewClock()
		tr := New(clock, Options{Bounds: DefaultBounds()})
		l := &link{rx: stamp.Wrap(here, clock, false), dial: newDialMarks(clock.Now())}
		tp := newTap(l.rx, l, func() {})
		c := NewWaking(clock)
		c.owner = tr
		c.gotConn(httptrace.GotConnInfo{Conn: tp})
		c.intake.walk = walker{state: inChunkSize, stream: true, chunked: true}
		tp.mid = true
		whole := random.IntN(2) == 0 // each write ends with a chunk
		in := &inPieces{r: tp, size: 1 + random.IntN(1500)}
		written := make(chan struct{})
		go func() {
			defer close(written)
			for rest := framed.Bytes(); len(rest) > 0; {
				n := 1 + random.IntN(min(len(rest), 1<<random.IntN(12)))
				if i := bytes.Index(rest, []byte("\n\n\r\n")); whole && i >= 0 {
					n = i + 4
				}
				_, _ = there.Write(rest[:n])
				rest = rest[n:]
			}
			_ = there.Close()
		}()
		got, err := io.ReadAll(httputil.NewChunkedReader(in))
		if err != nil || in.empty > 0 {
			t.Fatalf("seed %d, round %d: %v, %d reads without a byte", seed, round, err, in.empty)
		}
		withheld := c.counts.withheld.Load()
		if n := int64(len(got)) + withheld; n != int64(body.Len()) || c.counts.body.Load() != n {
			t.Fatalf("seed %d, round %d: %d bytes seen, %d withheld, %d counted of %d", seed, round, len(got), withheld, c.counts.body.Load(), body.Len())
		}
		lines := 0
		var b Batch
		for rest := true; rest; rest = b.Rest {
			c.Drain(&b)
			for _, line := range b.Lines {
				lines += len(line.Data) + 1
			}
		}
		if lines != body.Len() {
			t.Fatalf("seed %d, round %d: lines of %d bytes, %d were sent", seed, round, lines, body.Len())
		}
		most = max(most, withheld)
		c.finish(clock.Now(), nil)
		_ = here.Close()
		<-written
		tr.Close()
	}
	if most == 0 {
		t.Error("nothing was withheld in any round")
	}
}

// inPieces reads at most size bytes at a time, and counts reads without any.
type inPieces struct {
	r     io.Reader
	size  int
	empty int
}

func (p *inPieces) Read(b []byte) (int, error) {
	n, err := p.r.Read(b[:min(len(b), p.size)])
	if n == 0 && err == nil {
		p.empty++
	}
	return n, err
}
