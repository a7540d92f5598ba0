package hostile

import (
	"runtime/debug"
	"sync"
	"testing"

	"go.uber.org/goleak"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// leastRows is the number of rows of the table: no row may get lost.
const leastRows = 354

// manyMiB is the bound of the heap from which on a row is a large one.
const manyMiB = 96

// largeAtOnce is the number of large rows that run beside each other: most of
// their bounds hold for two of them together.
const largeAtOnce = 2

func (r *row) large() bool { return r.heap >= manyMiB<<20 }

// play runs rows in text, JSON and NDJSON.
type play struct {
	before goleak.Option
	beside func(*row) bool // the row runs beside others
	turns  chan struct{}   // of those rows, so many at a time; nil: as -parallel says
	base   uint64          // of the heap of all, bytes; 0: each row watches its own

	mu    sync.Mutex
	alone []again
}

// again is a row in one format whose heap is to be looked at alone.
type again struct {
	row  *row
	name string
}

// rows plays the rows of the table that choose returns true for. What all of those
// that run beside each other take is no less than what one of them does, so only a
// row that passes its bound then is run once more, alone. Short mode runs a sixth
// of the rows of each group, each in one format. The large rows take turns too, but with
// TOKSCOPE_LONG=1: what they send is decoded before a format matters.
func (p *play) rows(t *testing.T, choose func(*row) bool) {
	p.before = goleak.IgnoreCurrent()
	t.Cleanup(func() { p.end(t) })
	for _, g := range table {
		for i := range g.rows {
			if r := &g.rows[i]; choose(r) {
				t.Run(g.name+"/"+r.name, func(t *testing.T) { p.row(t, r, i) })
			}
		}
	}
	// From here on rows run beside each other, and a third of their time would be
	// the collector's. Where no row looks at the garbage, 1 GiB of it may stay.
	percent := 100
	if p.base == 0 {
		percent = -1
		limit := debug.SetMemoryLimit(1 << 30)
		t.Cleanup(func() { debug.SetMemoryLimit(limit) })
	}
	collect := debug.SetGCPercent(percent)
	t.Cleanup(func() { debug.SetGCPercent(collect) })
}

// end runs once more what passed its bound beside others, when all have ended.
func (p *play) end(t *testing.T) {
	for _, a := range p.alone {
		for _, w := range a.row.runAlone(t, a.name, formats[a.name]) {
			t.Errorf("%s, alone: %s", a.row.name, w)
		}
	}
	testkit.Is(t, goleak.Find(p.before), nil)
}

// row plays row i of its group.
func (p *play) row(t *testing.T, r *row, i int) {
	if r.heap > 0 {
		probetest.TakesTime(t, "a server that sends without an end")
	}
	if i%6 != 0 {
		probetest.TakesTime(t, "356 rows; a sixth of each group runs")
	}
	together := p.beside(r)
	if together {
		t.Parallel()
		if p.turns != nil {
			p.turns <- struct{}{}
			defer func() { <-p.turns }()
		}
	}
	names := []string{"text", "json", "ndjson"}
	switch { // the formats take turns
	case testing.Short():
		names = names[i/6%3:][:1]
	case r.large() && !testkit.Long():
		names = names[i%3:][:1]
	}
	for _, name := range names {
		wrong, grew := r.run(t, name, formats[name], p.base)
		if s := r.tooLarge(name, grew); s != "" && together {
			p.mu.Lock()
			p.alone = append(p.alone, again{r, name})
			p.mu.Unlock()
		} else if s != "" {
			wrong = append(wrong, s)
		}
		for _, w := range wrong {
			t.Error(w)
		}
	}
}

// TestMatrix plays the rows that are not large. Those with a bound of their own for
// the heap and those with the one proxy run one after the other, the others beside
// each other.
func TestMatrix(t *testing.T) {
	p := play{beside: func(r *row) bool { return r.heap == 0 && !r.proxied }}
	p.rows(t, func(r *row) bool { return !r.large() })
	seen := map[string]bool{}
	for _, g := range table {
		for _, r := range g.rows {
			title := g.name + "/" + r.name
			testkit.That(t, !seen[title], "two rows are named %s", title)
			seen[title] = true
		}
	}
	testkit.That(t, len(seen) >= leastRows, "the table has %d rows, less than %d", len(seen), leastRows)
}

// TestMatrixOfLargeRows plays the other rows, beside each other. Their heap is
// compared with that before all of them, so that what one row frees never hides
// what another one takes.
func TestMatrixOfLargeRows(t *testing.T) {
	probetest.TakesTime(t, "servers that send without an end")
	p := play{beside: func(*row) bool { return true }, turns: make(chan struct{}, largeAtOnce), base: heapAfterGC()}
	p.rows(t, (*row).large)
}
