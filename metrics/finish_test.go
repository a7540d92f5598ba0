package metrics

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// TestFinishOf holds that a known finish reason has one spelling and one meaning, and
// that others stay as they came.
func TestFinishOf(t *testing.T) {
	for _, c := range []struct {
		sent, reason string
		kind         FinishKind
	}{
		{"stop", "stop", FinishStop}, {"STOP", "stop", FinishStop}, {"end_turn", "end_turn", FinishStop},
		{"stop_sequence", "stop_sequence", FinishStop}, {"length", "length", FinishLimit},
		{"MAX_TOKENS", "max_tokens", FinishLimit}, {"max-tokens", "max_tokens", FinishLimit},
		{"pause_turn", "pause_turn", FinishPause}, {"CONTINUATION", "continuation", FinishPause},
		{"content_filter", "content_filter", FinishFilter}, {"SAFETY", "safety", FinishFilter},
		{"IMAGE_SAFETY", "image_safety", FinishFilter},
		{"tool_calls", "tool_calls", FinishCalls}, {"function_call", "function_call", FinishCalls},
		{"", NoFinish, FinishMissing}, {" ", NoFinish, FinishMissing}, {"None", NoFinish, FinishMissing},
		{"insufficient_system_resource", "insufficient_system_resource", FinishOther},
		{"Abort", "Abort", FinishOther}, {strings.Repeat("é", 30), strings.Repeat("é", 20), FinishOther},
	} {
		reason, kind := FinishOf(c.sent), FinishKindOf(c.sent)
		if again, same := FinishOf(reason), FinishKindOf(reason); reason != c.reason || kind != c.kind || again != reason ||
			same != kind {
			t.Errorf("%q is %q, %d, and then %q, %d; want %q, %d", c.sent, reason, kind, again, same, c.reason, c.kind)
		}
	}
	for state, want := range map[State]string{Done: "max_tokens", Failed: "", Cancelled: "", Decoding: ""} {
		if s := (Stream{State: state, Finish: "MAX_TOKENS"}); s.FinishReason() != want {
			t.Errorf("%s: %q", state, s.FinishReason())
		}
	}
	testkit.Allocates(t, 0, 100, func() { FinishOf("content_filter") }, "a known reason")
}

// TestSeen holds what an answer has beside reasoning and white space, and that it is
// judged at the good end alone.
func TestSeen(t *testing.T) {
	type part struct {
		kind Kind
		text string
	}
	for name, c := range map[string]struct {
		parts            []part
		seen             Seen
		unseen, textless bool
	}{
		"text":      {[]part{{Content, "The"}, {Content, " river"}}, SeenText, false, false},
		"a refusal": {[]part{{Refusal, "I cannot"}}, SeenRefusal, false, false},
		"reasoning, then a refusal": {[]part{{Reasoning, "hm"}, {Content, "\n"}, {Refusal, "No"}, {Refusal, "."}},
			SeenRefusal, false, false},
		"a call, then a refusal": {[]part{{ToolCall, "f{}"}, {Refusal, "Entschuldigung"}}, SeenRefusal, false, false},
		"a refusal beside text": {[]part{{Refusal, "I cannot"}, {Content, "but"}, {Refusal, " so"}}, SeenText, false,
			false},
		"a blank refusal": {[]part{{Reasoning, "hm"}, {Refusal, " "}}, SeenNothing, true, true},
		"reasoning alone": {[]part{{Reasoning, "hm"}, {Reasoning, " so"}, {Reasoning, " then"}}, SeenNothing, true,
			true},
		"reasoning, white space": {[]part{{Reasoning, "hm"}, {Content, "\n\n"}, {Content, " \t"}}, SeenNothing, true,
			true},
		"white space alone":        {[]part{{Content, "\n"}, {Content, "  "}}, SeenNothing, true, true},
		"reasoning, then text":     {[]part{{Reasoning, "hm"}, {Content, "\n"}, {Content, "So"}}, SeenText, false, false},
		"a call":                   {[]part{{ToolCall, "f"}, {ToolCall, "{}"}}, SeenCall, false, true},
		"reasoning, then a call":   {[]part{{Reasoning, "hm"}, {ToolCall, "f{}"}}, SeenCall, false, true},
		"sound":                    {[]part{{Audio, ""}}, SeenText, false, false},
		"reasoning, a picture":     {[]part{{Reasoning, "hm"}, {Image, ""}}, SeenText, false, false},
		"text and a call":          {[]part{{Content, "Let me see"}, {ToolCall, "f{}"}}, SeenText, false, false},
		"a call, then white space": {[]part{{ToolCall, "f{}"}, {Content, " "}}, SeenCall, false, true},
	} {
		s := newPlay()
		for i, p := range c.parts {
			s.kind(float64(100+10*i), p.kind, p.text)
		}
		f := s.measure()
		testkit.That(t, !f.Unseen(&s.Stream) && !f.Textless(&s.Stream) && !f.Refused(&s.Stream),
			"%s: judged while it runs", name)
		s.done()
		if f = s.measure(); f.Seen != c.seen || f.Unseen(&s.Stream) != c.unseen || f.Textless(&s.Stream) != c.textless ||
			f.Refused(&s.Stream) != (c.seen == SeenRefusal) {
			t.Errorf("%s: %d, unseen %v, textless %v", name, f.Seen, f.Unseen(&s.Stream), f.Textless(&s.Stream))
		}
	}
}

// TestMadeUpReasonsAreFew holds that a server's own words cannot fill a report.
func TestMadeUpReasonsAreFew(t *testing.T) {
	var counts map[string]int
	for i := range 1000 {
		counts = AddFinish(counts, FinishOf(strings.Repeat("x", i%40)+"stop"))
	}
	n := 0
	for _, c := range counts {
		n += c
	}
	testkit.That(t, len(counts) == mostFinishes+1 && n == 1000 && counts["other"] != 0 && counts["stop"] == 25,
		"%d reasons, %d requests: %v", len(counts), n, counts)
}

// TestFinishesAreCounted holds that a summary counts the good ends alone, by the one
// spelling of a reason, the most frequent first.
func TestFinishesAreCounted(t *testing.T) {
	var runs []Run
	add := func(finish string, state State, kind Kind) {
		s := newPlay().kind(100, kind, "w").kind(120, kind, "x").done()
		s.Finish, s.State = finish, state
		runs = append(runs, Run{Stream: s.Stream, Figures: s.measure()})
	}
	add("stop", Done, Content)
	add("length", Done, Content)
	add("STOP", Done, Content)
	add("length", Done, Reasoning)
	add("", Done, Content)
	add("tool_calls", Done, ToolCall)
	add("length", Done, Content)
	add("length", Failed, Reasoning)
	sum := Summarize(runs)
	if want := map[string]int{"stop": 2, "length": 3, NoFinish: 1, "tool_calls": 1}; !maps.Equal(sum.Finishes, want) {
		t.Errorf("%v, want %v", sum.Finishes, want)
	}
	want := []string{"length", "stop", NoFinish, "tool_calls"}
	if got := Frequent(sum.Finishes); !slices.Equal(got, want) || !maps.Equal(sum.Unseen, map[string]int{"length": 1}) ||
		sum.Textless != 2 {
		t.Errorf("%v, unseen %v, textless %d", got, sum.Unseen, sum.Textless)
	}
}
