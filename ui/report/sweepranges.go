package report

import (
	"fmt"
	"io"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// printRanges prints for each step the peak, the token goodput, and between
// what the means of speed and throughput lie. Of a ramp it prints the columns
// that have a figure: a load that changes all the time has no intervals.
func printRanges(w io.Writer, r *Sweep) {
	cols := []column{{name: stepUnit(r), width: 7}, {above: "peak", name: "tok/s", width: 10},
		{above: "per user tok/s", name: "95 %", width: 19}, {above: "aggregate tok/s", name: "95 %", width: 19}}
	if len(r.SLOs) > 0 {
		cols = append(cols, column{above: "goodput", name: "tok/s", width: 10})
	}
	cols = append(cols, column{})
	for i := range r.Steps {
		s := &r.Steps[i]
		p := &s.Point
		cells := []string{stepCell(r, s), format.Known(p.Peak, format.Number),
			interval(&p.SpeedInterval), interval(&p.TotalInterval)}
		if len(r.SLOs) > 0 {
			cells = append(cells, format.Known(p.GoodTokens, format.Number))
		}
		for k, c := range append(cells, "") {
			cols[k].cells = append(cols[k].cells, c)
		}
	}
	if r.ramp() {
		cols = slices.DeleteFunc(cols, func(c column) bool { return !slices.ContainsFunc(c.cells, hasFigure) })
		if len(cols) == 1 {
			return
		}
		cols = append(cols, column{cells: make([]string, len(r.Steps))})
	}
	fmt.Fprintln(w)
	printColumns(w, cols)
	for _, why := range rangeReasons(r) {
		row(w, "unknown", "%s", sanitize.Line(why, 300))
	}
}

// hasFigure reports whether a cell has a figure.
func hasFigure(cell string) bool { return cell != "" && cell != format.Unknown }

// stepUnit is what the steps count.
func stepUnit(r *Sweep) string {
	if r.Open {
		return "req/s"
	}
	return "users"
}

// stepCell is the users or the rate of a step.
func stepCell(r *Sweep, s *Step) string {
	if r.Open {
		return format.Exact(s.Rate)
	}
	return format.Count(s.Point.Users)
}

// interval writes an interval without its unit, "–" for an unknown one.
func interval(i *loadstat.Interval) string {
	return format.KnownRange(i.Low, i.High, format.Number)
}

// rangeReasons says why figures of printRanges are unknown: a sentence for each
// reason, with the steps and the figures.
func rangeReasons(r *Sweep) (out []string) {
	type unknown struct {
		what string
		why  metrics.Why
	}
	var order []unknown
	steps := map[unknown][]string{}
	add := func(s *Step, what string, v metrics.Value) {
		never := v.Why == 0 || v.Why == metrics.WhyNotSteady || v.Why == metrics.WhyNotRecorded
		if v.OK || never && r.ramp() { // a ramp has no such figures: another line says that no slice is steady
			return
		}
		u := unknown{what, v.Why}
		if steps[u] == nil {
			order = append(order, u)
		}
		steps[u] = append(steps[u], stepCell(r, s))
	}
	for i := range r.Steps {
		s := &r.Steps[i]
		add(s, "peak", s.Point.Peak)
		if a, b := &s.Point.SpeedInterval.Low, &s.Point.TotalInterval.Low; !a.OK && !b.OK && a.Why == b.Why {
			add(s, "both intervals", *a)
		} else {
			add(s, "interval per user", *a)
			add(s, "interval aggregate", *b)
		}
	}
	for _, u := range order {
		unit := " users: "
		switch at := steps[u]; {
		case r.Open:
			unit = " requests/s: "
		case len(at) == 1 && at[0] == "1":
			unit = " user: "
		}
		why := format.Why(u.why)
		if why == "" {
			why = format.Why(metrics.WhyNotRecorded)
		}
		out = append(out, u.what+" at "+strings.Join(steps[u], ", ")+unit+why)
	}
	return out
}
