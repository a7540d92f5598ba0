package report

import (
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Load is the text about a load after the interface has closed. It has the
// sentence, a line for each steady point of the path, fewest users first, how
// its requests ended, and why it was stopped. It is empty when the load sent
// no request.
func Load(v loadstat.View) string {
	if v.Sent == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nload   %s\n", format.LoadSentence(&v))
	points := append(append([]loadstat.Point(nil), v.Path...), v.Live)
	last := map[int]loadstat.Point{}
	var order []int
	for _, p := range points {
		if !p.Steady || !p.Total.OK || !p.Speed.OK {
			continue
		}
		if _, have := last[p.Users]; !have {
			order = append(order, p.Users)
		}
		last[p.Users] = p
	}
	slices.Sort(order)
	for _, n := range order {
		p := last[n]
		fmt.Fprintf(&b, "       %5s %s  %7s tok/s per user  %7s aggregate  TTFT p50 %s  gap p50 %s\n", format.Count(n), draw.Either(n == 1, "user ", "users"),
			format.Number(p.Speed.V), format.Number(p.Total.V), format.Known(p.TTFT.P50, format.Ms), format.Bounded(p.Gaps.P50, p.Gaps.Missing.P50, format.Ms))
	}
	retried := ""
	if v.Retried > 0 {
		retried = ", " + format.Count(v.Retried) + " retried"
	}
	fmt.Fprintf(&b, "       %s done, %s failed%s\n", format.Plural(v.Done, "request", "requests"), format.Count(v.Failed), retried)
	for _, f := range v.Faults {
		fmt.Fprintf(&b, "       %s %s\n", format.Count(f.N), f.Kind)
	}
	fmt.Fprintf(&b, "       %s\n", format.Stamps(loadstat.StampsOf(points, v.Stamps)))
	delay := loadstat.WorstDelay(points)
	if text, next := format.Delay(&delay); text != "" {
		fmt.Fprintf(&b, "       %s\n       %s\n", text, next)
	}
	if why := format.Ending(v.Broken); why != "" {
		fmt.Fprintf(&b, "       %s\n", sanitize.Line(why, 300))
	}
	return b.String()
}
