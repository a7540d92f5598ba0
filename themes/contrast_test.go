package themes

import (
	"fmt"
	"slices"
	"testing"
)

// grounds returns the backgrounds to test a theme on: its own, and common
// ones of its kind.
func grounds(t Theme) []Color {
	if t.Dark {
		return []Color{t.Color(Ground), RGB(0x16181d), RGB(0x000000)}
	}
	return []Color{t.Color(Ground), RGB(0xfbfaf7), RGB(0xffffff)}
}

// colored returns the themes with known colors.
func colored() []Theme {
	var out []Theme
	for _, t := range All() {
		if t.Color(Ground) != 0 {
			out = append(out, t)
		}
	}
	return out
}

// floor returns the minimum contrast (WCAG 2.2) of a role.
func floor(r Role) float64 {
	switch r {
	case Text, Strong, Title, Selected:
		return 7
	case Faint, Border:
		return 2
	}
	return 4.5
}

// luminance is the relative luminance of WCAG 2.2.
func luminance(c Color) float64 {
	_, y, _ := c.colorful().Xyz()
	return y
}

// contrastOf is the contrast ratio of WCAG 2.2, 1 (none) to 21.
func contrastOf(c, d Color) float64 {
	l, m := luminance(c), luminance(d)
	return (max(l, m) + 0.05) / (min(l, m) + 0.05)
}

// TestThemesAreLegible checks every theme with known colors: the contrast of its roles,
// which may be a little lower with the nearest of 256 colors; pairs of roles that must be
// distinct with every kind of vision; and a ramp with steps that look equally large, and
// large enough to be seen.
func TestThemesAreLegible(t *testing.T) {
	for _, theme := range colored() {
		for _, s := range slices.Concat(weak(theme), weak256(theme), alike(theme), uneven(theme)) {
			t.Errorf("%s, %s", theme.Name, s)
		}
	}
}

// weak returns the roles with too little contrast.
func weak(theme Theme) (out []string) {
	for _, g := range grounds(theme) {
		for r := range Role(Roles) {
			if _, _, tint := r.tint(); r >= named && !tint {
				continue
			}
			s := theme.Style(r, TrueColor)
			bg := g
			if s.Bg != 0 {
				bg = s.Bg
			}
			if c := contrastOf(s.Fg, bg); c < floor(r) {
				out = append(out, fmt.Sprintf("role %d (%s): %s on %s has contrast %.2f, needs %.1f", r, roleName(r), s.Fg, bg, c,
					floor(r)))
			}
		}
	}
	return out
}

// weak256 is weak for terminals with 256 colors.
func weak256(theme Theme) (out []string) {
	for r := range Role(Roles) {
		s := theme.Style(r, ANSI256)
		bg := theme.Color(Ground)
		if s.Bg != 0 {
			bg = xterm(nearest256(s.Bg))
		}
		if fg := xterm(nearest256(s.Fg)); contrastOf(fg, bg) < 0.8*floor(r) {
			out = append(out, fmt.Sprintf("role %d (%s): %s on %s has contrast %.2f, needs %.1f", r, roleName(r), fg, bg,
				contrastOf(fg, bg), 0.8*floor(r)))
		}
	}
	return out
}

// roleNames are the roles in their order.
var roleNames = [named]string{
	"Text", "Strong", "Dim", "Faint", "Accent", "Title", "Border", "BorderFocus", "Good", "Warn", "Bad", "Headline",
	"Key", "KeyText", "Badge", "Alert", "Selected", "Cursor", "Reasoning", "Substitute", "Ghost", "Stall",
	"Burst", "Reading", "Figure", "Unit", "Axis", "Network", "Queue", "Prefill", "Decode",
	"PerUser", "Aggregate",
}

func roleName(r Role) string {
	if r < named {
		return roleNames[r]
	}
	return "tint"
}

// alike returns the pairs of roles that some kind of vision confuses.
func alike(theme Theme) (out []string) {
	heat := func(l int) Color { return theme.Style(Heat(l), TrueColor).Fg }
	for _, v := range visions {
		for _, p := range []struct {
			what string
			a, b Color
			min  float64
		}{
			{"cool and middle of the ramp", heat(0), heat(Levels / 2), 7},
			{"middle and hot end of the ramp", heat(Levels / 2), heat(Levels - 1), 7},
			{"cool and hot end of the ramp", heat(0), heat(Levels - 1), 10},
			{"good and bad", theme.Color(Good), theme.Color(Bad), 10},
			{"good and warn", theme.Color(Good), theme.Color(Warn), 7},
			{"warn and bad", theme.Color(Warn), theme.Color(Bad), 7},
			{"per user and in total", theme.Color(Accent), theme.Color(Aggregate), 7},
			{"queue and prefill", theme.Color(Queue), theme.Color(Prefill), 5},
			{"network and queue", theme.Color(Network), theme.Color(Queue), 4},
		} {
			if d := v.apart(p.a, p.b); d < p.min {
				out = append(out, fmt.Sprintf("%s: %s are %.1f apart (%s %s), need %.0f", v.name, p.what, d, p.a, p.b, p.min))
			}
		}
	}
	return out
}

// In the theme for color-blind users, lightness alone distinguishes the
// levels too.
func TestSafeRampGrowsInLightness(t *testing.T) {
	for l := 1; l < Levels; l++ {
		a, b := builtIn("okabe").Style(Heat(l-1), TrueColor).Fg, builtIn("okabe").Style(Heat(l), TrueColor).Fg
		if d := b.oklab().L - a.oklab().L; d < 0.012 {
			t.Errorf("levels %d and %d differ by %.3f in lightness (%s %s)", l-1, l, d, a, b)
		}
	}
}

// uneven returns the steps of the ramp that are too small or too large.
func uneven(theme Theme) (out []string) {
	for l := 1; l < Levels; l++ {
		a, b := theme.Style(Heat(l-1), TrueColor).Fg, theme.Style(Heat(l), TrueColor).Fg
		if d := visions[0].apart(a, b); d < 2 || d > 8 {
			out = append(out, fmt.Sprintf("levels %d and %d are %.1f apart", l-1, l, d))
		}
	}
	return out
}
