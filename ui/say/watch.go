package say

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"tokscope/metrics/pick"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
)

// WatchState is the state of a target in a word.
func WatchState(s watchstat.State) string {
	return [...]string{"learning", "as usual", "suspected", "daily", "changed"}[s]
}

// WatchSentence says how a target is at now, failures first: "2 of the last 25 probes
// failed: HTTP 500; TTFT 2.1x the baseline since 14:02 UTC, all of it prefill; connect
// unchanged".
func WatchSentence(t *watchstat.Target, now time.Time) string {
	v := &t.View
	failed := watchFailed(&v.Recent, "probes")
	if v.State == watchstat.Changed && v.Change.Head == watchstat.Failures {
		failed = ""
	}
	return format.Join("; ", failed, watchFound(v, now, "probes"))
}

// watchFound is WatchSentence without the failures of the newest probes, or whatever else
// they are.
func watchFound(v *watchstat.View, now time.Time, probes string) string {
	switch v.State {
	case watchstat.Learning:
		stored := v.Recent.Failed > 0 && v.Stored >= watchstat.MinValues
		return "learning what is usual: " + format.Count(v.Good) + " of " +
			format.Plural(v.Needs, "good probe", "good probes") +
			format.If(stored, "; --baseline 24h takes it from the history")
	case watchstat.Usual:
		usual := format.Either(v.Recent.Failed > 0, "else as usual", "as usual")
		ttft := &v.Rows[watchstat.TTFT]
		if ttft.Now.OK {
			usual += ": TTFT " + format.Ms(ttft.Now.V) + " (median of " + format.Count(ttft.Now.N) + " " + probes + ")"
		}
		return format.Join("; ", usual, watchSpread(ttft))
	case watchstat.Suspected: // with its evidence: "TTFT 914 ms, 3.5x usual in the last 15 probes"
		c := v.Suspicion
		r := &c.Rows[c.Head]
		return r.Figure.Label() + " " + format.Known(r.Now, format.Ms) +
			format.If(r.Ratio > 0, ", "+format.Times(r.Ratio, 0, 0)+" usual") +
			" in the last " + format.Count(c.Probes) + " " + probes +
			format.If(c.Cause != watchstat.CauseWait, watchCause(c)) + "; not certain yet"
	case watchstat.Daily:
		d := v.Change.Days
		return watchRise(v.Change) + " since " + HistoryMoment(v.Change.Since, now) + " UTC, as on " +
			format.Count(d.Like) + " of " + format.Plural(d.N, "day", "days") + " at this time"
	}
	c := v.Change
	kinds := format.If(c.Head == watchstat.Failures && v.Recent.Failed > 0, ": "+watchFaults(&v.Recent))
	return watchRise(c) + " since " + HistoryMoment(c.Since, now) + " UTC" +
		kinds + watchCause(c) + watchAlso(c) + watchSteady(c)
}

// watchFailed writes the failures of the newest probes by kind, "" without one: "10 of
// the last 25 probes failed: 8× HTTP 500, 2× timed out".
func watchFailed(r *watchstat.Recent, probes string) string {
	return format.If(r.Failed > 0, format.Count(r.Failed)+" of the last "+format.Count(r.N)+" "+probes+
		" failed: "+watchFaults(r))
}

// watchFaults writes the kinds of failures, the most frequent first.
func watchFaults(r *watchstat.Recent) string {
	if len(r.Faults) == 1 {
		return FaultName(r.Faults[0].Kind, r.Faults[0].Status)
	}
	return strings.Join(format.Few(pick.Each(r.Faults, severalTimes), 3), ", ")
}

// watchSpread says what is usual where one number does not, "" where it does.
func watchSpread(r *watchstat.Row) string {
	s, usual := &r.Spread, "usual "+r.Figure.Label()
	switch s.Code {
	case watchstat.TwoLevels:
		return usual + " has two levels: " + format.Ms(s.Low) + ", and " + format.Ms(s.High) +
			" in " + format.Percent(s.Share)
	case watchstat.Wide:
		return usual + " is wide: 80 % within " + format.Range(s.Low, s.High, format.Ms)
	}
	return ""
}

// WatchEvent says what a probe changed, "" where nothing did.
func WatchEvent(e watchstat.Event, t *watchstat.Target, now time.Time) string {
	switch e {
	case watchstat.Learned:
		return format.Join("; ", "baseline of "+format.Plural(t.View.N, "probe", "probes")+" learned",
			watchSpread(&t.View.Rows[watchstat.TTFT]), WatchFalseAlarms(&t.View))
	case watchstat.Began, watchstat.Worse, watchstat.Recurs, watchstat.Suspects:
		return WatchSentence(t, now)
	case watchstat.Dropped:
		return "as usual again; what was suspected has not lasted"
	case watchstat.Ended:
		c := t.View.Change
		return "as usual again since " + HistoryMoment(c.Ended, now) + " UTC; from " +
			HistoryMoment(c.Since, now) + " UTC on it was: " + watchRise(c) + watchCause(c) + watchAlso(c)
	}
	return ""
}

// WatchFalseAlarms says how often a watch alarms although nothing changed, "" while
// it has no baseline.
func WatchFalseAlarms(v *watchstat.View) string {
	days, hours := int(v.Between/(24*time.Hour)), int(v.Between/time.Hour) // rounded down
	span := format.Either(days >= 2, format.Plural(days, "day", "days"), format.Plural(max(hours, 1), "hour", "hours"))
	return format.If(v.Between > 0, "expect at most 1 false alarm in "+span)
}

// watchRise writes how the head of a change stands to its baseline.
func watchRise(c *watchstat.Change) string { return watchRow(&c.Rows[c.Head]) }

func watchRow(r *watchstat.Row) string {
	switch {
	case r.Figure == watchstat.Failures:
		return format.Percent(r.Now.V) + " of " + format.Plural(r.Now.N, "probe", "probes") + " failed (baseline " +
			format.Percent(r.Base.V) + ")"
	case r.Ratio > 0:
		return r.Figure.Label() + " " + watchTimes(r) + " the baseline"
	}
	return r.Figure.Label() + " " + format.Known(r.Now, format.Ms) + " (baseline " + format.Known(r.Base, format.Ms) + ")"
}

// watchTimes writes the ratio of r to its baseline. One without an interval, which would
// bound its digits, is "about 2x".
func watchTimes(r *watchstat.Row) string {
	return format.If(r.High == 0, "about ") + format.Times(r.Ratio, r.Low, r.High)
}

// watchCause writes which phase explains a change of the wait.
func watchCause(c *watchstat.Change) string {
	if c.Cause == watchstat.CauseWait {
		return ", phase unknown: server reports no timings"
	}
	name := watchCauses[c.Cause]
	part := format.Ms(c.Explained) + " of " + format.Ms(c.Excess)
	return format.If(name != "", ", "+format.Either(c.All(), "all", part)+" of it "+name)
}

// watchCauses are the phases that explain a change.
var watchCauses = map[watchstat.Cause]string{
	watchstat.CauseQueue: "queue", watchstat.CausePrefill: "prefill",
	watchstat.CauseUnexplained: "outside of what the server reports",
}

// watched are the figures that a sentence names beside its head.
var watched = []watchstat.Figure{watchstat.Failures, watchstat.Connect, watchstat.TTFT, watchstat.TPOT}

// watchAlso writes what changed besides.
func watchAlso(c *watchstat.Change) string {
	out := ""
	for _, f := range watched {
		if r := &c.Rows[f]; f != c.Head && r.Changed && r.Now.V > r.Base.V {
			out += "; " + watchRow(r)
		}
	}
	return out
}

// watchSteady writes what did not change.
func watchSteady(c *watchstat.Change) string {
	var names []string
	for _, f := range watched[1:] {
		if r := &c.Rows[f]; f != c.Head && r.Steady() {
			names = append(names, f.Label())
		}
	}
	return format.If(len(names) > 0, "; "+format.List(names, "and")+" unchanged")
}

// WatchDay writes what the targets elsewhere than on this machine have used on this
// day, and its bounds: "8,100 of 200,000 tokens, 0.2 of 1 USD today". It is "" where
// no target is elsewhere.
func WatchDay(b *watchstat.Board) string {
	if !slices.ContainsFunc(b.Targets, func(t watchstat.Target) bool { return !t.Here }) {
		return ""
	}
	of := func(most float64, write func(float64) string) string { return format.If(most > 0, " of "+write(most)) }
	tokens := format.Whole(b.Tokens) + of(b.Bounds.Tokens, format.Whole) + " tokens"
	money := format.Join(" ", format.Money(b.Money)+of(b.Bounds.Money, format.Number), b.Currency)
	return tokens + format.Either(b.Priced, ", "+money+" today", " today, price unknown")
}

// WatchUse writes what a target has used and left out: "3 slots skipped, 8,000
// tokens".
func WatchUse(t *watchstat.Target) string {
	skipped := format.If(t.Skipped > 0, format.Plural(t.Skipped, "slot", "slots")+" skipped, ")
	return skipped + format.Whole(t.Spent) + " tokens"
}

// WatchTypical writes the median of a figure over the last 72 h, "" without one:
// "72 h median 270 ms of 90 probes".
func WatchTypical(t *watchstat.Target, f watchstat.Figure) string {
	m := t.Typical[f]
	return format.If(m.OK, "72 h median "+format.Ms(m.V)+" of "+format.Plural(m.N, "probe", "probes"))
}

// WatchPause says why a target is not probed, or that it is again.
func WatchPause(t *watchstat.Target, b *watchstat.Board) string {
	s := t.Skip
	until := "; the next probe is at " + s.Until.UTC().Format("15:04:05") + " UTC"
	switch s.Code {
	case watchstat.SkipBusy:
		return format.Plural(s.Slots, "slot", "slots") + " skipped: the probe was still running" + until
	case watchstat.SkipBackOff:
		return "failing: probes come less often" + until
	case watchstat.SkipRetry:
		return "the server asks for a pause" + until
	case watchstat.SkipLimit:
		return "nothing is left of its rate limit" + until
	case watchstat.SkipTokens:
		return "the bound of " + format.Whole(b.Bounds.Tokens) + " tokens a day is reached" + until
	case watchstat.SkipMoney:
		return "the bound of " + format.Number(b.Bounds.Money) + " " + b.Currency + " a day is reached" + until
	}
	return "probes go on, after " + format.Plural(s.Slots, "slot", "slots") + " without one"
}

// watchEnds are why watches end.
var watchEnds = map[watchstat.EndCode]string{
	watchstat.EndProbes: "all probes are done", watchstat.EndTime: "the time is over",
	watchstat.EndMet: "a condition of --fail-if is met", watchstat.EndStopped: "stopped",
}

// WatchEnd says why a watch ended, "" while it runs.
func WatchEnd(b *watchstat.Board) string { return watchEnds[b.Ended] }

// WatchSummary says how all targets are, in one sentence.
func WatchSummary(b *watchstat.Board, now time.Time) string {
	if len(b.Targets) == 1 {
		return b.Targets[0].Label + ": " + WatchSentence(&b.Targets[0], now)
	}
	t, n := &b.Targets[0], b.Changed()-1
	for i := range b.Targets {
		if o := &b.Targets[i]; o.View.Worse(&t.View) {
			t = o
		}
	}
	if t.View.State > watchstat.Usual || t.View.Recent.Failed > 0 {
		return t.Label + ": " + WatchSentence(t, now) + format.If(n > 0, "; "+format.Count(n)+" more changed")
	}
	return format.Plural(len(b.Targets), "target", "targets") + ", none changed"
}

// WatchJudgment writes a condition with what it was held against: "ttft.p50 > 1.2x
// baseline: met, 2.05x (1.9–2.3) of 24 probes".
func WatchJudgment(j *watchstat.Judgment) string {
	value := ", " + conditionValue(&j.Condition, j.Value, j.Low, j.High)
	return fmt.Sprintf("%s: %s", j.Condition, j.Outcome) +
		format.If(j.N > 0, value+" of "+format.Plural(j.N, "probe", "probes"))
}

// WatchChange writes how a figure stands to its baseline: "2.1x (1.9–2.3)", "about
// 2x", "unchanged within 3 %", "no clear change (0.41–1.70)".
func WatchChange(r *watchstat.Row) string {
	switch {
	case !r.Base.OK && !r.Now.OK:
		return "unknown"
	case !r.Watched:
		return "not watched: the baseline has too few values"
	case !r.Now.OK:
		return "no probe since the baseline"
	case r.Figure == watchstat.Failures && r.Changed:
		return "more"
	case r.High > 0 && r.Changed:
		return format.TimesRange(r.Ratio, r.Low, r.High)
	case r.Changed:
		return format.Either(r.Ratio > 0, watchTimes(r), "changed")
	case r.Suspected:
		return format.If(r.Ratio > 0, "about "+format.Times(r.Ratio, 0, 0)+", ") + "not certain yet"
	case r.Low > 1.05 || r.High > 0 && r.High < 0.95: // of the newest probes: they look like chance
		return format.TimesRange(r.Ratio, r.Low, r.High)
	}
	same := "no clear change" + format.If(r.High > 0, " ("+format.TimesInterval(r.Ratio, r.Low, r.High)+")")
	if within := max(r.High-1, 1-r.Low); r.High > 0 && within <= historyVague {
		same = unchanged(within)
	}
	return format.Join("; ", same, watchSpread(r))
}
