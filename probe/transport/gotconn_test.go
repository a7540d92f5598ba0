package transport

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

// connected returns both ends of a TCP connection on this machine, the first of
// them as a request's.
func connected(t testing.TB, attach bool) (*stamp.Conn, net.Conn) {
	t.Helper()
	ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	near := testkit.Must(net.Dial("tcp", ln.Addr().String()))(t)
	far := testkit.Must(ln.Accept())(t)
	c := stamp.Wrap(near, NewClock(), true)
	testkit.Given(t, !attach || c.Attach(), "not attached")
	t.Cleanup(func() { _, _ = c.Close(), far.Close() })
	return c, far
}

// A kept connection whose end has arrived takes no byte of a request: net/http
// then uses another one. One that stands is left alone.
func TestEndedConnectionIsNotReused(t *testing.T) {
	for _, ended := range []bool{true, false} {
		rx, far := connected(t, false)
		clock := NewClock()
		tr := New(clock, Options{})
		l := &link{owner: tr, rx: rx, dial: newDialMarks(0)}
		tp := newTap(l.rx, l).conn
		if ended {
			_ = far.Close()
			for i := 0; l.rx.Alive() && i < 1e6; i++ {
				runtime.Gosched()
			}
		}
		c := NewWaking(clock)
		ctx, cancel := context.WithCancelCause(context.Background())
		c.begin(ctx, tr, cancel)
		c.gotConn(httptrace.GotConnInfo{Conn: tp, Reused: true})
		_, err := tp.Write([]byte(http.MethodPost))
		testkit.That(t, (err != nil) == ended, "ended %v: a write on it returns %v", ended, err)
		c.finish(clock.Now(), nil)
		tr.Close()
		_ = tp.Close()
	}
}
