package explain

import (
	"context"

	"tokscope/probe/sim/engine"
)

// Watcher observes an engine. Saw is called with every ended step and its output;
// both are valid during the call only.
type Watcher interface {
	Saw(*engine.Step, []Yield)
	// Enough is called after every step and reports whether to stop.
	Enough() bool
}

// Play lets the users of the config ask, and ask again as soon as they are
// answered, on an engine in virtual time, until the watcher has seen enough or
// ctx ends. They begin spread over the time of an answer, as the users of the
// running engine do. It returns the engine's counters and is deterministic.
func (r *EngineConfig) Play(ctx context.Context, w Watcher) (engine.Stats, error) {
	var step engine.Step
	var yield []Yield
	ended := false // step waits for its output
	saw := func() {
		if ended {
			w.Saw(&step, yield)
		}
		ended, yield = false, yield[:0]
	}
	p := r.Player()
	p.Options.OnStep = func(s *engine.Step) {
		saw()
		step, ended = *s, true
	}
	p.Yield = func(y engine.Emission) { yield = append(yield, YieldOf(y.Request.ID, y.Request, y.N)) }
	p.Enough = func() bool {
		saw()
		return w.Enough()
	}
	return p.Play(ctx)
}

// Player plays the users of the config on a fresh engine; it never ends by itself.
func (r *EngineConfig) Player() engine.Player {
	return engine.Player{Options: r.options(), Workload: r.workload()}
}

// Answer estimates how long an answer takes when all users are there, in seconds.
func (r *EngineConfig) Answer() float64 {
	w := r.workload()
	return w.AnswerTime(r.Setup)
}

// workload is what the users of the config send. With a prefix cache all of them
// send the same prompt.
func (r *EngineConfig) workload() engine.Workload {
	k := &r.Knobs
	w := engine.Workload{Users: k.Users, Prompt: k.Prompt, Output: k.Output}
	if k.PrefixCache {
		w.Shared = k.Prompt
	}
	return w
}
