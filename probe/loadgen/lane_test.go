package loadgen

import (
	"slices"
	"testing"
	"time"

	"tokscope/metrics/loadstat"
)

// TestViewsOfLanesNeverChange: each view has the latest gaps, and none changes after it
// was published.
func TestViewsOfLanesNeverChange(t *testing.T) {
	l, streams, now := manual(t, 64)
	grow(streams, now, 2, sampleEvery)
	l.look()
	first := l.View().Lanes
	before := slices.Clone(first)
	grow(streams, now, 2, time.Millisecond)
	l.look()
	if next := l.View().Lanes; next[0].Gap != 0.5 || first[0].Gap == 0.5 {
		t.Errorf("gaps of 0.5 ms: shown is %v, before %v", next[0].Gap, first[0].Gap)
	}
	grow(streams, now, 2, 2*sliceLen)
	l.look()
	same := func(a, b loadstat.Lane) bool { return slices.Equal(a.Past, b.Past) && a.Gap == b.Gap }
	if next := l.View().Lanes; len(next[0].Past) <= len(first[0].Past) || !slices.EqualFunc(first, before, same) {
		t.Errorf("after a slice: %+v, before it %+v", next[0], first[0])
	}
}
