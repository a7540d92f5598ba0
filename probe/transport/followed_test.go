package transport_test

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"runtime"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
	"tokscope/probe/transport/stamp"
)

// No goroutine waits for the bytes of a stream that is followed: a thousand of them
// held 8 MB of stacks.
func TestNoGoroutineWaitsForAStream(t *testing.T) {
	if !stamp.KernelStamps {
		t.Skip("streams are read by a goroutine each on this platform")
	}
	const streams = 20
	overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
		ctx, cancel := context.WithCancel(context.Background())
		defer cancel()
		list := make([]*transport.Capture, streams)
		for i := range list {
			list[i] = newCapture(r)
			testkit.Must(r.tr.Do(r.request(transport.With(ctx, list[i]), "5 tokens @ 1ms; stall 1h; done")))(t)
		}
		var b transport.Batch
		for _, c := range list {
			for data := 0; data < 5; {
				<-c.Wake()
				c.Drain(&b)
				for _, line := range b.Lines {
					if bytes.HasPrefix(line.Data, []byte("data:")) {
						data++
					}
				}
			}
		}
		stacks := make([]byte, 4<<20)
		stacks = stacks[:runtime.Stack(stacks, true)]
		n := strings.Count(string(stacks), "(*Transport).pump(")
		testkit.That(t, n <= 0, "%d goroutines wait for the bytes of %d streams", n, streams)
		cancel()
		for _, c := range list { // a stop reaches a stream that nobody reads
			for more := true; more; {
				<-c.Wake()
				more = c.Drain(&b)
			}
			c.Free()
			at, err := c.End()
			testkit.That(t, at.Known() && err != nil, "a stopped stream ended at %v with %v", at, err)
		}
	})
}

// However a server cuts a body into chunks and writes: every byte comes once, the end
// is a clean one, and the connection serves the next request.
func TestFollowedStreamsHoweverTheyAreCut(t *testing.T) {
	seed := testkit.Rand(t, 1)
	rounds := 120
	if testing.Short() {
		rounds = 30
	}
	type plan struct {
		body   bytes.Buffer
		pieces [][]byte
		chop   bool // the connection ends in the middle
	}
	plans := make([]plan, rounds)
	for i := range plans {
		p := &plans[i]
		var framed bytes.Buffer
		p.chop = i%10 == 9
		for k := range 1 + seed.IntN(80) {
			chunk := fmt.Appendf(nil, "data: {\"n\":%d,\"x\":\"%s\"}\n\n", k,
				bytes.Repeat([]byte("x"), seed.IntN(1<<seed.IntN(11))))
			p.body.Write(chunk)
			for len(chunk) > 0 { // most events are one chunk
				n := len(chunk)
				if seed.IntN(8) == 0 {
					n = 1 + seed.IntN(n)
				}
				fmt.Fprintf(&framed, "%x\r\n%s\r\n", n, chunk[:n])
				chunk = chunk[n:]
			}
		}
		if !p.chop {
			framed.WriteString("0\r\n\r\n")
		}
		p.pieces = cuts(seed, framed.Bytes())
	}
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, req *http.Request) {
		var i int
		_, _ = fmt.Sscanf(req.URL.Path, "/%d", &i)
		_, _ = io.Copy(io.Discard, req.Body)
		conn, rw, err := http.NewResponseController(w).Hijack()
		if err != nil {
			return
		}
		defer conn.Close()
		for {
			_, _ = io.WriteString(conn,
				"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n")
			for k, piece := range plans[i].pieces {
				if k%3 == 0 {
					runtime.Gosched()
				}
				_, _ = conn.Write(piece)
			}
			if plans[i].chop {
				return
			}
			next, err := http.ReadRequest(rw.Reader)
			if err != nil {
				return
			}
			_, _ = fmt.Sscanf(next.URL.Path, "/%d", &i)
			_, _ = io.Copy(io.Discard, next.Body)
		}
	}))
	defer srv.Close()
	clock := transport.NewClock()
	tr := transport.New(clock, transport.Options{Bounds: transport.DefaultBounds(), Proxy: noProxy})
	defer tr.Close()
	withheld := int64(0)
	for i := range plans {
		c := transport.NewWaking(clock)
		req, err := http.NewRequestWithContext(transport.With(context.Background(), c), http.MethodPost,
			fmt.Sprintf("%s/%d", srv.URL, i), strings.NewReader("{}"))
		testkit.OK(t, err)
		if _, err := tr.Do(req); err != nil {
			t.Fatalf("round %d: %v", i, err)
		}
		var b transport.Batch
		var lines bytes.Buffer
		for more := true; more; {
			<-c.Wake()
			more = c.Drain(&b)
			for _, line := range b.Lines {
				lines.Write(line.Data)
				lines.WriteByte('\n')
			}
		}
		c.Free()
		_, err = c.End()
		testkit.Need(t, err != nil, plans[i].chop, "round", i, "cut off: …, it ended with", err)
		if !bytes.Equal(lines.Bytes(), plans[i].body.Bytes()) {
			t.Fatalf("round %d: the lines have %d bytes of %d", i, lines.Len(), plans[i].body.Len())
		}
		testkit.Need(t, c.State().Conn.Reused, i%10 != 0, "round", i, "its connection is a reused one")
		withheld += c.Withheld()
	}
	testkit.That(t, withheld != 0, "nothing was withheld in any round")
}

// cuts cuts p into writes, of which every other plan's end with a chunk.
func cuts(seed *rand.Rand, p []byte) (pieces [][]byte) {
	whole := seed.IntN(2) == 0
	for len(p) > 0 {
		n := 1 + seed.IntN(min(len(p), 1<<seed.IntN(12)))
		if i := bytes.Index(p, []byte("\n\n\r\n")); whole && i >= 0 {
			n = i + 4
		}
		pieces = append(pieces, p[:n])
		p = p[n:]
	}
	return pieces
}
