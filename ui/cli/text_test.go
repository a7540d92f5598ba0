package cli

import (
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

func TestPromptsOfWindows(t *testing.T) {
	const text = "Erzähle von Flüssen 🌊\nauf Hindi: नमस्ते"
	for name, data := range testkit.Windows(text) {
		c := Common{Prompt: "-"}
		got, ok, err := c.ReadPrompt(t.Context(), strings.NewReader(data))
		testkit.That(t, strings.ReplaceAll(got, "\r", "") == text && ok && err == nil, "%s: %q, %v, %v", name, got, ok, err)
	}
	for data, want := range map[string]string{
		"caf\xe9":             "byte 4 is 0xE9",
		"x\x00y\x00":          "byte 2 is 0x00",
		"\xc0\xaf":            "byte 1 is 0xC0",
		"\ufeffa\xed\xa0\x80": "byte 2 is 0xED",
	} {
		c := Common{Prompt: "-"}
		_, _, err := c.ReadPrompt(t.Context(), strings.NewReader(data))
		testkit.That(t, err != nil && strings.Contains(err.Error(), want+"; save it as UTF-8") && CodeOf(err) == ExitUsage,
			"%q: %v", data, err)
	}
	// A mark does not open the way for more than the bound.
	c := Common{Prompt: "-"}
	large := testkit.Windows(strings.Repeat("漢", maxPrompt/3+1))["UTF-16LE, LF"]
	if _, _, err := c.ReadPrompt(t.Context(), strings.NewReader(large)); err == nil || !strings.Contains(err.Error(), "larger") {
		t.Error("a prompt beyond the bound is read")
	}
}
