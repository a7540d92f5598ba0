package history

import (
	"math"
	"math/rand/v2"
	"os"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// slotsWith returns slots of a minute with these medians of TTFT.
func slotsWith(ttft []float64) []history.Slot {
	slots := make([]history.Slot, len(ttft))
	for i, v := range ttft {
		slots[i] = history.Slot{From: t0.Add(time.Duration(i) * time.Minute), Width: time.Minute, N: 1}
		slots[i].Figures[history.TTFT] = history.QuantilesOf([]float64{v})
	}
	return slots
}

// grown searches the slots as they come, one after the other.
func grown(slots []history.Slot, seed uint64) (k seriesChanges, searches int) {
	for n := 1; n <= len(slots); n++ {
		var searched bool
		if k, searched = k.search(slots[:n], seed, nil); searched {
			searches++
		}
	}
	return k, searches
}

// lognormal returns n times 270 ms with that spread, times factor from at on.
func lognormal(random *rand.Rand, n, at int, factor, spread float64) []float64 {
	out := make([]float64, n)
	for i := range out {
		out[i] = 270 * math.Exp(spread*random.NormFloat64())
		if i >= at {
			out[i] *= factor
		}
	}
	return out
}

// TestChangeIsFoundWhileItGrows holds that a change is found soon after it came, is
// dated to the slot, keeps its place, and that an older one stays.
func TestChangeIsFoundWhileItGrows(t *testing.T) {
	random := testkit.Rand(t, 1)
	// 2x at 60, back at 100, half at 140
	ttft := append(lognormal(random, 100, 60, 2, 0.08), lognormal(random, 70, 40, 0.5, 0.08)...)
	slots := slotsWith(ttft)
	k, early := grown(slots[:72], 1)
	testkit.Need(t, len(k.Changes), 1, "12 slots after the first change", k.Changes)
	if testing.Short() {
		return // a search that finds something takes 1,000 random orders
	}
	searches := early
	for n := 73; n <= len(slots); n++ {
		var searched bool
		if k, searched = k.search(slots[:n], 1, nil); searched {
			searches++
		}
	}
	testkit.Need(t, len(k.Changes), 3, "changes", k.Changes)
	for i, want := range []struct {
		slot  int
		ratio float64
	}{{60, 2}, {100, 0.5}, {140, 0.5}} {
		c := k.Changes[i]
		off := c.At.Sub(slots[want.slot].From) / time.Minute
		testkit.That(t, off >= -1 && off <= 1, "change %d is dated %d slots late", i, off)
		if c.Figure != history.TTFT || math.Abs(c.Ratio/want.ratio-1) > 0.1 || c.Ratio < c.Low || c.Ratio > c.High ||
			c.NBefore == 0 || c.NAfter == 0 {
			t.Errorf("change %d: %+v", i, c)
		}
	}
	testkit.That(t, searches <= 110, "%d slots were searched %d times", len(slots), searches)
	if again, searched := k.search(slots, 1, nil); searched || cmp.Diff(again, k) != "" {
		t.Error("the same slots are searched again")
	}
	slots[0].Figures[history.TTFT] = history.QuantilesOf([]float64{0}) // no ratio to 0
	if k, _ := (seriesChanges{}).search(slots, 1, nil); len(k.Changes) != 0 {
		t.Errorf("a figure that is 0: %+v", k.Changes)
	}
}

// TestNoiseHasFewChanges counts series without a change in which one is found while
// 300 slots come in: each search of one more slot is a further test.
func TestNoiseHasFewChanges(t *testing.T) {
	series := 20
	if testing.Short() {
		series = 5
	}
	if long {
		series = 1000
	}
	random := testkit.Rand(t, 2)
	wrong := 0
	for n := range series {
		if k, _ := grown(slotsWith(lognormal(random, 300, 300, 1, 0.1)), uint64(n)); len(k.Changes) > 0 {
			wrong++
		}
	}
	t.Logf("%d of %d series of 300 slots of noise have a change", wrong, series)
	testkit.That(t, float64(wrong) <= 0.05*float64(series)+1, "%d of %d series of noise have a change", wrong, series)
}

// TestMaintain holds that changes are computed when a slot is complete, by whoever
// wrote it, and that opening finds them.
func TestMaintain(t *testing.T) {
	random := testkit.Rand(t, 3)
	s := opened(t, t0.Add(24*time.Hour))
	for i, v := range lognormal(random, 61, 40, 2, 0.05) {
		add(t, s, sample(i, t0.Add(time.Duration(i)*time.Minute), "groq", v))
		if i%5 == 0 {
			testkit.OK(t, openedAt(t, s.dir, s.Now()).Maintain(nil))
		}
	}
	v := view(t, openedAt(t, s.dir, s.Now()), history.Query{Limit: 1})
	changes := v.Series[0].Changes
	if len(changes) != 1 || !changes[0].At.Equal(t0.Add(40*time.Minute)) || changes[0].Figure != history.TTFT ||
		changes[0].Ratio < 1.9 || changes[0].Ratio > 2.1 {
		t.Errorf("changes %+v", changes)
	}
	if v := view(t, s, history.Query{Filter: "until:2026-11-20T08:30"}); len(v.Series[0].Changes) != 0 {
		t.Error("a change outside of the time asked for")
	}
	before := testkit.Must(s.Version())(t)
	if err := os.WriteFile(s.path(changesName), []byte("{"), 0o600); err != nil { // searched anew
		t.Fatal(err)
	}
	if after, err := s.Version(); err != nil || after == before {
		t.Error("other changes are no other version", err)
	}
	testkit.OK(t, s.Maintain(nil))
	if v := view(t, s, history.Query{Limit: 1}); len(v.Series[0].Changes) != 1 {
		t.Errorf("a damaged file of changes: %+v", v.Series[0].Changes)
	}
}
