package loadgen

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// depthForecast returns the expected use of all requests of a sweep over Depths.
func (c *Curve) depthForecast() loadstat.Forecast {
	sum := loadstat.Forecast{Users: c.Users[0], Basis: loadstat.BasisCount, Currency: c.Config.Price.Currency,
		Assumed: assumedSpeed}
	out := outputTokens(c.Config)
	for _, depth := range c.Depths {
		n := 2 * float64(c.Requests)
		sum.Requests += n
		sum.Prompt += n * float64(depth)
		sum.Output += n * out
	}
	sum.Count = int(sum.Requests)
	seconds := sum.Requests * (assumedTTFT + out/assumedSpeed) / float64(c.Users[0])
	sum.For = max(time.Duration(seconds*float64(time.Second)).Round(time.Second), time.Second)
	return capped(sum, c.Config.MaxTokens, c.Config.Price)
}

// depthRun is a sweep over Depths under way.
type depthRun struct {
	*Curve
	rng    *rand.Rand
	out    loadstat.DepthOutcome
	cold   []metrics.Figures // of all depths
	budget budget
	pairs  int // prompts begun
	failed int // requests in a row
}

// deepen measures Depths in order. When ctx ends, it abandons the current one. It also ends at
// the cap of tokens, and after a depth whose requests all failed.
func (c *Curve) deepen(ctx context.Context) loadstat.DepthOutcome {
	seed := cmp.Or(c.Config.Seed, rand.Uint64())
	r := &depthRun{Curve: c, rng: rand.New(rand.NewPCG(seed, 0x6465707468)), budget: newBudget(&c.Config)}
	out := &r.out
	out.Endpoint = c.Config.Engine.Shown(c.Config.Target)
	if c.Context != nil {
		out.Context = c.Context(ctx)
	}
	answer := c.Config.Work.MaxTokens
	for i, depth := range c.Depths {
		if ctx.Err() != nil {
			out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted}
			break
		}
		if out.Context > 0 && depth+answer > out.Context {
			row := (&loadstat.DepthSamples{}).Row(depth)
			row.TooLong = true
			out.Rows = append(out.Rows, row)
			continue
		}
		if c.Begin != nil {
			c.Begin(i+1, metrics.LoadStep{Depth: depth}, nil)
		}
		row, why := r.measure(ctx, depth)
		if ctx.Err() != nil {
			out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted, Step: metrics.LoadStep{Depth: depth}}
			break
		}
		if row.Cold.Ended+row.Cold.Failed > 0 {
			out.Rows = append(out.Rows, row)
		}
		if why == (metrics.Ending{}) && row.Cold.Ended == 0 && i < len(c.Depths)-1 {
			why = metrics.Ending{Code: metrics.EndingStepFailed, Step: metrics.LoadStep{Depth: depth}}
		}
		if why != (metrics.Ending{}) {
			out.Stopped = why
			break
		}
	}
	out.Interrupted = ctx.Err() != nil
	out.Fit = loadstat.DepthFit(r.cold)
	out.Tokens = r.budget.used
	out.Cost, out.Currency = r.budget.cost()
	out.Stamps, out.Observer = loadstat.JoinStamps(out.Stamps), c.Config.Engine.Observer()
	return *out
}

// measure measures a depth in rounds. In each round the users send a new prompt
// at the same time, and when all answers have ended, the same prompts again.
// why is the reason why no further request may begin, zero while one may.
func (r *depthRun) measure(ctx context.Context, depth int) (row loadstat.DepthRow, why metrics.Ending) {
	var samples loadstat.DepthSamples
	for left := r.Requests; left > 0 && ctx.Err() == nil; {
		users := min(left, r.Users[0])
		left -= users
		works := make([]metrics.Workload, users)
		expected := 0.0
		for i := range works {
			w := r.Config.Work
			w.InputTokens, w.Concurrency = depth, users
			r.pairs++
			w.Nonce = nonce(r.rng, r.pairs)
			works[i] = w
			expected += r.budget.expect(w)
		}
		if why = r.budget.refuse(2 * expected); why != (metrics.Ending{}) {
			why.Tokens.Requests = 2 * users
			break
		}
		known := r.round(ctx, works, &samples, false)
		if ctx.Err() == nil && len(known) > 0 {
			r.round(ctx, known, &samples, true)
		}
	}
	return samples.Row(depth), why
}

// round sends works at the same time and waits until all have ended. It returns
// those that ended well. After a failure it waits as the server asks.
func (r *depthRun) round(ctx context.Context, works []metrics.Workload,
	samples *loadstat.DepthSamples, warm bool) (good []metrics.Workload) {
	pause := time.Duration(0)
	for i, run := range Run(ctx, r.Config.Engine, Plan{Target: r.Config.Target, Works: works, Requests: len(works),
		Concurrency: len(works), Unobserved: true, Pace: r.Config.Pace}) {
		v, f := &run.Stream, &run.Figures
		u := user{account: r.budget.account}
		r.budget.charge(&u, v, f)
		if ctx.Err() != nil {
			continue
		}
		samples.Add(v, f, warm)
		if v.Events > 0 {
			r.out.Stamps = loadstat.JoinStamps(r.out.Stamps, v.Stamps.String())
		}
		r.out.Endpoint = v.Endpoint
		r.out.Model = cmp.Or(v.Model, r.out.Model)
		if r.Config.Ended != nil {
			r.Config.Ended(i, v, f)
		}
		if v.State == metrics.Done {
			good, r.failed = append(good, works[i]), 0
			if !warm {
				r.cold = append(r.cold, *f)
			}
		} else if v.Fault != nil {
			r.failed++
			r.out.Fault, pause = v.Fault, max(pause, backoff(v.Fault, r.failed, r.rng))
		}
	}
	if pause > 0 {
		sleep(ctx, pause, nil, nil)
	}
	return good
}
