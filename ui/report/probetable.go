package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// figureRow is a line of the table: a figure over the requests, or the gaps of all
// of them, which have no interval.
type figureRow struct {
	name  string
	cells []string // median, interval, min … max, p95, p99, n
	why   []unknownCell
}

// unknownCell is a cell with a dash: what it is of its row, "" for a row with
// dashes alone, and its reason.
type unknownCell struct {
	part string
	why  metrics.Why
}

// figureRows returns the lines of the table. "~" marks figures of tokens where some
// are estimated.
func figureRows(s *metrics.Summary) (rows []figureRow) {
	add := func(name string, write func(float64) string, e metrics.Estimate) {
		d := &e.Dist
		r := figureRow{name: name, cells: []string{format.Known(d.P50, write),
			format.KnownRange(e.Low, e.High, write), format.KnownRange(d.Min, d.Max, write),
			format.Known(d.P95, write), format.Known(d.P99, write), format.Count(d.N)}}
		r.unknown(d, e.Low)
		rows = append(rows, r)
	}
	add("TTFT", format.Ms, s.TTFT)
	if s.TTFC.P50.OK && s.TTFT.P50.OK && s.TTFC.P50.V > s.TTFT.P50.V*1.001 {
		add("TTFC", format.Ms, s.TTFC)
	}
	byTokens := func(write func(float64) string) func(float64) string {
		if !s.Estimated {
			return write
		}
		return func(v float64) string { return "~" + write(v) }
	}
	add("TPOT", byTokens(format.Ms), s.TPOT)
	add("speed", byTokens(format.Rate), s.Speed)
	add("peak", byTokens(format.Rate), s.Peak)
	add("total", format.Ms, s.Total)
	add("longest gap", format.Ms, s.Longest)
	g := &s.Gaps
	m := &g.Missing
	r := figureRow{name: "gap",
		cells: []string{format.Bounded(g.P50, m.P50, format.Ms), "", format.KnownRange(g.Min, g.Max, format.Ms),
			format.Bounded(g.P95, m.P95, format.Ms), format.Bounded(g.P99, m.P99, format.Ms), format.Count(g.N)}}
	r.unknown(g, metrics.Known(0, 0))
	return append(rows, r)
}

// unknown takes the reasons of the dashes of d and of the interval whose lower end
// is low.
func (r *figureRow) unknown(d *metrics.Dist, low metrics.Value) {
	if !d.P50.OK {
		r.why = []unknownCell{{"", d.P50.Why}}
		return
	}
	for _, x := range []struct {
		part string
		v    metrics.Value
	}{{"the interval", low}, {"p95", d.P95}, {"p99", d.P99}} {
		if !x.v.OK {
			r.why = append(r.why, unknownCell{x.part, x.v.Why})
		}
	}
}

// printTable prints the figures: one line each, numbers aligned.
func printTable(w io.Writer, figures []figureRow) {
	rows := [][]string{{"", "median", "95 % interval", "min–max", "p95", "p99", "n"}}
	for _, f := range figures {
		rows = append(rows, append([]string{f.name}, f.cells...))
	}

	width := make([]int, len(rows[0]))
	for _, r := range rows {
		for i, c := range r {
			width[i] = max(width[i], draw.Width(c))
		}
	}
	for _, r := range rows {
		line := fmt.Sprintf("%-12s", r[0])
		for i, c := range r[1:] {
			pad := strings.Repeat(" ", width[i+1]-draw.Width(c))
			line += pad + c + "   "
		}
		fmt.Fprintln(w, strings.TrimRight(line, " "))
	}
}

// printUnknown explains the dashes in the table, each reason once. A number of
// values that a column needs is the same for all rows; other reasons name theirs.
func printUnknown(w io.Writer, figures []figureRow) {
	var needs, reasons []string
	named := map[string][]string{} // by reason
	for _, f := range figures {
		for _, c := range f.why {
			why := format.Why(c.why)
			if c.why.Code() == metrics.WhyNeeds && c.part != "" {
				if text := c.part + " " + why; !slices.Contains(needs, text) {
					needs = append(needs, text)
				}
				continue
			}
			if named[why] == nil {
				reasons = append(reasons, why)
			}
			named[why] = append(named[why], strings.TrimSpace(f.name+" "+c.part))
		}
	}
	var parts []string
	if len(needs) > 0 {
		parts = append(parts, strings.Join(needs, ", "))
	}
	for _, why := range reasons {
		parts = append(parts, strings.Join(named[why], ", ")+": "+why)
	}
	if len(parts) > 0 {
		row(w, "–", "unknown: %s", sanitize.Line(strings.Join(parts, "; "), 600))
	}
}
