package comparison

import (
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/condition"
	"tokscope/metrics/racestat"
	"tokscope/metrics/testkit"
	"tokscope/metrics/testkit/example"
)

// TestRaceLanes finds lanes by letter and label, and refuses what a race cannot say.
func TestRaceLanes(t *testing.T) {
	lanes := func(contest string) []racestat.Lane {
		lanes, _, err := racestat.ParseContest(contest).Lanes()
		testkit.OK(t, err)
		return lanes
	}
	two, three, varied := lanes("groq together"), lanes("a b A"), lanes("groq --vary tier=default,priority")
	for _, c := range []struct {
		lanes    []racestat.Lane
		text     string
		of, than int
		err      string
	}{
		{two, "ttft > 1.2x", 1, 0, ""},
		{two, "ttft of A > 1.2x", 0, 1, ""},
		{two, "ttft of together > 1.2x groq", 1, 0, ""},
		{two, "ttft > 500ms", 1, -1, ""},
		{two, "failures of groq > 2%", 0, -1, ""},
		{three, "ttft of C > 1.2x a", 2, 0, ""},
		{varied, "ttft of priority > 1.2x default", 1, 0, ""},
		{varied, "ttft of tier=priority > 500ms", 1, -1, ""},
		{varied, "ttft of A > 1.2x priority", 0, 1, ""},
		{varied, "ttft of flex > 500ms", 0, 0, "one of tier=default, tier=priority"},
		{lanes("groq --vary extra.x=B,A"), "ttft of B > 1.2x A", 0, 1, ""},
		{three, "ttft > 1.2x", 0, 0, "say which lanes"},
		{three, "ttft of b > 1.2x", 0, 0, "say which lanes"},
		{two, "ttft > 1.2x B", 0, 0, "compared with itself"},
		{two, "ttft of mistral > 1.2x", 0, 0, "no lane is called mistral"},
		{two, "ttft.p90 > 1.2x", 0, 0, "ratio of medians alone"},
		{two, "prefill > 1.2x", 0, 0, "a race compares ttft"},
		{two, "ttft > 1.2x baseline", 0, 0, "no lane is called baseline"},
	} {
		k := testkit.Must(condition.Parse(c.text))(t)
		of, than, err := RaceLanes(c.lanes, &k)
		if c.err != "" {
			testkit.That(t, err != nil && strings.Contains(err.Error(), c.err), "%s: %v, want %q", c.text, err, c.err)
			continue
		}
		testkit.That(t, of == c.of && than == c.than && err == nil, "%s: %d and %d, %v", c.text, of, than, err)
	}
}

// raced returns a race of so many pairs in which B takes factor times as long, each
// give or take 5 %, and fails in every failing-th round.
func raced(pairs int, factor float64, failing int) *racestat.View {
	return example.Race(2, pairs+1, func(r *racestat.Round, lane int) {
		result, n := &r.Results[lane], r.N-2
		x := 100 * (1 + 0.05*float64(n/2%3-1))
		if lane == 1 {
			x = 100 * factor * (1 + 0.05*float64(n/6%3-1))
		}
		for f := range result.Values {
			result.Values[f] = metrics.Known(x, 1)
		}
		if failing > 0 && lane == 1 && n%failing == 0 {
			result.Fault = &metrics.Fault{Kind: metrics.FaultReset}
		}
	})
}

// TestJudgeRace: a condition is met where the race's own interval lies beyond its
// limit as a whole.
func TestJudgeRace(t *testing.T) {
	for _, x := range []struct {
		text string
		want condition.Outcome
	}{
		{"ttft > 1.2x", condition.Met}, {"ttft > 1.5x", condition.Open}, {"ttft > 3x", condition.Unmet},
		{"ttft of A < 0.9x B", condition.Met},
		{"ttft of B > 120ms", condition.Met}, {"ttft of B > 150ms", condition.Open},
		{"ttft.p99 of B > 120ms", condition.Met}, {"ttft.p99 of B > 1s", condition.Open},
		{"failures > 10%", condition.Met}, {"failures of A > 10%", condition.Open}, {"failures of A > 40%", condition.Unmet},
	} {
		text, want := x.text, x.want
		k := testkit.Must(condition.Parse(text))(t)
		if v := JudgeRace(raced(40, 1.5, 2), []condition.Condition{k}); len(v) != 1 || v[0].Outcome != want {
			t.Errorf("%s: %+v, want %v", text, v, want)
		}
	}
	k := testkit.Must(condition.Parse("ttft > 1.2x"))(t)
	for _, pairs := range []int{0, 1, 5} {
		if v := JudgeRace(raced(pairs, 2, 0), []condition.Condition{k}); len(v) != 1 || v[0].Outcome != condition.Unknown {
			t.Errorf("%d pairs: %+v", pairs, v)
		}
	}
}
