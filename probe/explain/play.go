package explain

import (
	"container/heap"
	"context"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Watcher observes an engine: every step, then its output.
type Watcher interface {
	Step(*engine.Step)
	Yield(Yield)
	// Enough is called after every step and reports whether to stop.
	Enough() bool
}

// Play lets the users of the rig ask, and ask again as soon as they are
// answered, on an engine in virtual time, until the watcher has seen enough or
// ctx ends. They begin spread over the time of an answer, as the users of the
// running engine do. It returns the engine's counters and is deterministic.
func (r *EngineConfig) Play(ctx context.Context, w Watcher) (engine.Stats, error) {
	o := r.options()
	o.OnStep = w.Step
	e := engine.New(o)
	p := &play{rig: r, ids: map[*engine.Request]uint64{}}
	apart := r.Answer() / float64(r.Knobs.Users)
	for u := range r.Knobs.Users {
		heap.Push(&p.due, float64(u)*apart)
	}
	for n := 0; ; n++ {
		if n%64 == 0 && ctx.Err() != nil {
			return e.Stats(), ctx.Err()
		}
		at, busy := e.Next()
		for len(p.due) > 0 && (!busy || p.due[0] <= at) {
			if err := p.ask(e); err != nil {
				return e.Stats(), err
			}
			at, busy = e.Next()
		}
		for _, y := range e.Advance(at) {
			id := p.ids[y.Request]
			w.Yield(YieldOf(id, y.Request, y.N))
			if y.Request.Finished {
				delete(p.ids, y.Request)
				heap.Push(&p.due, at)
			}
		}
		if w.Enough() {
			return e.Stats(), nil
		}
	}
}

// Answer is about how long an answer takes when all users are there: a step of
// all, once for every token, and everybody's prompt. Seconds.
func (r *EngineConfig) Answer() float64 {
	k, s := &r.Knobs, r.Setup
	step := s.Step(&physics.Load{Seqs: k.Users, Ctx: int64(k.Users * (k.Prompt + k.Output/2)), WinCtx: int64(k.Users * min(k.Prompt, s.Model.Window))})
	each := 1.0
	if s.Draft != nil {
		each = s.Draft.Expected()
	}
	prompt := s.Step(&physics.Load{Chunks: []physics.Chunk{{New: max(k.Prompt, 1), Last: true}}})
	if k.PrefixCache {
		prompt = physics.Cost{}
	}
	return float64(k.Output)/each*step.Seconds() + float64(k.Users)*prompt.Seconds()
}

type play struct {
	rig *EngineConfig
	due moments
	ids map[*engine.Request]uint64
	id  uint64
}

// ask hands in the next request.
func (p *play) ask(e *engine.Engine) error {
	at := heap.Pop(&p.due).(float64)
	k := &p.rig.Knobs
	q := &engine.Request{Prompt: k.Prompt, Output: k.Output}
	if k.PrefixCache {
		// Everybody sends the same prompt.
		for i := range k.Prompt / physics.Block {
			q.Blocks = append(q.Blocks, uint64(i)+1)
		}
	}
	p.id++
	p.ids[q] = p.id
	return e.Submit(max(at, e.Now()), q)
}

// moments is a heap of them.
type moments []float64

func (m moments) Len() int           { return len(m) }
func (m moments) Less(i, j int) bool { return m[i] < m[j] }
func (m moments) Swap(i, j int)      { m[i], m[j] = m[j], m[i] }
func (m *moments) Push(x any)        { *m = append(*m, x.(float64)) }
func (m *moments) Pop() any {
	l := *m
	x := l[len(l)-1]
	*m = l[:len(l)-1]
	return x
}
