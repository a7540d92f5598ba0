package report

import (
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/ui/uitest"
)

// changed is a session that has ended, with its last turn changed.
func changed(change func(t *turn.Turn, s *metrics.Stream)) *uitest.Tap {
	f := uitest.NewTap("ended")
	v := f.View()
	last := v.Turns[len(v.Turns)-1]
	run := *last.Run
	change(&last, &run.Stream)
	last.Run = &run
	f.Add(last)
	return f
}

// TestTap shows the summary of a session with subagents, a failure, a lost cache, another tier
// than asked for, a limit and prices; of one over a WebSocket too; and of one without a turn.
func TestTap(t *testing.T) {
	f := changed(func(_ *turn.Turn, s *metrics.Stream) {
		s.Model, s.Served.Tier, s.Usage.CacheWritten = "claude-haiku-4.5", "default\x1b[2J", 900
		s.RateLimit = &metrics.RateLimit{LimitRequests: -1, RemainingRequests: -1, ResetRequests: -1, LimitTokens: 100_000,
			RemainingTokens: 41_000, ResetTokens: 38 * time.Second}
	})
	for _, k := range []turn.Kind{turn.Hello, turn.CountTokens, turn.CountTokens} {
		f.Count(k)
	}
	about := f.About()
	about.Agent.Version, about.Agent.Deadlines.Says = "2.1", 20*time.Second
	around := about
	around.Elsewhere = true
	of := func(f *uitest.Tap, about turn.Tapped) *Doc { v := f.View(); return Tap(&v, about) }
	socket := changed(func(_ *turn.Turn, s *metrics.Stream) { s.Conn.Proto = "WebSocket" })
	none, models := uitest.NewTap("went around"), uitest.NewTap("went around")
	models.Count(turn.Models)
	show(t, "tap", scene{"a session", of(f, about)}, scene{"a WebSocket", of(socket, about)},
		scene{"around", of(none, about)}, scene{"elsewhere", of(none, around)}, scene{"no turn", of(models, about)},
		scene{"nobody came", of(none, turn.Tapped{URL: about.URL})})
	testkit.Lacks(t, of(f, about).Text(0), "\x1b")
}

// TestTapSaysWhatChanged holds that "unchanged" is said of equal counts and sums alone.
func TestTapSaysWhatChanged(t *testing.T) {
	v := changed(func(t *turn.Turn, _ *metrics.Stream) { t.Down.Differs = true }).View()
	testkit.Has(t, Tap(&v, turn.Tapped{}).Text(0), "unchanged: no, not in 1 turn")
}
