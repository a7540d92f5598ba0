package say

import (
	"math"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	compared "tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/figure"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
	"tokscope/ui/format"
)

// historyNow is the moment of the sentences.
var historyNow = time.Date(2026, 11, 23, 14, 20, 37, 0, time.UTC)

// historyRow is a row with medians and an interval.
func historyRow(f history.Figure, state compared.State, a, b, low, high float64) compared.Row {
	explains := math.NaN()
	if figure.Of(f).Part != "" {
		explains = b - a
	}
	return compared.Row{Figure: f, State: state, A: a, B: b, NA: 240, NB: 70, Needs: 8, Ratio: b / a, Low: low,
		High: high, Explains: explains}
}

// TestHistorySentence checks what each state of a history is told as.
func TestHistorySentence(t *testing.T) {
	since := historyNow.Add(-6*time.Hour - 13*time.Minute)
	steady := []compared.Row{historyRow(history.TCP, compared.Noise, 11.8, 12, .96, 1.05),
		historyRow(history.TPOT, compared.Noise, 7.12, 7.15, .97, 1.03)}
	slow := historyRow(history.TTFT, compared.Higher, 268, 566, 1.9, 2.3)
	prefill := historyRow(history.Prefill, compared.Higher, 255, 551, 1.9, 2.3)
	half := historyRow(history.Prefill, compared.Higher, 255, 455, 1.9, 2.3)
	usual := [history.NumFigures]history.Quantiles{}
	usual[history.TTFT] = history.Quantiles{N: 240, P25: 251, P50: 268, P75: 290}
	usual[history.TPOT] = history.Quantiles{N: 240, P50: 7.12}
	with := func(ref HistoryReference, failures compared.Failures, rows ...compared.Row) HistoryFinding {
		return HistoryFinding{Label: "groq", Now: historyNow, Shown: 24 * time.Hour, Usual: usual, N: 241, Failed: 1,
			Lately: &watchstat.View{State: watchstat.Usual}, Reference: ref, Since: since, Result: &compared.Result{Rows: rows,
				Failures: failures}}
	}
	none := compared.Failures{State: compared.Noise, NA: 240, NB: 70}
	many := compared.Failures{State: compared.Higher, FailedA: 0, NA: 240, FailedB: 9, NB: 70}
	down := with(Unreferenced, none)
	down.N, down.Failed, down.Usual, down.Steady = 13, 13, [history.NumFigures]history.Quantiles{}, 1
	down.Lately = &watchstat.View{Recent: watchstat.Recent{N: 13, Failed: 13,
		Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, Status: 500, N: 13}}}}
	for want, f := range map[string]HistoryFinding{
		"groq: 13 of the last 13 requests failed: HTTP 500. 1 other as usual.": down,
		"groq: TTFT is 2.1x (1.9–2.3) its baseline since 08:07 UTC, all of it prefill. Connect and decode " +
			"unchanged.": with(AgainstBaseline, none, append([]compared.Row{slow, prefill}, steady...)...),
		"groq: TTFT is 2.1x (1.9–2.3) what it was before 08:07 UTC, most of it " +
			"prefill.": with(AgainstBefore, none, slow, half),
		"groq: TTFT is 2.1x (1.9–2.3) its baseline since 08:07 UTC; server reports no " +
			"timings.": with(AgainstBaseline, none, slow),
		"groq: TTFT is 2.1x (1.9–2.3) its baseline since 08:07 UTC, not in connecting; server reports no " +
			"timings.": with(AgainstBaseline, none, slow, historyRow(history.TLS, compared.Noise, 20, 21, .5, 2)),
		"groq: 9 of 70 failed, 0 of 240 before. TTFT is 2.1x (1.9–2.3) its baseline since 08:07 UTC, all of it " +
			"prefill.": with(AgainstBaseline, many,
			slow, prefill),
		"groq: since 08:07 UTC 9 of 70 failed, 0 of 240 before. Connect and decode " +
			"unchanged.": with(AgainstBaseline, many, steady...),
		"groq: TPOT is 1.30x (1.25–1.35) what it was before 08:07 UTC.": with(AgainstBefore,
			none, historyRow(history.TPOT, compared.Higher, 7, 9.1, 1.25, 1.35)),
		"groq as its baseline: TTFT 270 ms (unchanged within 9 %), TPOT 7.15 ms (unchanged within 3 " +
			"%).": with(AgainstBaseline, none, historyRow(history.TTFT, compared.Noise, 268, 270, .95, 1.09), steady[1]),
		"groq: too few requests to compare with its baseline: TTFT 270 " +
			"ms.": with(AgainstBaseline, none, historyRow(history.TTFT, compared.TooFew, 268, 270, 0, 9)),
		"groq: no request ended well since 08:07 " +
			"UTC.": with(AgainstBaseline, none),
		"groq as usual in 24 h: TTFT 268 ms (middle 50 % 251–290 ms), TPOT 7.12 ms, 1 of 241 failed.": with(Unreferenced,
			none),
		"lab in 10 min: TTFT 97.0 ms. 3 runs: 10 are needed to say what is usual.": few(),
		"lab: nothing measured in 10 min.": {Label: "lab",
			Now: historyNow, Shown: 10 * time.Minute},
	} {
		is(t, HistorySentence(&f).String(), want)
	}
	f := with(AgainstBaseline, none, append([]compared.Row{slow, prefill}, steady...)...)
	f.Changed, f.Steady = 1, 2
	all := HistorySentence(&f).String()
	testkit.That(t, strings.HasSuffix(all, " 1 other changed, 2 as usual."), "%q", all)
	for w := 20; w < 300; w += 7 {
		for rows := 1; rows < 5; rows++ {
			text := HistorySentence(&f).FitRows(w, rows)
			if n := len(format.Wrap(text, w)); !strings.HasPrefix(all, text) && !strings.HasSuffix(text, ".") || n > rows &&
				strings.Contains(text, "unchanged") {
				t.Fatalf("%d rows of %d columns: %q", rows, w, text)
			}
		}
	}
}

// TestOneCauseOfAChange checks that the sentences of a history and of a comparison
// give a change of TTFT to the same part of the wait, and only to one that differs
// itself and explains most of the change, and not more than the change.
func TestOneCauseOfAChange(t *testing.T) {
	for _, f := range []history.Figure{history.Prefill, history.Queue, history.TLS} {
		for _, c := range []struct {
			state compared.State
			share float64
			want  string
		}{
			{compared.Higher, 3, ""}, {compared.Higher, 1.11, ""}, {compared.Higher, 1.1, ", all of it "},
			{compared.Higher, .9, ", all of it "},
			{compared.Higher, .89, ", most of it "}, {compared.Higher, .6, ", most of it "}, {compared.Higher, .59, ""},
			{compared.Lower, -1, ""},
			{compared.Noise, 1, ""}, {compared.Noise, .7, ""}, {compared.TooFew, 1, ""}, {compared.Single, 1, ""},
		} {
			part := historyRow(f, c.state, 100, 100+c.share*300, 1.9, 2.3)
			result := compared.Result{Rows: []compared.Row{historyRow(history.TTFT, compared.Higher, 300, 600, 1.9, 2.1), part}}
			found := HistoryFinding{Label: "groq", Now: historyNow, Since: historyNow, Reference: AgainstBaseline,
				Result: &result}
			compare := compared.Comparison{Pairs: []compared.Pair{{Result: result}}}
			want := c.want
			if want != "" {
				want += HistoryPhase(f)
			}
			for _, text := range []string{HistorySentence(&found).String(), CompareSentence(&compare)} {
				if says := strings.Contains(text, "of it"); says != (want != "") || !strings.Contains(text, want) {
					t.Errorf("%s %v, %g of the change: %q, want %q in it", f.Label(), c.state, c.share, text, want)
				}
			}
		}
	}
}

// few is a series that was measured three times.
func few() HistoryFinding {
	f := HistoryFinding{Label: "lab", Now: historyNow, Shown: 10 * time.Minute, N: 3}
	f.Usual[history.TTFT] = history.Quantiles{N: 3, P25: 96, P50: 97, P75: 99}
	return f
}

// TestWideIntervalIsNotUnchanged checks that a figure of which little is known is
// neither called unchanged nor changed.
func TestWideIntervalIsNotUnchanged(t *testing.T) {
	f := HistoryFinding{Label: "groq", Now: historyNow, Since: historyNow, Reference: AgainstBaseline,
		Result: &compared.Result{Rows: []compared.Row{
			historyRow(history.TTFT, compared.Higher, 100, 200, 1.9, 2.1), historyRow(history.TPOT, compared.Noise, 7, 7.5, .6,
				1.9)}}}
	if text := HistorySentence(&f).String(); strings.Contains(text, "unchanged") || strings.Contains(text, "TPOT") {
		t.Errorf("%q", text)
	}
	is(t, HistoryChange(&f.Result.Rows[1]), "cannot tell  0.60–1.90")
}

// TestHistoryRatio checks the digits of a ratio: those that its interval deserves.
func TestHistoryRatio(t *testing.T) {
	for want, v := range map[string][3]float64{
		"2.1x (1.9–2.3)": {2.11, 1.9, 2.31}, "1.04x (1.03–1.05)": {1.041, 1.03, 1.052}, "0.48x (0.41–0.55)": {.48, .41, .55},
		"12x (9–16)": {12.2, 9.1, 15.6}, "2.27x (2.23–2.31)": {2.27, 2.23, 2.31},
	} {
		is(t, format.TimesRange(v[0], v[1], v[2]), want)
	}
}

// TestHistoryMoment checks how far a moment is written.
func TestHistoryMoment(t *testing.T) {
	zone := time.FixedZone("here", -8*3600)
	for want, at := range map[string]time.Time{
		"08:07": time.Date(2026, 11, 23, 0, 7, 0, 0, zone), "15 Nov 08:07": time.Date(2026, 11, 15, 8, 7, 0, 0, time.UTC),
		"1 Nov 2025": time.Date(2025, 11, 1, 8, 7, 0, 0, time.UTC),
	} {
		is(t, HistoryMoment(at, historyNow), want)
	}
	for want, d := range map[string]time.Duration{"all": 0, "10 min": 10 * time.Minute, "24 h": 24 * time.Hour,
		"7 d": 7 * 24 * time.Hour} {
		is(t, HistorySpan(&HistoryFinding{Shown: d}), want)
	}
	f := HistoryFinding{Label: "groq", Now: historyNow, Shown: time.Hour, From: historyNow.Add(-5 * time.Minute)}
	is(t, HistorySentence(&f).String(), "groq: nothing measured since "+f.From.Format(time.TimeOnly)+" UTC.")
	f.To = historyNow.Add(-2 * time.Minute)
	is(t, HistorySpan(&f), "from "+f.From.Format(time.TimeOnly)+" to "+f.To.Format(time.TimeOnly))
}

// TestNoRatioToZero: where a value is 0 a difference in ms stands in place of a ratio,
// in the table, in a sentence, in the history, and of a condition the way out.
func TestNoRatioToZero(t *testing.T) {
	queues := func(zeros, ones int) (out []history.Entry) {
		for i := range zeros + ones {
			e := history.Entry{State: metrics.Done, N: 1}
			e.Figures[history.Queue] = metrics.Known(float64(min(i/max(zeros, 1), 1)), 1)
			out = append(out, e)
		}
		return out
	}
	sample := func(zeros, ones int) *compared.Sample {
		g := compared.Group{Setup: compared.Setup{Users: 1}}
		for _, e := range queues(zeros, ones) {
			g.Add(&e)
		}
		return &compared.Sample{Groups: []compared.Group{g}}
	}
	c := compared.Compare(sample(10, 0), sample(5, 5), nil)
	k := testkit.Must(condition.Parse("queue > 1.2x"))(t)
	c.Judge(k, false)
	row := c.Pairs[0].Row(history.Queue)
	ratio, interval := CompareRatio(row)
	for _, text := range []string{ratio + " (" + interval + ")", CompareRow(row), HistoryChange(row)} {
		if strings.Contains(text, "x") || !strings.Contains(text, "500 µs") || !strings.Contains(text, "0–1.00 ms") {
			t.Errorf("%q", text)
		}
	}
	if text := CompareCondition(&c.Verdicts[0]); !strings.Contains(text, "no ratio to 0 ms") ||
		strings.Contains(text, "too few") {
		t.Errorf("%q", text)
	}
	c = compared.Compare(sample(32, 8), sample(40, 0), nil)
	is(t, CompareRow(c.Pairs[0].Row(history.Queue)), "queue of B is more often below that of A (0–0 ms)")
	c = compared.Compare(sample(10, 0), sample(10, 0), nil)
	is(t, CompareRow(c.Pairs[0].Row(history.Queue)), "queue unchanged within 0 ms")
}
