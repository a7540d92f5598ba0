package loadgen

import (
	"context"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
)

// depths runs a sweep over prompt lengths on the model's engine in virtual time.
// It returns the engine's requests in the order of their ends, too.
func depths(t *testing.T, c *Curve) (out loadstat.DepthOutcome, ended []*engine.Request) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, sim.DefaultModel)
		f.prefix = true
		out = c.deepen(context.Background(), f.deps())
		f.close()
		ended = f.ended
	})
	return out, ended
}

func deep(users, requests int, lengths ...int) *Curve {
	return &Curve{Config: Config{Seed: 1, Work: metrics.Workload{Prompt: "x", MaxTokens: 50}},
		Bounds: Bounds{Requests: requests}, Users: []int{users}, Depths: lengths}
}

// TestDepthFollowsTheModel holds every figure to the engine's own times. A warm
// prefix is found whole and makes TTFT shorter, and decode slows with context.
func TestDepthFollowsTheModel(t *testing.T) {
	out, ended := depths(t, deep(1, 3, 1000, 4000, 16_000, 64_000))
	if len(out.Rows) != 4 || len(ended) != 24 || out.Stopped != (metrics.Ending{}) || out.Fault != nil {
		t.Fatalf("%d rows of %d requests, stopped %+v, fault %v", len(out.Rows), len(ended), out.Stopped, out.Fault)
	}
	near := func(what string, v metrics.Value, want float64, n int) {
		t.Helper()
		if !v.OK || v.N != n || math.Abs(v.V-want) > 0.001*want+1e-6 {
			t.Errorf("%s: %+v, want %g of %d", what, v, want, n)
		}
	}
	for i := range out.Rows {
		r, of := &out.Rows[i], ended[6*i:6*i+6] // cold, warm, cold, warm …
		var cold, warm, tpot []float64
		for k, q := range of {
			ms := 1000 * q.TTFT()
			if k%2 == 0 {
				cold = append(cold, ms)
				if q.Cached != 0 {
					t.Errorf("%d: a cold prompt had %d cached tokens", r.Depth, q.Cached)
				}
			} else {
				warm = append(warm, ms)
			}
			tpot = append(tpot, 1000*q.TPOT())
		}
		near("cold TTFT", r.Cold.TTFT, metrics.Distribution(cold).P50.V, 3)
		near("warm TTFT", r.Warm.TTFT, metrics.Distribution(warm).P50.V, 3)
		near("prompt", r.Cold.Prompt, float64(r.Depth), 3)
		near("cold cached", r.Cold.Cached, 0, 3)
		near("warm cached", r.Warm.Cached, float64(of[1].Cached), 3)
		near("prefill", r.Cold.Prefill, float64(r.Depth)*1000/r.Cold.TTFT.V, 3)
		near("TPOT", r.TPOT, metrics.Distribution(tpot).P50.V, 6)
		near("speed", r.Speed, 1000/r.TPOT.V, 6)
		if c := r.Warm.Cached.V; c < float64(r.Depth)-32 || r.Warm.TTFT.V >= r.Cold.TTFT.V {
			t.Errorf("%d: warm has %g cached tokens, TTFT %g ms beside %g cold", r.Depth, c, r.Warm.TTFT.V, r.Cold.TTFT.V)
		}
		if i > 0 && (r.TPOT.V <= out.Rows[i-1].TPOT.V || r.Cold.TTFT.V <= out.Rows[i-1].Cold.TTFT.V) {
			t.Errorf("%d tokens: TPOT %g ms and TTFT %g ms are not above those before", r.Depth, r.TPOT.V, r.Cold.TTFT.V)
		}
	}
	if f := out.Fit; f.N != 12 || !f.B.OK || !(f.B.V > 0) || f.Low != 1000 || f.High != 64_000 {
		t.Errorf("fit %+v", f)
	}
}

// Users of a round send at the same time: all cold prompts, then all warm ones.
func TestDepthKeepsColdAndWarmApart(t *testing.T) {
	out, ended := depths(t, deep(2, 3, 4000))
	if r := out.Rows[0]; r.Cold.Ended != 3 || r.Warm.Ended != 3 || r.TPOT.N != 6 {
		t.Fatalf("%+v", r)
	}
	for i, warm := range []bool{false, false, true, true, false, true} {
		testkit.Is(t, ended[i].Cached > 0, warm, "request", i+1, "had", ended[i].Cached, "cached tokens")
	}
	again, _ := depths(t, deep(2, 3, 4000))
	testkit.Same(t, again.Rows, out.Rows, "the same seed")
}

// A depth that exceeds the context is not sent, and the cap of tokens ends the
// sweep before it is exceeded.
func TestDepthIsBounded(t *testing.T) {
	d := deep(1, 2, 1000, 4000, 16_000)
	d.Context = func(context.Context) int { return 16_049 }
	out, ended := depths(t, d)
	if len(out.Rows) != 3 || !out.Rows[2].TooLong || out.Rows[2].Cold.TTFT.OK || out.Rows[1].TooLong || len(ended) != 8 || out.Context != 16_049 {
		t.Errorf("%d requests, rows %+v", len(ended), out.Rows)
	}
	d.Context = func(context.Context) int { return 16_050 }
	if out, _ = depths(t, d); out.Rows[2].TooLong {
		t.Error("a prompt that fits is left out")
	}
	d.Config.MaxTokens = 12_000 // the first depth takes 4,200, a pair of the second 8,100
	out, _ = depths(t, d)
	if out.Stopped.Code != metrics.EndingCap || out.Stopped.Tokens.Requests != 2 || len(out.Rows) != 1 || out.Tokens > 12_000 || out.Tokens != 4200 {
		t.Errorf("stopped %+v after %g tokens, %d rows", out.Stopped, out.Tokens, len(out.Rows))
	}
}

// Requests that fail are counted and in no figure. A depth of failures ends the
// sweep; a prompt that failed cold is not sent warm.
func TestDepthOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(10*time.Millisecond, time.Millisecond)
		f.fault = func(n int) *metrics.Fault {
			if n == 1 || n > 5 { // the first warm one; all of the second depth
				return &metrics.Fault{Kind: metrics.FaultHTTP, Status: 500}
			}
			return nil
		}
		out := deep(1, 3, 100, 200, 300).deepen(context.Background(), f.deps())
		if len(out.Rows) != 2 || out.Stopped.Code != metrics.EndingStepFailed || out.Stopped.Step.Depth != 200 || out.Fault == nil {
			t.Fatalf("rows %+v, stopped %+v, fault %v", out.Rows, out.Stopped, out.Fault)
		}
		if a, b := &out.Rows[0], &out.Rows[1]; a.Cold.Ended != 3 || a.Warm.Ended != 2 || a.Warm.Failed != 1 || a.TPOT.N != 5 || b.Cold.Ended != 0 || b.Cold.Failed != 3 || b.Warm.Failed != 0 || b.Cold.TTFT.OK || b.Cold.TTFT.Why != metrics.WhyNoneEndedWell {
			t.Errorf("%+v\n%+v", *a, *b)
		}
	})
}

// An interruption leaves the running depth out, but its prompts are paid for.
func TestDepthInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := serve(t, sim.DefaultModel)
		ctx, cancel := context.WithCancel(context.Background())
		d := deep(1, 2, 1000, 16_000)
		d.Begin = func(n int, _ metrics.LoadStep, _ func() loadstat.View) {
			if n == 2 {
				time.AfterFunc(100*time.Millisecond, cancel)
			}
		}
		out := d.deepen(ctx, f.deps())
		f.close()
		if len(out.Rows) != 1 || !out.Interrupted || out.Stopped.Code != metrics.EndingInterrupted || out.Stopped.Step.Depth != 16_000 {
			t.Errorf("rows %+v, stopped %+v", out.Rows, out.Stopped)
		}
		if out.Tokens < 16_000 {
			t.Errorf("%v tokens used: the request that was cut is not in it", out.Tokens)
		}
		cancel()
	})
}

// The question has all requests: each depth's prompts, twice.
func TestDepthQuestion(t *testing.T) {
	d := deep(1, 3, 1000, 16_000)
	d.Config.Target = endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "it", URL: "https://api.example.com/v1"}}
	d.Config.Price = metrics.Price{In: 2, Out: 8, Currency: "EUR"}
	q, needed := d.Question()
	if f := q.Forecast; !needed || f.Requests != 12 || f.Count != 12 || f.Prompt != 6*17_000 || f.Output != 600 || f.Cost.V != (6*17_000*2+600*8)/1e6 {
		t.Errorf("%v %+v", needed, q)
	}
	d.Depths = []int{1000}
	if _, needed = d.Question(); needed {
		t.Error("6,300 tokens need consent")
	}
}
