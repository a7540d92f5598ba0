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
