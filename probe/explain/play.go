package explain

import (
	"context"

	"tokscope/probe/sim/engine"
)

// Play lets the users of the config ask, and ask again as soon as they are
// answered, on an engine in virtual time, until enough reports true, which is
// asked after every step, or ctx ends. saw gets every ended step, valid during the
// call only. The users begin spread over the time of an answer, as those of the
// running engine do. It returns the engine's counters and is deterministic.
func (r *EngineConfig) Play(ctx context.Context, saw func(*engine.Step), enough func() bool) (engine.Stats, error) {
	p := r.Player()
	p.Options.OnStep, p.Enough = saw, enough
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
