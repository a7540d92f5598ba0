package report

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
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
		d.facts(raceLanes(v)...)
	}
	d.table(raceTable(v))
	d.fact("fail-if", conditions...)
	d.facts(RaceNotes(v)...)
	d.fact("measured", v.Wall.UTC().Format("2006-01-02 15:04:05 UTC")+", "+by.String())
	return d
}

// RaceHead lists what is about to happen, before the first pair: the lanes and
// the workload.
func RaceHead(v *racestat.View) *Doc {
	d := &Doc{}
	d.facts(raceLanes(v)...)
	return d
}

// raceLanes has a row a lane, and the workload.
func raceLanes(v *racestat.View) (out []Fact) {
	for i := range v.Lanes {
		out = append(out, Fact{Name: say.RaceLetter(i), Text: join(LaneParts(&v.Lanes[i])...)})
	}
	mode := format.Either(v.Parallel, "all lanes at the same time: they share this machine's network",
		"one lane after the other")
	if v.Swap != nil {
		mode = format.Plural(v.Swap.Requests, "request", "requests") + " a block"
		out = append(out, Fact{Name: "swap", Text: say.SwapRuns(v)})
	}
	return append(out, Fact{Text: join(say.Work(&v.Work), about(v.Work.InputTokens), atMost(v.Work.MaxTokens), mode,
		"order drawn with seed "+strconv.FormatUint(v.Seed, 10))})
}

// LaneParts describes a lane: label, endpoint, model, and its connections: what was asked
// for, and what its last response came over.
func LaneParts(l *racestat.Lane) []string {
	parts := []string{l.Label}
	e := &l.Endpoint
	connection := format.Join(", ", format.If(l.Connection != metrics.ReuseAuto, l.Connection.String()), l.Proto,
		format.If(l.Direct, "without proxy"))
	for _, p := range []string{e.Name, e.Model,
		say.AnsweredBy(e.Model, l.Model), e.Note, e.URL, connection, e.Badge, say.Settings(e)} {
		if p != parts[0] && p != l.Value && !(p == e.Name && strings.Contains(e.URL, p)) {
			parts = append(parts, p)
		}
	}
	return parts
}

// raceTable has a row a verdict. The intervals have the level that holds over all
// verdicts.
func raceTable(v *racestat.View) *Table {
	won, pairs, middle, of := "won", "pairs", "median", v.Median
	if v.Swap != nil {
		won, pairs, middle, of = "p", "blocks", "mean", v.Mean
	}
	t := &Table{Keys: 2, Cols: append(words("", "lanes"),
		figures(middle, middle, "ratio", format.Percent(1-v.Level)+" over all", won, pairs)...)}
	t.Cols = append(t.Cols, words("")...)
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
	if v.Swap != nil {
		return raceBlock(v)
	}
	if len(v.Rounds) == 0 {
		return ""
	}
	r := &v.Rounds[len(v.Rounds)-1]
	number, order := format.Count(r.N-1), ""
	for _, lane := range r.Order {
		order += say.RaceLetter(lane)
	}
	line := func(number, order string) string { return fmt.Sprintf("%4s  %-5s", number, order) }
	head, row := line("pair", "order"), line(format.Either(r.Dropped, format.Unknown, number), order)
	for _, f := range pairFigures(len(v.Lanes)) {
		of := format.Either(f == figure.Longest, "gap", f.Label()) + " "
		for lane := range v.Lanes {
			w := format.DurationWidth + format.Either(lane == 0, 1, 0) // parts the figures
			head += fmt.Sprintf("  %*s", w, format.If(lane == 0, of)+say.RaceLetter(lane))
			row += fmt.Sprintf("  %*s", w, PairCell(r, f, lane))
		}
	}
	return format.If(len(v.Rounds) == 1, head+"\n") + row + format.If(r.Dropped, "   dropped: it warms up") + "\n"
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
	late, order, ended, unended, served := 0, "", "", "", ""
	for i, l := range pick.All(v.Lanes) {
		late += l.Late
		how := say.RaceOtherwise(l)
		served = format.Join("; ", served, format.If(how != "", say.RaceLetter(i)+" was "+how))
		unended = format.Join("; ", unended, format.If(l.Unended > 0, say.Unended(metrics.SuspectLeftOpen)+" in "+
			format.Count(l.Unended)+" of "+format.Plural(l.Requests, "answer", "answers")+" of "+say.RaceLetter(i)))
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
		{Name: "failures", Text: raceFaults(v)},
		{Name: "failures", Text: raceWithFailures(v)},
		{Name: "served", Text: served},
		{Name: "varies", Text: say.RaceVaried(v)},
		{Name: "note", Text: unended},
		{Name: "restarts", Text: raceRestarts(v)},
		{Name: "connecting", Text: raceConnect(v)},
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

// raceFaults writes the failures of each lane that has some.
func raceFaults(v *racestat.View) string {
	return join(ofLanes(v, func(i int, l *racestat.Lane) string {
		if len(l.Faults) == 0 {
			return ""
		}
		return say.RaceLetter(i) + " " + say.FaultKinds(l.Faults) + " of " +
			format.Plural(l.Requests, "request", "requests") + "; the last: " + l.Last.Error()
	})...)
}

// ofLanes are the texts of all lanes, "" for none.
func ofLanes(v *racestat.View, of func(i int, l *racestat.Lane) string) (all []string) {
	for i := range v.Lanes {
		all = append(all, of(i, &v.Lanes[i]))
	}
	return all
}

// laneMedian writes a median of a lane, "" where it is unknown.
func laneMedian(lane int, v metrics.Value) string {
	return format.If(v.OK, say.RaceLetter(lane)+" "+format.Ms(v.V)+" (median of "+format.Count(v.N)+")")
}

// raceWithFailures writes the percentiles of TTFT of each lane that has failures: they are
// no pair of its verdict.
func raceWithFailures(v *racestat.View) string {
	return join(ofLanes(v, func(i int, _ *racestat.Lane) string {
		w, d := v.TTFTWithFailures(i), metrics.Dist{P50: v.Median(figure.TTFT, i)}
		text := say.WithFailures(&d, &w)
		return format.If(text != "", say.RaceLetter(i)+" "+text)
	})...)
}

// raceConnect writes how long lanes took to connect: their other times begin after
// that.
func raceConnect(v *racestat.View) string {
	text := format.Join(", ", ofLanes(v, func(i int, _ *racestat.Lane) string {
		return laneMedian(i, v.Connect(i))
	})...)
	return format.If(text != "", text+"; it comes before the request is sent, and is in no other figure")
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
