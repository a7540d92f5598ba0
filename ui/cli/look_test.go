package cli

import (
	"testing"

	"tokscope/themes"
)

func TestLook(t *testing.T) {
	env := func(name string) string {
		return map[string]string{"TERM": "xterm-256color", "COLORTERM": "truecolor"}[name]
	}
	for _, c := range []struct {
		theme, color string
		want         themes.Profile
		code         int
	}{
		{"", "", themes.TrueColor, ExitOK},
		{themes.Names()[0], "never", themes.NoColor, ExitOK},
		{"no such theme", "", 0, ExitUsage},
		{"", "sometimes", 0, ExitUsage},
	} {
		got, err := Look(c.theme, c.color, env, true)
		if got != c.want || CodeOf(err) != c.code {
			t.Errorf("theme %q, color %q: profile %v, code %d (%v); want %v, %d", c.theme, c.color, got, CodeOf(err), err, c.want, c.code)
		}
	}
}
