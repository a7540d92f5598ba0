package stamp

import (
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// followed collects what a follower gets, until it has most bytes.
type followed struct {
	c      *Conn
	most   int
	got    strings.Builder
	stamps []Stamps
	ended  chan struct{}
}

func (f *followed) onArrival(p []byte) bool {
	f.got.Write(p)
	f.stamps = append(f.stamps, f.c.Last())
	return f.got.Len() < f.most
}

// follow makes a new followed the follower of c; the test fails where c cannot be
// followed.
func follow(t *testing.T, c *Conn, most int) *followed {
	t.Helper()
	f := &followed{c: c, most: most, ended: make(chan struct{})}
	testkit.Need(t, c.Follow(f.onArrival, func() { close(f.ended) }), KernelStamps, "followed")
	if !KernelStamps {
		t.Skip("connections are not attached on this platform")
	}
	return f
}

// await fails if the follower is not done soon.
func (f *followed) await(t *testing.T) {
	t.Helper()
	select {
	case <-f.ended:
	case <-time.After(30 * time.Second):
		t.Fatal("the follower is not called at its end")
	}
}

// A follower gets what came before it and what comes later, in order and with rising
// stamps. What it does not want any more is read.
func TestFollow(t *testing.T) {
	for _, early := range []bool{true, false} {
		c, far := attached(t, NewClock(), true)
		if early { // the first bytes wait already, some of them are read
			_, _ = far.Write([]byte("head|one|"))
			if n, err := c.Read(make([]byte, 5)); n != 5 || err != nil {
				t.Fatalf("%d, %v", n, err)
			}
		}
		f := follow(t, c, len("one|two|three"))
		if !early {
			_, _ = far.Write([]byte("one|"))
		}
		_, _ = far.Write([]byte("two|three"))
		f.await(t)
		_, _ = far.Write([]byte("rest"))
		rest := make([]byte, 4)
		if _, err := io.ReadFull(c, rest); err != nil || string(rest) != "rest" {
			t.Errorf("%q is read, %v", rest, err)
		}
		testkit.Is(t, f.got.String(), "one|two|three", "early", early, "the follower")
		for i := 1; i < len(f.stamps); i++ {
			a, b := f.stamps[i-1], f.stamps[i]
			testkit.That(t, b.Read >= a.Read && b.At >= a.At, "stamps %+v after %+v", b, a)
		}
	}
}

// A follower is called at the end of the connection, whoever ends it, once.
func TestFollowToTheEnd(t *testing.T) {
	for _, tt := range []struct {
		name string
		end  func(c *Conn, far *net.TCPConn)
		want error
	}{
		{"closed by the peer", func(_ *Conn, far *net.TCPConn) { _ = far.Close() }, io.EOF},
		{"closed here", func(c *Conn, _ *net.TCPConn) { _ = c.Close() }, net.ErrClosed},
	} {
		t.Run(tt.name, func(t *testing.T) {
			for _, before := range []bool{true, false} {
				c, far := attached(t, NewClock(), true)
				if before {
					_, _ = far.Write([]byte("last"))
					tt.end(c, far)
				}
				f := follow(t, c, 100)
				if !before {
					_, _ = far.Write([]byte("last"))
					tt.end(c, far)
				}
				f.await(t) // closes a channel: a second call would panic
				_ = c.Close()
				got := f.got.String()
				testkit.That(t, (tt.want != io.EOF || got == "last") && strings.HasPrefix("last", got), "the follower got %q", got)
				if n, err := c.Read(make([]byte, 1)); n > 0 || err == nil || tt.want == net.ErrClosed &&
					!errors.Is(err, net.ErrClosed) {
					t.Errorf("a read after the end: %d, %v", n, err)
				}
			}
		})
	}
}

// A Close from another goroutine waits for no arrival, and the follower's end comes
// behind its last arrival.
func TestCloseWhileFollowed(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	for range rounds {
		c, far := attached(t, NewClock(), true)
		f := follow(t, c, 1<<20)
		go func() {
			for range 20 {
				if _, err := far.Write([]byte("some bytes")); err != nil {
					return
				}
			}
		}()
		go func() { _ = c.Close() }()
		f.await(t)
		seen := f.got.Len() // the race detector sees an arrival after the end
		testkit.Given(t, seen <= 200, "%d bytes of 200", seen)
		_ = far.Close()
	}
}
