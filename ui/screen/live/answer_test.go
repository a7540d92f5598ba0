package live

import (
	"strings"
	"testing"
)

// TestTheScopeShowsWhereTheAnswerBegins holds that the scope separates reasoning
// and answer, in a stream that has both.
func TestTheScopeShowsWhereTheAnswerBegins(t *testing.T) {
	scopeOf := func(v *View) string {
		_, text, ok := strings.Cut(frame(v, 120, 40).Plain(), "╭ scope")
		if !ok {
			t.Fatal("no scope")
		}
		text, _, _ = strings.Cut(text, "╰─")
		return text
	}
	if text := scopeOf(scene("reasoning")); !strings.Contains(text, "reasoning ") || !strings.Contains(text, " answer") {
		t.Errorf("no rule in\n%s", text)
	}
	v := scene("reasoning")
	v.Figures.Reasoning.First.V = v.Figures.Answer.First.V + 1
	for name, v := range map[string]*View{"decoding": scene("decoding"), "answer first": v} {
		if text := scopeOf(v); strings.Contains(text, " answer") {
			t.Errorf("%s has a rule:\n%s", name, text)
		}
	}
}
