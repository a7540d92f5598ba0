package svg

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// Grid draws g as pal shows it on a terminal. Where the theme has no ground of
// its own, or the palette no colors, the terminal is dark or light.
func Grid(g *draw.Grid, pal *themes.Palette, dark bool) []byte {
	s := scheme{palette: pal, look: Light}
	if dark {
		s.look = Dark
	}
	if theme := pal.Theme(); theme.Ground != 0 && pal.Profile() >= themes.ANSI256 { // the theme's own colors
		s.look = Look{theme.Text.String(), theme.Ground.String()}
	}
	s.styles = map[themes.Role]Style{}
	w, h := g.Size()
	return Screen(w, h, s.look.Background, func(x, y int) Cell {
		text, role := g.At(x, y)
		width := 1
		for x+width < w {
			if next, _ := g.At(x+width, y); next != "" {
				break
			}
			width++
		}
		return Cell{Text: text, Width: width, Style: s.style(role)}
	})
}

// scheme turns roles into styles, each once.
type scheme struct {
	palette *themes.Palette
	look    Look
	styles  map[themes.Role]Style
}

func (s *scheme) style(r themes.Role) Style {
	st, ok := s.styles[r]
	if !ok {
		st = s.compile(s.palette.Theme().Style(r, s.palette.Profile()))
		s.styles[r] = st
	}
	return st
}

func (s *scheme) compile(t themes.Style) Style {
	has := func(a themes.Attr) bool { return t.Attr&a != 0 }
	st := Style{Fg: s.look.Foreground, Bold: has(themes.Bold), Thin: has(themes.Thin),
		Italic: has(themes.Italic), Underline: has(themes.Underline)}
	if t.Fg != 0 {
		st.Fg = css(t.Fg)
	}
	if t.Bg != 0 {
		st.Bg = css(t.Bg)
	}
	if has(themes.Reverse) {
		if st.Bg == "" {
			st.Bg = s.look.Background
		}
		st.Fg, st.Bg = st.Bg, st.Fg
	}
	return st
}

// terminal16 are the terminal's own 16 colors as xterm has them by default.
var terminal16 = [16]string{
	"#000000", "#cd0000", "#00cd00", "#cdcd00", "#0000ee", "#cd00cd", "#00cdcd", "#e5e5e5",
	"#7f7f7f", "#ff0000", "#00ff00", "#ffff00", "#5c5cff", "#ff00ff", "#00ffff", "#ffffff",
}

// css is c as CSS writes it.
func css(c themes.Color) string {
	if _, _, _, ok := c.RGB(); ok {
		return c.String()
	}
	return terminal16[c&15]
}
