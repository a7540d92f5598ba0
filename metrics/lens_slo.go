package metrics

import (
	"math"
	"slices"
)

// objectivesOf are the objectives of each lens, in the order of lenses.
var objectivesOf = func() [][]Objective {
	all := make([][]Objective, len(lenses))
	for i := range lenses {
		all[i] = lenses[i].objectives()
	}
	return all
}()

// objectives turns the budgets into what a single request can be held to. The
// time of a batch is that of a whole job and an agent's step depends on its
// task: neither is an objective, nor is a figure without a limit.
func (l *Lens) objectives() (out []Objective) {
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

// SLOs are the budgets as objectives of a single request; none for a use that
// asks nothing of one. Read only.
func (l *Lens) SLOs() []Objective {
	for i := range lenses {
		if lenses[i].Key == l.Key {
			return objectivesOf[i]
		}
	}
	return l.objectives()
}

// LensOfSLOs is the lens whose objectives these are; nil when they are nobody's,
// and for none at all.
func LensOfSLOs(slos []Objective) *Lens {
	for i := range lenses {
		if len(slos) > 0 && slices.Equal(slos, objectivesOf[i]) {
			return &lenses[i]
		}
	}
	return nil
}
