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

func TestHistoryFlows(t *testing.T) {
	flows(t, `
# 5 shows the screen, v goes to the next figure, a filter is typed and removed, a baseline is set.
== The History screen is driven by keys; enter opens a run's recording in Live.
on all
set:some-history 5 > at:history | 40 runs since | TTFT ─ groq
v > TPOT ─ groq
/ "lab" > TPOT   lab
enter > / lab | 20 of 40
esc > 40 runs since
v = enter > baseline groq usual | groq as its baseline
n > phases before and after
down up enter > is:opened 1

== enter shows the chosen run's recording, and not what Live itself measures.
on all
set:some-history 5 enter > at:a replay on Live
5 > at:history

== esc leaves a replay for the screen that it was opened on.
on all
set:some-history 5 down enter > at:a replay on Live
esc > at:history

# It asks nothing when it is not shown.
== Runs of another process appear within seconds, and the screen recovers from an error.
on all
5 > Nothing has been measured on this machine yet. | Every run of Live
set:6-runs wait:5s > 6 runs since
set:7-runs-unread wait:5s > input/output error
set:readable wait:5s > !input/output error | 7 runs since
1 > at:live
set:asked wait:20s > is:asked 0

== tab goes through all tabs in their order, and back to the first.
on all
tab > at:load
tab > at:race
tab > at:explain
tab > at:history
tab > at:live

== shift+tab goes the other way.
on all
shift+tab > at:history
shift+tab > at:explain
shift+tab > at:race
shift+tab > at:load
shift+tab > at:live

== No screen asks before it is shown, and none stops what runs.
on all
2 space > is:load true
tab tab > at:explain | is:dialog false | is:held true
tab > at:history | is:dialog false | is:load true | is:held true
`)
}

// playEvery is play with every screen and some hours of history.
func playEvery(t *testing.T, f func(*harness)) {
	t.Helper()
	playScreens(t, withTap("for you"), "all", 120, 40, Options{}, func(r *harness) {
		r.do("set:some-history")
		f(r)
	})
}
