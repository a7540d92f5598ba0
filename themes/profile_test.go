package themes

import "testing"

func TestDetect(t *testing.T) {
	type env map[string]string
	for _, tc := range []struct {
		name string
		env  env
		tty  bool
		want Profile
	}{
		{"xterm with 256", env{"TERM": "xterm-256color"}, true, ANSI256},
		{"truecolor", env{"TERM": "xterm-256color", "COLORTERM": "truecolor"}, true, TrueColor},
		{"24bit", env{"TERM": "xterm", "COLORTERM": "24bit"}, true, TrueColor},
		{"kitty", env{"TERM": "xterm-kitty"}, true, TrueColor},
		{"direct", env{"TERM": "tmux-direct"}, true, TrueColor},
		{"iTerm", env{"TERM": "xterm-256color", "TERM_PROGRAM": "iTerm.app"}, true, TrueColor},
		{"Apple's terminal", env{"TERM": "xterm-256color", "TERM_PROGRAM": "Apple_Terminal"}, true, ANSI256},
		{"the Linux console", env{"TERM": "linux"}, true, ANSI16},
		{"screen passes COLORTERM on", env{"TERM": "screen.xterm-256color", "COLORTERM": "truecolor"}, true, ANSI256},
		{"tmux as screen", env{"TERM": "screen-256color", "COLORTERM": "truecolor", "TMUX": "/run/x"}, true, TrueColor},
		{"dumb", env{"TERM": "dumb", "COLORTERM": "truecolor"}, true, NoColor},
		{"nothing known", env{}, true, NoColor},
		{"Windows", env{"OS": "Windows_NT"}, true, TrueColor},
		{"a pipe", env{"TERM": "xterm-256color"}, false, NoColor},
		{"NO_COLOR=1", env{"TERM": "xterm-256color", "NO_COLOR": "1"}, true, NoColor},
		{"NO_COLOR=yes", env{"TERM": "xterm-256color", "NO_COLOR": "yes"}, true, NoColor},
		{"NO_COLOR=0 is not empty", env{"TERM": "xterm-256color", "NO_COLOR": "0"}, true, NoColor},
		{"NO_COLOR empty", env{"TERM": "xterm-256color", "NO_COLOR": ""}, true, ANSI256},
		{"NO_COLOR beats CLICOLOR_FORCE", env{"TERM": "xterm", "NO_COLOR": "1", "CLICOLOR_FORCE": "1"}, true, NoColor},
		{"CLICOLOR=0", env{"TERM": "xterm-256color", "CLICOLOR": "0"}, true, NoColor},
		{"CLICOLOR=1 in a pipe", env{"TERM": "xterm-256color", "CLICOLOR": "1"}, false, NoColor},
		{"CLICOLOR_FORCE in a pipe", env{"TERM": "xterm-256color", "CLICOLOR_FORCE": "1"}, false, ANSI256},
		{"CLICOLOR_FORCE in a bare pipe", env{"CLICOLOR_FORCE": "1"}, false, ANSI16},
		{"CLICOLOR_FORCE=0", env{"TERM": "xterm-256color", "CLICOLOR_FORCE": "0"}, false, NoColor},
		{"CLICOLOR_FORCE beats CLICOLOR", env{"TERM": "xterm", "CLICOLOR_FORCE": "1", "CLICOLOR": "0"}, true, ANSI16},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, err := ProfileOf("auto", func(k string) string { return tc.env[k] }, tc.tty)
			if got != tc.want || err != nil {
				t.Errorf("got %v, want %v, %v", got, tc.want, err)
			}
		})
	}
}

func TestChoice(t *testing.T) {
	full := func(k string) string {
		return map[string]string{"TERM": "xterm", "COLORTERM": "truecolor", "NO_COLOR": "1"}[k]
	}
	none := func(string) string { return "" }
	for _, tc := range []struct {
		flag string
		env  func(string) string
		tty  bool
		want Profile
	}{
		{"", full, true, NoColor},
		{"auto", full, true, NoColor},
		{"always", full, false, TrueColor},
		{"ALWAYS", none, false, ANSI16},
		{"never", none, true, NoColor},
	} {
		if got, err := ProfileOf(tc.flag, tc.env, tc.tty); got != tc.want || err != nil {
			t.Errorf("--color=%s: got %v, want %v, %v", tc.flag, got, tc.want, err)
		}
	}
	if _, err := ProfileOf("yes", none, true); err == nil {
		t.Error(`"yes" was taken for a choice`)
	}
}

func TestNearest256(t *testing.T) {
	for i := 16; i < 256; i++ {
		c := xterm(uint8(i))
		if got := xterm(nearest256(c)); got != c {
			t.Errorf("colour %d (%s) became %s", i, c, got)
		}
	}
}
