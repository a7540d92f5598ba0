package say

import (
	"cmp"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
)

// RaceLetter is the letter of a lane in tables: "A" to "F".
func RaceLetter(lane int) string { return string(rune('A' + lane)) }

// raceFactor writes how many times as long as the leader's the figure of the other lane is,
// "5.4x", and its interval, " (5.1–5.8)". It is "" without a leader, and for failures.
func raceFactor(v *racestat.Verdict) (factor, interval string) {
	by, low, high, ok := v.Factor()
	if !ok {
		return "", ""
	}
	digits := format.Either(low < 1.2, low, by) // an interval that begins near 1 shows that it does
	interval = format.Beside("", format.TimesInterval(digits, low, high))
	high = format.Either(math.IsInf(high, 1), by, high)
	return format.Times(by, format.Either(low > 0, low, high), high), interval
}

// RaceRatio writes the ratio of a verdict with its interval: "1.3x",
// "1.2–2.0"; "–" where it is not bounded.
func RaceRatio(v *racestat.Verdict) (ratio, interval string) {
	bounded := v.Ratio > 0 && !math.IsInf(v.Ratio, 1)
	return format.Either(bounded, format.Times(v.Ratio, v.Lo, v.Hi), format.Unknown),
		cmp.Or(format.TimesInterval(v.Ratio, v.Lo, v.Hi), format.Unknown)
}

// RaceState writes what a verdict has come to, with the names of its lanes, and for which time
// it holds: "A 1.4x faster (1.2–2.0), in these 14 pairs".
func RaceState(v *racestat.Verdict, name func(lane int) string, view *racestat.View) string {
	return format.Join(", ", RaceStanding(v, name, view), RaceScope(v, view.Band))
}

// RaceStanding is RaceState without the time for which it holds, where that is said beside it:
// "A 1.4x faster (1.2–2.0)", "A 1.4x ahead, not certain yet; ~7 more pairs until decided".
func RaceStanding(v *racestat.Verdict, name func(lane int) string, view *racestat.View) string {
	if view.Swap != nil && len(view.Blocks) < len(view.BlockOrder) {
		return format.Either(view.Running, "judged after all "+allBlocks(view), "not judged: "+RaceAmount(view))
	}
	switch v.State {
	case racestat.TooEarly, racestat.Open:
		pairs := v.Foreseen()
		more := "~" + format.Plural(pairs, "more pair", "more pairs") + " until decided"
		return raceAhead(v, name, view.Band) + "; " + format.Either(pairs > 0, more, "more pairs needed")
	case racestat.Remote:
		pairs := view.Bounds.Pairs
		bound := format.Either(pairs > 0, format.Plural(pairs, "pair", "pairs"), "this race")
		return raceAhead(v, name, view.Band) + "; " + bound + " may not decide it"
	case racestat.Undecided:
		few := v.N < v.Needs && view.Swap == nil
		open := format.Either(view.Swap != nil, "no clear difference in "+format.Plural(len(view.Blocks), "block", "blocks"),
			"not decided in "+RaceAmount(view))
		return format.Either(few, "too few: "+FailedOf(v.N, v.Needs)+" pairs", open)
	case racestat.Decided:
		return raceDecided(v, name, view.Band)
	case racestat.Equal:
		return "no difference (within " + RaceBand(view.Band) + ")"
	case racestat.Missing:
		return format.Either(view.Swap != nil, "a lane has no block with this figure", "no pair has this figure")
	case racestat.AtOnce:
		return "open: answers came all at once"
	case racestat.None:
		return "none in one lane alone"
	}
	return string(v.State)
}

// raceDecided writes a winner. One whose difference may be too small to be worth naming is
// ahead: by how much is not certain.
func raceDecided(v *racestat.Verdict, name func(lane int) string, band float64) string {
	factor, interval := raceFactor(v)
	if factor != "" {
		factor += " "
	}
	switch {
	case v.Figure == figure.Failures:
		return name(v.Leader) + " fails less often"
	case !v.Worth(band):
		return name(v.Leader) + " ahead, not certain by how much" + interval
	}
	return name(v.Leader) + " " + factor + format.Either(v.Figure == figure.Longest, "shorter", "faster") +
		interval
}

// RaceScope writes for which time a verdict with a winner, or of no difference, holds: "in
// these 14 pairs". It is "" for others, and where it holds beyond the race.
func RaceScope(v *racestat.Verdict, band float64) string {
	if v.State != racestat.Equal && !v.Worth(band) || v.Scope() == racestat.Lasting {
		return ""
	}
	return format.Either(v.Figure == figure.Failures, "in this race", "in these "+format.Plural(v.N, "pair", "pairs"))
}

// RaceBand writes the band of equivalence: "3 %".
func RaceBand(band float64) string { return format.Percent(band - 1) }

// raceAhead writes what is suspected of a verdict that is open.
func raceAhead(v *racestat.Verdict, name func(lane int) string, band float64) string {
	factor, _ := raceFactor(v)
	switch by, _, _, ok := v.Factor(); {
	case v.Figure == figure.Failures && v.Leader >= 0:
		return name(v.Leader) + " failed less often, not certain yet"
	case ok && by > band:
		return name(v.Leader) + " " + factor + " ahead, not certain yet"
	case !ok && v.Leader >= 0:
		return name(v.Leader) + " ahead, not certain yet"
	}
	return "no clear difference yet"
}

// RaceEnd writes why a race ended, "" while it runs.
func RaceEnd(v *racestat.View) string {
	switch v.Ended {
	case racestat.EndSettled:
		open := raceFigures(v, racestat.Undecided)
		return "all figures " + format.If(open != "", "but "+open+" ") + "are decided"
	case racestat.EndPairs:
		return "the bound of " + format.Plural(v.Bounds.Pairs, "pair", "pairs") + " is reached"
	case racestat.EndTime:
		return "the bound of " + format.Duration(v.Bounds.Most) + " is reached"
	case racestat.EndTokens:
		return "the next pair could exceed the bound of " + format.Whole(v.Bounds.Tokens) + " tokens"
	case racestat.EndLane:
		return v.Lanes[v.Failing].Label + " failed in every round: " + v.Lanes[v.Failing].Last.Error()
	case racestat.EndBlocks:
		return "as planned"
	case racestat.EndRestart:
		return "the server did not come back as " + v.Lanes[v.Block.Lane].Label + ", for block " + format.Count(v.Block.N)
	case racestat.EndStopped:
		return "stopped"
	}
	return ""
}

// RaceCost writes what a race took or will take: "8,400 tokens, 0.006 USD, 1.3
// min". Tokens of this machine cost nothing, so there is no money then.
func RaceCost(s racestat.Spent) string {
	about := format.If(s.Estimated, "about ")
	money := format.Either(s.Money.OK, format.Money(s.Money.V)+" "+s.Currency, "price unknown")
	return format.Join(", ", about+format.Whole(s.Tokens)+" tokens", format.If(!s.Free, money), format.Duration(s.Time))
}

// RaceSentence writes what a race has shown, with the labels of its lanes: failures by kind,
// then a winner by one figure, then what is suspected. Of several pairs of lanes it names
// the one with most to say.
func RaceSentence(v *racestat.View) string { return raceSentences(v, true).String() }

// RaceBounds writes when a race ends.
func RaceBounds(v *racestat.View) string {
	b, elsewhere := &v.Bounds, pick.First(v.Lanes, func(l *racestat.Lane) bool { return !l.Here }) != nil
	text := format.Join(", ", format.If(b.Pairs > 0, format.Plural(b.Pairs, "pair", "pairs")),
		format.If(b.Most > 0, format.Duration(b.Most)),
		format.If(b.Tokens > 0 && elsewhere, format.Whole(b.Tokens)+" tokens of other machines"))
	least := format.Plural(racestat.NeedsPairs(len(v.Lanes)), "pair", "pairs")
	return "It ends when decided, after " + least + " or more" + format.If(text != "", "; at most "+text) + "."
}

// raceProposed writes which race is proposed, and why; NotProposed is one that was named.
func raceProposed(v *racestat.View, why racestat.Proposal) Sentence {
	because := map[racestat.Proposal]string{
		racestat.DemoMachines: "a data center and a laptop", racestat.LastOther: "measured last before it",
		racestat.OtherModel: "another of its models", racestat.SameCold: "the same over new connections",
	}[why]
	of := strings.Join(pick.Each(v.Lanes, func(l *racestat.Lane) string { return l.Label }), " against ")
	return Sentence{{Text: format.If(because != "", "Proposed: ") + of},
		{Text: format.If(because != "", " ("+because+")"), Rank: 2}, {Text: "."},
		{Text: " space races, e changes it.", Rank: 1}}
}

// RaceSentenceFit is RaceSentence without the sentences that do not fit into so many rows of
// w columns, and with names cut in their middle. The first is always there. Before a race it
// says what is proposed, and why. scoped says of each verdict for which time it holds.
func RaceSentenceFit(v *racestat.View, why racestat.Proposal, scoped bool, w, rows int) string {
	short := *v
	short.Lanes = slices.Clone(v.Lanes)
	for i := range short.Lanes {
		short.Lanes[i].Label = format.Name(short.Lanes[i].Label, w*rows/4)
	}
	s := raceSentences(&short, scoped)
	if !v.Began.Known() && len(v.Lanes) >= racestat.MinLanes {
		s = raceProposed(&short, why)
	}
	for i := range s {
		s[i].Text = strings.ReplaceAll(s[i].Text, " %", format.Tie+"%")
	}
	return s.FitRows(w, rows)
}

// raceSentences are the sentences, the most important first. scoped says of each verdict for
// which time it holds.
func raceSentences(v *racestat.View, scoped bool) Sentence {
	in := func(w *racestat.Verdict) string {
		scope := RaceScope(w, v.Band)
		return format.If(scoped && scope != "", ", "+scope)
	}
	switch {
	case len(v.Lanes) < racestat.MinLanes:
		return Sentence{{Text: "A race needs two contestants: e chooses them."}}
	case !v.Began.Known():
		return Sentence{{Text: "No race has begun."}}
	case v.Ended == racestat.EndLane:
		var out Sentence
		for i := range v.Lanes {
			if l := &v.Lanes[i]; i == v.Failing || l.Throughout() {
				out = out.further(l.Label + " failed in every round" + format.If(l.Last != nil, ": "+raceFaults(l)) + ".")
			}
		}
		return out
	case v.Swap != nil && len(v.Blocks) < len(v.BlockOrder):
		return swapUnjudged(v)
	case v.Swap != nil:
	case v.Pairs() == 0 && v.Running:
		return Sentence{{Text: "The first pair warms up connections and servers, and is dropped."}}
	case v.Pairs() == 0:
		return Sentence{{Text: "No pair was finished."}}
	}
	var out Sentence
	for i := range v.Lanes {
		if l := &v.Lanes[i]; l.Lost > 0 {
			out = out.further(l.Label + ": " + format.Join(", ", FailedOf(l.Lost, l.Counted)+" failed", raceFaults(l)) + ".")
		}
	}
	winners := raceWinners(v, in)
	out = append(out, Sentence{}.then(format.If(len(out) > 0, " "), winners)...)
	for i := range v.Lanes {
		if how := RaceOtherwise(&v.Lanes[i]); how != "" && len(winners) == 0 {
			out = out.further(v.Lanes[i].Label + " was " + how + ".")
		}
	}
	if s := raceFigures(v, racestat.Equal); s != "" && len(v.Lanes) == racestat.MinLanes {
		scope := ""
		for i := range v.Verdicts {
			if w := &v.Verdicts[i]; w.State == racestat.Equal {
				scope = max(scope, in(w))
			}
		}
		out = out.further("No difference in " + s + " (within " + RaceBand(v.Band) + ")" + scope + ".")
	}
	if s := raceFigures(v, racestat.AtOnce); s != "" {
		out = out.further("Nothing is said of " + s + ": answers came all at once.")
	}
	return out.further(racePending(v))
}

// raceFaults writes what the failures of a lane were, by kind.
func raceFaults(l *racestat.Lane) string {
	if l.Last == nil {
		return ""
	} else if len(l.Faults) < 2 {
		return faultWords(l.Last)
	}
	return strings.Join(pick.Each(l.Faults, func(f *metrics.FaultCount) string {
		return format.Either(f.Kind == l.Last.Kind, faultWords(l.Last), faults[f.Kind])
	}), " and ")
}

// raceWinner is what a decided time says of two lanes.
var raceWinner = map[figure.ID]string{
	figure.TTFT: "%s is %s faster to the first token than %s", figure.TPOT: "%s is %s faster per token than %s",
	figure.Total: "%s is %s faster to the end than %s", figure.Longest: "%s has a %s shorter longest gap than %s",
}

// raceWinners writes by how much a lane leads another, by the first decided time; of both
// where each leads in some. Of several pairs of lanes it is that with most such times.
func raceWinners(v *racestat.View, in func(*racestat.Verdict) string) Sentence {
	type pair struct{ leader, other int }
	won := map[pair][]*racestat.Verdict{}
	var best pair
	for _, w := range pick.All(v.Verdicts) {
		if w.Figure == figure.Failures || !w.Worth(v.Band) {
			continue
		}
		p := pair{w.Leader, w.A + w.B - w.Leader}
		if won[p] = append(won[p], w); len(won[p]) > len(won[best]) {
			best = p
		}
	}
	var out Sentence
	for _, p := range []pair{best, {best.other, best.leader}} {
		if len(won[p]) == 0 {
			continue
		}
		first := won[p][0]
		factor, interval := raceFactor(first)
		factor = cmp.Or(factor, "much")
		out = out.further(fmt.Sprintf(raceWinner[first.Figure], raceName(&v.Lanes[p.leader]), factor,
			raceName(&v.Lanes[p.other])) + interval + in(first) + ".")
		also := pick.Each(won[p][1:], func(w **racestat.Verdict) string {
			factor, _ := raceFactor(*w)
			return (*w).Figure.Label() + " " + factor
		})
		out = out.further(format.If(len(also) > 0, "Also "+format.List(also, "and")+"."))
	}
	return out
}

// raceFigures lists the figures with a verdict of that state.
func raceFigures(v *racestat.View, state racestat.State) string {
	var names []string
	for _, f := range racestat.Times {
		if pick.First(v.Verdicts, func(w *racestat.Verdict) bool { return w.Figure == f && w.State == state }) != nil {
			names = append(names, f.Label())
		}
	}
	return format.List(names, "and")
}

// racePending writes what is not decided: the times of the first such verdict's state, what is
// suspected of it, and of an open one how many more pairs decide it.
func racePending(v *racestat.View) string {
	open := pick.First(v.Verdicts, func(w *racestat.Verdict) bool {
		return w.Figure != figure.Failures && !w.State.Settled()
	})
	if open == nil {
		return ""
	}
	of := open.Figure.Label()
	if open.State == racestat.Undecided {
		of = raceFigures(v, racestat.Undecided)
	}
	text := capital(of) + ": " + RaceState(open, func(lane int) string { return v.Lanes[lane].Label }, v)
	if more := open.Foreseen(); more > 0 && open.State != racestat.Remote {
		text += format.Either(more == 1, ". It takes ", ". They take ") + RaceCost(v.CostOf(more))
	}
	return text + "."
}

// RaceOtherwise writes how a lane was served where that is not what it asked for:
// "served as default in 12 of 13 answers", "answered by llama-3.1-8b"; else "".
func RaceOtherwise(l *racestat.Lane) string {
	served := ""
	if l.Otherwise > 0 {
		last := metrics.Served{Service: l.Served}
		word := "otherwise"
		if was := last.Otherwise(l.Asked); was != (metrics.Service{}) {
			word = "as " + format.Either(was.Tier != "", l.Served.Tier, l.Served.Speed)
		}
		served = "served " + word + " in " + format.Count(l.Otherwise) + " of " +
			format.Plural(l.Answers(), "answer", "answers")
	}
	other := metrics.CompareModels(l.Endpoint.Model, l.Model) == metrics.ModelOther
	return format.Join(", ", format.If(other, "answered by "+l.Model), served)
}

// raceName is the label of a lane, with how it was served where that is not what it
// asked for.
func raceName(l *racestat.Lane) string {
	how := RaceOtherwise(l)
	return l.Label + format.If(how != "", " ("+how+")")
}

// RaceVaried writes which field varies between the lanes, and what their answers say of
// it; "" where targets race.
func RaceVaried(v *racestat.View) string {
	if v.Vary == "" {
		return ""
	}
	if v.Vary == "api" {
		return "the API alone: the same prompt, bound and sampling, as far as each API has them"
	}
	if v.Vary == "transport" {
		return "the way of Responses alone; the handshake of a WebSocket is not in TTFT"
	}
	told := pick.Each(v.Lanes, func(l *racestat.Lane) string { return l.Told(v.Vary) })
	text := v.Vary + " of the request alone"
	answered := func(l *racestat.Lane) bool { return l.Answers() > 0 }
	if pick.First(v.Lanes, answered) == nil {
		return text
	}
	if slices.Max(told) == "" {
		return text + "; the answers do not say whether the server used it"
	}
	for lane, by := range told {
		text += format.Either(lane == 0, "; the answers say ", ", ") + RaceLetter(lane) + " " + cmp.Or(by, format.Unknown)
	}
	return text
}

// RaceHidden writes which lanes have tokens without the thinking that their servers counted;
// "" where all are alike in that.
func RaceHidden(v *racestat.View) (text string) {
	alike := true
	for i, l := range pick.All(v.Lanes) {
		alike = alike && l.Hidden > 0 == (v.Lanes[0].Hidden > 0)
		text = format.Join(", ", text, format.If(l.Hidden > 0,
			RaceLetter(i)+" in "+format.Count(l.Hidden)+" of "+format.Plural(l.Answers(), "answer", "answers")))
	}
	return format.If(!alike, "thinking that was not sent, or as a summary, is left out of tokens and TPOT of "+text+
		", not of the others: compare the total")
}

// RaceAmount writes how much of a race has ended: "12 pairs", "5 of 12 blocks".
func RaceAmount(v *racestat.View) string {
	if v.Swap == nil {
		return format.Plural(v.Pairs(), "pair", "pairs")
	}
	return format.Count(len(v.Blocks)) + " of " + allBlocks(v)
}

// allBlocks writes the number of blocks of a race: "12 blocks".
func allBlocks(v *racestat.View) string { return format.Plural(len(v.BlockOrder), "block", "blocks") }

// SwapRuns says which program of the person's runs, and how often.
func SwapRuns(v *racestat.View) string {
	return strings.Join(v.Swap.Command, " ") + " before each of " + allBlocks(v)
}

// SwapStep writes what a race of settings does now, with the letter and the label of the
// lane: "block 5 of 12, B on: waiting for the model, 8 s"; "" between blocks.
func SwapStep(v *racestat.View) string {
	b := &v.Block
	if !v.Running || b.N == 0 {
		return ""
	}
	doing, restarting := "", string(format.AppendElapsed(nil, (v.Now-b.Began).Seconds()))
	switch waits := SwapWaits(v); {
	case waits != "":
		doing = ": " + waits + ", " + restarting
	case v.Step == racestat.Starting:
		doing = ": restarting the server, " + restarting
	case v.Step == racestat.Waiting:
		doing = ": waiting for the model, " + restarting
	case v.Step == racestat.WarmingUp:
		doing = ": warming up, not counted"
	case v.Step == racestat.Measuring:
		doing = ": request " + format.Count(min(len(b.Results)+1, v.Swap.Requests)) + " of " + format.Count(v.Swap.Requests)
	}
	return "block " + format.Count(b.N) + " of " + format.Count(len(v.BlockOrder)) + ", " +
		RaceLetter(b.Lane) + " " + v.Lanes[b.Lane].Label + doing
}

// SwapWaits names the server before a block's that has not ended after some seconds:
// "waiting for the old server at http://127.0.0.1:8080/v1 to end"; "" for none.
func SwapWaits(v *racestat.View) string {
	if !v.Leaving() {
		return ""
	}
	return "waiting for the old server at " + v.Lanes[v.Block.Lane].Endpoint.URL + " to end"
}

// SwapP writes the p-value of a verdict on blocks with two digits, "–" before there is one.
func SwapP(v *racestat.Verdict) string {
	return format.Either(v.P > 0, format.Exact(format.Digits(v.P, 2)), format.Unknown)
}

// SwapPhase names the phase that a figure of blocks is the time of, with the figure.
func SwapPhase(f figure.ID) string {
	return format.Either(f == figure.TTFT, "prefill: ", "decode: ") + f.Label()
}

// swapUnjudged are the sentences of a race of settings that lacks blocks.
func swapUnjudged(v *racestat.View) Sentence {
	n := len(v.Blocks)
	switch {
	case v.Ended == racestat.EndRestart:
		return Sentence{{Text: capital(RaceEnd(v)) + ": " + v.Block.Fault.Error() + "."}}.
			further("Nothing is judged; what was measured is kept.")
	case !v.Running:
		s := Sentence{{Text: "Stopped after " + RaceAmount(v) + ": nothing is judged before all are there."}}
		if v.Block.Fault != nil {
			s = s.further(capital(v.Block.Fault.Error()) + ".")
		}
		return s
	case n == 0:
		return Sentence{{Text: "Runs " + SwapRuns(v) + "."}}.further("All are judged at the end.")
	}
	left := v.Spent.Time / time.Duration(n) * time.Duration(len(v.BlockOrder)-n)
	return Sentence{{Text: RaceAmount(v) + ". Judged when all are there, in about " + format.Duration(left) + "."}}
}
