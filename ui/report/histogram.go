package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/format"
)

const (
	histogramRows  = 20   // rows of a histogram, at most, without those of its tails
	histogramCells = 24   // width of its longest bar
	histogramLeast = 1e-3 // ms; shorter times have one row
	histogramTail  = 0.01 // share of the values at each end that have one row
)

// printHistograms prints how TTFT and the gaps are distributed: a row for each
// bin, with the count in it and the share of all values up to its end.
func printHistograms(w io.Writer, runs []metrics.Run, s *metrics.Summary, ascii bool) {
	printHistogram(w, "TTFT of "+format.Plural(s.TTFT.N, "request", "requests"),
		&s.TTFT.Dist, ascii, func(h *metrics.Histogram) {
			for i := range runs {
				if f := &runs[i].Figures; runs[i].Stream.State == metrics.Done && f.TTFT.OK {
					h.Add(f.TTFT.V)
				}
			}
		})
	title := format.Plural(s.Gaps.N, "known gap", "known gaps")
	if s.GapsUnknown > 0 {
		title += "; not here: " + format.Count(s.GapsUnknown) + " inside reads"
	}
	if s.Trimmed > 0 {
		title += "; counts of bins are within 0.6 % of their ends"
	}
	printHistogram(w, title, &s.Gaps, ascii, func(h *metrics.Histogram) { h.AddGaps(runs) })
}

// printHistogram prints one distribution. fill counts its values, ms.
func printHistogram(w io.Writer, title string, d *metrics.Dist, ascii bool, fill func(*metrics.Histogram)) {
	if d.N == 0 {
		fmt.Fprintf(w, "\n%s: – (%s)\n", title, format.Why(d.P50.Why))
		return
	}
	fine := metrics.NewHistogram(max(d.Min.V, histogramLeast), max(d.Max.V, histogramLeast)*1.001, 100)
	fill(fine)
	low, high := fine.Central(histogramTail)
	h := metrics.HistogramOver(low*1.0001, high*0.9999, histogramRows) // not one bin more for an edge
	fill(h)
	most, sum := float64(max(h.Top(), h.Below, h.Above)), 0
	table := [][]string{{"from", "below", "requests", "up to here", ""}}
	if strings.Contains(title, "gap") {
		table[0][2] = "gaps"
	}
	add := func(from, below string, n int) {
		sum += n
		table = append(table, []string{from, below, format.Count(n), format.Percent(float64(sum) / float64(h.N)),
			barOf(float64(n), most, histogramCells, ascii)})
	}
	if h.Below > 0 {
		add(format.Ms(d.Min.V), format.Ms(h.Low), h.Below)
	}
	for i, n := range h.Counts {
		add(format.Ms(h.Edge(i)), format.Ms(h.Edge(i+1)), n)
	}
	if h.Above > 0 {
		add(format.Ms(h.Edge(len(h.Counts))), "and more", h.Above)
	}
	var b strings.Builder
	alignRight(&b, table)
	fmt.Fprintf(w, "\n%s\n", title)
	for line := range strings.Lines(b.String()) {
		fmt.Fprintln(w, strings.TrimRight(line, " \n"))
	}
}
