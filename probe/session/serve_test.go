package session

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// pipes is a listener in memory.
type pipes struct {
	conns  chan net.Conn
	closed chan struct{}
}

func (p *pipes) Accept() (net.Conn, error) {
	select {
	case c := <-p.conns:
		return c, nil
	case <-p.closed:
		return nil, net.ErrClosed
	}
}
func (p *pipes) Close() error   { close(p.closed); return nil }
func (p *pipes) Addr() net.Addr { return &net.TCPAddr{} }

// ask sends a question and returns the pieces of the answer's body as they arrive,
// with the time since the request, and the head. broken reports that the body had no
// end.
func (p *pipes) ask(t *testing.T, question string) (got []arrival, head *http.Response, broken bool) {
	t.Helper()
	c, s := net.Pipe()
	p.conns <- s
	defer func() { _ = c.Close() }()
	testkit.Must(io.WriteString(c, question))(t)
	last := time.Now()
	head = testkit.Must(http.ReadResponse(bufio.NewReaderSize(c, 1<<20), nil))(t)
	buf := make([]byte, 1<<20)
	for {
		n, err := head.Body.Read(buf)
		if now := time.Now(); n > 0 {
			got = append(got, arrival{now.Sub(last), bytes.Clone(buf[:n])})
			last = now
		}
		if err != nil {
			return got, head, !errors.Is(err, io.EOF)
		}
	}
}

const asksStream = "POST /any/path HTTP/1.1\r\nHost: h\r\nContent-Length: 15\r\n\r\n{\"stream\":true}"

// serving runs f with a server of h, in virtual time.
func serving(t *testing.T, h *Handler, f func(*pipes)) {
	t.Helper()
	p := &pipes{make(chan net.Conn), make(chan struct{})}
	h.sleep = inVirtualTime
	s := &http.Server{Handler: h}
	done := make(chan struct{})
	go func() { defer close(done); _ = s.Serve(p) }()
	f(p)
	_ = s.Shutdown(context.Background())
	<-done
}

func inVirtualTime(_ context.Context, d time.Duration) { time.Sleep(d) }

// In virtual time a served recording has exactly the gaps, the reads and the bytes of
// the original; recorded and served again, three times, nothing drifts.
func TestServedGapsAreExact(t *testing.T) {
	r := testkit.Rand(t, 9)
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		original := make([][]arrival, 12)
		for i := range original {
			for _, a := range generated(r) {
				if n := len(original[i]); len(a.data) > 0 {
					a.gap += time.Duration(n) * 100 // no two gaps are equal
					original[i] = append(original[i], a)
				}
			}
		}
		now := original
		for round := range 3 {
			f := testkit.Must(Create(dir, Options{Version: "test", Started: time.Unix(1e9+int64(round), 0), Raw: true}))(t)
			start := metrics.Stamp(0)
			for i := range now {
				v, _ := write(f, i+1, start, true, now[i])
				start = v.Marks.End + 1e9
			}
			testkit.OK(t, f.Close())
			rec := testkit.Must(Open(f.Path(), nil))(t)
			h := testkit.Must(NewHandler(0, rec))(t)
			next := make([][]arrival, len(now))
			serving(t, h, func(p *pipes) {
				for i := range now {
					next[i], _, _ = p.ask(t, asksStream)
				}
			})
			for i := range now {
				testkit.Need(t, len(next[i]), len(original[i]), "round", round, "stream", i, "reads")
				next[i][0].gap -= 40e6 // the head came 40 ms after the request
				for k, a := range next[i] {
					if b := original[i][k]; a.gap != b.gap || !bytes.Equal(a.data, b.data) {
						t.Fatalf("round %d, stream %d: read %d is %v %q, was %v %q", round, i, k, a.gap, a.data, b.gap, b.data)
					}
				}
			}
			now = next
		}
	})
}

// Without the bytes of the body the events come in the same reads, and decode to
// the same chunks.
func TestServedEvents(t *testing.T) {
	path, views, _, arrivals := forty(t, false, testkit.Rand(t, 10))
	rec := testkit.Must(Open(path, nil))(t)
	h := testkit.Must(NewHandler(0, rec))(t)
	out := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		f := testkit.Must(Create(out, Options{Version: "test", Started: time.Unix(1e9, 0)}))(t)
		serving(t, h, func(p *pipes) {
			for i := range views {
				got, head, broken := p.ask(t, asksStream)
				if broken || head.Header.Get("Content-Type") != "text/event-stream" || head.Header.Get("X-Request-Id") != "" {
					t.Errorf("stream %d: broken %v, head %v", i, broken, head.Header)
				}
				again, _ := write(f, i+1, 0, false, got)
				if len(again.Chunks) != len(views[i].Chunks) || string(again.Text) != string(views[i].Text) {
					t.Fatalf("stream %d: %d chunks of %d, text %q, was %q", i, len(again.Chunks), len(views[i].Chunks), again.Text,
						views[i].Text)
				}
				for k := 1; k < len(again.Chunks); k++ {
					a, b := again.Chunks, views[i].Chunks
					if a[k].At-a[k-1].At != b[k].At-b[k-1].At || (a[k].Read == a[k-1].Read) != (b[k].Read == b[k-1].Read) {
						t.Fatalf("stream %d of %d reads: chunk %d comes after %d, was %d", i, len(arrivals[i]), k, a[k].At-a[k-1].At,
							b[k].At-b[k-1].At)
					}
				}
			}
		})
		_ = f.Close()
	})
}

// A recording answers any path, model and prompt, without a stream as well, and
// lists its models.
func TestServedForms(t *testing.T) {
	path, views, _, _ := forty(t, false, testkit.Rand(t, 11))
	rec := testkit.Must(Open(path, nil))(t)
	good := slices.IndexFunc(views, func(v metrics.Stream) bool { return v.Fault == nil && len(v.Text) > 0 })
	h := testkit.Must(NewHandler(good+1, rec))(t)
	synctest.Test(t, func(t *testing.T) {
		serving(t, h, func(p *pipes) {
			body := `{"model":"any","messages":[{"role":"user","content":"a prompt of nobody"}]}`
			got, head, _ := p.ask(t, fmt.Sprintf("POST /v9/odd HTTP/1.1\r\nHost: h\r\nContent-Length: %d\r\n\r\n%s", len(body),
				body))
			text := string(join(got))
			if head.Header.Get("Content-Type") != "application/json" || !strings.Contains(text, `"chat.completion"`) ||
				!strings.Contains(text, "content") {
				t.Errorf("%v: %s", head.Header, text)
			}
			got, _, _ = p.ask(t, "GET /v1/models HTTP/1.1\r\nHost: h\r\n\r\n")
			testkit.Has(t, string(join(got)), `"id":"m","model":"m","name":"m","object":"model","type":"model"}`)
			_, head, _ = p.ask(t, "GET /health HTTP/1.1\r\nHost: h\r\n\r\n")
			testkit.Is(t, head.StatusCode, http.StatusOK, head.Status)
			_, head, _ = p.ask(t, "GET /metrics HTTP/1.1\r\nHost: h\r\n\r\n")
			testkit.Is(t, head.StatusCode, http.StatusNotFound, head.Status)
		})
	})
}

func join(all []arrival) (b []byte) {
	for _, a := range all {
		b = append(b, a.data...)
	}
	return b
}

// What is served from a hostile file is bounded: gaps, statuses, headers. Bytes that
// end an event early stay within it.
func TestServedHostileFiles(t *testing.T) {
	text := fileHeadOf + strings.Replace(request, "1000000", "-9223372036854775807",
		1) + `{"type":"sent","id":1,"at_ns":-9223372036854775807}` + "\n" +
		`{"type":"head","id":1,"at_ns":5,"status":9999,"headers":{"Content-Type":["text/event-stream\r\nX-Evil: 1"],"Set-Cookie":["a=b"],"Location":["http://evil"]}}` + "\n" +
		`{"type":"event","id":1,"at_ns":9223372036854775807,"name":"a\nb: c\r\n","data":"one\r\rdata: two","read":1,"bytes":3}` + "\n" +
		`{"type":"event","id":1,"at_ns":-5,"data":"[DONE]","read":-7}` + "\n" +
		`{"type":"read","id":1,"at_ns":3,"read":2147483647,"bytes":-100}` + "\n"
	path := filepath.Join(t.TempDir(), "f")
	testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
	rec := testkit.Must(Open(path, nil))(t)
	h := testkit.Must(NewHandler(0, rec))(t)
	synctest.Test(t, func(t *testing.T) {
		serving(t, h, func(p *pipes) {
			begun := time.Now()
			got, head, _ := p.ask(t, asksStream)
			d := time.Since(begun)
			testkit.That(t, d <= 3*maxGap && head.StatusCode == http.StatusOK, "it took %v, status %d", d, head.StatusCode)
			for name := range head.Header {
				testkit.That(t, slices.Contains([]string{"Content-Type", "Date", "Transfer-Encoding", "Content-Length"}, name),
					"header %s is served", name)
			}
			if body := string(join(got)); strings.Contains(body, "data: two\n") ||
				strings.Contains(head.Header.Get("Content-Type"), "Evil") {
				t.Errorf("%q, %v", body, head.Header)
			}
		})
	})
	_, err := NewHandler(0, &Recording{Requests: []*Recorded{{ID: 1}}})
	testkit.That(t, err != nil, "a recording without an answer is served")
}

// TestPiecesBeyondTheMost holds that what comes behind the last piece costs no copy of
// it each time, and changes nothing of the body.
func TestPiecesBeyondTheMost(t *testing.T) {
	for _, size := range []int{1, 5, 90} {
		body := []byte(strings.Repeat("x", size) + strings.Repeat("y", size))
		var a arrivals
		out := a.add(make([]piece, maxPieces-1), 1, body[:size])
		const more = 20_000
		took := testkit.Allocated(func() {
			for range more {
				out = a.add(out, 2, []byte("zzzzz"))
			}
		})
		if n := len(out[maxPieces-1].data); n != size+5*more || body[size] != 'y' {
			t.Errorf("the last piece has %d bytes, and the body is %q", n, body)
		}
		if took > 4<<20 {
			t.Errorf("%d pieces more take %d bytes", more, took)
		}
	}
}
