package say

import (
	"fmt"
	"math"

	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
)

// RaceLetter is the letter of a lane in tables: "A" to "F".
func RaceLetter(lane int) string { return string(rune('A' + lane)) }

// RaceShare writes how much lower the leader's figure is than the other's, an
// interval that holds at every stop: "24–51 %", "at least 24 %". It is "" unless
// the verdict is decided on a time.
func RaceShare(v *racestat.Verdict) string {
	if v.State != racestat.Decided || v.Figure == figure.Failures {
		return ""
	}
	lo, hi := v.Lo, v.Hi // of the other over the leader
	if v.Leader == v.B {
		lo, hi = 1/v.Hi, 1/v.Lo
	}
	least := max(1-1/lo, 0)
	span := format.Span(least, 1-1/hi, format.Percent)
	return format.Either(math.IsInf(hi, 1), "at least "+format.Percent(least), span)
}

// RaceRatio writes the ratio of a verdict with its interval: "1.31",
// "1.24–2.04"; "–" where it is not bounded.
func RaceRatio(v *racestat.Verdict) (ratio, interval string) {
	ratio, interval = format.Unknown, format.Unknown
	if v.Ratio > 0 && !math.IsInf(v.Ratio, 1) {
		ratio = format.Number(v.Ratio)
	}
	switch bounded := !math.IsInf(v.Hi, 1); {
	case v.Lo > 0 && bounded:
		interval = format.Range(v.Lo, v.Hi, format.Number)
	case v.Lo > 0:
		interval = "from " + format.Number(v.Lo)
	case bounded && v.Hi > 0:
		interval = "up to " + format.Number(v.Hi)
	}
	return ratio, interval
}

// RacePairs writes how many pairs were decided by which lane, and the ratio of B to
// A with its interval: "A 12, B 2 of 14, ratio 1.32 (1.24–1.51)". It is "" for
// failures, whose counts stand elsewhere.
func RacePairs(v *racestat.Verdict) string {
	if v.Figure == figure.Failures || v.N == 0 {
		return ""
	}
	ratio, interval := RaceRatio(v)
	return RaceWins(v) + " of " + format.Count(v.N) +
		format.If(ratio != format.Unknown, ", ratio "+ratio+format.If(interval != format.Unknown, " ("+interval+")"))
}

// RaceWins writes how many pairs were decided by which lane: "A 12, B 2, 1 tied".
func RaceWins(v *racestat.Verdict) string {
	return RaceLetter(v.A) + " " + format.Count(v.Wins) + ", " + RaceLetter(v.B) + " " + format.Count(v.Losses) +
		format.If(v.Ties > 0, ", "+format.Count(v.Ties)+" tied")
}

// RaceState writes what a verdict has come to, with the names of its lanes: "A
// shorter by 24–51 %", "A shorter by 24–51 % in these rounds", "A ahead, not
// settled, ~12 more pairs".
func RaceState(v *racestat.Verdict, name func(lane int) string, view *racestat.View) string {
	if view.Swap != nil && len(view.Blocks) < len(view.BlockOrder) {
		return format.Either(view.Running, "judged after all "+allBlocks(view), "not judged: "+RaceAmount(view))
	}
	switch v.State {
	case racestat.TooEarly:
		return "too early: " + raceCounted(v)
	case racestat.Open:
		return raceAhead(v, name) + format.If(v.Forecast > 0, ", ~"+format.Plural(v.Forecast, "more pair", "more pairs"))
	case racestat.Remote:
		return raceAhead(v, name) + ", not within " + raceBound(view)
	case racestat.Undecided:
		few := v.N < v.Needs && view.Swap == nil
		return format.Either(few, "too few: "+raceCounted(v), "cannot be told apart"+raceWithin(view))
	case racestat.Decided:
		how := format.Either(v.Figure == figure.Failures, " fails less often", " shorter by "+RaceShare(v))
		return name(v.Leader) + how + raceScope(v)
	case racestat.Equal:
		equal := format.Either(v.Scope() != racestat.Lasting, "equal"+raceScope(v), "no difference")
		return equal + " (within " + RaceBand(view.Band) + ")"
	case racestat.Missing:
		return format.Either(view.Swap != nil, "a lane has no block with this figure", "no pair has this figure")
	case racestat.AtOnce:
		return "open: answers came all at once"
	case racestat.None:
		return "none in one lane alone"
	}
	return string(v.State)
}

// raceScope writes for which time a settled verdict holds, "" beyond the race too.
func raceScope(v *racestat.Verdict) string {
	return format.Either(v.Scope() == racestat.Lasting, "", " in these rounds")
}

// RaceBand writes the band of equivalence: "3 %".
func RaceBand(band float64) string { return format.Percent(band - 1) }

func raceAhead(v *racestat.Verdict, name func(lane int) string) string {
	if v.Leader < 0 {
		return "not settled"
	}
	return name(v.Leader) + format.Either(v.Figure == figure.Failures, " failed less often", " ahead") + ", not settled"
}

func raceCounted(v *racestat.Verdict) string {
	return format.Count(v.N) + " of " + format.Count(v.Needs) + " pairs"
}

// raceBound names the bound of pairs.
func raceBound(view *racestat.View) string {
	return format.Either(view.Bounds.Pairs > 0, format.Plural(view.Bounds.Pairs, "pair", "pairs"), "reach")
}

func raceWithin(view *racestat.View) string {
	return format.Either(view.Ended == racestat.EndStopped || view.Ended == racestat.EndLane, " yet", " within the bound")
}

// RaceEnd writes why a race ended, "" while it runs.
func RaceEnd(v *racestat.View) string {
	switch v.Ended {
	case racestat.EndSettled:
		return "all figures are settled"
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

// RaceAlpha writes the level of one verdict: "1.00 %", "0.333 %".
func RaceAlpha(alpha float64) string { return format.Number(alpha*100) + " %" }

// RaceCost writes what a race took or will take: "8,400 tokens, 0.006 USD, 1.3
// min". Tokens of this machine cost nothing, so there is no money then.
func RaceCost(s racestat.Spent) string {
	about := format.If(s.Estimated, "about ")
	money := format.Either(s.Money.OK, format.Money(s.Money.V)+" "+s.Currency, "price unknown")
	return format.Join(", ", about+format.Whole(s.Tokens)+" tokens", format.If(!s.Free, money), format.Duration(s.Time))
}

// RaceSentence writes what a race has shown, in one or two sentences with the
// labels of its lanes. Of several pairs of lanes it names the one with most to
// say. It names a winner "in these rounds" if one of its figures is settled for
// these rounds alone.
func RaceSentence(v *racestat.View) string { return raceSentences(v).String() }

// RaceSentenceFit is RaceSentence without the sentences that do not fit into so
// many rows of w columns. The first is always there.
func RaceSentenceFit(v *racestat.View, w, rows int) string {
	s := raceSentences(v)
	for i := range s {
		s[i].Text = format.TiePercent(s[i].Text)
	}
	return s.FitRows(w, rows)
}

// raceSentences are the sentences, the most important first.
func raceSentences(v *racestat.View) Sentence {
	switch {
	case len(v.Lanes) < racestat.MinLanes:
		return Sentence{{Text: "A race needs two contestants."}}
	case !v.Began.Known():
		return Sentence{{Text: "No race has begun."}}
	case v.Ended == racestat.EndLane:
		return Sentence{{Text: v.Lanes[v.Failing].Label + " failed in every round."}}
	case v.Swap != nil && len(v.Blocks) < len(v.BlockOrder):
		return swapUnjudged(v)
	case v.Swap != nil:
	case v.Pairs() == 0 && v.Running:
		return Sentence{{Text: "The first pair warms up connections and servers, and is dropped."}}
	case v.Pairs() == 0:
		return Sentence{{Text: "No pair was finished."}}
	}
	winners := raceWinners(v)
	out := winners
	for i := range v.Lanes {
		if how := RaceOtherwise(&v.Lanes[i]); how != "" && len(winners) == 0 {
			out = out.further(v.Lanes[i].Label + " was " + how + ".")
		}
	}
	if s := raceFigures(v, racestat.Equal); s != "" && len(v.Lanes) == racestat.MinLanes {
		scope := ""
		for i := range v.Verdicts {
			if w := &v.Verdicts[i]; w.State == racestat.Equal {
				scope = max(scope, raceScope(w))
			}
		}
		out = out.further("No difference in " + s + scope + " (within " + RaceBand(v.Band) + ").")
	}
	if s := raceFigures(v, racestat.AtOnce); s != "" {
		out = out.further("Nothing is said of " + s + ": answers came all at once.")
	}
	return out.further(racePending(v))
}

// raceWinners writes the decided times of the pair of lanes with most of them, of both
// where each leads in some.
func raceWinners(v *racestat.View) Sentence {
	type pair struct{ leader, other int }
	shares := map[pair][]string{}
	scopes := map[pair]string{}
	var best pair
	for i := range v.Verdicts {
		w := &v.Verdicts[i]
		share := RaceShare(w)
		if share == "" {
			continue
		}
		p := pair{w.Leader, w.A + w.B - w.Leader}
		shares[p] = append(shares[p], w.Figure.Label()+" "+share)
		scopes[p] = max(scopes[p], raceScope(w))
		if len(shares[p]) > len(shares[best]) {
			best = p
		}
	}
	if len(shares) == 0 {
		return nil
	}
	won := func(p pair) Sentence {
		text := raceName(&v.Lanes[p.leader]) + " is faster than " + raceName(&v.Lanes[p.other]) + scopes[p] + ": "
		return listed(text, shares[p], format.Either(len(shares[p]) == 1, " shorter.", ", all shorter."))
	}
	out, back := won(best), pair{best.other, best.leader}
	if len(shares[back]) > 0 {
		out = out.further(won(back).String())
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

// raceFew returns the most pairs of the undecided times, and how many a verdict
// needs. few is false where one of them had enough.
func raceFew(v *racestat.View) (n, needs int, few bool) {
	for i := range v.Verdicts {
		w := &v.Verdicts[i]
		if w.Figure == figure.Failures || w.State != racestat.Undecided {
			continue
		}
		if w.N >= w.Needs {
			return 0, 0, false
		}
		n, needs, few = max(n, w.N), max(needs, w.Needs), true
	}
	return n, needs, few
}

// racePending writes what is not settled.
func racePending(v *racestat.View) string {
	if v.Ended != racestat.NotEnded {
		s := raceFigures(v, racestat.Undecided)
		if s == "" {
			return ""
		}
		if n, needs, few := raceFew(v); few && v.Swap == nil {
			return "Too few pairs for a verdict on " + s + ": " + format.Count(n) + " of " + format.Count(needs) + "."
		}
		some := format.Either(len(v.Lanes) > racestat.MinLanes, "Some lanes", "The lanes")
		return some + " cannot be told apart in " + s + raceWithin(v) + "."
	}
	if more, cost := v.Forecast(); more > 0 {
		return "~" + format.Plural(more, "more pair", "more pairs") + " to settle what can be settled (" +
			RaceCost(cost) + ")."
	}
	if n := v.Verdicts[0]; n.State == racestat.TooEarly {
		return fmt.Sprintf("Too early: nothing can be settled before %s pairs.", format.Count(n.Needs))
	}
	if s := raceFigures(v, racestat.Remote); s != "" {
		return "Not settled within " + raceBound(v) + " at this rate: " + s + "."
	}
	return ""
}
