package verdict

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// A run that reads again what the last run of the same prompt had from the server's cache
// says so, while it waits and after its end; another prompt, and a smaller loss, do not.
func TestCacheLost(t *testing.T) {
	run := func(id int, prompt string, cached int) metrics.Run {
		r := metrics.Run{Stream: metrics.NoStream(0)}
		s := &r.Stream
		s.ID, s.State, s.Work.Prompt, s.Marks.Sent = id, metrics.Done, prompt, 0
		r.Figures.CachedTokens = metrics.Unknown(metrics.WhyNotReported)
		if cached >= 0 {
			r.Figures.CachedTokens = metrics.Known(float64(cached), 0)
		}
		return r
	}
	waits := run(9, "a", -1)
	waits.Stream.State, waits.Stream.Progress = metrics.Waiting, metrics.Progress{Total: 39_600}
	for _, c := range []struct {
		name    string
		now     metrics.Run
		earlier []metrics.Run
		lost    int
	}{
		{"gone", run(9, "a", 0), []metrics.Run{run(3, "a", 0), run(4, "a", 39_528)}, 39_528},
		{"gone for the most part", run(9, "a", 1024), []metrics.Run{run(4, "a", 8192)}, 7168},
		{"while it waits", waits, []metrics.Run{run(4, "a", 39_528)}, 39_528},
		{"still there", run(9, "a", 39_528), []metrics.Run{run(4, "a", 39_528)}, 0},
		{"a little less", run(9, "a", 7000), []metrics.Run{run(4, "a", 8192)}, 0},
		{"few tokens", run(9, "a", 0), []metrics.Run{run(4, "a", 64)}, 0},
		{"another prompt", run(9, "a", 0), []metrics.Run{run(4, "b", 39_528)}, 0},
		{"never reported now", run(9, "a", -1), []metrics.Run{run(4, "a", 39_528)}, 0},
		{"gone before", run(9, "a", 0), []metrics.Run{run(4, "a", 39_528), run(5, "a", 0)}, 0},
		{"a later run", run(9, "a", 0), []metrics.Run{run(12, "a", 39_528)}, 0},
	} {
		lost := 0
		for _, f := range Of(Input{Stream: &c.now.Stream, Figures: &c.now.Figures, Earlier: c.earlier}) {
			if f.Code == CacheLost {
				lost = f.N
			}
		}
		testkit.That(t, lost == c.lost, "%s: %d tokens lost, want %d", c.name, lost, c.lost)
	}
}
