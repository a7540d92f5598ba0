package themes

import (
	"fmt"
	"strings"
)

// Profile is the number of colors that the terminal shows.
type Profile uint8

const (
	NoColor   Profile = iota // only bold, faint, underline and reverse
	ANSI16                   // the terminal's own 16 colours
	ANSI256                  // xterm's 256
	TrueColor                // 24 bits
)

// ProfileOf decides for a stream by the value of --color: never and always beat the environment.
// Always gives at least 16 colors, more where the environment tells of more. "auto" and "" read
// the environment, in this order:
//   - NO_COLOR, unless empty: no color (no-color.org)
//   - CLICOLOR_FORCE, unless empty or "0": at least 16 colors, terminal or not
//   - not a terminal, or CLICOLOR=0: no color
//   - TERM, COLORTERM and TERM_PROGRAM of the terminal
//
// env is os.Getenv or a substitute. isTTY reports whether the output is a
// terminal.
func ProfileOf(choice string, env func(string) string, isTTY bool) (Profile, error) {
	force := env("CLICOLOR_FORCE")
	forced := force != "" && force != "0"
	switch strings.ToLower(choice) {
	case "", "auto":
		switch {
		case env("NO_COLOR") != "", !forced && (!isTTY || env("CLICOLOR") == "0"):
			return NoColor, nil
		case forced:
			return max(ANSI16, terminal(env)), nil
		}
		return terminal(env), nil
	case "always":
		return max(ANSI16, terminal(env)), nil
	case "never":
		return NoColor, nil
	}
	return NoColor, fmt.Errorf("color choice %q: one of auto, always, never", choice)
}

// terminal returns the profile that the environment reports for the terminal.
func terminal(env func(string) string) Profile {
	term := strings.ToLower(env("TERM"))
	windows := strings.EqualFold(env("OS"), "Windows_NT")
	switch {
	case term == "dumb":
		return NoColor
	case windows && (term == "" || env("WT_SESSION") != ""):
		return TrueColor
	case term == "" && env("COLORTERM") == "":
		return NoColor
	}
	// GNU screen passes COLORTERM on but lacks 24-bit color. tmux under
	// TERM=screen has it.
	if strings.HasPrefix(term, "screen") && env("TMUX") == "" {
		return ANSI256
	}
	switch strings.ToLower(env("COLORTERM")) {
	case "truecolor", "24bit":
		return TrueColor
	}
	for _, t := range [...]string{"direct", "kitty", "ghostty", "alacritty", "wezterm", "foot", "rio", "contour"} {
		if strings.Contains(term, t) {
			return TrueColor
		}
	}
	switch env("TERM_PROGRAM") {
	case "iTerm.app", "WezTerm", "vscode", "ghostty", "Hyper", "rio", "WarpTerminal":
		return TrueColor
	}
	if strings.Contains(term, "256color") {
		return ANSI256
	}
	return ANSI16
}
