package explain

import (
	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
)

// others counts the requests that have no row by their state, those first that
// do not simply decode.
func (s *Screen) others(p *pen, l *line, rest []metrics.EngineRequest) {
	var by [metrics.EngineDone + 1]int
	for i := range rest {
		if st := rest[i].State; int(st) < len(by) {
			by[st]++
		}
	}
	between := ": "
	for _, st := range [...]metrics.EngineState{metrics.EnginePreempted, metrics.EnginePrefill, metrics.EngineMoving, metrics.EngineWaiting, metrics.EngineDecode} {
		if by[st] == 0 {
			continue
		}
		_, role := p.stateSign(st)
		if text := p.Join(p.Int(by[st]), " ", stateWord(st)); cell.Width(text)+2 <= l.Left() {
			l.Write(themes.Dim, between)
			l.Write(role, text)
			between = ", "
		}
	}
}
