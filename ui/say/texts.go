package say

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/comparison"
	"tokscope/metrics/doctor"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
)

// Texts returns the sentences of the JSON formats on a value, in the order of the
// fields that hold them; nil for a value without one. now is the moment of what a
// watch says, and means nothing for others.
func Texts(of any, now time.Time) []string {
	switch v := of.(type) {
	case metrics.Why: // the reason of an unknown figure
		return []string{format.Why(v)}
	case metrics.Ending: // why a load or sweep stopped
		return []string{Ending(v)}
	case *metrics.Suspicion:
		return []string{Suspicion(v)}
	case *metrics.Delay: // what tokscope's lateness affects, and what to do
		text, next := Delay(v)
		return []string{text, next}
	case *metrics.LimitForecasts:
		return []string{limitLeft(&v.Requests, "requests"), limitLeft(&v.Tokens, "tokens")}
	case *loadstat.View:
		return []string{Load(v).String()}
	case loadstat.Unsteady:
		return []string{Unsteady(v)}
	case loadstat.ClientLimit:
		return []string{ClientLimit(v).String()}
	case *slo.Lens:
		return []string{LensAbout(v.Key)}
	case *slo.LensVerdict:
		return []string{Verdict(v)}
	case *slo.LensBudget: // why it is so, and its source
		why, source := LensBudget(v)
		return []string{why, source}
	case *slo.AgentCost:
		return []string{AgentCost(v)}
	case []verdict.Finding:
		return []string{Conclusion(v)}
	case *doctor.Check: // what was found, and what to do
		text, next := Check(v)
		return append([]string{text}, next...)
	case *doctor.Report:
		return []string{CheckUp(v)}
	case *comparison.Comparison:
		return []string{CompareSentence(v)}
	case *comparison.Row:
		return []string{CompareRow(v)}
	case *racestat.View: // the summary, why it ended, and its verdicts
		out := []string{RaceSentence(v), RaceEnd(v)}
		for i := range v.Verdicts {
			out = append(out, RaceState(&v.Verdicts[i], func(lane int) string { return v.Lanes[lane].Label }, v))
		}
		return out
	case *watchstat.Update: // what the probe or the pause is
		t := &v.Board.Targets[v.Target]
		if !v.Probe {
			return []string{WatchPause(t, &v.Board)}
		}
		if text := WatchEvent(v.Event, t, t.View.Last.At); text != "" {
			return []string{text}
		}
		return []string{WatchSentence(t, t.View.Last.At)}
	case *watchstat.Target:
		return []string{WatchSentence(v, now)}
	case *watchstat.Board: // why the watch ended, and how all targets are
		return []string{WatchEnd(v), WatchSummary(v, now)}
	}
	return nil
}
