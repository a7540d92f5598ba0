package loadgen

import (
	"context"
	"errors"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// A step knows what the server counted before and after it, and what this
// program counted in the same time.
func TestSweepReadsTheServersCounts(t *testing.T) {
	view := loadstat.View{}
	b := &fakeMeasurer{point: func(_ context.Context, s Step) loadstat.Point {
		view.Done += 10 * s.Users
		view.Failed++
		view.TokensReceived += 1000
		return goodPoint(s)
	}, onView: func(v *loadstat.View) {
		*v = view
		v.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitReading, Ms: 5}
	}}
	reads := 0
	sweep := stepsAt(1, 8)
	sweep.Server = func(context.Context) (loadstat.ServerCounts, error) {
		if reads++; reads == 3 {
			return loadstat.ServerCounts{}, errors.New("the server answers 503")
		}
		return loadstat.ServerCounts{From: "vllm", Output: metrics.Known(float64(reads)*100, 0)}, nil
	}
	r, err := sweep.sweep(t.Context(), b)
	testkit.Given(t, err == nil && len(r.Steps) == 2 && reads == 4, "%d points, %d reads, %v", len(r.Steps), reads, err)
	output := func(c *loadstat.ServerCounts) metrics.Value { return c.Output }
	first, second := &r.Steps[0].Extra, &r.Steps[1].Extra
	if v := first.Server.Change(output); v != metrics.Known(100, 0) || first.Server.Requests != 11 ||
		first.Server.Output != 1000 {
		t.Errorf("the first step: %+v", first.Server)
	}
	if v := second.Server.Change(output); v.OK || v.Why != metrics.WhyNoPage ||
		second.Server.Why != "the server answers 503" || second.Server.Requests != 81 {
		t.Errorf("the second step: %+v", second.Server)
	}
	testkit.Is(t, first.ClientLimits.Code, loadstat.LimitReading, "the first step", first)
	fell := loadstat.ServerStep{Before: loadstat.ServerCounts{From: "vllm", Output: metrics.Known(5, 0)},
		After: loadstat.ServerCounts{From: "vllm", Output: metrics.Known(4, 0)}}
	if v := fell.Change(output); v.OK || v.Why != metrics.WhyCounterFell {
		t.Errorf("a counter that fell: %+v", v)
	}
}

// Every request of a sweep is reported with its step, and the load says who
// took the stamps: both were missing.
func TestCurveReportsRequestsAndStamps(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "it waits for a second and more")
	srv := testkit.Must(probetest.Listen(probetest.Options{}))(t)
	e := client.New(client.Options{})
	t.Cleanup(func() { e.Close(); srv.Close() })
	var mu sync.Mutex
	counts, users := map[int]int{}, map[int]int{}
	c := Curve{
		Config: Config{Engine: e, Target: endpoint.Target{
			Endpoint: metrics.Endpoint{URL: srv.URL("prefill 2ms; 20 tokens @ 1ms; finish; usage; done"), Model: "m"},
			Auth:     endpoint.AuthNone,
		}, Work: metrics.Workload{Prompt: "x", InputTokens: 40, MaxTokens: 20}, Seed: 1},
		SweepPlan: loadstat.SweepPlan{Requests: 6, Users: []int{1, 2}},
		Request: func(n int, s Step, _ int, v *metrics.Stream, f *metrics.Figures) {
			mu.Lock()
			defer mu.Unlock()
			if v.State == metrics.Done && f.TTFT.OK {
				counts[n]++
				users[n] = s.Users
			}
		},
	}
	out, err := c.Run(t.Context())
	testkit.Given(t, err == nil && len(out.Steps) == 2, "%d points, %v", len(out.Steps), err)
	mu.Lock()
	defer mu.Unlock()
	testkit.That(t, counts[1] >= 5 && counts[2] >= 5 && users[1] == 1 && users[2] == 2,
		"requests %v, users %v by step", counts, users)
	for i, p := range out.Steps {
		if l := p.Extra.Lengths.Answers; l.N < 5 || l.Asked != 20*float64(l.N) || l.Counted != 21*float64(l.N) {
			t.Errorf("step %d: lengths %+v", i+1, l)
		}
	}
	if o := out.View.Observer; o.KernelStamps+o.UserStamps < 100 || out.View.Stamps == "none" || out.View.Stamps == "" {
		t.Errorf("stamps %q: %d by the kernel, %d by this program", out.View.Stamps, o.KernelStamps, o.UserStamps)
	}
}
