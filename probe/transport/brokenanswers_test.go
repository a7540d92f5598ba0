package transport_test

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// answering returns the address of a server that reads one request of each
// connection, sends answer and closes.
func answering(t *testing.T, answer string) string {
	t.Helper()
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		if c, _, err := http.NewResponseController(w).Hijack(); err == nil {
			_, _ = io.WriteString(c, answer)
			_ = c.Close()
		}
	}))
	t.Cleanup(s.Close)
	return s.Listener.Addr().String()
}

// endOfAnswer asks the server at target and returns how the response ended.
func endOfAnswer(t *testing.T, o transport.Options, target string) *metrics.Fault {
	t.Helper()
	clock := transport.NewClock()
	tr := transport.New(clock, o)
	defer tr.Close()
	c := transport.NewWaking(clock)
	req := testkit.Must(http.NewRequestWithContext(transport.With(t.Context(), c), http.MethodPost, target, strings.NewReader("{}")))(t)
	resp, err := tr.Do(req)
	if err == nil {
		_ = resp.Body.Close()
		var b transport.Batch
		for more := true; more; {
			<-c.Wake()
			more = c.Drain(&b)
		}
		_, err = c.End()
	}
	var f *metrics.Fault
	if err != nil && !errors.As(err, &f) {
		t.Fatalf("no fault: %v", err)
	}
	return f
}

// A response that breaks the rules of HTTP is the server's, and one that is cut
// says where.
func TestBrokenAnswers(t *testing.T) {
	const head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	const event = "data: {}\n\n"
	for _, tt := range []struct {
		name, answer string
		kind         metrics.FaultKind
		say          string
	}{
		{"cut inside a header", head + "X-Request-Id: 12", metrics.FaultReset, "in the middle of the response's headers"},
		{"cut before the blank line", head, metrics.FaultReset, "in the middle of the response's headers"},
		{"cut in the status line", "HTTP/1.1 20", metrics.FaultProtocol, "violated HTTP"},
		{"cut in the body", head + "Content-Length: 90\r\n\r\n" + event, metrics.FaultTruncated, "in the middle of the body"},
		{"size of a chunk overflows", head + "Transfer-Encoding: chunked\r\n\r\nfffffffffffffffff\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"chunk without a size", head + "Transfer-Encoding: chunked\r\n\r\n\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"chunk without a size, with an extension", head + "Transfer-Encoding: chunked\r\n\r\n;a=b\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"endless extension", head + "Transfer-Encoding: chunked\r\n\r\n5;" + strings.Repeat("a", 8192) + "\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"extensions without end", head + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1;"+strings.Repeat("a", 2000)+"\r\nx\r\n", 20), metrics.FaultProtocol, "violated HTTP"},
		{"bad length", head + "Content-Length: ten\r\n\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"negative length", head + "Content-Length: -1\r\n\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"two lengths", head + "Content-Length: 10\r\nContent-Length: 11\r\n\r\n" + event, metrics.FaultProtocol, "violated HTTP"},
		{"two encodings", head + "Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n", metrics.FaultProtocol, "violated HTTP"},
		{"nothing", "", metrics.FaultReset, "without an answer"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			f := endOfAnswer(t, defaults(), "http://"+answering(t, tt.answer)+"/v1/chat/completions")
			if f == nil || f.Kind != tt.kind || !strings.Contains(f.Message, tt.say) || f.Next == "" {
				t.Errorf("ended with %+v, want %s, %q", f, tt.kind, tt.say)
			}
		})
	}
}

// A proxy whose answer to CONNECT has endless headers is named with them: no
// body was ever read.
func TestEndlessHeadersOfAProxy(t *testing.T) {
	addr := answering(t, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X-A: "+strings.Repeat("a", 1000)+"\r\n", 100))
	o := defaults()
	o.Proxy = func(*http.Request) (*url.URL, error) { return url.Parse("http://" + addr) }
	f := endOfAnswer(t, o, "https://server.example/v1/chat/completions")
	if f == nil || f.Kind != metrics.FaultTooLarge || !strings.Contains(f.Message, "header of the proxy's answer to CONNECT passed 64 KiB") {
		t.Errorf("ended with %+v", f)
	}
}
