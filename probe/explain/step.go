package explain

import (
	"tokscope/metrics/serving"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// stepOf returns an engine's step as the screen shows it, without its batch
// and its machine.
func stepOf(setup *physics.Setup, s *engine.Step) serving.EngineStep {
	out := serving.EngineStep{
		Number: s.Number, Start: s.Start, End: s.End, Decodes: s.Decodes, Prefills: s.Prefills, Prefilled: s.Prefilled,
		Context: s.Context, Running: s.Running, Waiting: s.Waiting, Preempted: s.Preempted, Tokens: s.Tokens, KV: s.KV,
		Binds: s.Cost.Binds().String(), Pool: s.Pool,
	}
	out.Bandwidth, out.Compute = setup.Used(&s.Cost)
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
