package stamp

import (
	"context"
	"errors"
	"io"
	"net"
	"os"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// pair returns both ends of a TCP connection on loopback.
func pair(t *testing.T, clock *Clock, kernel bool) (*Conn, *net.TCPConn) {
	t.Helper()
	ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	d := net.Dialer{Control: Control}
	here := testkit.Must(d.DialContext(context.Background(), "tcp", ln.Addr().String()))(t)
	there := testkit.Must(ln.Accept())(t)
	c := Wrap(here, clock, kernel)
	t.Cleanup(func() { _ = c.Close(); _ = there.Close() })
	return c, there.(*net.TCPConn)
}

// attached is pair with the near end attached to the receiver, where there is one.
func attached(t *testing.T, clock *Clock, kernel bool) (*Conn, *net.TCPConn) {
	t.Helper()
	c, far := pair(t, clock, kernel)
	testkit.Need(t, c.Attach(), KernelStamps, "attached")
	return c, far
}

// TestStampsLieBetweenWriteAndRead checks stamps of kernel and user space: each
// lies between the start of the write and the return of the read.
func TestStampsLieBetweenWriteAndRead(t *testing.T) {
	defer Enable()()
	for _, kernel := range []bool{true, false} {
		clock := NewClock()
		c, far := pair(t, clock, kernel)
		buf := make([]byte, 100)
		// The kernel starts to stamp after one of its workers has run.
		begun := !kernel || !KernelStamps
		for give := time.Now().Add(30 * time.Second); !begun && time.Now().Before(give); begun = c.Last().Kernel {
			testkit.Must(far.Write([]byte("hello")))(t)
			testkit.Must(c.Read(buf))(t)
		}
		stamped, earlier := 0, int(c.Last().Read)
		for i := range 200 {
			before := clock.Now()
			testkit.Must(far.Write([]byte("hello")))(t)
			n, err := c.Read(buf)
			after := clock.Now()
			testkit.Given(t, n == 5 && err == nil, "read %d, %v", n, err)
			s := c.Last()
			if s.Read != int32(earlier+i+1) || s.User < before || s.User > after || s.At > s.User ||
				s.At < before-metrics.Stamp(stepNoise) {
				t.Fatalf("read %d between %d and %d: %+v", i, before, after, s)
			}
			if s.Kernel {
				stamped++
			}
		}
		testkit.That(t, (kernel || stamped <= 0) && (!kernel || !KernelStamps || stamped >= 100),
			"kernel stamps wanted: %v, given: %d of 200", kernel, stamped)
	}
}

func TestLimit(t *testing.T) {
	c, far := pair(t, NewClock(), true)
	testkit.Must(far.Write([]byte("0123456789")))(t)
	buf := make([]byte, 100)
	for _, tt := range []struct {
		limit int
		want  string
	}{{4, "0123"}, {4, "4567"}, {0, "89"}} {
		c.Limit(tt.limit)
		n, err := c.Read(buf)
		if string(buf[:n]) != tt.want || err != nil {
			t.Errorf("read %q, %v with a limit of %d", buf[:n], err, tt.limit)
		}
	}
}

func TestReadErrors(t *testing.T) {
	for _, tt := range []struct {
		name string
		do   func(c *Conn, far *net.TCPConn)
		want error
	}{
		{"end", func(_ *Conn, far *net.TCPConn) { _ = far.Close() }, io.EOF},
		{"deadline", func(c *Conn, _ *net.TCPConn) { _ = c.SetReadDeadline(time.Unix(1, 0)) }, os.ErrDeadlineExceeded},
		{"closed here", func(c *Conn, _ *net.TCPConn) { _ = c.Close() }, net.ErrClosed},
	} {
		c, far := pair(t, NewClock(), true)
		tt.do(c, far)
		if n, err := c.Read(make([]byte, 10)); n != 0 || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d, %v", tt.name, n, err)
		}
	}
	c, far := pair(t, NewClock(), true)
	_ = far.SetLinger(0)
	_ = far.Close()
	var op *net.OpError
	if _, err := c.Read(make([]byte, 10)); !errors.As(err, &op) || op.Op != "read" {
		t.Errorf("reset: %v", err)
	}
}

func TestLastWrite(t *testing.T) {
	clock := NewClock()
	c, _ := pair(t, clock, true)
	if at, began := c.LastWrite(); at.Known() || began.Known() {
		t.Error("written before the first write")
	}
	before := clock.Now()
	testkit.Must(c.Write([]byte("x")))(t)
	at, began := c.LastWrite()
	testkit.That(t, began >= before && at >= began && at <= clock.Now(),
		"written from %d to %d, after %d", began, at, before)
	if at-began > metrics.Stamp(briefWrite) {
		t.Errorf("a write that took %v counts from its return", time.Duration(at-began))
	}
}

// slowWriter is a connection whose writes take the given duration.
type slowWriter struct {
	net.Conn
	duration time.Duration
}

func (w slowWriter) Write(p []byte) (int, error) {
	time.Sleep(w.duration)
	return len(p), nil
}

// TestLongWrite checks that a write longer than briefWrite counts from its
// start: it may have been preempted after the bytes left.
func TestLongWrite(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		clock := NewClock()
		for duration, returned := range map[time.Duration]bool{briefWrite: true, briefWrite + 1: false, time.Second: false} {
			c := Wrap(slowWriter{duration: duration}, clock, false)
			_, _ = c.Write([]byte("x"))
			at, began := c.LastWrite()
			testkit.That(t, (at > began) == returned, "a write of %v: from %d, counted from %d", duration, began, at)
		}
	})
}

func TestReadAllocatesNothing(t *testing.T) {
	c, far := pair(t, NewClock(), true)
	buf, msg := make([]byte, 100), []byte("hello")
	testkit.Allocates(t, 0, 200, func() {
		_, _ = far.Write(msg)
		_, _ = c.Read(buf)
	}, "a read")
}
