package validation

import (
	"cmp"
	"fmt"
	"math"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
	"tokscope/probe/sim/physics"
)

// singleLimit is the error beyond which a row needs a reason in the table.
const singleLimit = 0.35

// drafts are the published acceptances of DeepSeek-R1's multi-token
// prediction. They are 1.92, 2.58, 2.82, 2.99 and 3.01 tokens per step for 1
// to 5 guesses.
func draftOf(name string, c *physics.Config) *physics.Draft {
	var k int
	if _, err := fmt.Sscanf(name, "eagle3:%d", &k); err == nil {
		return &physics.Draft{K: k, Head: physics.EAGLE3Head(c), Accept: []float64{chance(k, eagle3Lengths[k])}}
	}
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

// eagle3Lengths are the published tokens per step of an EAGLE-3 head of Llama
// 3.1 8B on MT-Bench, by guesses (vLLM issue 20780).
var eagle3Lengths = map[int]float64{2: 2.36, 3: 2.79, 4: 3.08, 5: 3.32, 6: 3.46, 7: 3.54}

// chance returns the acceptance that gives so many tokens per step with k
// guesses, the same for every guess.
func chance(k int, tokens float64) float64 {
	low, high := 0.0, 1.0
	for range 40 {
		a := (low + high) / 2
		if d := (physics.Draft{K: k, Accept: []float64{a}}); d.Expected() < tokens {
			low = a
		} else {
			high = a
		}
	}
	return low
}

func setup(t *testing.T, r *row) *physics.Setup {
	t.Helper()
	c, _, err := sim.ParseID(nil, r.id)
	testkit.Given(t, err == nil, "%v", err)
	if r.quant != "" {
		c.Precision = ownFormats[r.quant]
	}
	if software := ownStacks[r.stack]; software != nil {
		c.Stack = software()
	} else if r.stack != "" {
		s, ok := physics.StackOf(r.stack)
		testkit.Given(t, ok, "no stack %q", r.stack)
		c.Stack = s
	}
	c.Draft = draftOf(r.draft, &c)
	s, err := physics.New(c)
	testkit.Given(t, err == nil, "%s: %v", r.id, err)
	return s
}

// Kinds of figures.
const (
	tpot       = "TPOT"
	throughput = "throughput"
	prefill    = "TTFT where prefill dominates"
	loadedTTFT = "TTFT under load"
	otherTTFT  = "TTFT"
)

// figure is one published number with the simulated one.
type figure struct {
	kind, unit     string
	published, got float64
}

func (f figure) err() float64 { return (f.got - f.published) / f.published }

func replay(t *testing.T, r *row) []figure {
	s := setup(t, r)
	seqs, budget := r.seqs, r.budget
	if (r.source == trt10 || r.source == trt12) && budget == 0 {
		seqs, budget = benchLimits(s, &r.load)
	}
	mode := cmp.Or(r.mode, sim.UsualMode(&s.Stack))
	res := run(t, engine.Options{Config: engine.Config{Setup: s, Mode: mode, MaxSeqs: seqs, Budget: budget},
		MaxQueue: 1 << 20}, r.load)
	var out []figure
	add := func(kind, unit string, published, got float64) {
		if published > 0 {
			out = append(out, figure{kind, unit, published, got})
		}
	}
	first := otherTTFT
	switch {
	case r.prefill:
		first = prefill
	case r.loaded:
		first = loadedTTFT
	}
	ttft, perToken := res.TTFT, res.TPOT
	if u := r.load.Users; u > 1 && r.load.Requests == 0 {
		ttft, perToken = settled(res.Done[u:])
	}
	add(first, "TTFT ms", r.ttft, ttft*1e3)
	add(tpot, "TPOT ms", r.tpot, perToken*1e3)
	add(throughput, "tok/s", r.tps, res.Throughput)
	add(throughput, "total tok/s", r.total, res.Throughput*float64(res.Prompts+res.Tokens)/float64(res.Tokens))
	return out
}

// run plays w. Lengths that vary have the means of the page, which a few draws would miss.
func run(t *testing.T, o engine.Options, w engine.Workload) enginetest.Result {
	res := enginetest.Run(t, o, w)
	if w.Vary == 0 || w.Requests == 0 {
		return res
	}
	n := float64(len(res.Done))
	w.Prompt = int(math.Round(float64(w.Prompt*w.Prompt) * n / float64(res.Prompts)))
	w.Output = int(math.Round(float64(w.Output*w.Output) * n / float64(res.Tokens)))
	return enginetest.Run(t, o, w)
}

// settled returns the mean TTFT and TPOT of requests, in seconds. Clients leave
// the first request of each user out: those meet an empty engine together.
func settled(done []*engine.Request) (ttft, tpot float64) {
	n := float64(len(done))
	for _, q := range done {
		ttft += q.TTFT() / n
		tpot += q.TPOT() / n
	}
	return ttft, tpot
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
