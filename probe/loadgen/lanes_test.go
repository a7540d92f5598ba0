package loadgen

import (
	"slices"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// TestManyLanesWaitForTheirSlice: with many users a view shares the lanes of the one
// before, until something else than gaps has changed. No view changes afterwards.
func TestManyLanesWaitForTheirSlice(t *testing.T) {
	l, streams, now := manual(t, gapsTogether)
	look := func(d time.Duration) []loadstat.Lane {
		grow(streams, now, 2, d)
		l.look()
		return l.View().Lanes
	}
	shared := func(a, b []loadstat.Lane) bool { return &a[0] == &b[0] }
	look(sampleEvery)
	*now = metrics.Stamp(time.Second)
	first := look(time.Millisecond)
	before := slices.Clone(first)
	if next := look(2 * time.Millisecond); !shared(first, next) {
		t.Error("new gaps alone have copied the lanes")
	}
	next := look(sliceLen)
	if shared(first, next) || next[0].Gap == first[0].Gap || len(next[0].Past) <= len(first[0].Past) {
		t.Errorf("after a slice: %+v, before it %+v", next[0], first[0])
	}
	same := func(a, b loadstat.Lane) bool {
		return slices.Equal(a.Past, b.Past) && a.Gap == b.Gap && a.State == b.State && a.Since == b.Since && a.TTFT == b.TTFT && a.Done == b.Done && a.Leaving == b.Leaving
	}
	if !slices.EqualFunc(first, before, same) {
		t.Error("a view has changed after it was published")
	}
	// Each of these shows at once, at the last lane too.
	u := l.pool.users[gapsTogether-1]
	for name, change := range map[string]func(){
		"state":   func() { u.enter(loadstat.LaneStalled, *now) },
		"since":   func() { u.since++ },
		"stream":  func() { u.streamID++ },
		"done":    func() { u.done++ },
		"failed":  func() { u.failed++ },
		"leaving": func() { u.leaving = true },
		"TTFT":    func() { u.lane.ttft.V++ },
		"users":   func() { l.pool.users = l.pool.users[:gapsTogether-1] },
	} {
		l.publish(*now)
		old := l.View().Lanes
		change()
		l.publish(*now)
		if shared(old, l.View().Lanes) {
			t.Errorf("%s: the change waits for the next slice", name)
		}
		l.pool.users = append(l.pool.users[:gapsTogether-1:gapsTogether-1], u)
	}
}

// TestFewLanesShowEveryGap: with fewer users each view has the latest gaps.
func TestFewLanesShowEveryGap(t *testing.T) {
	l, streams, now := manual(t, gapsTogether-1)
	grow(streams, now, 2, sampleEvery)
	l.look()
	first := l.View().Lanes
	grow(streams, now, 2, time.Millisecond)
	l.look()
	if next := l.View().Lanes; next[0].Gap != 0.5 || first[0].Gap == 0.5 {
		t.Errorf("gaps of 0.5 ms: shown is %v, before %v", next[0].Gap, first[0].Gap)
	}
}
