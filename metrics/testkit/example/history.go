package example

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// Probe is probe i of a watch, from 0, a minute after the one before: prefill takes twice
// as long from the 31st to the 45th.
func Probe(began time.Time, i int) history.Entry {
	x := 1.0
	if i >= 30 && i < 45 {
		x = 2
	}
	known := func(ms float64) metrics.Value { return metrics.Known(ms+float64(i%5), 1) }
	e := history.Entry{At: began.Add(time.Duration(i) * time.Minute), N: 1}
	e.Figures[history.TCP], e.Figures[history.Prefill] = known(12), known(250*x)
	e.Figures[history.TTFT], e.Figures[history.TPOT] = known(20+250*x), known(7)
	return e
}

// History is two series: one that became slower, with a baseline, and one that
// failed.
func History() *history.View {
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	groq := history.Series{Machine: "here", Endpoint: "groq", URL: "https://api.groq.com/openai/v1",
		Model: "llama-3.3-70b", Workload: "chat", MaxTokens: 200, Proto: "HTTP/1.1", Users: 1}
	down := history.Series{Machine: "there", Endpoint: "=down\x1b[31m", Model: "m", Workload: "custom",
		Prompt: "0123456789abcdef", Proto: "HTTP/2.0", Proxy: "proxy:3128", Users: 4, Cold: true}
	v := &history.View{Matching: 41, All: 1204, Since: at, Damaged: 1, LeftOut: 12}
	s := history.SeriesView{Series: groq, First: at, Last: at.Add(40 * time.Hour), N: 40, Failed: 2}
	for i := range 40 {
		ttft := 268 + float64(i%3)*4
		if i >= 30 {
			ttft *= 2.1
		}
		slot := history.Slot{From: at.Add(time.Duration(i) * time.Hour), Width: time.Hour, N: 5}
		slot.Figures[history.TTFT] = history.QuantilesOf([]float64{ttft, ttft + 1, ttft + 20})
		slot.Figures[history.TPOT] = history.QuantilesOf([]float64{7.1, 7.2})
		s.Slots = append(s.Slots, slot)
	}
	s.Slots[7].Figures, s.Slots[7].Failed = [history.NumFigures]history.Quantiles{}, 5
	s.Figures[history.TTFT] = history.Quantiles{N: 195, Min: 250, P10: 262, P25: 268, P50: 276, P75: 301,
		P90: 571, Max: 600}
	s.Figures[history.TPOT] = history.Quantiles{N: 195, Min: 7, P10: 7, P25: 7.1, P50: 7.12, P75: 7.2, P90: 7.2, Max: 8}
	s.Figures[history.Total] = history.Quantiles{N: 3, Min: 1000, P10: 1000, P25: 1100, P50: 1710, P75: 1800,
		P90: 1900, Max: 2000}
	s.Changes = []history.Change{
		{Figure: history.TTFT, At: at.Add(9 * time.Hour), Ratio: 0.9, Low: 0.85, High: 0.95},
		{Figure: history.TTFT, At: at.Add(30 * time.Hour), Before: 271, After: 569, Ratio: 2.1, Low: 1.9, High: 2.3},
	}
	base := history.Baseline{Name: "usual", Series: groq, From: at, To: at.Add(24 * time.Hour), Set: at, N: 120}
	base.Figures[history.TTFT] = history.Quantiles{N: 120, P50: 270}
	s.Baseline = &base
	v.Series = []history.SeriesView{s, {Series: down, First: at, Last: at, N: 1, Failed: 1,
		Slots: []history.Slot{{From: at, Width: time.Minute, N: 1, Failed: 1}}}}
	ended := history.Entry{At: at.Add(40 * time.Hour), Kind: history.Run, Series: groq, State: metrics.Done, N: 1}
	for f := range ended.Figures {
		ended.Figures[f] = metrics.Known(7.12, 1)
	}
	failed := history.Entry{At: at, Kind: history.Probe, Series: down, State: metrics.Failed,
		Fault: metrics.FaultRateLimit, Status: 429, N: 1, Failed: 1, Suspect: true}
	point := history.Entry{At: at, Kind: history.Point, Series: groq, State: metrics.Done, N: 12, Failed: 3}
	v.Entries = []history.Entry{ended, failed, point}
	return v
}
