package explain

import "tokscope/metrics/serving"

// group is a row of the step's table: the terms that a viewer sees as one
// thing.
type group uint8

const (
	weights group = iota
	experts
	cpuExperts
	kvRead
	linear
	prompt
	reduce
	exchange
	draft
	kernels
	engine
	activations
	rest
	numGroups
)

var groupNames = [numGroups]string{"weights", "experts", "CPU experts", "KV read", "linear states", "prompt attention", "all-reduce", "exchange", "draft model",
	"kernels", "engine", "activations", "the rest"}

// groupOf sorts a term by its name. An unknown term belongs to the rest, so
// that nothing is lost.
func groupOf(name string) group {
	switch name {
	case "projections", "feed-forward", "output head":
		return weights
	case "experts":
		return experts
	case "CPU experts":
		return cpuExperts
	case "KV read":
		return kvRead
	case "states":
		return linear
	case "prompt attention":
		return prompt
	case "all-reduce":
		return reduce
	case "exchange":
		return exchange
	case "draft":
		return draft
	case "kernels", "launch":
		return kernels
	case "engine", "front end":
		return engine
	case "activations":
		return activations
	}
	return rest
}

// groupsOf are the groups with a share in any of the steps. Only they get a
// row, so that rows stay the same from step to step.
func groupsOf(steps []serving.EngineStep) (has [numGroups]bool) {
	for i := max(len(steps)-sample, 0); i < len(steps); i++ {
		for _, t := range steps[i].Cost() {
			if t.Seconds > 0 {
				has[groupOf(t.Name)] = true
			}
		}
	}
	return has
}

// sums adds up the terms of a step by group: seconds, bytes, FLOPs, and the
// limit of the largest.
func sums(st *serving.EngineStep) (by [numGroups]serving.StepTerm) {
	var largest [numGroups]float64
	for _, t := range st.Cost() {
		g := groupOf(t.Name)
		b := &by[g]
		b.Seconds += t.Seconds
		b.Bytes += t.Bytes
		b.FLOPs += t.FLOPs
		if t.Seconds > largest[g] {
			largest[g], b.Limit = t.Seconds, t.Limit
		}
	}
	return by
}

// shortName is a group's name in less than w columns.
func shortName(name string, w int) string {
	if len(name) >= w && name == groupNames[prompt] {
		return "attention"
	}
	return name
}

// termRow is a row of the table: a group, or several that share a row for
// lack of rows.
type termRow struct {
	name string
	term serving.StepTerm
}

// rowsOf are at most n rows that add up to the step: the groups of any step.
// If there are more, the last ones are merged as the rest.
func rowsOf(dst []termRow, st *serving.EngineStep, has [numGroups]bool, n int) []termRow {
	by := sums(st)
	count := 0
	for g := range numGroups {
		if has[g] || by[g].Seconds > 0 {
			count++
		}
	}
	for g := range numGroups {
		if !has[g] && by[g].Seconds <= 0 {
			continue
		}
		if len(dst) >= n-1 && count > n && n > 0 {
			// One row is left for more than one group: they share it.
			if len(dst) == n-1 {
				dst = append(dst, termRow{name: groupNames[rest]})
			}
			t := &dst[n-1].term
			if by[g].Seconds > t.Seconds {
				t.Limit = by[g].Limit
			}
			t.Seconds += by[g].Seconds
			t.Bytes += by[g].Bytes
			t.FLOPs += by[g].FLOPs
			continue
		}
		if len(dst) < n {
			dst = append(dst, termRow{groupNames[g], by[g]})
		}
	}
	return dst
}
