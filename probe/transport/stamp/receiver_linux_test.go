//go:build linux && (amd64 || arm64)

package stamp

import (
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// TestNothingIsLostOrDoubled sends numbered bytes over many connections at the
// same time, in pieces and pauses of any size, to readers of any speed. What
// each reads is what was sent to it.
func TestNothingIsLostOrDoubled(t *testing.T) {
	seed := testkit.Seed(t)
	const conns, size = 40, 300_000
	var all sync.WaitGroup
	for i := range conns {
		random := rand.New(rand.NewPCG(seed, uint64(i)))
		c, far := attached(t, NewClock(), i%2 == 0)
		sent := make([]byte, size)
		for j := range sent {
			sent[j] = byte(random.Uint32())
		}
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(1000+i)))
			for rest := sent; len(rest) > 0; {
				n := min(len(rest), 1+random.IntN(1<<random.IntN(16)))
				if _, err := far.Write(rest[:n]); err != nil {
					t.Error(err)
					return
				}
				if rest = rest[n:]; random.IntN(20) == 0 {
					time.Sleep(time.Duration(random.IntN(2000)) * time.Microsecond)
				}
			}
			_ = far.Close()
		})
		all.Go(func() {
			random := rand.New(rand.NewPCG(seed, uint64(2000+i)))
			var got []byte
			buf := make([]byte, 1<<12)
			for {
				n, err := c.Read(buf[:1+random.IntN(len(buf))])
				got = append(got, buf[:n]...)
				if err == io.EOF {
					break
				}
				if err != nil || n == 0 {
					t.Errorf("connection %d: %d, %v", i, n, err)
					break
				}
				if random.IntN(50) == 0 {
					time.Sleep(time.Duration(random.IntN(5000)) * time.Microsecond)
				}
			}
			testkit.Is(t, string(got), string(sent), "connection", i, len(got), "bytes of", len(sent), "or others")
			_ = c.Close()
		})
	}
	all.Wait()
}

// TestBacklogIsBounded checks that the receiver leaves to the kernel what nobody
// reads, so that the peer has to wait, and goes on when it is read.
func TestBacklogIsBounded(t *testing.T) {
	c, far := attached(t, NewClock(), true)
	const size = 64 << 20
	go func() {
		_, _ = far.Write(make([]byte, size))
		_ = far.Close()
	}()
	for c.sock.backlog.Load() <= socketBacklog {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(20 * time.Millisecond)
	if n := c.sock.backlog.Load(); n > socketBacklog+readsInTurn*longestRead {
		t.Errorf("%d bytes are held for a reader that does not read", n)
	}
	n, err := io.Copy(io.Discard, c)
	testkit.That(t, n == size && err == nil, "%d of %d bytes, %v", n, size, err)
	testkit.Is(t, c.sock.backlog.Load(), 0, "a backlog of … when everything is read")
}

// TestDeadlines checks the deadlines of an attached connection: one that passes
// ends a call under way, one in the past refuses it, and none lifts them.
func TestDeadlines(t *testing.T) {
	c, far := attached(t, NewClock(), true)
	buf := make([]byte, 10)
	_ = c.SetReadDeadline(time.Now().Add(time.Millisecond))
	for range 2 { // under way, then in the past
		if n, err := c.Read(buf); n != 0 || !errors.Is(err, os.ErrDeadlineExceeded) {
			t.Fatalf("%d, %v", n, err)
		}
	}
	_ = c.SetDeadline(time.Now().Add(time.Millisecond))
	_ = c.SetDeadline(time.Time{})
	time.AfterFunc(20*time.Millisecond, func() { _, _ = far.Write([]byte("x")) })
	if n, err := c.Read(buf); n != 1 || err != nil {
		t.Fatalf("%d, %v without a deadline", n, err)
	}
	_ = c.SetWriteDeadline(time.Now().Add(10 * time.Millisecond))
	if _, err := c.Write(make([]byte, 64<<20)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("a write that nobody reads: %v", err)
	}
}

// TestWriteWaitsForRoom checks that a long write goes on as the peer reads.
func TestWriteWaitsForRoom(t *testing.T) {
	c, far := attached(t, NewClock(), true)
	const size = 32 << 20
	go func() {
		_, _ = c.Write(make([]byte, size))
		_ = c.Close()
	}()
	n, err := io.Copy(io.Discard, far)
	testkit.That(t, n == size && err == nil, "%d of %d bytes, %v", n, size, err)
}

// TestErrorsOfAnAttachedConnection checks that its errors are those of net.
func TestErrorsOfAnAttachedConnection(t *testing.T) {
	for name, tt := range map[string]struct {
		do   func(c *Conn, far *net.TCPConn)
		want error
	}{
		"end":         {func(_ *Conn, far *net.TCPConn) { _ = far.Close() }, io.EOF},
		"closed here": {func(c *Conn, _ *net.TCPConn) { _ = c.Close() }, net.ErrClosed},
		"reset": {func(_ *Conn, far *net.TCPConn) {
			_ = far.SetLinger(0)
			_ = far.Close()
		}, syscall.ECONNRESET},
	} {
		c, far := attached(t, NewClock(), true)
		tt.do(c, far)
		if n, err := c.Read(make([]byte, 10)); n != 0 || !errors.Is(err, tt.want) {
			t.Errorf("%s: %d, %v", name, n, err)
		}
		_, _ = c.Write([]byte("x")) // fails, or is answered by a reset
	}
	c, _ := attached(t, NewClock(), true)
	_ = c.Close()
	if _, err := c.Write([]byte("x")); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a write after Close: %v", err)
	}
	if err := c.Close(); !errors.Is(err, net.ErrClosed) {
		t.Errorf("a second Close: %v", err)
	}
	testkit.That(t, !c.Alive(), "a closed connection is said to be alive")
}

// TestAttachedConnectionLeavesGosPoller checks that the connection has one
// descriptor, which is closed once nobody uses it.
func TestAttachedConnectionLeavesGosPoller(t *testing.T) {
	before := descriptors(t)
	c, far := attached(t, NewClock(), true)
	testkit.That(t, !c.Attach(), "attached twice")
	_ = far.Close()
	_, err := c.Read(make([]byte, 1))
	testkit.That(t, err == io.EOF, "%v", err)
	_ = c.Close()
	awaitDescriptors(t, before)
}

func descriptors(t *testing.T) int {
	t.Helper()
	entries := testkit.Must(os.ReadDir("/proc/self/fd"))(t)
	return len(entries)
}

// TestPipeIsNotAttached checks that what is no socket stays as it is.
func TestPipeIsNotAttached(t *testing.T) {
	here, far := net.Pipe()
	c := Wrap(here, NewClock(), true)
	testkit.Given(t, !c.Attach(), "a pipe is attached")
	go func() { _, _ = far.Write([]byte("x")) }()
	n, err := c.Read(make([]byte, 10))
	testkit.That(t, n == 1 && err == nil, "%d, %v", n, err)
}

// TestManyComeAndGo attaches and closes connections from many goroutines while
// bytes come, so that numbers and descriptors are used again.
func TestManyComeAndGo(t *testing.T) {
	ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer ln.Close()
	go func() {
		for {
			far, err := ln.Accept()
			if err != nil {
				return
			}
			go func() {
				_, _ = far.Write([]byte("hello"))
				_, _ = io.Copy(io.Discard, far)
				_ = far.Close()
			}()
		}
	}()
	var all sync.WaitGroup
	each := 200
	if testing.Short() {
		each = 50
	}
	for range 8 {
		all.Go(func() {
			for i := range each {
				tcp, err := net.Dial("tcp", ln.Addr().String())
				if err != nil {
					t.Error(err)
					return
				}
				c := Wrap(tcp, NewClock(), false)
				testkit.That(t, c.Attach(), "not attached")
				buf := make([]byte, 10)
				if i%3 > 0 {
					if n, err := io.ReadFull(c, buf[:5]); string(buf[:n]) != "hello" {
						t.Errorf("%q, %v", buf[:n], err)
					}
				}
				_ = c.Close()
			}
		})
	}
	all.Wait()
}
