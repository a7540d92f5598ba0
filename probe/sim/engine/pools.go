package engine

import (
	"slices"
	"sort"
)

// planPool plans a step of one pool of a disaggregated engine. The prefill
// pool admits prompts from the queue, the decode pool requests whose cache
// has arrived over the link. Decodes never share a step with a prompt.
//
// The decode pool computes the last token of the prompt again and yields the
// first token of the answer, as vLLM does. So a wait for room in it is part of
// the time to the first token. Until then the prefill pool keeps the cache.
func (p planner) planPool() {
	e, l := p.e, p.l
	if l.prefill {
		p.planContinuous()
		return
	}
	for len(e.moving) > 0 && e.moving[0].arrival <= e.now && len(l.running) < e.o.MaxSeqs {
		r := e.moving[0]
		most := r.length()
		if e.o.Setup.Stack.Reserves {
			most = r.Prompt + r.Output
		}
		if l.kv.used+p.promised()+e.o.Setup.Blocks(most+guessesOf(e.o.Setup)) > l.kv.total {
			break
		}
		e.moving = without(e.moving, r)
		e.lanes[0].kv.release(r)
		l.kv.grow(r, r.length()+guessesOf(e.o.Setup))
		r.phase = PhasePrefill
		l.running = append(l.running, r)
	}
	p.proceed(e.o.Budget, true)
}

// move sends the cache of r from lane l, the prefill pool, to the decode pool,
// starting at engine time from. The duration in seconds is
//
//	tokens in the cache · KV bytes a token / link
func (e *Engine) move(l *lane, r *Request, from float64) {
	l.running = without(l.running, r)
	r.phase, r.handed = PhaseMoving, true
	r.computed = r.length() - 1
	r.arrival = from + float64(r.computed)*e.o.Setup.KVToken/e.o.Link
	at := sort.Search(len(e.moving), func(i int) bool { return e.moving[i].arrival > r.arrival })
	e.moving = slices.Insert(e.moving, at, r)
}
