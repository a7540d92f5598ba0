package report

import (
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// mostChanges is how many changes of a load the report on it lists.
const mostChanges = 12

// Load lists what a load has shown, for the scrollback after the interface has
// closed: the sentence, a row for each steady point of the path, fewest users first
// and those of works before a change apart, what a person changed and when, how its
// requests ended, and why it was stopped. It is empty when the load sent no request.
func Load(v loadstat.View) *Doc {
	d := &Doc{}
	if v.Sent == 0 {
		return d
	}
	d.fact("load", say.Load(&v).String())
	points := append(slices.Clone(v.Path), v.Live)
	d.table(steadyTable(&v, points, v.Setup, ""))
	if now, ok := v.SetupOf(v.Setup); ok {
		for i := len(v.Setups) - 1; i >= 0; i-- {
			if i != v.Setup {
				d.table(steadyTable(&v, points, i, "before, with "+say.Setup(&v.Setups[i], now)+":"))
			}
		}
	}
	d.fact("changed", say.Changes(v.Marks, v.Began, v.MarksLeftOut, mostChanges)...)
	d.fact("requests", format.Plural(v.Done, "request", "requests")+" done, "+format.Count(v.Failed)+" failed"+
		format.If(v.Retried > 0, ", "+format.Count(v.Retried)+" retried")+
		format.If(v.Cancelled > 0, ", "+format.Count(v.Cancelled)+" "+say.Outcome(metrics.Cancelled))+
		", of "+format.Count(v.Sent)+" sent")
	d.fact("finished", say.Finishes(v.Finishes))
	d.fact("failed", say.FaultKinds(v.Faults))
	for i := range points {
		p := &points[i]
		at, failed := "at "+format.Plural(p.Users, "user", "users")+": ", say.WithFailures(&p.TTFT, &p.TTFTFailed)
		if p.Setup != v.Setup {
			continue
		}
		for _, text := range say.Answers(p) {
			d.fact("answers", at+text)
		}
		d.fact("failed", format.If(failed != "", at+failed))
	}
	if f := v.LastFault; f != nil && v.Broken.Last == nil {
		d.fact("failed", "the last failure: "+f.Error())
	}
	b := &v.Budget
	used := format.Whole(b.Tokens) + " used with the prompts" + format.If(b.Estimated, estimatedInPart) +
		format.If(b.MaxTokens > 0, ", at most "+format.Whole(b.MaxTokens)) + costing(b.Cost, b.Currency)
	d.fact("tokens", format.If(v.TokensReceived > 0, format.Whole(v.TokensReceived)+" received in "+
		format.Plural(v.Chunks, "chunk", "chunks")+"; "+used))
	d.fact("rate limit", say.RateLimits(&v.Limits)...)
	d.fact("lag", lagText(loadstat.StampsOf(points, v.Stamps), &v.Observer))
	delay := loadstat.WorstDelay(points)
	d.facts(delayFacts("", &delay)...)
	d.fact("ended", say.Ending(v.Broken))
	return d
}

// steadyTable has a row for the last steady point at each number of users, of the
// points with the work setup.
func steadyTable(v *loadstat.View, points []loadstat.Point, setup int, title string) *Table {
	t := &Table{Title: title, Cols: figures("users", "tok/s per user", "aggregate", "peak", "TTFT p50", "gap p50")}
	if len(v.SLOs) > 0 {
		t.Cols = append(t.Cols, figures("goodput")...)
	}
	for _, i := range loadstat.LatestSteady(nil, points, func(p *loadstat.Point) bool {
		return p.Setup == setup && p.Total.OK && (p.Speed.OK || p.AtOnce > 0)
	}) {
		p := &points[i]
		cells := []string{format.Count(p.Users), format.Known(p.Speed, format.Number), format.Number(p.Total.V),
			format.Known(p.Peak, format.Number), format.Known(p.TTFT.P50, format.Ms),
			format.Bounded(p.Gaps.P50, p.Gaps.Missing.P50, format.Ms)}
		if len(v.SLOs) > 0 {
			cells = append(cells, format.Known(p.GoodTokens, format.Number))
		}
		t.row(cells...)
	}
	return t
}
