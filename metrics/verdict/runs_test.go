package verdict

import (
	"slices"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// TestRunsAreHeldAgainstTheUsual: medians of a probe are called unusual as the figures of
// one request are, against what is usual for most of them.
func TestRunsAreHeldAgainstTheUsual(t *testing.T) {
	band := func(median float64) metrics.Band {
		return metrics.Band{N: 45, Median: median, Low: 0.9 * median, High: 1.2 * median}
	}
	reused, fresh := &metrics.Usual{TTFT: band(170), Speed: band(100)}, &metrics.Usual{TTFT: band(400)}
	for name, c := range map[string]struct {
		ttft  float64
		usual []*metrics.Usual
		want  *metrics.Band
	}{
		"the first connects":         {300, []*metrics.Usual{fresh, reused, reused, reused}, &reused.TTFT},
		"as usual":                   {200, []*metrics.Usual{fresh, reused, reused, reused}, nil},
		"half of them":               {300, []*metrics.Usual{fresh, fresh, reused, reused}, nil},
		"the history was not asked":  {300, []*metrics.Usual{nil, nil, nil, nil}, nil},
		"nothing is known of most":   {300, []*metrics.Usual{{}, {}, {}, reused}, nil},
		"all connect, and are quick": {170, []*metrics.Usual{fresh, fresh}, &fresh.TTFT},
	} {
		var runs []metrics.Run
		for i, u := range c.usual {
			r := metrics.Run{Stream: metrics.Stream{ID: i + 1, State: metrics.Done, Marks: metrics.NewMarks(), Usual: u}}
			r.Figures.TTFT, r.Figures.Speed = metrics.Known(c.ttft, 1), metrics.Known(50, 100)
			runs = append(runs, r)
		}
		s := metrics.Summarize(runs)
		for _, f := range OfRuns(runs, &s, "", slo.DefaultAgentTask) {
			testkit.That(t, f.Code != FirstToken || f.Usual == c.want && f.Above == (c.want == &reused.TTFT), "%s: %+v", name, f)
			if slower := c.want == &reused.TTFT || name == "as usual"; f.Code == Speed && slower && (f.Usual != &reused.Speed ||
				f.Grade < Notable) {
				t.Errorf("%s: speed %+v", name, f)
			}
		}
	}
}

// TestDoubtsAreCounted holds that a doubt about some of several requests is named with
// their number, whichever of them is the last, and what it does to the medians.
func TestDoubtsAreCounted(t *testing.T) {
	const cached, multi, late = metrics.SuspectCached, metrics.SuspectMultiToken, metrics.SuspectStopped
	for name, c := range map[string]struct {
		of    string // a letter for each request: what it has
		code  Code
		want  int // of them have it; 0: it is not named
		grade Grade
	}{
		"nine of twelve, not the last":  {"cccccccccp..", Code(cached), 9, Spoils},
		"nine of twelve, the last":      {".p.ccccccccc", Code(cached), 9, Spoils},
		"one of five, the first":        {"c....", Code(cached), 1, Notable},
		"one of five, the last":         {"....c", Code(cached), 1, Notable},
		"another model in one of four":  {"..o.", OtherModel, 1, Notable},
		"another model in three of six": {"o.o.o.", OtherModel, 3, Spoils},
		"no harm, in few":               {"m....", Code(multi), 0, 0},
		"no harm, in most":              {"mmm..", Code(multi), 3, Notable},
		"a lag, in few":                 {"..l..", Code(late), 0, 0},
		"a lag, in half":                {"ll..", Code(late), 2, Spoils},
	} {
		var runs []metrics.Run
		for i, has := range c.of {
			r := metrics.Run{Stream: metrics.Stream{ID: i + 1, State: metrics.Done, Marks: metrics.NewMarks(), Model: "m"}}
			r.Stream.Endpoint.Model = "m"
			switch has {
			case 'c':
				r.Figures.Suspect = []metrics.Suspicion{{Code: cached, N: 16, Of: 20}}
			case 'm':
				r.Figures.Suspect = []metrics.Suspicion{{Code: multi, Ratio: float64(i + 2)}}
			case 'l':
				r.Figures.Suspect = []metrics.Suspicion{{Code: late, Ms: 900}}
			case 'o':
				r.Stream.Model = "other"
			}
			runs = append(runs, r)
		}
		s := metrics.Summarize(runs)
		found := OfRuns(runs, &s, "", slo.DefaultAgentTask)
		at := slices.IndexFunc(found, func(f Finding) bool { return f.Code == c.code })
		switch {
		case at < 0 && c.want > 0 || at >= 0 && c.want == 0:
			t.Errorf("%s: %+v", name, found)
		case at >= 0 && (found[at].Having != c.want || found[at].Among != len(runs) || found[at].Grade != c.grade):
			t.Errorf("%s: %+v", name, found[at])
		case c.code == Code(multi) && at >= 0 && found[at].Suspect.Ratio != 3:
			t.Errorf("%s: %+v is not the one in the middle", name, found[at].Suspect)
		}
	}
}

// TestASplitSaysItsDoubt holds that what divides TTFT is one finding, first of all, and not
// named again as a doubt.
func TestASplitSaysItsDoubt(t *testing.T) {
	var runs []metrics.Run
	for i := range 12 {
		r := metrics.Run{Stream: metrics.Stream{ID: i + 1, State: metrics.Done, Finish: "stop", Marks: metrics.NewMarks()}}
		r.Figures.TTFT, r.Figures.PromptTokens, r.Figures.CachedTokens = metrics.Known(2000, 1), metrics.Known(20, 1),
			metrics.Known(0, 1)
		if i%4 > 0 {
			r.Figures.TTFT, r.Figures.CachedTokens = metrics.Known(201, 1), metrics.Known(16, 1)
			r.Figures.Suspect = []metrics.Suspicion{{Code: metrics.SuspectCached, N: 16, Of: 20}}
		}
		runs = append(runs, r)
	}
	s := metrics.Summarize(runs)
	found := OfRuns(runs, &s, "", slo.DefaultAgentTask)
	testkit.That(t, len(found) == 2 && found[0].Code == SplitTTFT && found[0].Split.N == 9 && found[1].Code == FirstToken,
		"%+v", found)
}
