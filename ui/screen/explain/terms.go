package explain

import "tokscope/metrics/serving"

// groups are the rows of the step's table: terms that a viewer sees as one thing.
// Those that are telling show a choice of a person: how a group of devices shares a
// model, a draft, a kind of attention. They keep their row however short they are.
var groups = [...]struct {
	name    string
	short   string // where the name has no room
	telling bool
	terms   []string
}{
	{name: "weights", terms: []string{"projections", "feed-forward", "output head"}},
	{name: "experts", terms: []string{"experts"}},
	{name: "CPU experts", telling: true, terms: []string{"CPU experts"}},
	{name: "KV read", terms: []string{"KV read"}},
	{name: "linear states", short: "states", telling: true, terms: []string{"states"}},
	{name: "prompt attention", short: "attention", terms: []string{"prompt attention"}},
	{name: "all-reduce", telling: true, terms: []string{"all-reduce"}},
	{name: "exchange", telling: true, terms: []string{"exchange"}},
	{name: "draft model", telling: true, terms: []string{"draft"}},
	{name: "kernels", terms: []string{"kernels", "launch"}},
	{name: "engine", terms: []string{"engine", "front end"}},
	{name: "activations", terms: []string{"activations"}},
	{name: "the rest"},
}

// rest is the group of the terms that no other has, so that nothing is lost.
const numGroups, rest = len(groups), len(groups) - 1

// groupOf is the group of a term.
func groupOf(name string) int {
	for g := range groups {
		for _, term := range groups[g].terms {
			if term == name {
				return g
			}
		}
	}
	return rest
}

// shares are the seconds of each group over a number of steps.
type shares [numGroups]float64

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

// termRow is a row of the table: a group, or several that share a row for
// lack of rows.
type termRow struct {
	group int
	term  serving.StepTerm
}

// rowsOf are at most n rows that add up to the step: those of the groups with
// a share, or in the step. If there are more, the least are merged as the rest.
func rowsOf(dst []termRow, st *serving.EngineStep, of *shares, n int) []termRow {
	by := sums(st)
	var list [numGroups]int
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
	other, some := termRow{group: rest}, false
	for _, g := range list[:count] {
		if !merged[g] && g != rest {
			dst = append(dst, termRow{g, by[g]})
			continue
		}
		t := &other.term
		if some = true; by[g].Seconds > t.Seconds {
			t.Limit = by[g].Limit
		}
		t.Seconds += by[g].Seconds
		t.Bytes += by[g].Bytes
		t.FLOPs += by[g].FLOPs
	}
	if some && n > 0 {
		dst = append(dst, other)
	}
	return dst
}

// least are the n groups of list with the least shares; those that show a
// choice come last.
func least(list []int, of *shares, n int) (out [numGroups]bool) {
	for range n {
		at := -1
		for i, g := range list {
			if out[g] {
				continue
			}
			if at < 0 || groups[list[at]].telling && !groups[g].telling ||
				groups[list[at]].telling == groups[g].telling && of[g] < of[list[at]] {
				at = i
			}
		}
		if at >= 0 {
			out[list[at]] = true
		}
	}
	return out
}
