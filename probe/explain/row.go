package explain

import (
	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
)

// RowOf returns a request of the batch as the screen shows it. user is its
// sender, 0 when not known.
func RowOf(s *engine.RequestState, user int) serving.EngineRequest {
	q := s.Request
	return serving.EngineRequest{
		ID: q.ID, User: user, State: stateOf(s.Phase), Prompt: q.Prompt,
		PromptDone: min(s.Computed, q.Prompt), Cached: q.Cached,
		Output: q.Output, Out: q.Produced, Blocks: s.Blocks, Scheduled: s.Scheduled,
	}
}

// stateOf returns the phase in the screen's terms. A request in the front end
// is waiting, and a slot still held by a static batch is done.
func stateOf(p engine.Phase) serving.EngineState {
	switch p {
	case engine.PhasePrefill:
		return serving.EnginePrefill
	case engine.PhaseDecode:
		return serving.EngineDecode
	case engine.PhaseMoving:
		return serving.EngineMoving
	case engine.PhasePreempted:
		return serving.EnginePreempted
	case engine.PhasePadded, engine.PhaseDone:
		return serving.EngineDone
	}
	return serving.EngineWaiting
}
