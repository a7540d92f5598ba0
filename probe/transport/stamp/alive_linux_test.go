//go:build amd64 || arm64

package stamp

import (
	"runtime"
	"testing"

	"tokscope/metrics/testkit"
)

func TestAlive(t *testing.T) {
	c, far := pair(t, NewClock(), true)
	testkit.That(t, c.Alive(), "a standing connection is said to be dead")
	testkit.Must(far.Write([]byte("x")))(t)
	testkit.That(t, c.Alive(), "a connection with bytes to read is said to be dead")
	testkit.Must(c.Read(make([]byte, 10)))(t)
	_ = far.Close()
	if _, err := c.Read(make([]byte, 10)); err == nil { // the end has arrived
		t.Fatal("no end")
	}
	testkit.That(t, !c.Alive(), "an ended connection is said to stand")
}

// TestAliveBeforeTheEndIsRead checks that the end of a connection is seen
// although nobody has read up to it.
func TestAliveBeforeTheEndIsRead(t *testing.T) {
	c, far := pair(t, NewClock(), true)
	testkit.Must(far.Write([]byte("x")))(t)
	_ = far.Close()
	for range 1000 { // the end crosses the loopback
		if !c.Alive() {
			return
		}
		runtime.Gosched()
	}
	t.Error("an ended connection with unread bytes is said to stand")
}
