package report

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/ui/uitest/golden"
)

// historyView is two series: one that became slower, with a baseline, and one that
// failed.
func historyView() *history.View {
	at := time.Date(2026, 11, 20, 8, 0, 0, 0, time.UTC)
	groq := history.Series{Machine: "here", Endpoint: "groq", URL: "https://api.groq.com/openai/v1", Model: "llama-3.3-70b", Workload: "chat", MaxTokens: 200, Proto: "HTTP/1.1", Users: 1}
	down := history.Series{Machine: "there", Endpoint: "=down\x1b[31m", Model: "m", Workload: "custom", Prompt: "0123456789abcdef", Proto: "HTTP/2.0", Proxy: "proxy:3128", Users: 4, Cold: true}
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
	s.Figures[history.TTFT] = history.Quantiles{N: 195, Min: 250, P10: 262, P25: 268, P50: 276, P75: 301, P90: 571, Max: 600}
	s.Figures[history.TPOT] = history.Quantiles{N: 195, Min: 7, P10: 7, P25: 7.1, P50: 7.12, P75: 7.2, P90: 7.2, Max: 8}
	s.Figures[history.Total] = history.Quantiles{N: 3, Min: 1000, P10: 1000, P25: 1100, P50: 1710, P75: 1800, P90: 1900, Max: 2000}
	s.Changes = []history.Change{
		{Figure: history.TTFT, At: at.Add(9 * time.Hour), Ratio: 0.9, Low: 0.85, High: 0.95},
		{Figure: history.TTFT, At: at.Add(30 * time.Hour), Before: 271, After: 569, Ratio: 2.1, Low: 1.9, High: 2.3},
	}
	base := history.Baseline{Name: "usual", Series: groq, From: at, To: at.Add(24 * time.Hour), Set: at, N: 120}
	base.Figures[history.TTFT] = history.Quantiles{N: 120, P50: 270}
	s.Baseline = &base
	v.Series = []history.SeriesView{s, {Series: down, First: at, Last: at, N: 1, Failed: 1, Slots: []history.Slot{{From: at, Width: time.Minute, N: 1, Failed: 1}}}}
	ended := history.Entry{At: at.Add(40 * time.Hour), Kind: history.Run, Series: groq, State: metrics.Done, N: 1}
	for f := range ended.Figures {
		ended.Figures[f] = metrics.Known(7.12, 1)
	}
	failed := history.Entry{At: at, Kind: history.Probe, Series: down, State: metrics.Failed, Fault: metrics.FaultRateLimit, Status: 429, N: 1, Failed: 1, Suspect: true}
	point := history.Entry{At: at, Kind: history.Point, Series: groq, State: metrics.Done, N: 12, Failed: 3}
	v.Entries = []history.Entry{ended, failed, point}
	return v
}

// TestHistoryCSV shows the rows of a history, with a name from outside, which no
// spreadsheet runs; a slot without a figure has none.
func TestHistoryCSV(t *testing.T) {
	v := historyView()
	v.Series[0].Slots = v.Series[0].Slots[5:9]
	v.Series[1].Slots[0].Figures[history.TTFT] = history.QuantilesOf([]float64{1})
	var b strings.Builder
	left, err := HistoryCSV(&b, v)
	if err != nil || left != 1 {
		t.Errorf("%d slots without a row: %v", left, err)
	}
	golden.Text(t, "history-csv", b.String())
}

// TestHistory shows what a history says, with a name from outside.
func TestHistory(t *testing.T) {
	const filter, path = "since:7d", "/state/history/history.ndjson"
	v, stopped := historyView(), historyView()
	s := &stopped.Series[0]
	*s, stopped.Series = history.SeriesView{Series: s.Series, First: s.First, Last: s.Last}, stopped.Series[:1]
	show(t, "history",
		scene{"two series", History(v, nil, filter, path)},
		scene{"a person stopped all runs", History(stopped, nil, filter, path)},
		scene{"nothing matches", History(&history.View{All: 3}, nil, filter, path)},
		scene{"empty", History(&history.View{}, nil, filter, path)},
		scene{"baselines", HistoryBaselines([]history.Baseline{*v.Series[0].Baseline})},
		scene{"no baseline", HistoryBaselines(nil)})
}

// TestNamesDifferInTheList: names that differ only at their ends are told apart.
func TestNamesDifferInTheList(t *testing.T) {
	var v history.View
	for _, port := range []string{"18401", "18402"} {
		v.Entries = append(v.Entries, history.Entry{Series: history.Series{Endpoint: "gpu-7.example.internal:" + port,
			Model: "meta-llama/Llama-3.3-70B-Instruct-v" + port, Workload: "a long question " + port}})
	}
	for i, row := range entryTable(v.Entries).Rows {
		for _, cell := range row[2:5] {
			if port := []string{"401", "402"}[i]; !strings.HasSuffix(cell, port) {
				t.Errorf("%q does not end in %s", cell, port)
			}
		}
	}
}
