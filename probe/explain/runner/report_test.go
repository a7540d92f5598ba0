package runner

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics/serving"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
)

// The rows of the batch say of each request what the engine knows of it: its
// state in the words of the screen, how far it is, and whose it is.
func TestRowsOfTheBatch(t *testing.T) {
	state := func(id uint64, phase engine.Phase, computed, blocks, scheduled int, request string) sim.SteeredRequest {
		q := &engine.Request{ID: id, Prompt: 100, Output: 20, Produced: int(id), Cached: 16, Preempted: 2}
		return sim.SteeredRequest{RequestState: engine.RequestState{Request: q, Phase: phase, Computed: computed,
			Blocks: blocks, Scheduled: scheduled}, RequestID: request}
	}
	got, more := rows([]sim.SteeredRequest{
		state(1, engine.PhasePrefill, 64, 4, 48, "a"),
		state(2, engine.PhaseDecode, 101, 7, 1, "b"), // the prompt and what came after it
		state(3, engine.PhaseMoving, 100, 7, 0, "c"),
		state(4, engine.PhasePreempted, 0, 0, 0, "d"),
		state(5, engine.PhaseWaiting, 0, 0, 0, "e"),
		state(6, engine.PhaseArriving, 0, 0, 0, "f"),
		state(7, engine.PhasePadded, 106, 7, 0, "g"),
		state(8, engine.PhaseDone, 107, 0, 1, "h"),
	}, map[string]int{"a": 3, "b": 1})
	row := func(id uint64, user int, st serving.EngineState, done, blocks, scheduled int) serving.EngineRequest {
		return serving.EngineRequest{ID: id, User: user, State: st, Prompt: 100, PromptDone: done, Cached: 16, Output: 20,
			Out: int(id), Blocks: blocks, Scheduled: scheduled}
	}
	want := []serving.EngineRequest{
		row(1, 3, serving.EnginePrefill, 64, 4, 48),
		row(2, 1, serving.EngineDecode, 100, 7, 1),
		row(3, 0, serving.EngineMoving, 100, 7, 0),
		row(4, 0, serving.EnginePreempted, 0, 0, 0),
		row(5, 0, serving.EngineWaiting, 0, 0, 0),
		row(6, 0, serving.EngineWaiting, 0, 0, 0),
		row(7, 0, serving.EngineDone, 100, 7, 0),
		row(8, 0, serving.EngineDone, 100, 0, 1),
	}
	if diff := cmp.Diff(want, got); diff != "" || more != 0 {
		t.Errorf("%d more; -want +got:\n%s", more, diff)
	}
	var many []sim.SteeredRequest
	for i := range serving.MaxBatchRows + 5 {
		many = append(many, state(uint64(i+1), engine.PhaseDecode, 101, 7, 1, ""))
	}
	if got, more := rows(many, nil); len(got) != serving.MaxBatchRows || more != 5 {
		t.Errorf("%d rows and %d more", len(got), more)
	}
}
