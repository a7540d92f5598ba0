package ui

import (
	"fmt"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
)

// measured makes n requests of groq and lab in turn, a minute apart until now, the
// history, with a change of groq's TTFT ten minutes ago.
func (r *harness) measured(n int) {
	var series [2]history.Series
	for i, name := range []string{"groq", "lab"} {
		series[i] = history.Series{Machine: "lab-1", Endpoint: name, URL: "https://" + name + ".example.com/v1",
			Model: "llama-3.3-70b", Workload: "chat", Proto: "HTTP/1.1", Users: 1}
	}
	now, entries := time.Now().UTC(), make([]history.Entry, n)
	for i := range entries {
		e := &entries[i]
		*e = history.Entry{ID: fmt.Sprintf("%032d", i), At: now.Add(time.Duration(i-n) * time.Minute), Kind: history.Watch,
			Series: series[i%2], State: metrics.Done, N: 1, Session: "/state/tokscope/session.ndjson", Request: 1}
		for f := range e.Figures {
			e.Figures[f] = metrics.Unknown(metrics.WhyNotBegun)
		}
		e.Figures[history.TTFT], e.Figures[history.TPOT] = metrics.Known(260, 1), metrics.Known(7, 1)
	}
	r.b.SetHistory(r, entries, map[history.Series][]history.Change{series[0]: {{Figure: history.TTFT,
		At: now.Add(-10 * time.Minute), Before: 130, After: 260, Ratio: 2, Low: 1.9, High: 2.1, NBefore: 9, NAfter: 9}}})
}

// playEvery is play with every screen and some hours of history.
func playEvery(t *testing.T, f func(*harness)) {
	t.Helper()
	playScreens(t, withTap("for you"), "all", 120, 40, Options{}, func(r *harness) {
		r.do("set:some-history")
		f(r)
	})
}
