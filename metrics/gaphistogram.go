package metrics

import "math"

// AddGaps counts the known gaps of the runs that ended well, as Summary.Gaps
// pools them. Those inside reads are unknown and not counted. The gaps of
// trimmed runs are counted within 1.1 % of where they belong.
func (h *Histogram) AddGaps(runs []Run) {
	var m Meter
	seen := map[*gapPool]bool{}
	for i := range runs {
		r := &runs[i]
		switch {
		case r.Stream.State != Done:
		case r.Trimmed == nil:
			m.n = 0 // runs of different sessions may share an ID
			m.follow(&r.Stream, Paces[0])
			for _, gap := range m.ingest.gaps.sorted {
				h.Add(gap)
			}
		case !seen[r.Trimmed.pool]:
			seen[r.Trimmed.pool] = true
			for _, gap := range r.Trimmed.pool.gaps {
				h.add(gap.v, int(math.Round(gap.w)))
			}
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
