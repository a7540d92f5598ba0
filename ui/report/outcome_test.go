package report

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/request"
	"tokscope/ui/say"
)

// TestOneWordForAnOutcome checks that a request that a person stopped is called the
// same in every list and report.
func TestOneWordForAnOutcome(t *testing.T) {
	const want = "stopped"
	fault := &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"}
	s := metrics.Stream{State: metrics.Cancelled, Fault: fault}
	e := history.Entry{State: s.State, Fault: fault.Kind}
	var counts Doc
	ends(&counts, nil, &metrics.Summary{Requests: 1, Cancelled: 1}, "")
	for where, text := range map[string]string{
		"a report": ending(&s), "the session's runs": summaryRow(metrics.Run{Stream: s})[6], "a history": historyEnded(&e),
		"History": say.HistoryEnded(&e), "the list of requests": say.RequestEnded(&request.Row{State: s.State, Fault: fault.Kind}),
		"Live": say.Outcome(s.State), "a probe": counts.Text(0),
	} {
		if !strings.Contains(text, want) || strings.Contains(text, "cancel") {
			t.Errorf("%s says %q, want %q", where, text, want)
		}
	}
}
