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
)

// TestThisMachineRanOut checks that what this machine lacks is not the
// server's fault, also where only a text says so.
func TestThisMachineRanOut(t *testing.T) {
	for _, x := range []struct {
		err        error
		kind       metrics.FaultKind
		text, next string
	}{
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.EMFILE)}, metrics.FaultLocal,
			"too many open files", "ulimit -n"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.ENFILE)}, metrics.FaultLocal,
			"too many open files", "ulimit -n"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: &net.DNSError{Err: "dial udp 192.0.2.1:53: socket: too many open files",
			Name: "h"}}, metrics.FaultLocal, "too many open files", "ulimit -n"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("socket", syscall.ENOBUFS)}, metrics.FaultLocal,
			"no memory", "fewer users"},
		{&net.OpError{Op: "dial", Net: "tcp", Err: os.NewSyscallError("connect", syscall.ECONNREFUSED)},
			metrics.FaultConnect, "refused", "check that the server runs"},
	} {
		virtual(t, defaults(), func(r *harness) {
			r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) { return nil, x.err })
			got := r.ask("")
			if got.err == nil || got.err.Kind != x.kind || !strings.Contains(got.err.Message, x.text) ||
				!strings.Contains(got.err.Next, x.next) {
				t.Errorf("%v: ended with %+v", x.err, got.err)
			}
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
		{"unreachable", &net.OpError{Op: "dial", Net: "tcp", Err: errors.New("network is unreachable")},
			metrics.FaultConnect},
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
			if got.err == nil || got.err.Kind != metrics.FaultConnect ||
				got.err.Message != "the connection was refused by "+addr {
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
		testkit.That(t, err == nil && strings.Contains(string(b), "chat.completion"), "body %q, %v", b, err)
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
		_, err := r.tr.Do(r.request(with(c), "1 tokens @ 1ms"))
		testkit.That(t, err != nil, "a second request took the same capture")
	})
}
