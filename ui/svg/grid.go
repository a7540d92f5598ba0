package svg

import (
	"cmp"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Grid draws g as pal shows it on a terminal. Where the theme has no ground of
// its own, or the palette no colors, the terminal is dark or light.
func Grid(g *draw.Grid, pal *themes.Palette, dark bool) []byte {
	look := format.Either(dark, Dark, Light)
	theme, styles := pal.Theme(), map[themes.Role]Style{}
	if ground := theme.Color(themes.Ground); ground != 0 && pal.Profile() >= themes.ANSI256 { // its own colors
		look = Look{theme.Color(themes.Text).String(), ground.String()}
	}
	w, h := g.Size()
	return Screen(w, h, look.Background, func(x, y int) Cell {
		text, role := g.At(x, y)
		width := 1
		for x+width < w {
			if next, _ := g.At(x+width, y); next != "" {
				break
			}
			width++
		}
		st, known := styles[role]
		if !known {
			st = look.style(theme.Style(role, pal.Profile()))
			styles[role] = st
		}
		return Cell{Text: text, Width: width, Style: st}
	})
}

// style is t in the picture.
func (l Look) style(t themes.Style) Style {
	has := func(a themes.Attr) bool { return t.Attr&a != 0 }
	st := Style{Fg: l.Foreground, Bold: has(themes.Bold), Thin: has(themes.Thin),
		Italic: has(themes.Italic), Underline: has(themes.Underline)}
	if t.Fg != 0 {
		st.Fg = css(t.Fg)
	}
	if t.Bg != 0 {
		st.Bg = css(t.Bg)
	}
	if has(themes.Reverse) {
		st.Fg, st.Bg = cmp.Or(st.Bg, l.Background), st.Fg
	}
	return st
}

// terminal16 are the terminal's own 16 colors as xterm has them by default.
var terminal16 = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

func css(c themes.Color) string {
	if _, _, _, ok := c.RGB(); ok {
		return c.String()
	}
	return terminal16[c&15]
}
