package loadgen

import (
	"context"
	"io"
	"math"
	"net/http"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
)

// depths runs a sweep over prompt lengths on the embedded endpoint in virtual time.
// It returns the requests in the order of their ends, too.
func depths(t *testing.T, c *Curve) (out loadstat.DepthOutcome, ended []metrics.Run) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		c.Config.Engine, c.Config.Target = virtualDemo(t, sim.Options{})
		c.Config.Ended = func(_ int, v *metrics.Stream, f *metrics.Figures) {
			ended = append(ended, metrics.Run{Stream: *v, Figures: *f})
		}
		out = c.deepen(t.Context())
	})
	return out, ended
}

func deep(users, requests int, lengths ...int) *Curve {
	return &Curve{Config: Config{Seed: 1, Work: metrics.Workload{Prompt: "x", MaxTokens: 50}},
		SweepPlan: loadstat.SweepPlan{Requests: requests, Users: []int{users}, Depths: lengths}}
}

// TestDepthFollowsTheModel holds every figure to the chunks of all requests. A warm
// prefix is found whole and makes TTFT shorter, and decode slows with context.
func TestDepthFollowsTheModel(t *testing.T) {
	out, ended := depths(t, deep(1, 3, 1000, 4000, 16_000, 64_000))
	testkit.Given(t, len(out.Rows) == 4 && len(ended) == 24 && out.Stopped == (metrics.Ending{}) && out.Fault == nil,
		"%d rows of %d requests, stopped %+v, fault %v", len(out.Rows), len(ended), out.Stopped, out.Fault)
	near := func(what string, v metrics.Value, want float64, n int) {
		t.Helper()
		testkit.That(t, v.OK && v.N == n && math.Abs(v.V-want) <= 0.001*want+1e-6, "%s: %+v, want %g of %d", what, v, want, n)
	}
	var prompts []float64
	for i := range out.Rows {
		r, of := &out.Rows[i], ended[6*i:6*i+6] // cold, warm, cold, warm …
		var cold, warm, tpot []float64
		for k := range of {
			v := &of[k].Stream
			prompts = append(prompts, float64(v.Usage.Prompt))
			first, last := v.Chunks[0].At, v.Chunks[len(v.Chunks)-1].At
			ms := float64(first-v.Marks.Sent) / 1e6
			if k%2 == 0 {
				cold = append(cold, ms)
				testkit.Is(t, v.Usage.Cached, 0, "cached tokens of a cold prompt of", r.Depth)
			} else {
				warm = append(warm, ms)
			}
			tpot = append(tpot, float64(last-first)/1e6/float64(v.Usage.Completion-1))
		}
		near("cold TTFT", r.Cold.TTFT, metrics.Distribution(cold).P50.V, 3)
		near("warm TTFT", r.Warm.TTFT, metrics.Distribution(warm).P50.V, 3)
		near("prompt", r.Cold.Prompt, float64(of[0].Stream.Usage.Prompt), 3)
		near("cold cached", r.Cold.Cached, 0, 3)
		near("warm cached", r.Warm.Cached, float64(of[1].Stream.Usage.Cached), 3)
		near("prefill", r.Cold.Prefill, r.Cold.Prompt.V*1000/r.Cold.TTFT.V, 3)
		near("TPOT", r.TPOT, metrics.Distribution(tpot).P50.V, 6)
		near("speed", r.Speed, 1000/r.TPOT.V, 6)
		if c := r.Warm.Cached.V; c < r.Cold.Prompt.V-32 || r.Warm.TTFT.V >= r.Cold.TTFT.V {
			t.Errorf("%d: warm has %g cached tokens, TTFT %g ms beside %g cold", r.Depth, c, r.Warm.TTFT.V, r.Cold.TTFT.V)
		}
		testkit.That(t, i <= 0 || r.TPOT.V > out.Rows[i-1].TPOT.V && r.Cold.TTFT.V > out.Rows[i-1].Cold.TTFT.V,
			"%d tokens: TPOT %g ms and TTFT %g ms are not above those before", r.Depth, r.TPOT.V, r.Cold.TTFT.V)
	}
	if f := out.Fit; f.N != 12 || !f.B.OK || !(f.B.V > 0) || f.Low != slices.Min(prompts) ||
		f.High != slices.Max(prompts) {
		t.Errorf("fit %+v", f)
	}
}

// Users of a round send at the same time: all cold prompts, then all warm ones.
func TestDepthKeepsColdAndWarmApart(t *testing.T) {
	out, ended := depths(t, deep(2, 3, 4000))
	r := out.Rows[0]
	testkit.Given(t, r.Cold.Ended == 3 && r.Warm.Ended == 3 && r.TPOT.N == 6, "%+v", r)
	for i, warm := range []bool{false, false, true, true, false, true} {
		testkit.Is(t, ended[i].Stream.Usage.Cached > 0, warm, "request", i+1, "had cached tokens")
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
	if len(out.Rows) != 3 || !out.Rows[2].TooLong || out.Rows[2].Cold.TTFT.OK || out.Rows[1].TooLong || len(ended) != 8 ||
		out.Context != 16_049 {
		t.Errorf("%d requests, rows %+v", len(ended), out.Rows)
	}
	d.Context = func(context.Context) int { return 16_050 }
	if out, _ = depths(t, d); out.Rows[2].TooLong {
		t.Error("a prompt that fits is left out")
	}
	d.Config.MaxTokens = 12_000 // the first depth takes 4,200, a pair of the second 8,100
	out, ended = depths(t, d)
	used := 0
	for i := range ended {
		used += ended[i].Stream.Usage.Prompt + ended[i].Stream.Usage.Completion
	}
	if out.Stopped.Code != metrics.EndingCap || out.Stopped.Tokens.Requests != 2 || len(out.Rows) != 1 ||
		len(ended) != 4 || out.Tokens != float64(used) {
		t.Errorf("stopped %+v after %g tokens, %d rows", out.Stopped, out.Tokens, len(out.Rows))
	}
}

// Requests that fail are counted and in no figure. A depth of failures ends the
// sweep; a prompt that failed cold is not sent warm.
func TestDepthOfFailures(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d, n := deep(1, 3, 100, 200, 300), 0
		d.Config.Engine, d.Config.Target = virtualDemo(t,
			sim.Options{Answers: http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
				if n++; n == 2 || n > 6 { // the first warm one; all of the second depth
					http.Error(w, "broken", http.StatusInternalServerError)
					return
				}
				w.Header().Set("Content-Type", "text/event-stream")
				for range 3 {
					_, _ = io.WriteString(w, `data: {"choices":[{"index":0,"delta":{"content":"a "}}]}`+"\n\n")
					_ = http.NewResponseController(w).Flush()
					time.Sleep(time.Millisecond)
				}
				_, _ = io.WriteString(w, "data: [DONE]\n\n")
			})})
		out := d.deepen(t.Context())
		if len(out.Rows) != 2 || out.Stopped.Code != metrics.EndingStepFailed || out.Stopped.Step.Depth != 200 ||
			out.Fault == nil {
			t.Fatalf("rows %+v, stopped %+v, fault %v", out.Rows, out.Stopped, out.Fault)
		}
		if a, b := &out.Rows[0], &out.Rows[1]; a.Cold.Ended != 3 || a.Warm.Ended != 2 || a.Warm.Failed != 1 ||
			a.TPOT.N != 5 || b.Cold.Ended != 0 || b.Cold.Failed != 3 || b.Warm.Failed != 0 || b.Cold.TTFT.OK ||
			b.Cold.TTFT.Why != metrics.WhyNoneEndedWell {
			t.Errorf("%+v\n%+v", *a, *b)
		}
	})
}

// An interruption leaves the running depth out, but its prompts are paid for.
func TestDepthInterrupted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(context.Background())
		d := deep(1, 2, 1000, 16_000)
		d.Config.Engine, d.Config.Target = virtualDemo(t, sim.Options{})
		d.Begin = func(n int, _ metrics.LoadStep, _ func() loadstat.View) {
			if n == 2 {
				time.AfterFunc(100*time.Millisecond, cancel)
			}
		}
		out := d.deepen(ctx)
		if len(out.Rows) != 1 || !out.Interrupted || out.Stopped.Code != metrics.EndingInterrupted ||
			out.Stopped.Step.Depth != 16_000 {
			t.Errorf("rows %+v, stopped %+v", out.Rows, out.Stopped)
		}
		testkit.That(t, out.Tokens >= 16_000, "%v tokens used: the request that was cut is not in it", out.Tokens)
		cancel()
	})
}

// The question has all requests: each depth's prompts, twice.
func TestDepthQuestion(t *testing.T) {
	d := deep(1, 3, 1000, 16_000)
	d.Config.Target = endpoint.Target{Endpoint: metrics.Endpoint{Kind: metrics.EndpointURL, Name: "it",
		URL: "https://api.example.com/v1"}}
	d.Config.Price = metrics.Price{In: 2, Out: 8, Currency: "EUR"}
	q, needed := d.Question()
	if f := q.Forecast; !needed || f.Requests != 12 || f.Count != 12 || f.Prompt != 6*17_000 || f.Output != 600 ||
		f.Cost.V != (6*17_000*2+600*8)/1e6 {
		t.Errorf("%v %+v", needed, q)
	}
	d.Depths = []int{1000}
	if _, needed = d.Question(); needed {
		t.Error("6,300 tokens need consent")
	}
}
