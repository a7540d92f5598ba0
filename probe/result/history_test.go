package result

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
)

// sampleHistory is an answer with everything that a document can hold.
func sampleHistory() *history.View {
	at := time.Date(2026, 11, 20, 8, 0, 0, 123456789, time.UTC)
	e := history.Entry{
		ID: strings.Repeat("0a", 16), At: at, Kind: history.Probe, Group: "g", State: metrics.Failed, Fault: metrics.FaultRateLimit, Status: 429,
		Answered: "m\x1b[31m", Stalls: 1, N: 1, Failed: 1, Suspect: true, Session: "/s.ndjson", Request: 3, Version: "v1",
		Series: history.Series{Machine: "here", Endpoint: "e", URL: "https://e.example/v1", Model: "m", Workload: "custom", Prompt: "00ff", InputTokens: 9, MaxTokens: 8, Cold: true, Proto: "HTTP/1.1", Proxy: "p:1", Users: 4, Rate: 1.5},
		Prompt: metrics.Known(31, 1), Output: metrics.Unknown(metrics.WhyNoServerTokens),
	}
	for f := range e.Figures {
		e.Figures[f] = metrics.Known(float64(f)+0.25, 1)
	}
	e.Figures[history.TLS] = metrics.Unknown(metrics.Needs(20))
	q := history.Quantiles{N: 3, Min: 1, P10: 2, P25: 3, P50: 4, P75: 5, P90: 6, Max: 7}
	slot := history.Slot{From: at.Truncate(time.Minute), Width: time.Minute, N: 4, Failed: 1}
	slot.Figures[history.TTFT] = q
	base := history.Baseline{Name: "usual", Series: e.Series, From: at, To: at.Add(time.Hour), Set: at, N: 9}
	base.Figures[history.TPOT] = q
	return &history.View{
		Entries: []history.Entry{e}, Matching: 1, All: 2, Since: at, Damaged: 1, LeftOut: 2, Newer: 3,
		Series: []history.SeriesView{{Series: e.Series, First: at, Last: at, N: 4, Failed: 1, Slots: []history.Slot{slot}, Baseline: &base, Changes: []history.Change{
			{Figure: history.Prefill, At: at, Before: 1, After: 2, Ratio: 2, Low: 1.9, High: 2.3, NBefore: 10, NAfter: 12},
		}}},
	}
}

// TestHistoryDocument holds that entries, baselines and changes come back, and that no
// control character is written.
func TestHistoryDocument(t *testing.T) {
	v := sampleHistory()
	doc := HistoryOf("v1", "endpoint:e", v)
	var out bytes.Buffer
	testkit.OK(t, Sentences(nil).WriteDocument(&out, doc))
	line := testkit.Must(AppendHistoryLine(nil, &v.Entries[0]))(t)
	if bytes.Contains(append(out.Bytes(), line...), []byte("\x1b")) {
		t.Error("a control character is written")
	}
	var back HistoryDocument
	testkit.OK(t, Unmarshal(out.Bytes(), &back))
	e, err := back.Entries[0].Of()
	if d := cmp.Diff(v.Entries[0], e); d != "" || err != nil {
		t.Errorf("the entry comes back as another one: %v %s", err, d)
	}
	back.View.Entries, v.Entries = nil, nil
	if d := cmp.Diff(v, back.View); d != "" {
		t.Errorf("the view comes back as another one: %s", d)
	}
}
