package history

import (
	"os"
	"testing"
	"time"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// clocked returns a store whose clock stands where now points.
func clocked(t *testing.T, now *time.Time) *Store {
	t.Helper()
	s := opened(t, *now)
	s.Now = func() time.Time { return *now }
	return s
}

// maintain is what a command does at its end.
func maintain(t *testing.T, s *Store) {
	t.Helper()
	testkit.OK(t, s.Maintain(nil))
}

// TestPruneByAge holds that in a year of use entries older than the age go within some
// days, a tenth at most at once, that each removal is said and counted, and that the
// count stays over further rewritings.
func TestPruneByAge(t *testing.T) {
	now := t0
	s := clocked(t, &now)
	s.maxAge = 30 * day
	all, kept, notes := 0, 0, 0
	for d := range 120 {
		for n := range 1 + 3*(d%2) {
			add(t, s, sample(all, now.Add(time.Duration(n)*time.Minute), "groq", 270))
			all++
			kept++
		}
		maintain(t, s)
		v := view(t, s, history.Query{Sort: "at"})
		said := s.Notes()
		if removed := kept - v.All; removed > kept/10 || removed > 0 != (len(said) == 1) {
			t.Fatalf("day %d: %d of %d entries go at once, said: %q", d, removed, kept, said)
		}
		kept, notes = v.All, notes+len(said)
		testkit.Given(t, v.LeftOut == all-kept && (d <= 40 || now.Sub(v.Since) <= s.maxAge+2*pruneDays*day),
			"day %d: %d entries since %v, %d left out of %d", d, v.All, v.Since, v.LeftOut, all)
		now = now.Add(day)
	}
	testkit.Given(t, notes != 0 && kept < all, "nothing was removed, %d notes", notes)
	v := view(t, s, history.Query{Sort: "at"})
	if n, err := s.Remove(history.Query{Filter: "until:2026-12-01"}); err != nil || n != 0 {
		t.Error(n, err)
	}
	if n, err := s.Remove(history.Query{From: v.Entries[20].At}); err != nil || n != kept-20 {
		t.Error(n, err)
	}
	for _, store := range []*Store{s, openedAt(t, s.dir, now)} {
		if v := view(t, store, history.Query{}); v.All != 20 || v.LeftOut != all-kept {
			t.Errorf("%d entries, %d left out", v.All, v.LeftOut)
		}
	}
	if n, err := s.Prune(); n != 0 || err != nil {
		t.Error("pruned again:", n, err)
	}
}

// TestClockThatJumps holds that no entry is lost to a clock that is wrong for some
// days, whichever way it jumps and however the entries lie, nor when it is right again.
func TestClockThatJumps(t *testing.T) {
	probetest.TakesTime(t, "30 clocks that jump")
	for name, every := range map[string]time.Duration{"in an hour": 2 * time.Minute, "a day": day, "two weeks": 14 * day} {
		for _, jump := range []time.Duration{500 * day, 402 * day, 36500 * day, -500 * day, -20000 * day} {
			for _, wrong := range []int{1, pruneDays - 1} {
				now := t0
				s := clocked(t, &now)
				all := 0
				use := func() {
					add(t, s, sample(all, now, "groq", 270))
					all++
					maintain(t, s)
					if v := view(t, s, history.Query{}); v.All != all || v.LeftOut != 0 || len(s.Notes()) > 0 {
						t.Fatalf("%s, jump of %v for %d days: %d of %d entries, %d left out", name, jump, wrong, v.All, all, v.LeftOut)
					}
				}
				for range 30 {
					use()
					now = now.Add(every)
				}
				right := now
				for d := range wrong { // a command a day
					now = right.Add(jump + time.Duration(d)*day)
					use()
				}
				for range 3 {
					now = right
					use()
					right = right.Add(day)
				}
			}
		}
	}
}

// TestPruneBySize holds that the oldest entries go when the file is too large.
func TestPruneBySize(t *testing.T) {
	s := opened(t, t0.Add(time.Hour))
	for n := range 200 {
		add(t, s, sample(n, t0.Add(time.Duration(n)*time.Second), "groq", 270))
	}
	info, err := os.Stat(s.Path())
	testkit.OK(t, err)
	s.maxBytes = info.Size() / 2
	testkit.OK(t, s.Maintain(nil))
	v := view(t, s, history.Query{Sort: "at"})
	if info, err = os.Stat(s.Path()); err != nil || info.Size() > s.maxBytes*3/4+400 {
		t.Errorf("%d bytes, bound %d: %v", info.Size(), s.maxBytes, err)
	}
	if v.All < 70 || v.All > 76 || v.LeftOut != 200-v.All || v.Entries[v.All-1].ID != idAt(t0.Add(199*time.Second), 199) {
		t.Errorf("%d entries, %d left out", v.All, v.LeftOut)
	}
}

// TestBaselines holds that baselines are kept, replaced, removed, and seen by
// others.
func TestBaselines(t *testing.T) {
	s := opened(t, t0.Add(time.Hour))
	other := openedAt(t, s.dir, t0.Add(time.Hour))
	series := sample(0, t0, "groq", 0).Series
	for n := range 20 {
		e := sample(n, t0.Add(time.Duration(n)*time.Minute), "groq", 200+float64(n))
		e.Suspect = n == 3
		add(t, s, e)
	}
	if _, err := s.SetBaseline("usual", history.Series{}, time.Time{}, time.Time{}); err == nil {
		t.Error("a baseline of an unknown series")
	}
	if _, err := s.SetBaseline("a\nb", series, time.Time{}, time.Time{}); err == nil {
		t.Error("a name with a line end")
	}
	testkit.Must(s.SetBaseline("usual", series, t0, t0.Add(10*time.Minute)))(t)
	b, err := s.SetBaseline("usual", series, t0, t0.Add(10*time.Minute))
	testkit.That(t, err == nil && b.N == 9 && b.Figures[history.TTFT].N == 9 && b.Figures[history.TTFT].P50 == 205,
		"%+v, %v", b, err)
	if list, err := other.Baselines(); err != nil || len(list) != 1 || list[0] != b {
		t.Errorf("another process sees %+v, %v", list, err)
	}
	v := view(t, other, history.Query{})
	testkit.That(t, v.Series[0].Baseline != nil && *v.Series[0].Baseline == b, "the view has %+v", v.Series[0].Baseline)
	if found, err := other.RemoveBaseline("none"); found || err != nil {
		t.Error(found, err)
	}
	if found, err := other.RemoveBaseline("usual"); !found || err != nil {
		t.Error(found, err)
	}
	testkit.Is(t, view(t, s, history.Query{}).Series[0].Baseline, nil, "the baseline is still there")
}

// TestHundredThousand holds the memory of a store of 100,000 entries, and that a
// further part of an answer takes no more allocations than in one a hundred times smaller.
func TestHundredThousand(t *testing.T) {
	probetest.TakesTime(t, "it writes 80 MB")
	const n = 100_000
	s := opened(t, t0.Add(40*24*time.Hour))
	fill(t, s, n)
	const rounds = 2
	opens := func() { view(t, openedAt(t, s.dir, s.Now()), history.Query{Limit: 50}) }
	allocs := 0.0
	all := testkit.Allocated(func() { allocs = testing.AllocsPerRun(rounds, opens) })
	bytes := all / (rounds + 1) // AllocsPerRun calls once more
	if allocs > n/20 || bytes > 600*n {
		t.Errorf("opening takes %v allocations and %d bytes", allocs, bytes)
	}
	few := opened(t, s.Now())
	fill(t, few, n/100)
	scroll := func(s *Store, all int) func() {
		at := 0
		return func() {
			at = (at + 50) % (all - 50)
			view(t, s, history.Query{Offset: at, Limit: 50})
		}
	}
	a, b := testing.AllocsPerRun(200, scroll(s, n)), testing.AllocsPerRun(200, scroll(few, n/100))
	if a > b+2 || a > 200 {
		t.Errorf("a further part takes %v allocations of %d entries, %v of %d", a, n, b, n/100)
	}
	v := view(t, s, history.Query{Limit: 1})
	testkit.Need(t, len(v.Series), 10, "series")
	for i := range v.Series {
		if k := len(v.Series[i].Slots); k == 0 || k > history.MaxSlots || v.Series[i].N != n/10 {
			t.Errorf("series %d: %d slots, %d requests", i, k, v.Series[i].N)
		}
	}
	t.Logf("opening: %v allocations, %d MiB; a further part: %v", allocs, bytes>>20, a)
}
