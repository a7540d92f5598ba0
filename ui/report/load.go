package report

import (
	"fmt"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Load is the text about a load after the interface has closed. It has the
// sentence, a line for each steady point of the path, fewest users first and
// those of works before a change apart, what a person changed and when, how its
// requests ended, and why it was stopped. It is empty when the load sent no request.
func Load(v loadstat.View) string {
	if v.Sent == 0 {
		return ""
	}
	var b strings.Builder
	fmt.Fprintf(&b, "\nload   %s\n", say.LoadSentence(&v))
	points := append(append([]loadstat.Point(nil), v.Path...), v.Live)
	steadyLines(&b, &v, points, v.Setup)
	if now, ok := v.SetupOf(v.Setup); ok {
		for i := len(v.Setups) - 1; i >= 0; i-- {
			var before strings.Builder
			if steadyLines(&before, &v, points, i); i != v.Setup && before.Len() > 0 {
				fmt.Fprintf(&b, "       before, with %s:\n%s", say.Setup(&v.Setups[i], now), before.String())
			}
		}
	}
	for _, text := range say.Changes(v.Marks, v.Began, v.MarksLeftOut, mostChanges) {
		fmt.Fprintf(&b, "       changed: %s\n", text)
	}
	retried := ""
	if v.Retried > 0 {
		retried = ", " + format.Count(v.Retried) + " retried"
	}
	if v.Cancelled > 0 {
		retried += ", " + format.Count(v.Cancelled) + " " + say.Outcome(metrics.Cancelled)
	}
	fmt.Fprintf(&b, "       %s done, %s failed%s, of %s sent\n",
		format.Plural(v.Done, "request", "requests"), format.Count(v.Failed), retried, format.Count(v.Sent))
	if v.TokensReceived > 0 {
		fmt.Fprintf(&b, "       %s\n", loadTokens(&v))
	}
	for _, f := range v.Faults {
		fmt.Fprintf(&b, "       %s %s\n", format.Count(f.N), f.Kind)
	}
	if f := v.LastFault; f != nil && v.Broken.Last == nil {
		fmt.Fprintf(&b, "       the last failure: %s\n", sanitize.Line(f.Error(), 300))
	}
	for _, text := range say.RateLimits(&v.Limits) {
		fmt.Fprintf(&b, "       %s\n", text)
	}
	fmt.Fprintf(&b, "       %s\n", say.Stamps(loadstat.StampsOf(points, v.Stamps)))
	delay := loadstat.WorstDelay(points)
	if text, next := say.Delay(&delay); text != "" {
		fmt.Fprintf(&b, "       %s\n       %s\n", text, next)
	}
	if v.Observer.N > 0 {
		fmt.Fprintf(&b, "       %s\n", lateness(&v.Observer))
	}
	if why := say.Ending(v.Broken); why != "" {
		fmt.Fprintf(&b, "       %s\n", sanitize.Line(why, 300))
	}
	return b.String()
}

// mostChanges is how many changes of a load the text about it lists.
const mostChanges = 12

// goodTokens writes the token goodput of p, "" without objectives.
func goodTokens(v *loadstat.View, p *loadstat.Point) string {
	if len(v.SLOs) == 0 {
		return ""
	}
	return ", goodput " + format.Known(p.GoodTokens, format.Number)
}

// estimatedInPart marks a number of tokens of which the server has not counted
// all.
const estimatedInPart = " (estimated in part)"

// loadTokens is what a load received, used and cost.
func loadTokens(v *loadstat.View) string {
	text := format.Whole(v.TokensReceived) + " tokens received in " +
		format.Plural(v.Chunks, "chunk", "chunks") + "; " + format.Whole(v.Budget.Tokens) + " used with the prompts"
	if v.Budget.Estimated {
		text += estimatedInPart
	}
	if v.Budget.MaxTokens > 0 {
		text += ", at most " + format.Whole(v.Budget.MaxTokens)
	}
	if v.Budget.Cost.OK {
		text += ", cost " + format.Money(v.Budget.Cost.V) + " " + sanitize.Line(v.Budget.Currency, 20)
	}
	return text
}

// steadyLines writes a line for the last steady point at each number of users,
// of the points with the work setup.
func steadyLines(b *strings.Builder, v *loadstat.View, points []loadstat.Point, setup int) {
	last := map[int]loadstat.Point{}
	var order []int
	for _, p := range points {
		if p.Setup != setup || !p.Steady || !p.Total.OK || !p.Speed.OK {
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
		fmt.Fprintf(b, "       %5s %s  %7s tok/s per user  %7s aggregate, peak %s%s  TTFT p50 %s  gap p50 %s\n",
			format.Count(n), draw.Either(n == 1, "user ", "users"),
			format.Number(p.Speed.V), format.Number(p.Total.V), format.Known(p.Peak, format.Number), goodTokens(v, &p),
			format.Known(p.TTFT.P50, format.Ms), format.Bounded(p.Gaps.P50, p.Gaps.Missing.P50, format.Ms))
	}
}
