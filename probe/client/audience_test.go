package client

import (
	"context"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/path"
	"tokscope/probe/secret"
	"tokscope/probe/transport"
)

// notebook is a Recorder that writes its calls down, in words.
type notebook struct {
	detail Detail
	mu     sync.Mutex
	lines  []string
	body   []byte
	reads  int
	sent   chan struct{} // closed with the first Sent
	once   sync.Once
}

func (n *notebook) write(format string, a ...any) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.lines = append(n.lines, fmt.Sprintf(format, a...))
}

func (n *notebook) Begin(metrics.Stream)                 { n.write("begin") }
func (n *notebook) Detail(int) Detail                    { return n.detail }
func (n *notebook) Head(_ int, h *Head)                  { n.write("head %d", h.Status) }
func (n *notebook) Event(f *Folded)                      { n.write("event") }
func (n *notebook) End(metrics.Stream, *metrics.Figures) { n.write("end") }
func (n *notebook) Read(_ int, r *transport.Read)        { n.reads += int(r.Bytes) }
func (n *notebook) Body(_ int, data []byte)              { n.body = append(n.body, data...) }
func (n *notebook) Sent(int, metrics.Stamp) {
	n.write("sent")
	n.once.Do(func() { close(n.sent) })
}
func (n *notebook) PathEvent(int, metrics.Stamp, *path.Event) {}

// A Recorder receives a request's sending before the server answers, each
// attempt with its head, and only the detail it wants.
func TestRecorderIsShownTheTransport(t *testing.T) {
	const (
		refused = `{"error":{"message":"stream_options is not supported"}}`
		answer  = "data: {\"choices\":[{\"delta\":{\"content\":\"x\"}}]}\n\ndata: [DONE]\n\n"
	)
	for detail, want := range map[Detail][]string{
		DetailEnds:   {"begin", "sent", "head 400", "sent", "head 200", "end"},
		DetailEvents: {"begin", "sent", "head 400", "sent", "head 200", "event", "event", "end"},
		DetailBytes:  {"begin", "sent", "head 400", "sent", "head 200", "event", "event", "end"},
	} {
		n := &notebook{detail: detail, sent: make(chan struct{})}
		var attempts atomic.Int32
		srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			_, _ = io.Copy(io.Discard, r.Body)
			if attempts.Add(1) == 1 {
				select { // the server has not answered, and the sinks know that it was asked
				case <-n.sent:
				case <-time.After(20 * time.Second):
					t.Error("nobody was shown that the request was sent")
				}
				w.WriteHeader(http.StatusBadRequest)
				_, _ = io.WriteString(w, refused)
				return
			}
			w.Header().Set("Content-Type", "text/event-stream")
			_, _ = io.WriteString(w, answer)
		}))
		e := New(Options{})
		e.AddSink(n)
		s := e.Start(context.Background(), targetOf(srv), metrics.Workload{Prompt: "x"})
		<-s.Done()
		testkit.Same(t, n.lines, want, "detail", detail)
		whole := ""
		if detail == DetailBytes {
			whole = refused + answer
		}
		if string(n.body) != whole || (n.reads > 0) != (detail >= DetailEvents) || n.reads > 0 &&
			n.reads != len(refused+answer) {
			t.Errorf("detail %d: %d bytes in reads, body %q", detail, n.reads, n.body)
		}
		e.Close()
		srv.Close()
	}
}

// An unsent request does not keep ingest waiting for its sending.
func TestUnsentRequestIsNotAwaited(t *testing.T) {
	n := &notebook{sent: make(chan struct{})}
	e := New(Options{})
	e.AddSink(n)
	target := endpoint.Target{Endpoint: metrics.Endpoint{URL: "http://127.0.0.1:1", Model: "m"},
		Extra: map[string]any{"x": make(chan int)}, Server: "test"}
	s := e.Start(context.Background(), target, metrics.Workload{Prompt: "x"})
	<-s.Done()
	testkit.Same(t, n.lines, []string{"begin", "end"})
	a := newAttempt(e)
	j := &job{s: s, attempt: a, look: func() bool { return !s.audience.showSent(a) }}
	more, _ := (&ingester{engine: e}).sweep(j)
	testkit.That(t, !more, "the end of the stream does not end the wait")
	e.Close()
}

// mask leaves no key in a line, keeps its length and its end, and leaves lines
// without a key as they are.
func TestMask(t *testing.T) {
	const key = "sk-mask-0123456789abcdef"
	scrub := secret.NewScrubber(secret.NewSecret(key))
	for _, form := range []string{key, strings.ReplaceAll(key, "-", `\u002d`),
		base64.StdEncoding.EncodeToString([]byte("user:" + key)), key + key, key + " and " + key} {
		for _, around := range [][2]string{{"", ""}, {`data: {"content":"`, "\"}\r\n"}, {"é", "\n"}, {"[redacted]", "*\r"},
			{"s", "f\n"}} {
			line := []byte(around[0] + form + around[1])
			masked := append([]byte(nil), line...)
			mask(masked, scrub)
			if len(masked) != len(line) || scrub.Hit(masked) || strings.Contains(string(masked), "0123456789abcdef") ||
				strings.TrimRight(around[1], "\r\n") != around[1] && masked[len(masked)-1] != line[len(line)-1] {
				t.Errorf("%q became %q", line, masked)
			}
		}
	}
	line := []byte("data: {\"content\":\"plain words * [redacted]\"}\n")
	mask(line, scrub)
	testkit.Is(t, string(line), "data: {\"content\":\"plain words * [redacted]\"}\n", "a line without a key")
}

// Heads are shown without headers that authorize or identify the client.
func TestPresentableHead(t *testing.T) {
	const key = "sk-head-0123456789abcdef"
	h := http.Header{
		"Content-Type": {"text/event-stream"}, "X-Request-Id": {"of " + key}, "X-Ratelimit-Remaining-Tokens": {"5"},
		"Set-Cookie":       {"a=b", "c=d"},
		"Www-Authenticate": {"Bearer"}, "X-Api-Key": {"x"}, "Cf-Cookie": {"y"}, "x-api-key": {"z"},
	}
	out, left := presentable(h, secret.NewScrubber(secret.NewSecret(key)))
	want := http.Header{"Content-Type": {"text/event-stream"}, "X-Request-Id": {"of [redacted]"},
		"X-Ratelimit-Remaining-Tokens": {"5"}}
	testkit.Same(t, out, want)
	testkit.Same(t, left, []string{"Cf-Cookie", "Set-Cookie", "Www-Authenticate", "X-Api-Key", "x-api-key"})
	testkit.Is(t, len(h["Set-Cookie"]), 2, "the response's own headers were changed")
}
