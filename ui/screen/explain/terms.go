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

var groupNames = [numGroups]string{"weights", "experts", "CPU experts", "KV read",
	"linear states", "prompt attention", "all-reduce", "exchange", "draft model",
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

// shares are the seconds of each group over a number of steps.
type shares [numGroups]float64

// telling are the groups that show a choice of a person: how a group of
// devices shares a model, a draft, a kind of attention. They keep their row
// however short they are.
var telling = [numGroups]bool{cpuExperts: true, linear: true, reduce: true, exchange: true, draft: true}

// sharesOf adds up the latest of the steps that ran on the machine m. Only
// groups with a share get a row, so that rows stay the same from step to step.
func sharesOf(steps []serving.EngineStep, m *serving.Machine) (of shares) {
	for i, n := len(steps)-1, 0; i >= 0 && n < rowSample; i-- {
		if steps[i].Machine != m {
			continue
		}
		n++
		for _, t := range steps[i].Cost() {
			of[groupOf(t.Name)] += t.Seconds
		}
	}
	return of
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
	switch {
	case len(name) < w:
	case name == groupNames[prompt]:
		return "attention"
	case name == groupNames[linear]:
		return "states"
	}
	return name
}

// termRow is a row of the table: a group, or several that share a row for
// lack of rows.
type termRow struct {
	name string
	term serving.StepTerm
}

// rowsOf are at most n rows that add up to the step: those of the groups with
// a share, or in the step. If there are more, the least are merged as the rest.
func rowsOf(dst []termRow, st *serving.EngineStep, of *shares, n int) []termRow {
	by := sums(st)
	var list [numGroups]group
	count := 0
	for g := range numGroups {
		if of[g] > 0 || by[g].Seconds > 0 {
			list[count] = g
			count++
		}
	}
	var merged [numGroups]bool
	if count > n {
		merged = least(list[:count], of, count-max(n-1, 0))
	}
	var other termRow
	for _, g := range list[:count] {
		if !merged[g] && g != rest {
			dst = append(dst, termRow{groupNames[g], by[g]})
			continue
		}
		t := &other.term
		if other.name = groupNames[rest]; by[g].Seconds > t.Seconds {
			t.Limit = by[g].Limit
		}
		t.Seconds += by[g].Seconds
		t.Bytes += by[g].Bytes
		t.FLOPs += by[g].FLOPs
	}
	if other.name != "" && n > 0 {
		dst = append(dst, other)
	}
	return dst
}

// least are the n groups of list with the least shares; those that show a
// choice come last.
func least(list []group, of *shares, n int) (out [numGroups]bool) {
	for range n {
		at := -1
		for i, g := range list {
			if out[g] {
				continue
			}
			if at < 0 || telling[list[at]] && !telling[g] || telling[list[at]] == telling[g] && of[g] < of[list[at]] {
				at = i
			}
		}
		if at >= 0 {
			out[list[at]] = true
		}
	}
	return out
}
