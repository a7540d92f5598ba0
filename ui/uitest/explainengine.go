package uitest

import (
	"math"

	"tokscope/metrics"
)

// engine makes the steps of a scene: one rule of batching and an arithmetic of
// few terms, enough that every figure on the screen follows from the others.
type engine struct {
	m        metrics.Machine
	budget   int
	blocks   int // of the cache
	clock    float64
	number   uint64
	pool     string
	requests []metrics.EngineRequest
	held     []int // tokens in the cache, of each request
	steps    []metrics.EngineStep
	arrived  uint64
}

// h100 is llama-3.1-8b bf16 on one H100.
func h100() metrics.Machine {
	return metrics.Machine{Name: "llama-3.1-8b bf16 on H100", Devices: 1, Bandwidth: 3.35e12, Peak: 989e12, Weights: 16.06e9, StepBytes: 15.01e9,
		Parameters: 7.5e9, PromptParameters: 6.98e9, Format: "bf16", FormatPeak: 989e12, KVToken: 131072, KVCapacity: 413_000, KVBlock: 16, Budget: 2048}
}

func newEngine(m metrics.Machine) *engine {
	return &engine{m: m, budget: m.Budget, blocks: m.KVCapacity / m.KVBlock, clock: 12}
}

// arrive puts a request of a user at the end of the queue.
func (e *engine) arrive(user, prompt, output int) {
	e.arrived++
	e.requests = append(e.requests, metrics.EngineRequest{ID: e.arrived, User: user, State: metrics.EngineWaiting, Prompt: prompt, Output: output})
	e.held = append(e.held, 0)
}

// used is the blocks that are held.
func (e *engine) used() int {
	n := 0
	for i := range e.requests {
		n += e.requests[i].Blocks
	}
	return n
}

// plan chooses what the next step computes: a token for everybody who decodes,
// and prompts in what is left of the budget.
func (e *engine) plan() (st metrics.EngineStep) {
	e.number++
	st.Number, st.Start, st.Pool = e.number, e.clock, e.pool
	left, square := e.budget, 0.0
	for i := range e.requests {
		q := &e.requests[i]
		q.Scheduled = 0
		if q.State == metrics.EngineDecode && e.room(i, 1, &st) {
			q.Scheduled = 1
			left--
			st.Decodes++
			st.Tokens++
			st.Context += e.held[i]
		}
	}
	for i := range e.requests {
		q := &e.requests[i]
		if q.State != metrics.EngineWaiting && q.State != metrics.EnginePrefill || left <= 0 {
			continue
		}
		n := min(q.Prompt-q.PromptDone, left)
		if n <= 0 || !e.room(i, n, &st) {
			continue
		}
		q.State, q.Scheduled = metrics.EnginePrefill, n
		left -= n
		st.Prefills++
		st.Prefilled += n
		square += float64(n)*float64(q.PromptDone) + float64(n)*float64(n)/2
	}
	e.cost(&st, square)
	return st
}

// room reserves blocks for n more tokens of request i; where there are none
// the last request that runs is thrown out.
func (e *engine) room(i, n int, st *metrics.EngineStep) bool {
	need := (e.held[i] + n + e.m.KVBlock - 1) / e.m.KVBlock
	for e.used()-e.requests[i].Blocks+need > e.blocks {
		last := -1
		for j := range e.requests {
			if e.requests[j].Blocks > 0 && e.requests[j].State == metrics.EngineDecode {
				last = j
			}
		}
		if last <= i || e.requests[i].State != metrics.EngineDecode {
			return false
		}
		q := &e.requests[last]
		q.State, q.Blocks, q.PromptDone, q.Scheduled = metrics.EnginePreempted, 0, 0, 0
		q.Preempted++
		e.held[last] = 0
		st.Preempted++
	}
	e.requests[i].Blocks = need
	return true
}

// cost fills in the terms: bytes over what the memory brings, arithmetic over
// what the device does, and fixed times.
func (e *engine) cost(st *metrics.EngineStep, square float64) {
	t := float64(st.Decodes + st.Prefilled)
	m := &e.m
	add := func(name string, seconds, bytes, flops float64, limit string) {
		st.Terms[st.NumTerms] = metrics.StepTerm{Name: name, Seconds: seconds, Bytes: bytes, FLOPs: flops, Limit: limit}
		st.NumTerms++
	}
	part := func(name string, share float64) {
		bytes, flops := m.StepBytes*share, 2*m.Parameters*share*t
		mem, cmp := bytes/(m.Bandwidth*0.86), flops/(m.Peak*0.80)
		limit := "bandwidth"
		if cmp > mem {
			limit = "compute"
		}
		add(name, math.Cbrt(mem*mem*mem+cmp*cmp*cmp), bytes, flops, limit)
	}
	if m.Dataflow {
		add("kernels", 80*28e-6, 0, 0, "latency")
	} else {
		part("projections", 0.19)
		part("feed-forward", 0.74)
		part("output head", 0.07)
		add("activations", t*2*32*(10*4096+3*14336)/(m.Bandwidth*0.8), t*2*32*(10*4096+3*14336), 0, "bandwidth")
		kv := float64(st.Context) * m.KVToken
		add("KV read", kv/(m.Bandwidth*0.80), kv, float64(st.Context)*4*32*4096, "bandwidth")
		flops := 4 * 4096 * 32 * square
		add("prompt attention", flops/(m.Peak*0.30), 0, flops, "compute")
		add("kernels", 32*34.6e-6, 0, 0, "latency")
	}
	add("engine", 0.3e-3+5e-6*float64(st.Decodes+st.Prefills), 0, 0, "latency")
	by := map[string]float64{}
	var bytes, flops, seconds float64
	for _, c := range st.Cost() {
		seconds += c.Seconds
		bytes += c.Bytes
		flops += c.FLOPs
		by[c.Limit] += c.Seconds
	}
	st.End = st.Start + seconds
	st.Bandwidth, st.Compute = bytes/m.Bandwidth/seconds, flops/m.Peak/seconds
	st.Binds = "latency"
	for _, l := range [...]string{"bandwidth", "compute"} {
		if by[l] > by[st.Binds] {
			st.Binds = l
		}
	}
}

// step lets one step happen.
func (e *engine) step() {
	st := e.plan()
	e.clock = st.End
	for i := 0; i < len(e.requests); i++ {
		q := &e.requests[i]
		switch q.State {
		case metrics.EnginePrefill:
			q.PromptDone += q.Scheduled
			e.held[i] += q.Scheduled
			if q.PromptDone == q.Prompt {
				q.State, q.Out = metrics.EngineDecode, q.Out+1
				st.Tokens++
			}
		case metrics.EngineDecode:
			q.Out += q.Scheduled
			e.held[i] += q.Scheduled
		}
		if q.State == metrics.EngineDecode && q.Out >= q.Output {
			q.State = metrics.EngineDone
		}
	}
	for _, waits := range [...]bool{false, true} {
		for i := range e.requests {
			q := e.requests[i]
			w := q.State == metrics.EngineWaiting || q.State == metrics.EnginePreempted
			if w != waits {
				continue
			}
			if w {
				st.Waiting++
			} else {
				st.Running++
			}
			if len(st.Batch) < metrics.MaxBatchRows {
				st.Batch = append(st.Batch, q)
			} else {
				st.More++
			}
		}
	}
	st.KV = float64(e.used()) / float64(e.blocks)
	e.steps = append(e.steps, st)
	for i := len(e.requests) - 1; i >= 0; i-- {
		switch q := &e.requests[i]; q.State {
		case metrics.EngineDone: // its user asks again
			user, prompt, output := q.User, q.Prompt, q.Output
			e.requests = append(e.requests[:i:i], e.requests[i+1:]...)
			e.held = append(e.held[:i:i], e.held[i+1:]...)
			e.arrive(user, prompt, output)
		case metrics.EnginePreempted:
			q.State = metrics.EngineWaiting
		}
	}
}

// run lets n steps happen.
func (e *engine) run(n int) *engine {
	for range n {
		e.step()
	}
	return e
}
