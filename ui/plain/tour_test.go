package plain

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/ui/uitest"
)

// toured runs the tour on a fake engine whose clock follows the bubble's.
func toured(t *testing.T, lesson int, stand bool) (out string, b *uitest.ExplainBackend, err error) {
	synctest.Test(t, func(t *testing.T) {
		b = uitest.New().ExplainBackend
		ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
		defer cancel()
		go func() {
			for ctx.Err() == nil && !stand {
				time.Sleep(50 * time.Millisecond)
				b.Advance(50 * time.Millisecond)
			}
		}()
		var w bytes.Buffer
		err = Tour(ctx, b, &w, lesson)
		out = w.String()
		cancel()
		time.Sleep(time.Second) // the clock notices
	})
	return out, b, err
}

func TestTourAsLines(t *testing.T) {
	out, b, err := toured(t, 0, false)
	testkit.OK(t, err)
	testkit.Has(t, out, "lesson 1 of 11: Two phases", "claim: One user wastes the machine", "stage 3 of 3: 64 users",
		"  aggr.: predicted 5,720 tok/s, measured 5,720 tok/s", "verdict: it holds: 64 users: 93.3 tok/s per user, 5,720 tok/s aggregate", "need a screen")
	calls := b.Calls()
	testkit.That(t, calls[0] == "explain open" && calls[len(calls)-1] == "explain close", "the engine was told %q", calls)
}

func TestOneLessonAsLines(t *testing.T) {
	out, _, err := toured(t, 2, false)
	testkit.That(t, err == nil && !strings.Contains(out, "lesson 1") && strings.Contains(out, "lesson 2 of 11"),
		"error %v\n%s", err, out)
}

// An unmeasured stage is reported, and fails.
func TestATourThatDoesNotMove(t *testing.T) {
	out, _, err := toured(t, 3, true)
	if !errors.Is(err, ErrNotMeasured) || !strings.Contains(out, "not measured within 1m30s") || strings.Contains(out, "verdict") {
		t.Errorf("error %v\n%s", err, out)
	}
}
