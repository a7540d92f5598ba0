package explain

import (
	"cmp"
	"slices"

	"tokscope/metrics/serving"
	"tokscope/ui/format"
)

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
		if slices.Contains(groups[g].terms, name) {
			return g
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

// termRow is a row of the table: a group, or several that share a row for
// lack of rows.
type termRow struct {
	group   int
	term    serving.StepTerm
	longest float64 // seconds of the longest term, which has the limit
}

// add adds a term.
func (r *termRow) add(term *serving.StepTerm) {
	r.term.Seconds += term.Seconds
	r.term.Bytes += term.Bytes
	r.term.FLOPs += term.FLOPs
	if term.Seconds > r.longest {
		r.longest, r.term.Limit = term.Seconds, term.Limit
	}
}

// rowsOf appends to an empty dst at most n rows that add up to the step: those of the groups with
// a share, or in the step. If there are more, the least are merged as the rest,
// those that show a choice last.
func rowsOf(dst []termRow, st *serving.EngineStep, of *shares, n int) []termRow {
	var by [numGroups]termRow
	terms := st.Cost()
	for i := range terms {
		by[groupOf(terms[i].Name)].add(&terms[i])
	}
	var room [numGroups]int
	ranked := room[:0]
	for g := range by {
		if by[g].group = g; of[g] > 0 || by[g].term.Seconds > 0 {
			ranked = append(ranked, g)
		}
	}
	slices.SortFunc(ranked, func(a, b int) int {
		if groups[a].telling != groups[b].telling {
			return format.Either(groups[a].telling, -1, 1)
		}
		return cmp.Or(cmp.Compare(of[b], of[a]), cmp.Compare(b, a))
	})
	own, other := ranked[:format.Either(len(ranked) > n, max(n-1, 0), len(ranked))], termRow{group: rest}
	for g := range by {
		switch {
		case g != rest && slices.Contains(own, g):
			dst = append(dst, by[g])
		case slices.Contains(ranked, g):
			other.add(&by[g].term)
		}
	}
	if len(dst) < len(ranked) && n > 0 {
		dst = append(dst, other)
	}
	return dst
}
