//go:build linux && (amd64 || arm64)

package rx

import "testing"

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
	if _, err := c.ReadWhile(make([]byte, 10), nil); err == nil || c.endID.Load() != 0 {
		t.Errorf("a closed connection is read: %v", err)
	}
}
