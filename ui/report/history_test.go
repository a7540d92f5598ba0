package report

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/ui/uitest/golden"
)

// TestHistoryCSV shows the rows of a history, with a name from outside, which no
// spreadsheet runs; a slot without a figure has none.
func TestHistoryCSV(t *testing.T) {
	v := example.History()
	v.Series[0].Slots = v.Series[0].Slots[5:9]
	v.Series[1].Series.API = "messages"
	v.Series[1].Slots[0].Figures[history.TTFT] = history.QuantilesOf([]float64{1})
	var b strings.Builder
	left, err := HistoryCSV(&b, v)
	testkit.That(t, err == nil && left == 1, "%d slots without a row: %v", left, err)
	golden.Text(t, "history-csv", b.String())
}

// TestHistory shows what a history says, with a name from outside.
func TestHistory(t *testing.T) {
	const filter, path = "since:7d", "/state/history/history.ndjson"
	v, stopped := example.History(), example.History()
	v.Entries[0].Unended = metrics.SuspectCutOff
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
