package metrics

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics/stats"
)

// Split says that what is known of repeated requests divides their TTFT in two, so
// that a median over all of them is that of neither part.
type Split struct {
	// By is what all requests of the part have and none of the others: not empty.
	// Where it is more than one, the requests cannot tell which of it matters.
	By       []Trait `json:"by"`
	N        int     `json:"requests"` // of the part
	Ms       float64 `json:"ttft_p50_ms"`
	Others   int     `json:"other_requests"`
	OthersMs float64 `json:"other_ttft_p50_ms"`
}

// Has reports whether the part has a trait of that code. A nil Split has none.
func (s *Split) Has(code TraitCode) bool {
	return s != nil && slices.ContainsFunc(s.By, func(t Trait) bool { return t.Code == code })
}

// Trait is what is known of a request before its TTFT.
type Trait struct {
	Code TraitCode `json:"trait"`
	Name string    `json:"name,omitempty"` // of TraitModel, as the server sent it
}

// TraitCode names a trait: one of the constants below, in the order of Split.By. The
// codes are part of the JSON output.
type TraitCode string

// The traits.
const (
	TraitFirst    TraitCode = "first"             // the first request that was sent
	TraitNew      TraitCode = "new_connection"    // on a connection of its own
	TraitKept     TraitCode = "kept_connection"   // on one that stood already
	TraitModel    TraitCode = "model"             // answered by the model Name
	TraitCached   TraitCode = "cached_prompt"     // half of the prompt or more came from a cache
	TraitUncached TraitCode = "not_cached_prompt" // or the server does not say
)

// of reports whether r has the trait; first is the request that was sent first.
func (t Trait) of(r, first *Run) bool {
	switch t.Code {
	case TraitFirst:
		return r == first
	case TraitNew, TraitKept:
		return r.Stream.Conn.Reused == (t.Code == TraitKept)
	case TraitCached, TraitUncached:
		return mostlyCached(&r.Figures) == (t.Code == TraitCached)
	}
	return r.Stream.Model == t.Name
}

// splitOf returns what divides the TTFT of good, which ended well, in two: of several
// traits the one that is least likely to do so by chance, nil for none. all holds good
// and the requests that ended otherwise. The part is that of fewer requests, but of a
// cache alone that of the cached ones.
//
// It does so where the parts do not overlap, but for a tenth of each, and lie apart by a
// share of their widths; where their medians differ by more than a person overlooks; and
// where chance does it in splitError of all series at most, however many traits were
// tried (Bonferroni). Times are compared by their ratios.
func splitOf(all []Run, good []*Run) (best *Split) {
	var known []*Run
	for _, r := range good {
		if t := r.Figures.TTFT; t.OK && t.V > 0 {
			known = append(known, r)
		}
	}
	traits, first := traitsOf(known), firstSent(all)
	least := splitError / float64(len(traits)-2) // two are the opposite of others
	var having []bool                            // the traits of best
	for _, t := range traits {
		has := make([]bool, len(known))
		var part, others []float64
		for i, r := range known {
			if has[i] = t.of(r, first); has[i] {
				part = append(part, r.Figures.TTFT.V)
			} else {
				others = append(others, r.Figures.TTFT.V)
			}
		}
		if best != nil && slices.Equal(has, having) {
			best.By = append(best.By, t)
			continue
		}
		p := inTwo(part, others)
		if t.Code == TraitUncached || p > least || best != nil && p == least && len(part) >= best.N {
			continue
		}
		having, least = has, p
		best = &Split{By: []Trait{t}, N: len(part), Ms: stats.Quantile(part, 0.5),
			Others: len(others), OthersMs: stats.Quantile(others, 0.5)}
	}
	return best
}

// inTwo returns how likely it is that chance divides a and b, ms, as they lie; 1 where
// they do not lie apart, or not far enough to matter. It sorts them.
func inTwo(a, b []float64) float64 {
	if len(a) == 0 || len(b) == 0 || len(a)+len(b) < minSplit {
		return 1
	}
	slices.Sort(a)
	slices.Sort(b)
	low, high := a, b
	if low[0] > high[0] {
		low, high = high, low
	}
	from, to := stats.Quantile(low, 0.5), stats.Quantile(high, 0.5)
	low, high = stats.Logs(low), stats.Logs(high)
	i, j := len(low)/10, len(high)/10 // so many at each end may be elsewhere
	lowTo, highFrom := low[len(low)-1-i], high[j]
	widest := max(lowTo-low[i], high[len(high)-1-j]-highFrom)
	if gap := highFrom - lowTo; to < splitFactor*from || to-from < splitLeast || gap <= 0 || gap < splitApart*widest {
		return 1
	}
	return stats.Divided(low, high)
}

// traitsOf returns the traits that can divide runs, in the order of their codes.
func traitsOf(runs []*Run) []Trait {
	var models []Trait
	for _, r := range runs {
		t := Trait{TraitModel, r.Stream.Model}
		if t.Name != "" && len(models) <= mostModels && !slices.Contains(models, t) {
			models = append(models, t)
		}
	}
	if len(models) > mostModels {
		models = nil
	}
	slices.SortFunc(models, func(a, b Trait) int { return strings.Compare(a.Name, b.Name) })
	return slices.Concat([]Trait{{Code: TraitFirst}, {Code: TraitNew}, {Code: TraitKept}}, models,
		[]Trait{{Code: TraitCached}, {Code: TraitUncached}})
}

// firstSent returns the request that was sent first, however it ended, and of several
// the one that was begun first; nil where no time of sending is known.
func firstSent(runs []Run) (first *Run) {
	for i := range runs {
		s := &runs[i].Stream
		if at := s.Marks.Sent; at.Known() && (first == nil ||
			cmp.Or(cmp.Compare(at, first.Stream.Marks.Sent), cmp.Compare(s.ID, first.Stream.ID)) < 0) {
			first = &runs[i]
		}
	}
	return first
}
