package loadgen

import (
	"cmp"
	"context"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Depth is a sweep over prompt lengths against an endpoint. At each length it
// sends prompts that are new to the server, and then the same prompts again.
type Depth struct {
	Engine *client.Engine
	Target endpoint.Target
	Plan   loadstat.DepthPlan
	Price  metrics.Price
	Seed   uint64 // of the nonces: equal seeds send equal prompts
	// Context returns the context of the model in tokens, 0 for unknown. It is
	// called once, by Run. nil: unknown.
	Context func(ctx context.Context) int
	// Ended is called after every request, from one goroutine at a time. nil:
	// no callback.
	Ended func(v *metrics.Stream, f *metrics.Figures)
}

// Question is NeedsConsent for all requests.
func (d *Depth) Question() (question loadstat.Question, needed bool) {
	return NeedsConsent(d.Target, d.estimate())
}

// estimate returns the expected use of all requests.
func (d *Depth) estimate() loadstat.Forecast {
	p := &d.Plan
	sum := loadstat.Forecast{Users: p.Users, Basis: loadstat.BasisCount, Currency: d.Price.Currency, Assumed: assumedSpeed}
	out := outputTokens(Config{Work: p.Work})
	for _, depth := range p.Depths {
		n := 2 * float64(p.Requests)
		sum.Requests += n
		sum.Prompt += n * float64(depth)
		sum.Output += n * out
	}
	sum.Count = int(sum.Requests)
	seconds := sum.Requests * (assumedTTFT + out/assumedSpeed) / float64(max(p.Users, 1))
	sum.For = max(time.Duration(seconds*float64(time.Second)).Round(time.Second), time.Second)
	return capped(sum, p.Cap, d.Price)
}

// Run measures the depths in order. When ctx ends, it abandons the current one.
// It also ends at the cap of tokens, and after a depth whose requests all
// failed.
func (d *Depth) Run(ctx context.Context) loadstat.DepthOutcome {
	e := d.Engine
	out := d.run(ctx, deps{
		now: e.Clock().Now, observer: e.Observer,
		start: func(ctx context.Context, t endpoint.Target, w metrics.Workload) stream {
			return e.StartQuiet(ctx, t, w)
		},
	})
	if out.Endpoint.URL == "" {
		out.Endpoint = e.Shown(d.Target)
	}
	return out
}

// depthRun is a Depth under way.
type depthRun struct {
	*Depth
	deps   deps
	rng    *rand.Rand
	out    loadstat.DepthOutcome
	cold   []metrics.Figures // of all depths
	budget budget
	pairs  int // prompts begun
	failed int // requests in a row
}

func (d *Depth) run(ctx context.Context, with deps) loadstat.DepthOutcome {
	r := &depthRun{Depth: d, deps: with, rng: rand.New(rand.NewPCG(d.Seed, 0x6465707468)),
		budget: newBudget(&Config{MaxTokens: d.Plan.Cap, Price: d.Price})}
	out := &r.out
	if d.Context != nil {
		out.Context = d.Context(ctx)
	}
	answer := d.Plan.Work.MaxTokens
	for i, depth := range d.Plan.Depths {
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
		if d.Plan.Begin != nil {
			d.Plan.Begin(i+1, depth)
		}
		row, why := r.measure(ctx, depth)
		if ctx.Err() != nil {
			out.Stopped = metrics.Ending{Code: metrics.EndingInterrupted, Step: metrics.LoadStep{Depth: depth}}
			break
		}
		if row.Cold.Ended+row.Cold.Failed > 0 {
			out.Rows = append(out.Rows, row)
		}
		if why == (metrics.Ending{}) && row.Cold.Ended == 0 && i < len(d.Plan.Depths)-1 {
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
	out.Stamps, out.Observer = loadstat.JoinStamps(out.Stamps), with.observer()
	return *out
}

// measure measures a depth in rounds. In each round the users send a new prompt
// at the same time, and when all answers have ended, the same prompts again.
// why is the reason why no further request may begin, zero while one may.
func (r *depthRun) measure(ctx context.Context, depth int) (row loadstat.DepthRow, why metrics.Ending) {
	var samples loadstat.DepthSamples
	for left := r.Plan.Requests; left > 0 && ctx.Err() == nil; {
		users := min(left, max(r.Plan.Users, 1))
		left -= users
		works := make([]metrics.Workload, users)
		expected := 0.0
		for i := range works {
			w := r.Plan.Work
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
	streams := make([]stream, len(works))
	for i, w := range works {
		streams[i] = r.deps.start(ctx, r.Target, w)
	}
	pause := time.Duration(0)
	for i, s := range streams {
		select {
		case <-s.Done():
		case <-ctx.Done(): // the engine cancels its streams; a test's need it
			s.Cancel()
			<-s.Done()
		}
		run := s.Run(r.Plan.Pace)
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
		if r.Ended != nil {
			r.Ended(v, f)
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
