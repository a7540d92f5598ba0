package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// barCells is the width of the small bars. With it the table of a sweep with
// objectives fits in 80 columns.
const barCells = 6

// eighths are the left parts of a cell, from none to seven eighths.
var eighths = []rune(" ▏▎▍▌▋▊▉")

// bar is a bar of v on a scale up to most, barCells wide. A value above 0 is
// always visible.
func bar(v metrics.Value, most float64, ascii bool) string {
	if !v.OK {
		return strings.Repeat(" ", barCells)
	}
	return barOf(v.V, most, barCells, ascii)
}

// barOf is bar of a known v, cells wide.
func barOf(v, most float64, cells int, ascii bool) string {
	if !(v > 0) || !(most > 0) {
		return strings.Repeat(" ", cells)
	}
	n := min(max(int(v/most*float64(cells)*8+0.5), 1), cells*8)
	full, rest := n/8, n%8
	if ascii {
		full = max((n+4)/8, 1)
		return strings.Repeat("#", full) + strings.Repeat(" ", cells-full)
	}
	s := strings.Repeat("█", full)
	if rest > 0 {
		s += string(eighths[rest])
		full++
	}
	return s + strings.Repeat(" ", cells-full)
}

// column is one column of the table. Bars and marks are left-aligned, numbers
// right-aligned.
type column struct {
	above, name string // two lines of heading
	left        bool
	width       int // at least
	cells       []string
}

// printSweepTable prints a line for each step.
func printSweepTable(w io.Writer, r *Sweep, ascii bool) {
	steady, hollow := "●", "○"
	if ascii {
		steady, hollow = "*", "o"
	}
	var mostEach, mostAll float64
	for i := range r.Steps {
		p := &r.Steps[i].Point
		mostEach, mostAll = max(mostEach, known(p.Speed)), max(mostAll, known(p.Total))
	}
	cols := []column{{left: true}}
	if unit := stepUnit(r); r.ramp() {
		cols = append(cols, column{above: unit, name: "from", width: 5}, column{name: "to", width: 4})
	} else {
		cols = append(cols, column{name: unit, width: 5})
	}
	cols = append(cols, []column{
		{above: "per user", name: "tok/s", width: 6}, {left: true, width: barCells},
		{above: "aggregate", name: "tok/s", width: 6}, {left: true, width: barCells},
		{above: "TTFT ms", name: "p50", width: 5}, {name: "p99", width: 5},
		{above: "gap ms", name: "p50", width: 5}, {name: "p99", width: 5},
	}...)
	if len(r.SLOs) > 0 {
		cols = append(cols, column{above: "goodput", name: "req/s", width: 5}, column{name: "share", width: 5})
	}
	cols = append(cols, column{name: "ended", width: 5})
	for i := range r.Steps {
		s := &r.Steps[i]
		p := &s.Point
		mark := hollow
		if p.Steady {
			mark = steady
		}
		cells := append(append([]string{mark}, loadCells(r, s)...),
			format.Known(p.Speed, format.Number), bar(p.Speed, mostEach, ascii),
			format.Known(p.Total, format.Number), bar(p.Total, mostAll, ascii),
			format.Known(p.TTFT.P50, format.Number), format.Known(p.TTFT.P99, format.Number), format.Bounded(p.Gaps.P50,
				p.Gaps.Missing.P50, format.Number), format.Bounded(p.Gaps.P99, p.Gaps.Missing.P99, format.Number))
		if len(r.SLOs) > 0 {
			cells = append(cells, format.Known(p.GoodRate, format.Number), format.Known(p.GoodShare, format.Percent))
		}
		ended := format.Count(p.Requests)
		if n, _ := p.Failures(); n > 0 {
			ended += " +" + format.Count(n) + " failed"
		}
		if p.Retried > 0 {
			ended += ", " + format.Count(p.Retried) + " retried"
		}
		for k, c := range append(cells, ended) {
			cols[k].cells = append(cols[k].cells, c)
		}
	}
	printColumns(w, cols)
}

// printColumns aligns columns under their headings. The upper line of a
// heading may extend over the column before, if that one has none.
func printColumns(w io.Writer, cols []column) {
	lines := make([]string, 2+len(cols[0].cells))
	for k := range cols {
		c := &cols[k]
		texts := append([]string{c.above, c.name}, c.cells...)
		for _, t := range texts[1:] {
			c.width = max(c.width, draw.Width(t))
		}
		last := k == len(cols)-1
		for i, t := range texts {
			room := c.width - draw.Width(t)
			if overflow := strings.Repeat(" ", max(-room, 0)); i == 0 && strings.HasSuffix(lines[i], overflow+" ") {
				lines[i] = strings.TrimSuffix(lines[i], overflow)
			}
			pad := strings.Repeat(" ", max(room, 0))
			switch {
			case c.left:
				lines[i] += t + pad + " "
			case last: // the text after the number has no fixed width
				lines[i] += strings.Repeat(" ", max(5-len(leadingNumber(t)), 0)) + t
			default:
				lines[i] += pad + t + " "
			}
		}
	}
	for _, l := range lines {
		fmt.Fprintln(w, strings.TrimRight(l, " "))
	}
}

// leadingNumber is t up to its first blank.
func leadingNumber(t string) string {
	n, _, _ := strings.Cut(t, " ")
	return n
}

// known is v's number, 0 when it is unknown.
func known(v metrics.Value) float64 {
	if !v.OK {
		return 0
	}
	return v.V
}
