package report

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

const (
	histogramRows  = 20   // rows of a histogram, at most, without those of its tails
	histogramCells = 24   // width of its longest bar
	histogramLeast = 1e-3 // ms; shorter times have one row
	histogramTail  = 0.01 // share of the values at each end that have one row
)

// histograms lists how TTFT and the gaps are distributed.
func histograms(d *Doc, runs []metrics.Run, s *metrics.Summary) {
	histogram(d, "TTFT of "+format.Plural(s.TTFT.N, "request", "requests"), "requests",
		&s.TTFT.Dist, func(h *metrics.Histogram) {
			for i := range runs {
				if f := &runs[i].Figures; runs[i].Stream.State == metrics.Done && f.TTFT.OK {
					h.Add(f.TTFT.V)
				}
			}
		})
	title := format.Plural(s.Gaps.N, "known gap", "known gaps") +
		format.If(s.GapsUnknown > 0, "; not here: "+format.Count(s.GapsUnknown)+" inside reads") +
		format.If(s.Trimmed > 0, "; counts of bins are within 0.6 % of their ends")
	histogram(d, title, "gaps", &s.Gaps, func(h *metrics.Histogram) { h.AddGaps(runs) })
}

// histogram lists one distribution: a row for each bin, with the count in it and the
// share of all values up to its end. fill counts its values, ms.
func histogram(d *Doc, title, counted string, of *metrics.Dist, fill func(*metrics.Histogram)) {
	if of.N == 0 {
		d.Note(title + ": – (" + format.Why(of.P50.Why) + ")")
		return
	}
	fine := metrics.NewHistogram(max(of.Min.V, histogramLeast), max(of.Max.V, histogramLeast)*1.001, 100)
	fill(fine)
	low, high := fine.Central(histogramTail)
	h := metrics.HistogramOver(low*1.0001, high*0.9999, histogramRows) // not one bin more for an edge
	fill(h)
	most, sum := float64(max(h.Top(), h.Below, h.Above)), 0
	t := &Table{Title: title, Cols: append(figures("from", "below", counted, "up to here"),
		Column{Words: true, Drawn: true})}
	add := func(from, below string, n int) {
		sum += n
		t.row(from, below, format.Count(n), format.Percent(float64(sum)/float64(h.N)),
			bar(float64(n), most, histogramCells, d.ASCII))
	}
	if h.Below > 0 {
		add(format.Ms(of.Min.V), format.Ms(h.Low), h.Below)
	}
	for i, n := range h.Counts {
		add(format.Ms(h.Edge(i)), format.Ms(h.Edge(i+1)), n)
	}
	if h.Above > 0 {
		add(format.Ms(h.Edge(len(h.Counts))), "and more", h.Above)
	}
	d.table(t)
}
