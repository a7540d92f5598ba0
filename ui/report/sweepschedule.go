package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
)

// scheduleColumns are the figures that only an open loop has: what the schedule
// asked for, and the TTFT that counts from it.
var scheduleColumns = []struct {
	above, name string // the heading in text
	csv         string
	heading     string // in Markdown
	of          func(*loadstat.Point) metrics.Value
	atLeast     func(*loadstat.Point) metrics.Value // the lower bound that may stand for it; nil for none
}{
	{"arrive", "req/s", "arrivals_per_s", "arrive, req/s",
		func(p *loadstat.Point) metrics.Value { return p.Arrived }, nil},
	{"end", "req/s", "ends_per_s", "end, req/s", func(p *loadstat.Point) metrics.Value { return p.EndRate() }, nil},
	{"unsent", "mean", "backlog", "unsent, mean", func(p *loadstat.Point) metrics.Value { return p.Backlog }, nil},
	{"", "p50", "ttft_from_schedule_p50_ms", "TTFT from schedule p50, ms",
		func(p *loadstat.Point) metrics.Value { return p.FromIntended.P50 },
		func(p *loadstat.Point) metrics.Value { return p.FromIntendedAtLeast.P50 }},
	{"", "p95", "ttft_from_schedule_p95_ms", "TTFT from schedule p95, ms",
		func(p *loadstat.Point) metrics.Value { return p.FromIntended.P95 },
		func(p *loadstat.Point) metrics.Value { return p.FromIntendedAtLeast.P95 }},
	{"TTFT from schedule ms", "p99", "ttft_from_schedule_p99_ms", "TTFT from schedule p99, ms",
		func(p *loadstat.Point) metrics.Value { return p.FromIntended.P99 },
		func(p *loadstat.Point) metrics.Value { return p.FromIntendedAtLeast.P99 }},
}

// printSchedule prints for each step of an open loop what arrived, ended and
// waited here, and TTFT from the schedule.
func printSchedule(w io.Writer, r *Sweep) {
	if !r.Open {
		return
	}
	cols := []column{{name: "req/s", width: 7}}
	for _, c := range scheduleColumns {
		cols = append(cols, column{above: c.above, name: c.name, width: 8})
	}
	cols = append(cols, column{})
	for i := range r.Steps {
		s := &r.Steps[i]
		cells := []string{stepCell(r, s)}
		for _, c := range scheduleColumns {
			cells = append(cells, scheduleCell(c.of, c.atLeast, &s.Point))
		}
		for k, c := range append(cells, "") {
			cols[k].cells = append(cols[k].cells, c)
		}
	}
	fmt.Fprintln(w)
	printColumns(w, cols)
}

// scheduleCell writes a figure of p, or the lower bound that stands for it.
func scheduleCell(of, atLeast func(*loadstat.Point) metrics.Value, p *loadstat.Point) string {
	if atLeast == nil {
		return format.Known(of(p), format.Number)
	}
	return format.Waiting(of(p), atLeast(p))
}

// scheduleCSV are the columns of an open loop, empty in a closed one, and of a
// ramp, empty without one.
func scheduleCSV() (out []csvColumn) {
	open := func(of func(*loadstat.Point) metrics.Value) func(*Sweep, *Step) string {
		return func(r *Sweep, s *Step) string {
			if !r.Open {
				return ""
			}
			return csvNumber(of(&s.Point))
		}
	}
	for _, c := range scheduleColumns {
		out = append(out, csvColumn{c.csv, open(c.of)})
	}
	end := func(of func(*loadstat.Ramp) float64) func(*Sweep, *Step) string {
		return func(_ *Sweep, s *Step) string {
			if s.Point.Ramp == nil {
				return ""
			}
			return csvNumber(metrics.Known(of(s.Point.Ramp), 0))
		}
	}
	out = append(out,
		csvColumn{"ramp_from", end(func(r *loadstat.Ramp) float64 { return r.From })},
		csvColumn{"ramp_to", end(func(r *loadstat.Ramp) float64 { return r.To })})
	for _, c := range scheduleColumns {
		if c.atLeast != nil {
			out = append(out, csvColumn{strings.Replace(c.csv, "_ms", "_at_least_ms", 1), open(c.atLeast)})
		}
	}
	return out
}

// loadHeads are the headings of what a step asked for: users or a rate, of a ramp
// at the begin and the end of the slice.
func loadHeads(r *Sweep) []string {
	if r.ramp() {
		return []string{stepUnit(r) + " from", "to"}
	}
	return []string{stepUnit(r)}
}

// loadCells are the cells below loadHeads.
func loadCells(r *Sweep, s *Step) []string {
	ramp := s.Point.Ramp
	switch {
	case r.ramp() && ramp == nil:
		return []string{stepCell(r, s), format.Unknown}
	case r.ramp():
		return []string{format.Asked(ramp.From), format.Asked(ramp.To)}
	}
	return []string{stepCell(r, s)}
}
