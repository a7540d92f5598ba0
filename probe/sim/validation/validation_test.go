package validation

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
	"tokscope/probe/sim/physics"
)

// Promised accuracy: the median of the absolute errors of each kind of
// figure. A single error beyond the limit needs a reason in the table.
const (
	tpotLimit   = 0.08
	tpsLimit    = 0.20
	ttftLimit   = 0.20
	singleLimit = 0.35
)

// drafts are the published acceptances of DeepSeek-R1's multi-token
// prediction. They are 1.92, 2.58, 2.82, 2.99 and 3.01 tokens per step for 1
// to 5 guesses.
func draftOf(name string) *physics.Draft {
	var k int
	if _, err := fmt.Sscanf(name, "mtp%d", &k); err != nil {
		return nil
	}
	lengths := []float64{1, 1.92, 2.58, 2.82, 2.99, 3.01}
	d := &physics.Draft{K: k, Head: 2. / 61}
	reach := 1.0
	for i := range k {
		next := lengths[i+1] - lengths[i]
		d.Accept = append(d.Accept, next/reach)
		reach = next
	}
	return d
}

func setup(t *testing.T, r *row) *physics.Setup {
	t.Helper()
	c, _, err := sim.ParseID(r.id)
	if err != nil {
		t.Fatal(err)
	}
	if r.stack != "" {
		s, ok := physics.StackOf(r.stack)
		if !ok {
			t.Fatalf("no stack %q", r.stack)
		}
		c.Stack = s
	}
	c.Draft = draftOf(r.draft)
	s, err := physics.New(c)
	if err != nil {
		t.Fatalf("%s: %v", r.id, err)
	}
	return s
}

// figure is one published number with the simulated one.
type figure struct {
	kind           string
	published, got float64
	counted        bool
}

func (f figure) err() float64 { return (f.got - f.published) / f.published }

func replay(t *testing.T, r *row) []figure {
	res := enginetest.Run(t, engine.Options{Setup: setup(t, r), Mode: r.mode, MaxSeqs: r.seqs, MaxQueue: 1 << 20}, r.load)
	var out []figure
	add := func(kind string, published, got float64, counted bool) {
		if published > 0 {
			out = append(out, figure{kind, published, got, counted})
		}
	}
	add("TTFT ms", r.ttft, res.TTFT*1e3, r.prefill)
	add("TPOT ms", r.tpot, res.TPOT*1e3, true)
	add("tok/s", r.tps, res.Throughput, true)
	add("total tok/s", r.total, res.Throughput*float64(res.Prompts+res.Tokens)/float64(res.Tokens), true)
	return out
}

func load(w engine.Workload) string {
	who := fmt.Sprintf("%d users", w.Users)
	switch {
	case w.Burst:
		who = fmt.Sprintf("%d at once", w.Requests)
	case w.Rate > 0:
		who = fmt.Sprintf("%.1f req/s", w.Rate)
	}
	return fmt.Sprintf("%d/%d %s", w.Prompt, w.Output, who)
}

func TestPublishedMeasurements(t *testing.T) {
	began := time.Now()
	var table strings.Builder
	fmt.Fprintf(&table, "%-30s %-9s %-24s %-11s %10s %10s %7s\n", "model@hardware", "software", "prompt/output, load", "figure", "published", "simulated", "error")
	errs := map[string][]float64{}
	for i := range rows {
		r := &rows[i]
		name := r.id
		if r.draft != "" {
			name += "+" + r.draft
		}
		worst := 0.0
		for _, f := range replay(t, r) {
			note := ""
			worst = max(worst, math.Abs(f.err()))
			if e := math.Abs(f.err()); e > singleLimit {
				note = "  " + r.miss
				if r.miss == "" {
					t.Errorf("%s, %s, %s: %+.0f %%, and no reason is known", name, load(r.load), f.kind, 100*f.err())
				}
			}
			fmt.Fprintf(&table, "%-30s %-9s %-24s %-11s %10.5g %10.4g %+6.0f%%%s\n", name, r.stack, load(r.load), f.kind, f.published, f.got, 100*f.err(), note)
			if f.counted {
				kind := strings.TrimPrefix(f.kind, "total ")
				errs[kind] = append(errs[kind], math.Abs(f.err()))
			}
		}
		if r.miss != "" && worst <= singleLimit {
			t.Errorf("%s, %s has a reason for a miss, and misses nothing", name, load(r.load))
		}
	}
	for _, c := range []struct {
		kind  string
		limit float64
		page  string // its line on the page
	}{{"TPOT ms", tpotLimit, "TPOT"}, {"tok/s", tpsLimit, "throughput"}, {"TTFT ms", ttftLimit, "TTFT where prefill dominates"}} {
		e := errs[c.kind]
		slices.Sort(e)
		m := e[len(e)/2]
		fmt.Fprintf(&table, "%-8s median error %4.1f %% of %d figures, limit %.0f %%\n", c.kind, 100*m, len(e), 100*c.limit)
		if m > c.limit {
			t.Errorf("%s: median error %.1f %%, promised %.0f %%", c.kind, 100*m, 100*c.limit)
		}
		checkPage(t, c.page, 100*m, len(e), 100*c.limit)
	}
	t.Logf("replayed in %v\n%s", time.Since(began).Round(time.Millisecond), table.String())
}

// checkPage checks that the page about the endpoint agrees with the replay,
// within half a percentage point: other processors round differently.
func checkPage(t *testing.T, name string, median float64, figures int, limit float64) {
	t.Helper()
	page, err := os.ReadFile("../../../docs/embedded-endpoint.md")
	if err != nil {
		t.Fatal(err)
	}
	_, line, ok := strings.Cut(string(page), "\n| "+name+" | ")
	var m, l float64
	var n int
	if _, err := fmt.Sscanf(line, "%f %% | %d | %f %%", &m, &n, &l); !ok || err != nil {
		t.Fatalf("the page has no line for %s: %v", name, err)
	}
	if math.Abs(m-median) > 0.5 || n != figures || l != limit {
		t.Errorf("%s: the page says %v %% of %d figures, limit %v %%; it is %.1f %% of %d, limit %v %%", name, m, n, l, median, figures, limit)
	}
}
