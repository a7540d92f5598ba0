package metrics

import "math"

// Histogram counts values in bins with fixed edges, equal in width on a
// logarithmic axis. Two histograms of different moments can be overlaid. The
// edges lie on a power-of-ten grid: [1, 10) is always divided at the same
// places. A Histogram is for drawing and storing only; figures are computed
// from the values themselves or from a Sketch.
type Histogram struct {
	// PerDecade is the number of bins per factor of ten.
	PerDecade int `json:"per_decade"`
	// Low is the lower edge of Counts[0]: a power of ten to the k/PerDecade.
	Low float64 `json:"low"`
	// Counts holds the values in [Edge(i), Edge(i+1)).
	Counts []int `json:"counts"`
	// Below and Above are the numbers of values below the first and from the last
	// edge on. Zero and negative ones are in Below.
	Below int `json:"under"`
	Above int `json:"over"`
	// N is the number of values, those outside included; values that are no
	// numbers are not counted at all.
	N int `json:"n"`
}

// NewHistogram returns an empty histogram that covers [low, high) in ms (or
// any unit) with perDecade bins per factor of ten. Edges are widened to the
// grid. Invalid bounds become 1 and 10, and perDecade is at least 1.
func NewHistogram(low, high float64, perDecade int) *Histogram {
	perDecade = min(max(perDecade, 1), 1000)
	if !(low > 0) || math.IsInf(low, 0) {
		low = 1
	}
	if !(high > low) || math.IsInf(high, 0) {
		high = low * 10
	}
	d := float64(perDecade)
	first := math.Floor(math.Log10(low)*d + 1e-9)
	last := math.Ceil(math.Log10(high)*d - 1e-9)
	return &Histogram{PerDecade: perDecade, Low: math.Pow(10, first/d), Counts: make([]int, max(int(last-first), 1))}
}

// Edge returns the lower edge of bin i; Edge(len(Counts)) is the upper end.
func (h *Histogram) Edge(i int) float64 {
	return h.Low * math.Pow(10, float64(i)/float64(h.PerDecade))
}

// Add counts v.
func (h *Histogram) Add(v float64) { h.add(v, 1) }

// add counts v n times.
func (h *Histogram) add(v float64, n int) {
	if math.IsNaN(v) {
		return
	}
	h.N += n
	switch i := h.bin(v); {
	case i < 0:
		h.Below += n
	case i >= len(h.Counts):
		h.Above += n
	default:
		h.Counts[i] += n
	}
}

// bin returns the bin of v, -1 below and len(Counts) above all of them. An
// edge belongs to the bin above it, even where the logarithm rounds down.
func (h *Histogram) bin(v float64) int {
	switch {
	case !(v >= h.Low):
		return -1
	case v >= h.Edge(len(h.Counts)):
		return len(h.Counts)
	}
	i := min(max(int(math.Log10(v/h.Low)*float64(h.PerDecade)), 0), len(h.Counts)-1)
	if i+1 < len(h.Counts) && v >= h.Edge(i+1) {
		i++
	} else if v < h.Edge(i) {
		i--
	}
	return i
}

// Reset clears the counts and keeps the edges.
func (h *Histogram) Reset() {
	clear(h.Counts)
	h.Below, h.Above, h.N = 0, 0, 0
}

// Top returns the largest count of a bin, 0 when all are empty.
func (h *Histogram) Top() int {
	top := 0
	for _, c := range h.Counts {
		top = max(top, c)
	}
	return top
}

// AddGaps counts the known gaps of the runs that ended well, as Summary.Gaps
// pools them. Those inside reads are unknown and not counted. The gaps of
// trimmed runs are counted within 0.6 % of where they belong.
func (h *Histogram) AddGaps(runs []Run) {
	var m Meter
	seen := map[*gapPool]bool{}
	for i := range runs {
		r := &runs[i]
		switch {
		case r.Stream.State != Done || r.Trimmed == nil && r.Figures.AtOnce():
		case r.Trimmed == nil:
			m.n = 0 // runs of different sessions may share an ID
			m.follow(&r.Stream, Paces[0])
			for _, gap := range m.ingest.gaps.sorted {
				h.Add(gap)
			}
		case !seen[r.Trimmed.pool]:
			seen[r.Trimmed.pool] = true
			r.Trimmed.pool.gaps.addTo(h)
		}
	}
}

// HistogramOver returns an empty histogram for values from low to high, with as
// narrow bins as fit into most of them. low is above 0.
func HistogramOver(low, high float64, most int) *Histogram {
	// The largest value is in the last bin, also where it is an edge of the grid: edges
	// within a billionth of a bin are taken as equal to the bound.
	above := high * (1 + 1e-8)
	h := NewHistogram(low, above, 1)
	for _, perDecade := range [...]int{2, 5, 10, 20, 50, 100} {
		finer := NewHistogram(low, above, perDecade)
		if len(finer.Counts) > most {
			break
		}
		h = finer
	}
	return h
}

// Central returns the ends of the bins that leave out at most that share of the
// values on each side, 0 to 0.5. Values outside all bins count as left out. Both
// are 0 in an empty histogram.
func (h *Histogram) Central(share float64) (low, high float64) {
	if h.N == 0 {
		return 0, 0
	}
	most := share * float64(h.N)
	first, last := 0, len(h.Counts)
	for left := h.Below; first < last-1 && float64(left+h.Counts[first]) <= most; first++ {
		left += h.Counts[first]
	}
	for left := h.Above; last > first+1 && float64(left+h.Counts[last-1]) <= most; last-- {
		left += h.Counts[last-1]
	}
	return h.Edge(first), h.Edge(last)
}
