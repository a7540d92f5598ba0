package say

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/racestat"
	"tokscope/metrics/slo"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
)

// TestRangesAreWrittenAlike checks what the sentences write for 10 to 20 of each
// figure: an en dash, and the unit once.
func TestRangesAreWrittenAlike(t *testing.T) {
	ms, err := condition.Parse("ttft.p50 > 5 ms")
	if err != nil {
		t.Fatal(err)
	}
	known := func(v float64) metrics.Value { return metrics.Known(v, 1) }
	var ratio, share racestat.Verdict
	ratio.Ratio, ratio.Lo, ratio.Hi = 15, 10, 20
	share.State, share.B, share.Lo, share.Hi = racestat.Decided, 1, 1/.9, 1/.8
	_, interval := RaceRatio(&ratio)
	for where, text := range map[string]string{
		"a wait":      format.Range(10, 20, format.Ms),
		"known":       format.KnownRange(known(10), known(20), format.Ms),
		"a history":   HistoryHalf(history.TTFT, &history.Quantiles{P25: 10, P75: 20}),
		"a ratio":     format.TimesInterval(15, 10, 20),
		"a race":      interval,
		"a share":     RaceShare(&share),
		"a ramp":      Slice(&loadstat.Ramp{From: 10, To: 20}, false),
		"a watch":     WatchJudgment(&watchstat.Judgment{Condition: ms, Value: 15, Low: 10, High: 20, N: 9}),
		"a condition": Verdict95(&ms, condition.Met, 15, 10, 20),
		"a voice":     Voice(&slo.Voice{Sentence: known(5), Dry: [2]metrics.Value{known(10), known(20)}}),
		"tokens":      format.Span(10, 20, format.Whole),
	} {
		if !strings.Contains(strings.ReplaceAll(strings.ReplaceAll(text, "10.0", "10"), "20.0", "20"), "–20") || strings.Contains(text, "…") {
			t.Errorf("%s writes %q", where, text)
		}
	}
	if got := format.Span(20, 20, format.Ms) + ", " + format.PartOf(950, 1200, format.Ms) + ", " + format.PartOf(289, 290, format.Ms) + ", " + format.Range(-3, -1, format.Number); got != "20.0 ms, 950 ms of 1.20 s, 289 of 290 ms, -3.00 – -1.00" {
		t.Errorf("%q", got)
	}
}
