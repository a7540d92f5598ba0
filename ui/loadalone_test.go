package ui

import (
	"strings"
	"testing"
	"time"

	"tokscope/ui/uitest"
)

func TestALoadIsAlone(t *testing.T) {
	playLoad(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.LoadBackend) {
		b.Sent()
		b.Chunk("still writing ")
		r.wait(100 * time.Millisecond)
		r.press("tab")
		r.wantCalls()
		r.wait(settleFor + 10*time.Millisecond)
		if calls := strings.Join(r.b.Calls(), ", "); !strings.Contains(calls, "stop, load start 1") && !strings.Contains(calls, "stop, objectives, load start 1") {
			r.Errorf("the request of Live goes on under the load: %s", calls)
		}
	})
}

// A request of Live that has ended does not delay a load, and nothing reports
// it as stopped.
func TestAnEndedRequestHoldsNoLoadUp(t *testing.T) {
	playLoad(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.LoadBackend) {
		if err := b.Select(b.Offered[1]); err != nil {
			t.Fatal(err)
		}
		b.Sent()
		b.Chunk("still writing ")
		r.wait(100 * time.Millisecond)
		r.press("tab")
		b.Finish()
		r.wait(100 * time.Millisecond)
		r.press("space")
		r.seesNot("was stopped")
		r.wantCalls("start 1")
	})
}

// TestAWaitingLoadIsStopped: x keeps a load from beginning that waits for the end
// of a cut request, and a load that was stopped meanwhile does not begin again.
func TestAWaitingLoadIsStopped(t *testing.T) {
	for _, keys := range [][]string{{"x"}, {"space", "x", "x"}} {
		playLoad(t, 120, 40, Options{Start: true}, func(r *harness, b *uitest.LoadBackend) {
			r.press("2")
			r.see("x stop")
			r.press(keys...)
			before := len(r.loadCalls())
			r.wait(2 * settleFor)
			if calls := r.loadCalls(); len(calls) != before || b.LoadView().Running {
				r.Errorf("after %q a load begins: %q", keys, calls)
			}
		})
	}
}
