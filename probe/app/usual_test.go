package app_test

import (
	"fmt"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/doctor"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	stored "tokscope/probe/history"
)

// TestUsualOfARequest holds that a request of Live, one of a probe and the long one of a
// check-up learn what is usual for them from the history of this machine: Live while it
// runs, and the list of the ended runs too.
func TestUsualOfARequest(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	a := measuring(t, dir, nil)
	first := a.Probe(t.Context(), loadstat.ProbePlan{Work: shortWork, Requests: 1, Concurrency: 1})
	if u := first[0].Stream.Usual; u == nil || u.TTFT.Known() {
		t.Errorf("an empty history knows %+v", u)
	}
	testkit.OK(t, a.Close())
	entry := kept(t, dir).Entries[0]
	store := testkit.Must(stored.Open(stored.Dir(dir)))(t)
	for i := range metrics.MinUsual {
		e := entry
		e.Suspect = false // a loaded machine may have lagged in the first one
		e.At = entry.At.Add(-2*time.Hour - time.Duration(i)*time.Second)
		e.ID = fmt.Sprintf("%012x%020d", e.At.UnixMilli(), i)
		e.Figures[history.TTFT] = metrics.Known(1, 1)
		testkit.OK(t, store.Append(e))
	}

	a = measuring(t, dir, nil)
	again := a.Probe(t.Context(), loadstat.ProbePlan{Work: shortWork, Requests: 1, Concurrency: 1})
	if u := again[0].Stream.Usual; u == nil || u.TTFT.N != metrics.MinUsual || u.TTFT.Median != 1 {
		t.Errorf("probe: %+v", u)
	}
	testkit.OK(t, a.Close())

	a = measuring(t, dir, nil)
	short := shortWork
	short.Name, short.Prompt = "", "Count."
	for _, k := range a.Examine(t.Context(), doctor.Work{Long: shortWork, Short: short}).Checks {
		if k.Code != doctor.Stream {
			continue
		}
		if u := k.Run.Stream.Usual; u == nil || u.TTFT.N != metrics.MinUsual {
			t.Errorf("a check-up: %+v", u)
		}
	}
	testkit.OK(t, a.Close())

	a = measuring(t, dir, nil)
	defer func() { testkit.OK(t, a.Close()) }()
	s := a.Session()
	changed := make(chan struct{}, 100)
	s.SetNotify(func() { changed <- struct{}{} })
	s.Begin(shortWork)
	knows := func(v *metrics.Stream) bool { return v.Usual != nil && v.Usual.TTFT.N == metrics.MinUsual }
	until(t, changed, func() bool {
		v := s.Snapshot()
		runs := s.Runs()
		return knows(&v) && len(runs) == 1 && knows(&runs[0].Stream)
	})
	s.Wait()
}
