package app

import (
	"testing"

	"tokscope/metrics"
)

// The ended runs are bounded by their number and by their size; the newest is
// always there.
func TestNewestRuns(t *testing.T) {
	of := func(n, bytes int) (runs []metrics.Run) {
		for i := range n {
			runs = append(runs, metrics.Run{Stream: metrics.Stream{ID: i + 1, Text: make([]byte, bytes)}})
		}
		return runs
	}
	for _, x := range []struct{ n, bytes, want int }{{0, 0, 0}, {3, 10, 3}, {10, 10, 10}, {11, 10, 10}, {50, 10, 10},
		{5, 1000, 1}, {250, 0, maxRuns}} {
		runs := of(x.n, x.bytes)
		kept := newest(runs, 100)
		if len(kept) != x.want || x.want > 0 && kept[len(kept)-1].Stream.ID != x.n {
			t.Errorf("%d runs of %d bytes: %d are kept, want %d", x.n, x.bytes, len(kept), x.want)
		}
	}
}

// Of runs beyond the bounds the session counts how many it has dropped.
func TestRunsLeftOut(t *testing.T) {
	s := &Live{base: &base{}}
	for i := range maxRuns + 50 {
		s.keep(metrics.Run{Stream: metrics.Stream{ID: i + 1}})
		if runs, left := s.Runs(), s.RunsLeftOut(); len(runs)+left != i+1 || runs[len(runs)-1].Stream.ID != i+1 {
			t.Fatalf("after %d runs it has %d and has dropped %d", i+1, len(runs), left)
		}
	}
	if left := s.RunsLeftOut(); left != 50 {
		t.Errorf("%d were dropped, want 50", left)
	}
}
