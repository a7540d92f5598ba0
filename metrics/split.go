package metrics

import (
	"math"
	"slices"

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
	TraitCached   TraitCode = "cached_prompt"     // half of the prompt or more came from a cache
	TraitUncached TraitCode = "not_cached_prompt" // or the server does not say
	TraitModel    TraitCode = "model"             // answered by the model Name
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
// the one that is least likely by chance, nil for none. all holds good and the requests
// that ended otherwise.
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
	if len(known) < minSplit {
		return nil
	}
	divisions := divide(known, firstSent(all))
	least := splitError / float64(max(len(divisions), 1))
	for i := range divisions {
		d := &divisions[i]
		var part, others []float64
		for j, r := range known {
			if d.has[j] {
				part = append(part, r.Figures.TTFT.V)
			} else {
				others = append(others, r.Figures.TTFT.V)
			}
		}
		slices.Sort(part)
		slices.Sort(others)
		low, high := part, others
		if low[0] > high[0] {
			low, high = high, low
		}
		if !inTwo(low, high) {
			continue
		}
		if p := stats.Divided(stats.Logs(low), stats.Logs(high)); p <= least {
			least = p
			best = &Split{By: d.by, N: len(part), Ms: stats.Quantile(part, 0.5),
				Others: len(others), OthersMs: stats.Quantile(others, 0.5)}
		}
	}
	return best
}

// inTwo reports whether low and high, ms in ascending order, lie apart and far enough
// from each other to matter.
func inTwo(low, high []float64) bool {
	from, to := stats.Quantile(low, 0.5), stats.Quantile(high, 0.5)
	if to < splitFactor*from || to-from < splitLeast {
		return false
	}
	tenth := func(x []float64) (least, most float64) {
		n := len(x) / 10
		return math.Log(x[n]), math.Log(x[len(x)-1-n])
	}
	lowFrom, lowTo := tenth(low)
	highFrom, highTo := tenth(high)
	gap := highFrom - lowTo
	return gap > 0 && gap >= splitApart*max(lowTo-lowFrom, highTo-highFrom)
}

// firstSent returns the request that was sent first, however it ended; nil where no
// time of sending is known.
func firstSent(runs []Run) (first *Run) {
	for i := range runs {
		if at := runs[i].Stream.Marks.Sent; at.Known() && (first == nil || at < first.Stream.Marks.Sent) {
			first = &runs[i]
		}
	}
	return first
}

// division is a way to divide requests in two: those for which has is true have the
// traits by, the others the traits rest.
type division struct {
	by, rest []Trait
	has      []bool
}

// divide returns the ways in which the traits of runs divide them, each once. The part is
// that of fewer requests, where a trait names it, but of a cache alone that of the cached.
func divide(runs []*Run, first *Run) (out []division) {
	traits := []Trait{{Code: TraitFirst}, {Code: TraitNew}, {Code: TraitKept}, {Code: TraitCached}, {Code: TraitUncached}}
	for _, r := range runs {
		t := Trait{TraitModel, r.Stream.Model}
		if t.Name != "" && len(traits) < mostTraits && !slices.Contains(traits, t) {
			traits = append(traits, t)
		}
	}
	for _, t := range traits {
		has, n := make([]bool, len(runs)), 0
		for i, r := range runs {
			if has[i] = t.of(r, first); has[i] {
				n++
			}
		}
		if n == 0 || n == len(runs) {
			continue
		}
		d := division{has: has}
		few := 2*n < len(runs) || 2*n == len(runs) && has[0]
		if !few {
			d.flip()
		}
		at := slices.IndexFunc(out, func(o division) bool { return slices.Equal(o.has, d.has) })
		if at < 0 {
			at, out = len(out), append(out, d)
		}
		if few {
			out[at].by = append(out[at].by, t)
		} else {
			out[at].rest = append(out[at].rest, t)
		}
	}
	for i := range out {
		if d := &out[i]; len(d.by) == 0 || len(d.by) == 1 && d.by[0].Code == TraitUncached {
			d.flip()
		}
	}
	return out
}

// flip makes the others the part.
func (d *division) flip() {
	d.by, d.rest = d.rest, d.by
	for i := range d.has {
		d.has[i] = !d.has[i]
	}
}
