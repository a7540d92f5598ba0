package say

import (
	"math"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/testkit"
	"tokscope/metrics/watchstat"
)

// TestWatchSentence: since when, how much, which phase, what else, what not.
func TestWatchSentence(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)
	known := func(v float64) metrics.Value { return metrics.Known(v, 20) }
	rows := func(edit func(r *[watchstat.Figures]watchstat.Row)) (out [watchstat.Figures]watchstat.Row) {
		for f := range out {
			out[f] = watchstat.Row{Figure: watchstat.Figure(f), Base: known(100), Now: known(101), Ratio: 1.01, Low: 0.95,
				High: 1.05}
		}
		out[watchstat.Failures] = watchstat.Row{Figure: watchstat.Failures, Base: known(0), Now: known(0)}
		edit(&out)
		return out
	}
	rise := func(r *watchstat.Row) { r.Changed, r.Now, r.Ratio, r.Low, r.High = true, known(210), 2.1, 1.9, 2.3 }
	for _, c := range []struct {
		name   string
		state  watchstat.State
		change watchstat.Change
		want   string
	}{
		{"all of it one phase", watchstat.Changed, watchstat.Change{Head: watchstat.TTFT, Cause: watchstat.CausePrefill,
			Excess: 110, Explained: 108, Rows: rows(func(r *[watchstat.Figures]watchstat.Row) { rise(&r[watchstat.TTFT]) })},
			"TTFT 2.1x the baseline since 14:02 UTC, all of it prefill; connect and TPOT unchanged"},
		{"a part of it", watchstat.Changed, watchstat.Change{Head: watchstat.TTFT, Cause: watchstat.CauseQueue, Excess: 110,
			Explained: 80, Rows: rows(func(r *[watchstat.Figures]watchstat.Row) { rise(&r[watchstat.TTFT]); rise(&r[watchstat.TPOT]) })},
			"TTFT 2.1x the baseline since 14:02 UTC, 80.0 ms of 110 ms of it queue; TPOT 2.1x the baseline; connect unchanged"},
		{"no phases known", watchstat.Changed, watchstat.Change{Head: watchstat.TTFT, Cause: watchstat.CauseWait,
			Excess: 110, Explained: 110, Rows: rows(func(r *[watchstat.Figures]watchstat.Row) {
				rise(&r[watchstat.TTFT])
				r[watchstat.Connect].Now = metrics.Unknown(metrics.WhyReused)
			})}, "TTFT 2.1x the baseline since 14:02 UTC, phase unknown: server reports no timings; TPOT unchanged"},
		{"decode", watchstat.Changed, watchstat.Change{Head: watchstat.TPOT, Cause: watchstat.CauseDecode,
			Rows: rows(func(r *[watchstat.Figures]watchstat.Row) { rise(&r[watchstat.TPOT]) })},
			"TPOT 2.1x the baseline since 14:02 UTC; connect and TTFT unchanged"},
		{"just found", watchstat.Changed, watchstat.Change{Head: watchstat.TPOT, Cause: watchstat.CauseDecode,
			Rows: rows(func(r *[watchstat.Figures]watchstat.Row) {
				rise(&r[watchstat.TPOT])
				r[watchstat.TPOT].Low, r[watchstat.TPOT].High = 0, 0
			})}, "TPOT about 2.1x the baseline since 14:02 UTC; connect and TTFT unchanged"},
		{"failures", watchstat.Changed, watchstat.Change{Head: watchstat.Failures, Cause: watchstat.CauseFailures,
			Rows: rows(func(r *[watchstat.Figures]watchstat.Row) {
				r[watchstat.Failures].Changed, r[watchstat.Failures].Now = true, known(0.25)
			})}, "25 % of 20 probes failed (baseline 0 %) since 14:02 UTC; connect, TTFT and TPOT unchanged"},
		{"from nothing", watchstat.Changed, watchstat.Change{Head: watchstat.Stall, Cause: watchstat.CauseStalls,
			Rows: rows(func(r *[watchstat.Figures]watchstat.Row) {
				r[watchstat.Stall] = watchstat.Row{Figure: watchstat.Stall, Changed: true, Base: known(0), Now: known(310)}
			})}, "longest gap 310 ms (baseline 0 ms) since 14:02 UTC; connect, TTFT and TPOT unchanged"},
		{"every day", watchstat.Daily, watchstat.Change{Head: watchstat.TTFT, Days: watchstat.Days{N: 6, Like: 5},
			Rows: rows(func(r *[watchstat.Figures]watchstat.Row) { rise(&r[watchstat.TTFT]) })},
			"TTFT 2.1x the baseline since 14:02 UTC, as on 5 of 6 days at this time"},
	} {
		c.change.Since = at
		got := WatchSentence(&watchstat.Target{View: watchstat.View{State: c.state, Change: &c.change}}, at.Add(time.Hour))
		testkit.Is(t, got, c.want, c.name)
	}
	is(t, WatchSentence(&watchstat.Target{View: watchstat.View{Good: 3, Needs: 20}}, at),
		"learning what is usual: 3 of 20 good probes")
	for d, want := range map[time.Duration]string{
		0: "", 30 * time.Minute: "expect at most 1 false alarm in 1 hour",
		47 * time.Hour:  "expect at most 1 false alarm in 47 hours",
		100 * time.Hour: "expect at most 1 false alarm in 4 days",
	} {
		is(t, WatchFalseAlarms(&watchstat.View{Between: d, Series: 8}), want)
	}
}

// TestWatchIsNotAsUsual: what is not certain, not usual or failing has a sentence of its
// own, failures first, also while the baseline is learned.
func TestWatchIsNotAsUsual(t *testing.T) {
	at := time.Date(2026, 11, 20, 14, 2, 0, 0, time.UTC)
	known := func(v float64) metrics.Value { return metrics.Known(v, 15) }
	slow := watchstat.Change{Head: watchstat.TTFT, Cause: watchstat.CauseTotal, Probes: 15}
	slow.Rows[watchstat.TTFT] = watchstat.Row{Figure: watchstat.TTFT, Base: known(261), Now: known(914), Ratio: 3.5,
		Suspected: true, Watched: true}
	failed := watchstat.Recent{N: 25, Failed: 10, Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, Status: 500,
		N: 8}, {Kind: metrics.FaultTimeout, N: 2}}}
	one := watchstat.Recent{N: 25, Failed: 1, Faults: []metrics.FaultCount{{Kind: metrics.FaultHTTP, Status: 500, N: 1}}}
	levels := watchstat.View{State: watchstat.Usual}
	levels.Rows[watchstat.TTFT] = watchstat.Row{Figure: watchstat.TTFT,
		Spread: watchstat.Spread{Code: watchstat.TwoLevels, Low: 261, High: 1700, Share: 1. / 3}}
	wide := levels
	wide.Rows[watchstat.TTFT].Spread = watchstat.Spread{Code: watchstat.Wide, Low: 200, High: 800}
	for want, v := range map[string]watchstat.View{
		"TTFT 914 ms, 3.5x usual in the last 15 probes; not certain " +
			"yet": {State: watchstat.Suspected, Suspicion: &slow},
		"1 of the last 25 probes failed: HTTP 500; TTFT 914 ms, 3.5x usual in the last 15 probes; not certain " +
			"yet": {State: watchstat.Suspected, Suspicion: &slow, Recent: one},
		"1 of the last 25 probes failed: HTTP 500; else as " +
			"usual": {State: watchstat.Usual, Recent: one},
		"10 of the last 25 probes failed: 8× HTTP 500, 2× timed out; learning what is usual: 15 of 20 good " +
			"probes": {Good: 15, Needs: 20, Recent: failed},
		"10 of the last 25 probes failed: 8× HTTP 500, 2× timed out; learning what is usual: 15 of 20 good probes; " +
			"--baseline 24h takes it from the history": {Good: 15, Needs: 20, Recent: failed, Stored: 240},
		"as usual; usual TTFT has two levels: 261 ms, and 1.70 s in 33 " +
			"%": levels,
		"as usual; usual TTFT is wide: 80 % within 200–800 " +
			"ms": wide,
	} {
		is(t, WatchSentence(&watchstat.Target{View: v}, at), want)
	}
	is(t, WatchChange(&slow.Rows[watchstat.TTFT]), "about 3.5x, not certain yet")
	b := watchstat.Board{Targets: []watchstat.Target{{Label: "a", View: watchstat.View{State: watchstat.Usual}},
		{Label: "b", View: watchstat.View{State: watchstat.Suspected, Suspicion: &slow}}}}
	is(t, WatchSummary(&b, at), "b: TTFT 914 ms, 3.5x usual in the last 15 probes; not certain yet")
}

// TestWatchJudgment: an end that is not bounded is no number.
func TestWatchJudgment(t *testing.T) {
	c := testkit.Must(condition.Parse("ttft.p50 > 1.2x baseline"))(t)
	is(t, WatchJudgment(&watchstat.Judgment{Condition: c, Outcome: condition.Open, Value: 1.9, Low: 1.1,
		High: math.Inf(1), N: 9}), "ttft.p50 > 1.2x baseline: open, 1.9x (at least 1.10) of 9 probes")
	is(t, WatchJudgment(&watchstat.Judgment{Condition: c, Value: math.NaN()}), "ttft.p50 > 1.2x baseline: unknown")
}

// TestWatchPauses: every pause says until when, and the end of one that it is over.
func TestWatchPauses(t *testing.T) {
	b := watchstat.Board{Bounds: watchstat.Bounds{Tokens: 250_000, Money: 1}, Currency: "USD"}
	until := time.Date(2026, 11, 21, 0, 0, 0, 0, time.UTC)
	for code, want := range map[watchstat.SkipCode]string{
		watchstat.SkipBusy:    "3 slots skipped: the probe was still running; the next probe is at 00:00:00 UTC",
		watchstat.SkipBackOff: "failing: probes come less often; the next probe is at 00:00:00 UTC",
		watchstat.SkipRetry:   "the server asks for a pause; the next probe is at 00:00:00 UTC",
		watchstat.SkipTokens:  "the bound of 250,000 tokens a day is reached; the next probe is at 00:00:00 UTC",
		watchstat.SkipMoney:   "the bound of 1.00 USD a day is reached; the next probe is at 00:00:00 UTC",
		watchstat.NotSkipped:  "probes go on, after 3 slots without one",
	} {
		is(t, WatchPause(&watchstat.Target{Skip: watchstat.Skip{Code: code, Slots: 3, Until: until}}, &b), want)
	}
}
