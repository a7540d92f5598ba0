package endpoint

import (
	"strings"
	"testing"
)

func TestClosest(t *testing.T) {
	list := []string{"groq", "openai", "ollama", "together", "xai"}
	for in, want := range map[string]string{
		"grok": "groq", "gorq": "groq", "OpenAl": "openai", "olama": "ollama", "togeter": "together", "xia": "xai",
		"": "", "zzzzzz": "", "completely-else": "", strings.Repeat("a", 100): "",
	} {
		if got := Closest(in, list); got != want {
			t.Errorf("closest(%q) = %q, want %q", in, got, want)
		}
	}
}
