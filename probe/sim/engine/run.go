package engine

import (
	"math"
	"math/rand/v2"
	"slices"

	"tokscope/probe/sim/physics"
)

// Result is what came of a workload. Times are seconds, means over requests.
type Result struct {
	Requests   int
	TTFT       float64
	TTFTMedian float64
	TPOT       float64
	E2E        float64
	Queue      float64
	Duration   float64 // first arrival to last token
	Tokens     int
	Prompts    int     // prompt tokens
	Throughput float64 // output tokens per second; of a closed loop: while all users were there
	Steps      uint64
	Preempted  uint64
	MeanBatch  float64 // sequences that decode, averaged over decode steps
	Done       []*Request
}

// Run plays a workload on a fresh engine in virtual time. It is deterministic.
// Requests that the engine refuses are left out of the result.
func Run(o Options, w Workload) Result {
	p := &sender{w: w, rng: rand.New(rand.NewPCG(w.Seed, 0x853c49e6748fea9b))}
	var batch, steps float64
	chain := o.OnStep
	o.OnStep = func(s *Step) {
		if s.Decodes > 0 {
			batch += float64(s.Decodes)
			steps++
		}
		if chain != nil {
			chain(s)
		}
	}
	e := New(o)
	p.arrivals(e)
	for {
		at, busy := e.Next()
		for len(p.due) > 0 && (!busy || p.due[0].at <= at) {
			p.send(e)
			at, busy = e.Next()
		}
		if !busy {
			break
		}
		for _, y := range e.Advance(at) {
			if y.Request.Finished {
				p.answered(y.Request, at)
			}
		}
	}
	r := p.result(e)
	if steps > 0 {
		r.MeanBatch = batch / steps
	}
	return r
}

func (p *sender) arrivals(e *Engine) {
	w := &p.w
	p.users = map[*Request]int{}
	n := w.Requests
	switch {
	case w.Burst:
		for range n {
			p.due = append(p.due, due{})
		}
	case w.Rate > 0:
		t := 0.0
		for range n {
			t += p.rng.ExpFloat64() / w.Rate
			p.due = append(p.due, due{at: t})
		}
	default:
		if n == 0 {
			n = max(8*w.Users, 40)
		}
		n = max(n, w.Users)
		p.left = n - w.Users
		// One answer takes about as long as this step, once for every token.
		s := e.Setup()
		step := s.Step(&physics.Load{Seqs: w.Users, Ctx: int64(w.Users * (w.Prompt + w.Output/2)), WinCtx: int64(w.Users * min(w.Prompt, s.Model.Window))})
		span := float64(w.Output)*step.Seconds() + float64(w.Users)*promptTime(s, w.Prompt)
		for u := range w.Users {
			at := span * float64(u) / float64(w.Users)
			if w.LockStep {
				at = 0
			}
			p.due = append(p.due, due{at: at, user: u})
		}
	}
}

func (p *sender) result(e *Engine) Result {
	st := e.Stats()
	r := Result{Requests: len(p.ended), Done: p.ended, Steps: st.Steps, Preempted: st.Preempted}
	if len(p.ended) == 0 {
		return r
	}
	var ttft []float64
	first, last := math.Inf(1), 0.0
	tpots := 0
	for _, q := range p.ended {
		ttft = append(ttft, q.TTFT())
		r.TTFT += q.TTFT()
		r.E2E += q.Last - q.Arrive
		r.Queue += q.QueueTime()
		r.Tokens += q.Produced
		r.Prompts += q.Prompt
		first, last = min(first, q.Arrive), max(last, q.Last)
		if q.Produced > 1 {
			r.TPOT += q.TPOT()
			tpots++
		}
	}
	n := float64(len(p.ended))
	r.TTFT, r.E2E, r.Queue = r.TTFT/n, r.E2E/n, r.Queue/n
	if tpots > 0 {
		r.TPOT /= float64(tpots)
	}
	slices.Sort(ttft)
	r.TTFTMedian = ttft[len(ttft)/2]
	r.Duration = last - first
	if r.Duration > 0 {
		r.Throughput = float64(r.Tokens) / r.Duration
	}
	if p.w.Users > 0 && r.E2E > 0 && p.w.Requests == 0 {
		r.Throughput = p.steady()
	}
	return r
}

// steady is the throughput of a closed loop between the moment when every user
// had been answered once and the moment when the first stopped asking again.
func (p *sender) steady() float64 {
	u := p.w.Users
	from, to := p.ended[u-1].Last, p.ended[len(p.ended)-u].Last
	tokens := 0
	for _, q := range p.ended[u : len(p.ended)-u+1] {
		tokens += q.Produced
	}
	if to <= from {
		return 0
	}
	return float64(tokens) / (to - from)
}

// promptTime is how long a prompt of n tokens takes alone.
func promptTime(s *physics.Setup, n int) float64 {
	c := s.Step(&physics.Load{Chunks: []physics.Chunk{{New: max(n, 1), Last: true}}})
	return c.Seconds()
}
