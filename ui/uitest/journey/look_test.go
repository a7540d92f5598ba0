//go:build !windows

package journey

import (
	"regexp"
	"strings"
	"testing"
)

// What a terminal is asked for, by what it can and what a person wants: the
// escape sequences that really reach it.
func TestWhatReachesTheTerminal(t *testing.T) {
	t.Parallel()
	var (
		anyColour  = regexp.MustCompile(`\x1b\[([0-9;]*;)?(3[0-8]|4[0-8]|9[0-7]|10[0-7])(;[0-9;]*)?m`)
		trueColour = regexp.MustCompile(`\x1b\[[0-9;]*[34]8;2;[0-9;]*m`)
		indexed    = regexp.MustCompile(`\x1b\[[0-9;]*[34]8;5;[0-9;]*m`)
		mouse      = regexp.MustCompile(`\x1b\[\?100[0236]h`)
	)
	for _, c := range []struct {
		name              string
		env, args         []string
		colour, rgb, cube bool
		mouse             bool
	}{
		{"24 bits", nil, nil, true, true, false, true},
		{"256 colours", []string{"COLORTERM="}, nil, true, false, true, true},
		{"16 colours", []string{"COLORTERM=", "TERM=xterm"}, nil, true, false, false, true},
		{"NO_COLOR", []string{"NO_COLOR=1"}, nil, false, false, false, true},
		{"--color never, no mouse", nil, []string{"--color", "never", "--mouse=false"}, false, false, false, false},
		{"--ascii", nil, []string{"--ascii"}, true, true, false, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			x := start(t, 100, 30, c.env, append(c.args, "--max-tokens", "60")...)
			x.until("done", "speed")
			x.do("? > esc back")
			x.do("<esc> > space again")
			x.do("t > type to filter")
			if c.name == "--ascii" {
				for _, r := range x.screen() {
					if r > '~' {
						t.Errorf("%q is drawn in ASCII:\n%s", r, x.screen())
						break
					}
				}
			}
			x.do("<esc> > space again")
			x.keys("q")
			x.exit()
			raw, _, _ := strings.Cut(x.written(), "\x1b[?1049l") // what comes after the end is the summary
			for what, have := range map[string][2]bool{
				"any colour": {anyColour.MatchString(raw), c.colour}, "24 bits": {trueColour.MatchString(raw), c.rgb},
				"256 colours": {indexed.MatchString(raw), c.cube}, "the mouse": {mouse.MatchString(raw), c.mouse},
			} {
				if have[0] != have[1] {
					t.Errorf("%s: %v, want %v", what, have[0], have[1])
				}
			}
			x.restored()
		})
	}
}
