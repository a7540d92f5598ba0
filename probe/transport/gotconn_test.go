package transport

import (
	"context"
	"net"
	"net/http"
	"net/http/httptrace"
	"runtime"
	"testing"

	"tokscope/probe/transport/stamp"
)

// A kept connection whose end has arrived takes no byte of a request: net/http
// then uses another one. One that stands is left alone.
func TestEndedConnectionIsNotReused(t *testing.T) {
	for _, ended := range []bool{true, false} {
		ln, err := net.Listen("tcp", "127.0.0.1:0")
		if err != nil {
			t.Fatal(err)
		}
		here, err := net.Dial("tcp", ln.Addr().String())
		if err != nil {
			t.Fatal(err)
		}
		far, err := ln.Accept()
		if err != nil {
			t.Fatal(err)
		}
		clock := NewClock()
		tr := New(clock, Options{})
		l := &link{rx: stamp.Wrap(here, clock, true), dial: newDialMarks(0)}
		tp := newTap(l.rx, l, func() {})
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
		if _, err := tp.Write([]byte(http.MethodPost)); (err != nil) != ended {
			t.Errorf("ended %v: a write on it returns %v", ended, err)
		}
		c.finish(clock.Now(), nil)
		tr.Close()
		_, _, _ = tp.Close(), far.Close(), ln.Close()
	}
}
