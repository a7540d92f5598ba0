package ui

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// LoadSummary is what is printed of a load after the interface has gone: the
// sentence, a line for each steady point of the path, few users first, how its
// requests ended, and why it was broken off. It is empty when no request of a load was sent.
func Load(v metrics.View) string {
	if v.Sent == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nload   %s\n", metrics.LoadSentence(&v))
	points := append(append([]metrics.Point(nil), v.Path...), v.Live)
	last := map[int]metrics.Point{}
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
		fmt.Fprintf(&b, "       %4d %s  %6s tok/s each  %7s in all  TTFT p50 %s  gap p50 %s\n", n, draw.Either(n == 1, "user ", "users"), loadSpeed(p.Speed.V), loadSpeed(p.Total.V), loadMs(p.TTFT.P50), loadMs(p.Gaps.P50))
	}
	fmt.Fprintf(&b, "       %d %s done, %d failed\n", v.Done, draw.Either(v.Done == 1, "request", "requests"), v.Failed)
	for _, f := range v.Faults {
		fmt.Fprintf(&b, "       %d %s\n", f.N, f.Kind)
	}
	if v.Broken != "" {
		fmt.Fprintf(&b, "       %s\n", sanitize.Line(v.Broken, 300))
	}
	return b.String()
}

// loadSpeed is a speed with the digits that the screen shows.
func loadSpeed(v float64) string {
	if v < 9.95 {
		return strconv.FormatFloat(v, 'f', 1, 64)
	}
	return strconv.FormatFloat(v, 'f', 0, 64)
}

func loadMs(v metrics.Value) string {
	if !v.OK {
		return "–"
	}
	return ms(v.V)
}
