//go:build linux && (amd64 || arm64)

package stamp

import (
	"io"
	"math"
	"runtime"
	"testing"
	"time"
)

// TestEndsAreToldOnce: of every connection, whenever it comes, and only of an
// end: neither of bytes nor again and again while the connection stays open.
func TestEndsAreToldOnce(t *testing.T) {
	open := func() (*Conn, func()) {
		c, far := pair(t, NewClock(), true)
		_, _ = far.Write([]byte("x"))
		_, _ = c.ReadWhile(make([]byte, 10), func([]byte) bool { return false })
		_, _ = far.Write([]byte("y"))
		return c, func() {
			_ = far.Close()
			for !c.over.Load() {
				runtime.Gosched()
			}
		}
	}
	alive, _ := open()
	first, end := open()
	end()
	first.over.Store(false)
	for range 5 {
		_, end := open()
		end()
	}
	if alive.over.Load() {
		t.Error("an end is told of where only bytes came")
	}
	if first.over.Load() {
		t.Error("an end is told of twice")
	}
}

// TestEndThatNobodyTells: without a teller the socket is asked itself.
func TestEndThatNobodyTells(t *testing.T) {
	for range 50 {
		c, far := pair(t, NewClock(), true)
		c.asked = true // in vain
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

// TestNumbersOfEnds: they begin again when they are used up.
func TestNumbersOfEnds(t *testing.T) {
	c, _ := pair(t, NewClock(), true)
	allEnds.mu.Lock()
	allEnds.next = math.MaxInt32
	allEnds.mu.Unlock()
	if id := allEnds.add(c); id != 1 {
		t.Errorf("number %d after the last", id)
	}
}

// TestEndsAreForgotten: who tells of ends lives as long as there is a
// connection to tell of. That its goroutine ends too is checked by goleak.
func TestEndsAreForgotten(t *testing.T) {
	var open []*Conn
	for range 3 {
		c, far := pair(t, NewClock(), true)
		_, _ = far.Write([]byte("x"))
		if _, err := c.ReadWhile(make([]byte, 10), func([]byte) bool { return false }); err != nil {
			t.Fatal(err)
		}
		if c.endID.Load() == 0 {
			t.Fatal("nobody would tell this connection of its end")
		}
		open = append(open, c)
	}
	for i, c := range open {
		_ = c.Close()
		allEnds.mu.Lock()
		if left := len(allEnds.conns); left != len(open)-1-i || (allEnds.file == nil) != (left == 0) {
			t.Errorf("%d connections are told of, descriptor: %v", left, allEnds.file != nil)
		}
		allEnds.mu.Unlock()
	}
	c, _ := pair(t, NewClock(), true)
	_ = c.Close()
	if _, err := c.ReadWhile(make([]byte, 10), nil); err == nil || c.endID.Load() > 0 {
		t.Errorf("a closed connection is read: %v", err)
	}
}

// TestClosedWhileItAsks: a Close between the asking and its answer leaves
// nothing behind, in whichever order the two come.
func TestClosedWhileItAsks(t *testing.T) {
	c, _ := pair(t, NewClock(), true)
	id := c.endID.Swap(-1) // what Close does first
	if got := allEnds.add(c); got != 0 || id != 0 {
		t.Errorf("a connection that is being closed is told of its end as number %d", got)
	}
	never, _ := pair(t, NewClock(), true)
	_ = never.Close()
	if never.endID.Load() >= 0 {
		t.Error("a closed connection does not say so to whoever asks for it")
	}
	allEnds.mu.Lock()
	defer allEnds.mu.Unlock()
	if len(allEnds.conns) > 0 || allEnds.file != nil {
		t.Errorf("%d connections are told of, descriptor: %v", len(allEnds.conns), allEnds.file != nil)
	}
}
