package explain

import (
	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// stepOf returns an engine's step as the screen shows it, without its batch
// and its machine.
func stepOf(s *engine.Step) serving.EngineStep {
	out := serving.EngineStep{
		Number: s.Number, Start: s.Start, End: s.End, Decodes: s.Decodes, Prefilled: s.Prefilled,
		Running: s.Running, Waiting: s.Waiting, Preempted: s.Preempted, Tokens: s.Tokens, KV: s.KV,
		Binds: s.Cost.Binds().String(), Pool: s.Pool,
	}
	out.Bandwidth, out.Compute = s.Setup.Used(&s.Cost)
	for c := range physics.NumCauses {
		t := &s.Cost.Terms[c]
		if t.Seconds <= 0 && t.Bytes <= 0 {
			continue
		}
		out.Terms[out.NumTerms] = serving.StepTerm{Name: c.String(),
			Seconds: t.Seconds, Bytes: t.Bytes, FLOPs: t.FLOPs, Limit: t.Limit.String()}
		out.NumTerms++
	}
	return out
}

// RowOf returns a request of the batch as the screen shows it. user is its
// sender, 0 when not known.
func RowOf(s *engine.RequestState, user int) serving.EngineRequest {
	q := s.Request
	return serving.EngineRequest{
		ID: q.ID, User: user, State: states[s.Phase], Prompt: q.Prompt,
		PromptDone: min(s.Computed, q.Prompt), Cached: q.Cached,
		Output: q.Output, Out: q.Produced, Blocks: s.Blocks, Scheduled: s.Scheduled,
	}
}

// states are the phases in the screen's terms. A request in the front end is
// waiting, and a slot still held by a static batch is done.
var states = [...]serving.EngineState{
	engine.PhaseArriving: serving.EngineWaiting, engine.PhaseWaiting: serving.EngineWaiting,
	engine.PhasePrefill: serving.EnginePrefill, engine.PhaseDecode: serving.EngineDecode,
	engine.PhaseMoving: serving.EngineMoving, engine.PhasePreempted: serving.EnginePreempted,
	engine.PhasePadded: serving.EngineDone, engine.PhaseDone: serving.EngineDone,
}
