//go:build linux && (amd64 || arm64)

package stamp

import (
	"io"
	"math"
	"runtime"
	"testing"
	"time"
)

// TestHangupIsReportedOnce checks that every hangup is reported, once. Bytes
// are not reported, and a hangup is not repeated while the connection is open.
func TestHangupIsReportedOnce(t *testing.T) {
	open := func() (*Conn, func()) {
		c, far := pair(t, NewClock(), true)
		_, _ = far.Write([]byte("x"))
		_, _ = c.ReadWhile(make([]byte, 10), func([]byte) bool { return false })
		_, _ = far.Write([]byte("y"))
		return c, func() {
			_ = far.Close()
			for !c.hungUp.Load() {
				runtime.Gosched()
			}
		}
	}
	alive, _ := open()
	first, end := open()
	end()
	first.hungUp.Store(false)
	for range 5 {
		_, end := open()
		end()
	}
	if alive.hungUp.Load() {
		t.Error("an end is told of where only bytes came")
	}
	if first.hungUp.Load() {
		t.Error("an end is told of twice")
	}
}

// TestHangupWithoutWatcher checks that an unwatched read finds the end itself.
func TestHangupWithoutWatcher(t *testing.T) {
	for range 50 {
		c, far := pair(t, NewClock(), true)
		c.watchTried = true // as if add had failed
		watchdog := time.AfterFunc(30*time.Second, func() { _ = c.Close() })
		_, _ = far.Write([]byte("first"))
		n, err := c.ReadWhile(make([]byte, 100), func(p []byte) bool {
			if string(p) == "first" {
				_, _ = far.Write([]byte("last"))
				_ = far.Close()
			}
			return true
		})
		if n != len("firstlast") || err != io.EOF {
			t.Fatalf("%d bytes, then %v", n, err)
		}
		watchdog.Stop()
	}
}

// TestWatchIDWrapsAround checks that ids start again at 1 after the largest.
func TestWatchIDWrapsAround(t *testing.T) {
	c, _ := pair(t, NewClock(), true)
	hangups.mu.Lock()
	hangups.next = math.MaxInt32
	hangups.mu.Unlock()
	if id := hangups.add(c); id != 1 {
		t.Errorf("number %d after the last", id)
	}
}

// TestWatcherStopsWithTheLastConnection checks that the descriptor is open only
// while a connection is watched. goleak checks that its goroutine ends too.
func TestWatcherStopsWithTheLastConnection(t *testing.T) {
	var open []*Conn
	for range 3 {
		c, far := pair(t, NewClock(), true)
		_, _ = far.Write([]byte("x"))
		if _, err := c.ReadWhile(make([]byte, 10), func([]byte) bool { return false }); err != nil {
			t.Fatal(err)
		}
		if c.watchID.Load() == 0 {
			t.Fatal("nobody would tell this connection of its end")
		}
		open = append(open, c)
	}
	for i, c := range open {
		_ = c.Close()
		hangups.mu.Lock()
		if left := len(hangups.conns); left != len(open)-1-i || (hangups.file == nil) != (left == 0) {
			t.Errorf("%d connections are told of, descriptor: %v", left, hangups.file != nil)
		}
		hangups.mu.Unlock()
	}
	c, _ := pair(t, NewClock(), true)
	_ = c.Close()
	if _, err := c.ReadWhile(make([]byte, 10), nil); err == nil || c.watchID.Load() > 0 {
		t.Errorf("a closed connection is read: %v", err)
	}
}

// TestCloseWhileBeingWatched checks that Close and add leave nothing watched,
// in either order.
func TestCloseWhileBeingWatched(t *testing.T) {
	c, _ := pair(t, NewClock(), true)
	id := c.watchID.Swap(-1) // what Close does first
	if got := hangups.add(c); got != 0 || id != 0 {
		t.Errorf("a connection that is being closed is told of its end as number %d", got)
	}
	never, _ := pair(t, NewClock(), true)
	_ = never.Close()
	if never.watchID.Load() >= 0 {
		t.Error("a closed connection does not say so to whoever asks for it")
	}
	hangups.mu.Lock()
	defer hangups.mu.Unlock()
	if len(hangups.conns) > 0 || hangups.file != nil {
		t.Errorf("%d connections are told of, descriptor: %v", len(hangups.conns), hangups.file != nil)
	}
}
