package verdict

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// answer is a request that ended well: chunks of that many parts, and a count of
// tokens unless it is 0.
func answer(finish string, reasoning, content int, seen metrics.Seen, tokens float64) metrics.Run {
	r := metrics.Run{Stream: metrics.Stream{State: metrics.Done, Finish: finish, Marks: metrics.NewMarks()}}
	f := &r.Figures
	f.Chunks, f.Reasoning.Chunks, f.Answer.Chunks, f.Seen = reasoning+content, reasoning, content, seen
	if f.Tokens, f.TokenSource = metrics.Known(tokens, 0), metrics.TokensUsage; tokens == 0 {
		f.Tokens = metrics.Unknown(metrics.WhyNoTokens)
	}
	f.TTFT = metrics.Known(100, 0)
	return r
}

// TestFinish holds which ends of an answer are findings, of one and of several.
func TestFinish(t *testing.T) {
	for name, c := range map[string]struct {
		runs []metrics.Run
		want []Finding // code, grade, part, counts; nil for none
	}{
		"as it should be": {[]metrics.Run{answer("stop", 0, 40, metrics.SeenText, 40)}, nil},
		"at its limit":    {[]metrics.Run{answer("length", 9, 40, metrics.SeenText, 49)}, nil},
		"a call":          {[]metrics.Run{answer("tool_calls", 9, 40, metrics.SeenCall, 49)}, nil},
		"reasoning alone": {[]metrics.Run{answer("length", 100, 0, metrics.SeenNothing, 100)},
			[]Finding{{Code: Unseen, Grade: Bad, Part: "length", N: 100}}},
		"reasoning and white space, not counted": {[]metrics.Run{answer("MAX_TOKENS", 30, 2, metrics.SeenNothing, 0)},
			[]Finding{{Code: Unseen, Grade: Bad, Part: "max_tokens", N: 32, Chunks: true, Mixed: true}}},
		"filtered": {[]metrics.Run{answer("content_filter", 0, 12, metrics.SeenText, 12)},
			[]Finding{{Code: Finish, Grade: Bad, Part: "content_filter", N: 12}}},
		"none": {[]metrics.Run{answer("", 0, 12, metrics.SeenText, 12)},
			[]Finding{{Code: Finish, Grade: Notable, Part: "none", N: 12}}},
		"paused": {[]metrics.Run{answer("pause_turn", 0, 12, metrics.SeenText, 12)},
			[]Finding{{Code: Finish, Grade: Notable, Part: "pause_turn", N: 12}}},
		"its own word": {[]metrics.Run{answer("abort", 0, 12, metrics.SeenText, 12)},
			[]Finding{{Code: Finish, Grade: Notable, Part: "abort", N: 12}}},
		"refused": {[]metrics.Run{answer("stop", 0, 12, metrics.SeenRefusal, 12)},
			[]Finding{{Code: Refused, Grade: Notable, Part: "stop", N: 12}}},
		"refused after reasoning, not counted": {[]metrics.Run{answer("end_turn", 5, 3, metrics.SeenRefusal, 0)},
			[]Finding{{Code: Refused, Grade: Notable, Part: "end_turn", N: 8, Chunks: true}}},
		"some refused, one by a filter": {[]metrics.Run{answer("stop", 0, 9, metrics.SeenRefusal, 9),
			answer("stop", 0, 9, metrics.SeenText, 9),
			answer("content_filter", 0, 4, metrics.SeenRefusal, 4)},
			[]Finding{{Code: Finish, Grade: Bad, Part: "content_filter", Having: 1, Among: 3},
				{Code: Refused, Grade: Notable, Having: 2, Among: 3}}},
		"several": {[]metrics.Run{answer("length", 100, 0, metrics.SeenNothing, 100), answer("stop", 9, 1, metrics.SeenText,
			10),
			answer("SAFETY", 0, 3, metrics.SeenText, 3), answer("max_tokens", 7, 0, metrics.SeenNothing, 7),
			answer("", 0, 3, metrics.SeenText, 3)},
			[]Finding{{Code: Unseen, Grade: Bad, Part: "length", Having: 1, Among: 5},
				{Code: Unseen, Grade: Bad, Part: "max_tokens", Having: 1, Among: 5},
				{Code: Finish, Grade: Bad, Part: "safety", Having: 1, Among: 5}, {Code: Finish, Grade: Notable, Part: "none",
					Having: 1, Among: 5}}},
		"white space in one of three": {[]metrics.Run{answer("length", 20, 0, metrics.SeenNothing, 20),
			answer("length", 7, 1, metrics.SeenNothing, 8),
			answer("length", 9, 0, metrics.SeenNothing, 9)}, []Finding{{Code: Unseen, Grade: Bad, Part: "length", Having: 3,
			Among: 3, Mixed: true}}},
		"white space of another end, and before text": {[]metrics.Run{answer("stop", 3, 2, metrics.SeenNothing, 5),
			answer("length", 50, 0, metrics.SeenNothing, 50),
			answer("length", 50, 4, metrics.SeenText, 54)}, []Finding{{Code: Unseen, Grade: Bad, Part: "length", Having: 1,
			Among: 3},
			{Code: Unseen, Grade: Bad, Part: "stop", Having: 1, Among: 3, Mixed: true}}},
	} {
		s := metrics.Summarize(c.runs)
		var got []Finding
		for _, f := range OfRuns(c.runs, &s, "", slo.DefaultAgentTask) {
			if f.Code == Unseen || f.Code == Finish || f.Code == Refused {
				f.Evidence = 0
				got = append(got, f)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: %+v", name, got)
			continue
		}
		for i := range got {
			testkit.Same(t, got[i], c.want[i], name)
		}
	}
}

// TestTheLensOfAPersonNeedsText holds that an answer without text misses chat and
// voice, that few of them make it close, and that an agent can do with a call.
func TestTheLensOfAPersonNeedsText(t *testing.T) {
	text, call, thought := answer("stop", 0, 9, metrics.SeenText, 9), answer("tool_calls", 0, 9, metrics.SeenCall, 9),
		answer("length", 9, 0, metrics.SeenNothing, 9)
	for _, c := range []struct {
		lens  string
		runs  []metrics.Run
		grade slo.Grade
	}{
		{"chat", []metrics.Run{text}, slo.GradeMeets}, {"chat", []metrics.Run{thought}, slo.GradeMisses},
		{"voice", []metrics.Run{thought}, slo.GradeMisses}, {"chat", []metrics.Run{call}, slo.GradeMisses},
		{"agent", []metrics.Run{call}, slo.GradeMeets}, {"batch", []metrics.Run{thought}, slo.GradeFree},
		{"chat", []metrics.Run{text, text, thought}, slo.GradeClose}, {"chat", []metrics.Run{text, thought}, slo.GradeMisses},
	} {
		s := metrics.Summarize(c.runs)
		for i, f := range []slo.LensFigures{slo.LensOfSummary(&s), slo.LensOfStream(&c.runs[0].Stream, &c.runs[0].Figures,
			0)} {
			if i > 0 && len(c.runs) > 1 {
				continue
			}
			for _, v := range slo.LensByKey(c.lens).Judge(f, slo.DefaultAgentTask) {
				testkit.That(t, v.Metric != slo.LensTTFT || v.Grade == c.grade,
					"%s of %d: %s, want %s", c.lens, len(c.runs), v.Grade, c.grade)
			}
		}
	}
}
