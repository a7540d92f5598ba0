package engine

import "tokscope/probe/sim/physics"

// Slowness is by what a step takes longer: factors of the part of its cost that
// its prompts add, and of what its decodes alone cost. 1 changes nothing.
type Slowness struct{ Prefill, Decode float64 }

// slowed returns how many seconds Options.Slow adds to the step that l begins.
func (e *Engine) slowed(l *lane) float64 {
	if e.o.Slow == nil {
		return 0
	}
	f := e.o.Slow(l.step.Start)
	if f.Prefill == 1 && f.Decode == 1 {
		return 0
	}
	whole, decodes := l.step.Cost.Seconds(), 0.0
	switch {
	case len(l.load.Chunks) == 0:
		decodes = whole
	case l.load.Seqs > 0:
		alone := physics.Load{Seqs: l.load.Seqs, Ctx: l.load.Ctx, WinCtx: l.load.WinCtx}
		cost := e.o.Setup.Step(&alone)
		decodes = min(cost.Seconds(), whole)
	}
	return (f.Prefill-1)*(whole-decodes) + (f.Decode-1)*decodes
}
