package transport

import (
	"testing"
	"time"

	"tokscope/metrics"
)

// An event counts as seen late if the user stamp is more than 1 ms after the
// kernel's. Without a kernel stamp, lateness is unknown.
func TestLateEvents(t *testing.T) {
	for _, kernel := range []bool{true, false} {
		c := NewWaking(NewClock())
		in := &c.intake
		at := metrics.Stamp(1e9)
		delays := []time.Duration{0, 10 * time.Microsecond, time.Millisecond, time.Millisecond + 1, 40 * time.Millisecond}
		for i, d := range delays {
			at += 1e9
			in.stamps.At, in.stamps.User, in.stamps.Kernel, in.stamps.Read = at, at+metrics.Stamp(d), kernel, int32(i)
			in.inRead = 0
			in.line([]byte("data: x"), 8)
			in.line(nil, 1)
			in.line([]byte(": a comment is no event"), 24)
		}
		n := c.Counts()
		want := [4]int{len(delays), 0, 2, 0}
		if !kernel {
			want = [4]int{0, len(delays), 0, 0}
		}
		if got := [4]int{n.Kernel, n.User, n.Late, n.Shared}; got != want {
			t.Errorf("kernel %v: kernel, user, late, shared = %v, want %v", kernel, got, want)
		}
		if _, p99, _, n := c.LagQuantiles(); kernel && (n != len(delays) || p99 < 39*time.Millisecond) || !kernel && n != 0 {
			t.Errorf("kernel %v: lag p99 %v of %d", kernel, p99, n)
		}
	}
}
