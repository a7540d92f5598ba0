package report

import (
	"fmt"
	"io"

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
	text        func(float64) string
}{
	{"arrive", "req/s", "arrivals_per_s", "arrive, req/s", func(p *loadstat.Point) metrics.Value { return p.Arrived }, format.Number},
	{"end", "req/s", "ends_per_s", "end, req/s", func(p *loadstat.Point) metrics.Value { return p.EndRate() }, format.Number},
	{"unsent", "mean", "backlog", "unsent, mean", func(p *loadstat.Point) metrics.Value { return p.Backlog }, format.Number},
	{"", "p50", "ttft_from_schedule_p50_ms", "TTFT from schedule p50, ms", func(p *loadstat.Point) metrics.Value { return p.FromIntended.P50 }, format.Number},
	{"", "p95", "ttft_from_schedule_p95_ms", "TTFT from schedule p95, ms", func(p *loadstat.Point) metrics.Value { return p.FromIntended.P95 }, format.Number},
	{"TTFT from schedule ms", "p99", "ttft_from_schedule_p99_ms", "TTFT from schedule p99, ms", func(p *loadstat.Point) metrics.Value { return p.FromIntended.P99 }, format.Number},
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
			cells = append(cells, format.Known(c.of(&s.Point), c.text))
		}
		for k, c := range append(cells, "") {
			cols[k].cells = append(cols[k].cells, c)
		}
	}
	printColumns(w, cols)
	fmt.Fprintln(w)
}

// scheduleCSV are the columns of an open loop, empty in a closed one, and of a
// ramp, empty without one.
func scheduleCSV() (out []csvColumn) {
	for _, c := range scheduleColumns {
		out = append(out, csvColumn{c.csv, func(r *Sweep, s *Step) string {
			if !r.Open {
				return ""
			}
			return csvNumber(c.of(&s.Point))
		}})
	}
	end := func(of func(*loadstat.Ramp) float64) func(*Sweep, *Step) string {
		return func(_ *Sweep, s *Step) string {
			if s.Point.Ramp == nil {
				return ""
			}
			return csvNumber(metrics.Known(of(s.Point.Ramp), 0))
		}
	}
	return append(out,
		csvColumn{"ramp_from", end(func(r *loadstat.Ramp) float64 { return r.From })},
		csvColumn{"ramp_to", end(func(r *loadstat.Ramp) float64 { return r.To })})
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
