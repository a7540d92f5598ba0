package report

import (
	"fmt"
	"strings"

	"tokscope/metrics/figure"
	"tokscope/metrics/racestat"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// RaceNote is a line below the verdicts.
type RaceNote struct{ Label, Text string }

// RaceNotes qualify the verdicts: failures, pairs left out, correlation, order,
// lateness, how the level is split, what it took, why it ended.
func RaceNotes(v *racestat.View) []RaceNote {
	var notes []RaceNote
	add := func(label, text string) {
		if text != "" {
			notes = append(notes, RaceNote{label, text})
		}
	}
	add("failures", raceFaults(v))
	add("connecting", raceConnect(v))
	add("left out", raceLeft(v))
	add("order", raceOrder(v))
	add("neighbors", raceLag(v))
	add("late", raceLate(v))
	if v.Observer.N > 0 {
		add("lag", lateness(&v.Observer))
	}
	if len(v.Verdicts) > 0 {
		add("level", raceHolds(v))
	}
	add("took", say.RaceCost(v.Spent)+raceRest(v))
	if v.Ended != racestat.NotEnded {
		add("ended", say.RaceEnd(v)+", after "+format.Plural(v.Pairs(), "pair", "pairs"))
	}
	return notes
}

// raceHolds writes how sure the verdicts are, and under which condition.
func raceHolds(v *racestat.View) string {
	which := ""
	for i := range v.Verdicts {
		if w := &v.Verdicts[i]; w.Figure != figure.Failures && w.Scope() != racestat.Lasting {
			which = "with independent pairs "
			break
		}
	}
	return fmt.Sprintf("%sall verdicts hold at %s, even if stopped early; %s per verdict; equal within %s",
		which, format.Percent(1-v.Level), say.RaceAlpha(v.Alpha), say.RaceBand(v.Band))
}

// raceRest writes the bound of tokens, where one applies.
func raceRest(v *racestat.View) string {
	if v.Spent.Free || v.Bounds.Tokens == 0 {
		return ""
	}
	return "; " + format.Whole(v.Spent.Billed) + " of " +
		format.Whole(v.Bounds.Tokens) + " tokens elsewhere than on this machine"
}

// raceFaults writes the failures of each lane that has some.
func raceFaults(v *racestat.View) string {
	var parts []string
	for i := range v.Lanes {
		l := &v.Lanes[i]
		if len(l.Faults) == 0 {
			continue
		}
		var kinds []string
		for _, f := range l.Faults {
			kinds = append(kinds, format.Count(f.N)+" "+string(f.Kind))
		}
		parts = append(parts, say.RaceLetter(i)+" "+strings.Join(kinds, ", ")+" of "+
			format.Plural(l.Requests, "request", "requests")+"; the last: "+l.Last.Error())
	}
	return strings.Join(parts, " · ")
}

// raceConnect writes how long lanes took to connect: their other times begin after
// that.
func raceConnect(v *racestat.View) string {
	var parts []string
	for i := range v.Lanes {
		if c := v.Connect(i); c.OK {
			parts = append(parts, fmt.Sprintf("%s %s (median of %s)", say.RaceLetter(i), format.Ms(c.V), format.Count(c.N)))
		}
	}
	if len(parts) == 0 {
		return ""
	}
	return strings.Join(parts, ", ") + "; it comes before the request is sent, and is in no other figure"
}

// raceLeft writes in which verdicts pairs lack the figure.
func raceLeft(v *racestat.View) string {
	var parts []string
	for i := range v.Verdicts {
		w := &v.Verdicts[i]
		if w.Left == 0 || w.Figure == figure.Failures {
			continue
		}
		parts = append(parts, fmt.Sprintf("%s %s:%s %s", say.RaceFigure(w.Figure),
			say.RaceLetter(w.A), say.RaceLetter(w.B), format.Count(w.Left)))
	}
	if len(parts) == 0 {
		return ""
	}
	return "pairs without the figure in both lanes: " + strings.Join(parts, ", ")
}

// raceOrder writes whether running first matters.
func raceOrder(v *racestat.View) string {
	w, biased := v.OrderBias()
	if !biased {
		return ""
	}
	return fmt.Sprintf("the lane that ran first won %s of the pairs in %s: the order matters",
		format.Percent(w.OrderShare), say.RaceFigure(w.Figure))
}

// raceLag writes how alike neighboring pairs are, and what follows for the verdicts.
func raceLag(v *racestat.View) string {
	w, ok := v.Alike()
	if !ok {
		if n, _ := v.Settled(); n == 0 {
			return ""
		}
		return fmt.Sprintf("fewer than %d pairs: a drift of one lane may decide them", v.Verdicts[0].Few())
	}
	if w.Counted == w.N {
		return ""
	}
	text := fmt.Sprintf("lag-1 autocorrelation %s (%s): %s count as %s",
		format.Number(w.Lag1), say.RaceFigure(w.Figure), format.Plural(w.N, "pair", "pairs"), format.Count(w.Counted))
	if w.Scope() == racestat.AlikeRounds {
		text += ", and a verdict on it is of these rounds"
	}
	return text
}

// raceLate writes how many requests this program's own lateness affects.
func raceLate(v *racestat.View) string {
	n := 0
	for i := range v.Lanes {
		n += v.Lanes[i].Late
	}
	if n == 0 {
		return ""
	}
	return "tokscope lagged during " + format.Plural(n, "request", "requests") + ": their times may be too long"
}
