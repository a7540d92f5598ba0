package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Race lists the result of a race: what it has shown in a sentence, the lanes
// unless RaceHead has listed them, the verdicts with their numbers, what
// qualifies them, and what it took. conditions are what it says of those of
// --fail-if.
func Race(v *racestat.View, by Origin, headed bool, conditions ...string) *Doc {
	d := &Doc{}
	d.lead(say.RaceSentence(v))
	if !headed {
		d.blocks = append(d.blocks, RaceHead(v).blocks...)
	}
	d.table(raceTable(v))
	d.fact("fail-if", conditions...)
	d.facts(RaceNotes(v)...)
	d.fact("measured", v.Wall.UTC().Format("2006-01-02 15:04:05 UTC")+", "+by.String())
	return d
}

// RaceHead lists what is about to happen, before the first pair: a row a lane, and the
// workload.
func RaceHead(v *racestat.View) *Doc {
	d := &Doc{}
	for i := range v.Lanes {
		d.fact(say.RaceLetter(i), join(append([]string{v.Lanes[i].Label}, LaneParts(&v.Lanes[i])...)...))
	}
	mode := format.Either(v.Parallel, "all lanes at the same time: they share this machine's network",
		"one lane after the other")
	if v.Swap != nil {
		mode = format.Plural(v.Swap.Requests, "request", "requests") + " a block"
		d.fact("swap", say.SwapRuns(v))
	}
	work := join(say.Work(&v.Work), about(v.Work.InputTokens), atMost(v.Work.MaxTokens))
	if v.Session != nil {
		work = say.Session(v.Session)
	}
	d.fact("", join(work, mode, "order drawn"+
		format.If(v.Seed != 0, " with seed "+strconv.FormatUint(v.Seed, 10))))
	return d
}

// LaneParts describes a lane beside its label: endpoint, model, and its connections: what
// was asked for, and what its last response came over.
func LaneParts(l *racestat.Lane) []string {
	e := &l.Endpoint
	connection := format.Join(", ", format.If(l.Connection != metrics.ReuseAuto, l.Connection.String()), l.Proto,
		format.If(l.Direct, "without proxy"))
	return slices.DeleteFunc([]string{e.Name, e.Model,
		say.AnsweredBy(e.Model, l.Model), e.Note, e.URL, connection, e.Badge, say.Settings(e)}, func(p string) bool {
		return p == l.Label || p == l.Value || p == e.Name && strings.Contains(e.URL, p)
	})
}

// raceTable has a row a verdict. The intervals have the level that holds over all
// verdicts.
func raceTable(v *racestat.View) *Table {
	won, pairs, middle, of := "won", "pairs", "median", v.Median
	if v.Swap != nil {
		won, pairs, middle, of = "p", "blocks", "mean", v.Mean
	}
	t := &Table{Keys: 2, Cols: slices.Concat(words("", "lanes"),
		figures(middle, middle, "ratio", format.Percent(1-v.Level)+" over all", won, pairs), words(""))}
	if len(v.Rounds)+len(v.Blocks) == 0 {
		return t
	}
	failed := func(lane int) string { return say.FailedOf(v.Lanes[lane].Lost, v.Lanes[lane].Counted) }
	for _, w := range pick.All(v.Verdicts) {
		ratio, interval := say.RaceRatio(w)
		a := format.Known(of(w.Figure, w.A), format.Ms)
		b := format.Known(of(w.Figure, w.B), format.Ms)
		if w.Figure == figure.Failures {
			a, b, ratio, interval = failed(w.A), failed(w.B), "", ""
		}
		won := format.Count(w.Wins) + ":" + format.Count(w.Losses) +
			format.If(w.Ties > 0, ", "+format.Count(w.Ties)+" tied")
		name := w.Figure.Label()
		if v.Swap != nil {
			name, won = say.SwapPhase(w.Figure), say.SwapP(w)
		}
		t.row(name, say.RaceLetter(w.A)+" : "+say.RaceLetter(w.B), a, b, ratio, interval,
			won, format.Count(w.N), say.RaceState(w, say.RaceLetter, v))
	}
	return t
}

// RacePair is the line of the newest pair or block in columns, below the head of the
// table before the first; "" before any.
func RacePair(v *racestat.View) string {
	head, row, n := "", "", len(v.Rounds)+len(v.Blocks)
	add := func(width int, name, text string) { // a width below 0 begins at the left
		head, row = head+fmt.Sprintf("%*s  ", width, name), row+fmt.Sprintf("%*s  ", width, text)
	}
	switch {
	case n == 0:
		return ""
	case v.Swap != nil:
		b, label := &v.Blocks[n-1], 0
		for i := range v.Lanes {
			label = max(label, len(v.Lanes[i].Label))
		}
		add(5, "block", format.Count(b.N))
		add(-label-2, "", say.RaceLetter(b.Lane)+" "+v.Lanes[b.Lane].Label)
		add(9, "restart", format.Duration(b.Ready-b.Began))
		add(8, "TTFT", format.Known(b.Values[figure.TTFT], format.Ms))
		add(8, "TPOT", format.Known(b.Values[figure.TPOT], format.Ms))
		if b.Failed > 0 {
			failed := format.Count(b.Failed) + " of " + format.Count(len(b.Results)) + " failed: " + b.Fault.Error()
			add(0, "", sanitize.Line(failed, 198))
		}
	default:
		r, order := &v.Rounds[n-1], ""
		for _, lane := range r.Order {
			order += say.RaceLetter(lane)
		}
		add(4, "pair", format.Either(r.Dropped, format.Unknown, format.Count(r.N-1)))
		add(-5, "order", order)
		for _, f := range pairFigures(len(v.Lanes)) {
			of := format.Either(f == figure.Longest, "gap", f.Label()) + " "
			for lane := range v.Lanes {
				w := format.DurationWidth + format.Either(lane == 0, 1, 0) // parts the figures
				add(w, format.If(lane == 0, of)+say.RaceLetter(lane), PairCell(r, f, lane))
			}
		}
		add(0, "", format.If(r.Dropped, " dropped: it warms up"))
	}
	return format.If(n == 1, strings.TrimRight(head, " ")+"\n") + strings.TrimRight(row, " ") + "\n"
}

// PairCell writes a lane's figure in a round, "failed" for a failure.
func PairCell(r *racestat.Round, f figure.ID, lane int) string {
	return format.Either(r.Results[lane].Failed(), "failed", format.Known(r.Results[lane].Values[f], format.Ms))
}

// pairFigures are the figures that fit beside each other for so many lanes.
func pairFigures(lanes int) []figure.ID {
	switch {
	case lanes <= 2:
		return []figure.ID{figure.TTFT, figure.TPOT, figure.Total, figure.Longest}
	case lanes == 3:
		return []figure.ID{figure.TTFT, figure.TPOT, figure.Total}
	}
	return []figure.ID{figure.TTFT, figure.Total}
}

// RaceNotes qualify the verdicts: failures, pairs left out, correlation, order,
// lateness, how the level is split, what it took, why it ended. One that has nothing
// to say has no text.
func RaceNotes(v *racestat.View) []Fact {
	late, order, ended := 0, "", ""
	var served, unended, faults, failing, connect, restarts string
	for i, l := range pick.All(v.Lanes) {
		late += l.Late
		letter, how := say.RaceLetter(i), say.RaceOtherwise(l)
		median := func(m metrics.Value) string {
			return format.If(m.OK, letter+" "+format.Ms(m.V)+" (median of "+format.Count(m.N)+")")
		}
		served = format.Join("; ", served, format.If(how != "", letter+" was "+how))
		unended = format.Join("; ", unended, format.If(l.Unended > 0, say.Unended(metrics.SuspectLeftOpen)+" in "+
			format.Count(l.Unended)+" of "+format.Plural(l.Requests, "answer", "answers")+" of "+letter))
		if len(l.Faults) > 0 {
			faults = join(faults, letter+" "+say.FaultKinds(l.Faults)+" of "+
				format.Plural(l.Requests, "request", "requests")+"; the last: "+l.Last.Error())
		}
		w, d := v.TTFTWithFailures(i), metrics.Dist{P50: v.Median(figure.TTFT, i)}
		text := say.WithFailures(&d, &w) // they are no pair of its verdict
		failing = join(failing, format.If(text != "", letter+" "+text))
		connect = format.Join(", ", connect, median(v.Connect(i)))
		var took metrics.Middle
		for _, b := range pick.All(v.Blocks) {
			if b.Lane == i {
				took.Add(metrics.Known(float64(b.Ready-b.Began)/float64(time.Millisecond), 1))
			}
		}
		restarts = format.Join(", ", restarts, median(took.Median(metrics.WhyNoneEnded)))
	}
	lateText := format.If(late > 0,
		"tokscope lagged during "+format.Plural(late, "request", "requests")+": their times may be too long")
	if w, biased := v.OrderBias(); biased {
		order = fmt.Sprintf("the lane that ran first won %s of the pairs in %s: the order matters",
			format.Percent(w.OrderShare), w.Figure.Label())
	}
	rest := format.If(!v.Spent.Free && v.Bounds.Tokens > 0, "; "+format.Whole(v.Spent.Billed)+" of "+
		format.Whole(v.Bounds.Tokens)+" tokens elsewhere than on this machine")
	if v.Ended != racestat.NotEnded {
		ended = say.RaceEnd(v) + ", after " + say.RaceAmount(v)
	}
	return []Fact{
		{Name: "failures", Text: faults},
		{Name: "failures", Text: failing},
		{Name: "served", Text: served},
		{Name: "varies", Text: say.RaceVaried(v)},
		{Name: "thinking", Text: say.RaceHidden(v)},
		{Name: "note", Text: unended},
		{Name: "restarts", Text: format.If(restarts != "", restarts+", from the command until the model answered")},
		{Name: "connecting", Text: format.If(connect != "",
			connect+"; it comes before the request is sent, and is in no other figure")},
		{Name: "left out", Text: raceLeft(v)},
		{Name: "order", Text: order},
		{Name: "neighbors", Text: raceLag(v)},
		{Name: "late", Text: lateText},
		{Name: "lag", Text: lateness(&v.Observer)},
		{Name: "level", Text: raceHolds(v)},
		{Name: "took", Text: say.RaceCost(v.Spent) + rest},
		{Name: "ended", Text: ended},
	}
}

// raceHolds writes how sure the verdicts are, and under which condition.
func raceHolds(v *racestat.View) string {
	rounds := v.Swap == nil && slices.ContainsFunc(v.Verdicts, func(w racestat.Verdict) bool {
		return w.Figure != figure.Failures && w.Scope() != racestat.Lasting
	})
	how := format.Either(v.Swap != nil, ", judged once, by all orders that could have been drawn",
		", even if stopped early")
	return format.If(len(v.Verdicts) > 0, format.If(rounds, "with independent pairs ")+
		fmt.Sprintf("all verdicts hold at %s%s; %s %% per verdict; equal within %s",
			format.Percent(1-v.Level), how, format.Number(v.Alpha*100), say.RaceBand(v.Band)))
}

// raceLeft writes in which verdicts pairs lack the figure.
func raceLeft(v *racestat.View) string {
	var parts []string
	for i := range v.Verdicts {
		if w := &v.Verdicts[i]; w.Left > 0 && w.Figure != figure.Failures {
			parts = append(parts, fmt.Sprintf("%s %s:%s %s", w.Figure.Label(),
				say.RaceLetter(w.A), say.RaceLetter(w.B), format.Count(w.Left)))
		}
	}
	what := format.Either(v.Swap != nil, "blocks without the figure", "pairs without the figure in both lanes")
	return format.If(len(parts) > 0, what+": "+strings.Join(parts, ", "))
}

// raceLag writes how alike neighboring pairs are, and what follows for the verdicts.
func raceLag(v *racestat.View) string {
	w, ok := v.Alike()
	if !ok {
		if !v.Settled() || v.Swap != nil {
			return ""
		}
		return fmt.Sprintf("fewer than %d pairs: a drift of one lane may decide them", v.Verdicts[0].Few())
	}
	if w.Counted == w.N {
		return ""
	}
	return fmt.Sprintf("pairs after one another are alike in %s: %s count as %s",
		w.Figure.Label(), format.Plural(w.N, "pair", "pairs"), format.Count(w.Counted)) +
		format.If(w.Scope() == racestat.AlikeRounds, ", and a verdict on it is of these rounds")
}
