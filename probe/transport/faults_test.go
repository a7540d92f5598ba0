package transport_test

import (
	"context"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// TestEndings checks bad ends of a stream, over TCP.
func TestEndings(t *testing.T) {
	for _, tt := range []struct {
		name, answer string
		kind         metrics.FaultKind
		events       int
		message      string
	}{
		{"as it should", "5 tokens @ 1ms", "", 7, ""},
		{"reset", "5 tokens @ 1ms; stall 20ms; rst", metrics.FaultReset, 5, "the connection broke in the middle of the stream: connection reset by peer"},
		{"closed between chunks", "5 tokens @ 1ms; cut", metrics.FaultTruncated, 5, "the server closed the connection in the middle of the body"},
		{"closed inside a chunk", "straddle; 5 tokens @ 1ms; cut", metrics.FaultTruncated, 5, "the server closed the connection in the middle of the body"},
		{"closed after [DONE], without the last chunk", "5 tokens @ 1ms; done; cut", "", 6, ""},
		{"malformed chunk", "broken", metrics.FaultProtocol, 1, "the server violated HTTP: invalid byte in chunk length"},
		{"nothing", "unchunked; end", "", 0, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
				got := r.ask(tt.answer)
				kind, message := metrics.FaultNone, ""
				if got.err != nil {
					kind, message = got.err.Kind, got.err.Message
				}
				if kind != tt.kind || message != tt.message {
					t.Errorf("ended with %q: %q", kind, message)
				}
				testkit.Is(t, len(got.data()), tt.events, "events could be taken")
				if got.end < got.marks.Sent {
					t.Errorf("ended at %d, sent at %d", got.end, got.marks.Sent)
				}
			})
		})
	}
}

// TestThisMachineRanOut checks that what this machine lacks is not the
// server's fault, also where only a text says so.
func TestThisMachineRanOut(t *testing.T) {
	for _, x := range []struct {
		err        error
		kind       metrics.FaultKind
		text, next string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}, metrics.FaultLocal, "too many open files", "ulimit -n"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.ENFILE)}, metrics.FaultLocal, "too many open files", "ulimit -n"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "dial udp 192.0.2.1:53: socket: too many open files", Name: "h"}}, metrics.FaultLocal, "too many open files", "ulimit -n"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.ENOBUFS)}, metrics.FaultLocal, "no memory", "fewer users"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)}, metrics.FaultConnect, "refused", "check that the server runs"},
	} {
		virtual(t, defaults(), func(r *harness) {
			r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) { return nil, x.err })
			got := r.ask("")
			if got.err == nil || got.err.Kind != x.kind || !strings.Contains(got.err.Message, x.text) || !strings.Contains(got.err.Next, x.next) {
				t.Errorf("%v: ended with %+v", x.err, got.err)
			}
		})
	}
}

// TestAnswers checks answers that are not a stream.
func TestAnswers(t *testing.T) {
	for _, tt := range []struct {
		answer string
		want   metrics.Fault
		body   string // kept by the capture
	}{
		{"redirect https://user:secret@elsewhere.example/v1", metrics.Fault{Kind: metrics.FaultRedirect, Status: 307, Location: "https://elsewhere.example/v1",
			Message: "the server redirects to https://elsewhere.example/v1, which is not followed: the key would be sent along"}, ""},
		{"html", metrics.Fault{Kind: metrics.FaultNotStream, Status: 200, Message: "the server answered with text/html instead of a stream"}, "<!doctype html>"},
		{"json", metrics.Fault{Kind: metrics.FaultNotStream, Status: 200, Message: "the server answered with application/json instead of a stream"}, "chat.completion"},
		{"gzip", metrics.Fault{Kind: metrics.FaultCompressed, Status: 200,
			Message: "the server compressed the stream (gzip) although that was not offered: arrival times cannot be seen"}, ""},
	} {
		t.Run(tt.answer, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				got := r.ask(tt.answer)
				if got.err == nil {
					t.Fatal("ended well")
				}
				next := got.err.Next
				f := *got.err
				f.Next = ""
				testkit.Same(t, f, tt.want, "fault")
				if next == "" {
					t.Error("no next step is given")
				}
				if b := string(got.capture.ErrorBody()); !strings.Contains(b, tt.body) || (b == "") != (tt.body == "") {
					t.Errorf("kept %q", b)
				}
				testkit.Need(t, got.response, nil, "response")
				if status, h := got.capture.Response(); status != tt.want.Status || h == nil {
					t.Errorf("status %d, headers %v", status, h)
				}
				testkit.Is(t, len(got.events), 0, "events")
			})
		})
	}
}

// A response of another status is passed on, and makes no fault here: the words for
// it are the caller's.
func TestStatusesArePassedOn(t *testing.T) {
	for _, tt := range []struct {
		answer string
		status int
		body   string
	}{
		{"unauthorized", 401, "Incorrect API key provided: key-of-the-test"},
		{"ratelimited", 429, "slow down"},
	} {
		t.Run(tt.answer, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				got := r.ask(tt.answer)
				if got.err != nil || !got.end.Known() || len(got.events) != 0 {
					t.Errorf("ended at %v with %v and %d events", got.end, got.err, len(got.events))
				}
				if status, h := got.capture.Response(); status != tt.status || h == nil {
					t.Errorf("status %d, headers %v", status, h)
				}
				b, err := io.ReadAll(got.response.Body)
				if err != nil || !strings.Contains(string(b), tt.body) {
					t.Errorf("handed on %q, %v", b, err)
				}
				testkit.Has(t, string(got.capture.ErrorBody()), tt.body)
			})
		})
	}
}

func TestNoConnection(t *testing.T) {
	for _, tt := range []struct {
		name string
		err  error
		want metrics.FaultKind
	}{
		{"name not found", &net.DNSError{Err: "no such host", Name: "nowhere.example", IsNotFound: true}, metrics.FaultDNS},
		{"unreachable", &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("network is unreachable")}, metrics.FaultConnect},
	} {
		t.Run(tt.name, func(t *testing.T) {
			virtual(t, defaults(), func(r *harness) {
				r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) { return nil, tt.err })
				if got := r.ask(""); got.err == nil || got.err.Kind != tt.want || got.err.Next == "" {
					t.Errorf("ended with %+v", got.err)
				}
			})
		})
	}
	t.Run("refused", func(t *testing.T) {
		addr := probetest.Refuses(t)
		overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
			r.url = func(string) string { return "http://" + addr + "/v1" }
			got := r.ask("")
			if got.err == nil || got.err.Kind != metrics.FaultConnect || got.err.Message != "the connection was refused by "+addr {
				t.Errorf("ended with %+v", got.err)
			}
		})
	})
	t.Run("certificate of nobody", func(t *testing.T) {
		overTCP(t, defaults(), probetest.Options{TLS: true}, func(r *harness) {
			tr := transport.New(r.clock, transport.Options{Bounds: transport.DefaultBounds(), Proxy: noProxy})
			defer tr.Close()
			c := newCapture(r)
			_, err := tr.Do(r.request(with(c), ""))
			if f, ok := errors.AsType[*metrics.Fault](err); !ok || f.Kind != metrics.FaultTLS || !strings.Contains(f.Next, "--cacert") {
				t.Errorf("ended with %v", err)
			}
		})
	})
	t.Run("plain server on an https address", func(t *testing.T) {
		overTCP(t, defaults(), probetest.Options{}, func(r *harness) {
			u := r.url("")
			r.url = func(string) string { return strings.Replace(u, "http:", "https:", 1) }
			if got := r.ask(""); got.err == nil || got.err.Kind != metrics.FaultTLS {
				t.Errorf("ended with %+v", got.err)
			}
		})
	})
}

// TestPlainRequests checks requests without a capture, such as the model
// list.
func TestPlainRequests(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		get := func(text string) (*http.Response, error) {
			req := testkit.Must(http.NewRequest(http.MethodGet, r.url(text)+"/models", nil))(t)
			return r.tr.Do(req)
		}
		resp := testkit.Must(get("json"))(t)
		b, err := io.ReadAll(resp.Body)
		if err != nil || !strings.Contains(string(b), "chat.completion") {
			t.Errorf("body %q, %v", b, err)
		}
		_ = resp.Body.Close()
		var f *metrics.Fault
		if _, err := get("redirect /elsewhere"); !errors.As(err, &f) || f.Kind != metrics.FaultRedirect {
			t.Errorf("a redirect gave %v", err)
		}
		if _, err := get("prefill 10m; 1 tokens @ 1s"); !errors.As(err, &f) || f.Kind != metrics.FaultTimeout {
			t.Errorf("a server that never answers gave %v", err)
		}
	})
}

func TestCaptureIsForOneRequest(t *testing.T) {
	virtual(t, defaults(), func(r *harness) {
		c := newCapture(r)
		r.follow(c, r.request(with(c), "1 tokens @ 1ms"), 0)
		if _, err := r.tr.Do(r.request(with(c), "1 tokens @ 1ms")); err == nil {
			t.Error("a second request took the same capture")
		}
	})
}
