package slo

import (
	"math"
	"slices"

	"tokscope/metrics/pick"
)

// objectivesOf are the objectives of each lens, in the order of lenses.
var objectivesOf = pick.Each(lenses, (*Lens).SLOs)

// SLOs returns the budgets as objectives of a single request; nil for a use without
// any. It omits the time of a batch, which covers a whole job, an agent's step, which
// depends on its task, and figures without a limit.
func (l *Lens) SLOs() (out []Objective) {
	for _, b := range l.Budgets {
		name := map[string]string{LensTTFT: "ttft", LensSpeed: "speed", LensGap: "gap"}[b.Metric]
		if name == "" || b.Limit <= 0 {
			continue
		}
		// as the lens writes it: 5.3 tok/s, not 5.28889
		out = append(out, Objective{Name: name, Limit: math.Round(b.Limit*10) / 10, AtLeast: b.AtLeast})
	}
	return out
}

// LensOfSLOs returns the lens with exactly these objectives; nil without a
// match, and for an empty list.
func LensOfSLOs(slos []Objective) *Lens {
	for i := range lenses {
		if len(slos) > 0 && slices.Equal(slos, objectivesOf[i]) {
			return &lenses[i]
		}
	}
	return nil
}
