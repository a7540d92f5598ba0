package live

import (
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/ui/say"
)

// limited is the view of the last of some runs, ten seconds apart, whose answers
// told what was left of 6,000 tokens in a minute.
func limited(left ...int) *View {
	var runs []metrics.Run
	for i, n := range left {
		r := ended(i+1, 40, nil)
		s := &r.Stream
		s.Marks.Headers = metrics.Stamp(time.Duration(i) * 10 * time.Second)
		s.RateLimit = &metrics.RateLimit{LimitRequests: -1, RemainingRequests: -1, ResetRequests: -1, LimitTokens: 6000, RemainingTokens: n, ResetTokens: time.Minute - time.Duration(i)*10*time.Second}
		runs = append(runs, r)
	}
	v := after(runs...)
	v.Now = v.Stream.Marks.Headers
	var s limits
	v.Limits = s.forecast(v)
	return v
}

// TestRateLimitIsForecast checks that a run counts once, however often it is looked
// at, and of which requests limits are.
func TestRateLimitIsForecast(t *testing.T) {
	v := limited(6000, 4000)
	var s limits
	for range 5 {
		testkit.Need(t, s.forecast(v).Tokens.Answers, 2, "two runs count as … answers")
	}
	// Another model has limits of its own, and a recording may hold later answers.
	other := *v
	other.Stream.Endpoint.Model, other.Stream.RateLimit = "another", nil
	if f := s.forecast(&other); f.Known() {
		t.Errorf("a model without limits shows %+v", f)
	}
	file := *v
	file.File = "session.ndjson"
	testkit.Is(t, s.forecast(&file).Tokens.Answers, 1, "a recording counts … answers, want that of the shown request")
}

// TestRateLimitCountsEveryRun checks that each run counts once while an older one is
// shown, also when the session drops its first runs for new ones.
func TestRateLimitCountsEveryRun(t *testing.T) {
	all := limited(6000, 5000, 4000, 3000)
	v, s := *all, limits{}
	v.Stream = all.Runs[0].Stream
	for _, kept := range [][2]int{{0, 2}, {1, 3}, {2, 4}, {2, 4}} {
		v.Runs = all.Runs[kept[0]:kept[1]]
		if f := s.forecast(&v).Tokens; f.Answers != kept[1] {
			t.Errorf("with the runs %d to %d %d answers were counted, want %d", kept[0]+1, kept[1], f.Answers, kept[1])
		}
	}
}

// TestUsedUpEnds checks that the mark of a limit that is used up ends with its reset, and
// with the next good answer, also of a server whose good answers tell of no limit.
func TestUsedUpEnds(t *testing.T) {
	v := limited(6000, 0)
	mark := func(at time.Duration) string {
		var s limits
		look := *v
		look.Now += metrics.Stamp(at)
		f := s.forecast(&look)
		return say.RateLimitMark(&f)
	}
	testkit.Is(t, mark(0), "rate limit used up", "nothing is left, and the mark")
	testkit.Is(t, mark(51*time.Second), "", "after the reset the mark")
	next := ended(3, 40, nil)
	next.Stream.Marks.Headers = v.Stream.Marks.Headers + 3e9
	v.Runs = append(v.Runs, next)
	v.Stream, v.Now = next.Stream, next.Stream.Marks.Headers
	testkit.Is(t, mark(0), "", "after a good answer the mark")
}
