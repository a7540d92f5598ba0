package report

import (
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
	"tokscope/metrics/watchstat"
	"tokscope/ui/uitest/golden"
)

// watched is a watch after so many probes of a target whose prefill takes twice as long
// from the 31st to the 45th, and of one that always fails. Each line is below the last.
func watched(probes int) (b watchstat.Board, lines string) {
	began := time.Date(2026, 11, 2, 14, 0, 0, 0, time.UTC)
	work := metrics.Workload{Name: "chat", InputTokens: 1000, MaxTokens: 48}
	b = watchstat.Board{Began: began, Every: time.Minute, Bounds: watchstat.Bounds{Tokens: 250_000},
		Ended: watchstat.EndTime,
		Targets: []watchstat.Target{{Label: "groq", Work: work,
			Endpoint: metrics.Endpoint{Model: "m", API: "messages", Settings: "api=messages"}},
			{Label: "down\x1b[2J", Here: true, Work: work}}}
	plan := watchstat.Plan{Every: time.Minute, Targets: 2}
	watches := []*watchstat.Watch{watchstat.New(plan), watchstat.New(plan)}
	for i := range b.Targets {
		b.Targets[i].View = watches[i].View()
	}
	lines = WatchHead(&b)
	for i := range probes {
		at := began.Add(time.Duration(i) * time.Minute)
		for k, e := range []history.Entry{example.Probe(began, i), {At: at, N: 1, Failed: 1}} {
			event := watches[k].Add(e)
			b.Targets[k].View = watches[k].View()
			if e.Failed > 0 {
				b.Targets[k].Fault = &metrics.Fault{Kind: metrics.FaultConnect, Message: "refused\x1b[2J", Next: "wait"}
				b.Targets[k].Request = "req_7\x1b"
			}
			if event != watchstat.NoEvent || i == 0 {
				lines += WatchLine(&watchstat.Update{Board: b, Target: k, Probe: true, Event: event})
			}
		}
	}
	b.Targets[1].Skip = watchstat.Skip{Code: watchstat.SkipBackOff, Until: began.Add(time.Hour)}
	return b, lines + WatchLine(&watchstat.Update{Board: b, Target: 1})
}

// TestWatch shows a watch: its head, the first lines and those of events, and its result,
// for a program too.
func TestWatch(t *testing.T) {
	board, lines := watched(60)
	changed, _ := watched(50)
	now := board.Began.Add(time.Hour)
	changed.Targets[0].View.Last.Unended = metrics.SuspectLeftOpen
	lines += WatchLine(&watchstat.Update{Board: changed, Probe: true})
	var junit strings.Builder
	testkit.OK(t, WatchJUnit(&junit, &changed, now))
	golden.Text(t, "watch-lines", lines+"# JUnit\n"+junit.String())
	testkit.Lacks(t, lines+junit.String(), "\x1b")
	show(t, "watch", scene{"changed, and another that fails", WatchResult(&changed, now)},
		scene{"normal again", WatchResult(&board, now)})
}
