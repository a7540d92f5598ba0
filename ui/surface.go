package ui

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// surface holds the grid that is drawn on, and where the cursor stands in it.
type surface struct {
	grid     *draw.Grid
	palette  *themes.Palette
	dark     bool // the terminal's background, as far as known
	grounded bool // the palette paints its own background
	drawn    int  // frames so far
	caret    caret
}

// caret is where text is typed, if it is. The terminal's cursor is put there, because
// input methods and screen readers follow it; the caret is drawn as well.
type caret struct {
	x, y  int
	shown bool
}

// theme compiles the theme of that name; "" follows the terminal. A theme for
// the opposite background brings its own. That background is drawn as cells,
// since a terminal setting would outlive a killed program. It reports whether
// the palette changed.
func (s *surface) theme(name string, p themes.Profile) bool {
	t, ok := themes.ByName(name)
	if !ok {
		t = themes.Default(s.dark)
	}
	grounded := t.Dark != s.dark
	if s.palette != nil && s.palette.Theme().Name == t.Name && s.grounded == grounded {
		return false
	}
	compile := themes.Compile
	if grounded {
		compile = themes.CompileOnGround
	}
	s.palette, s.grounded = compile(t, p), grounded
	return true
}

// resize fits the surface to a terminal of w by h.
func (s *surface) resize(w, h int) {
	margin := min(w, 1) // the last column stays empty: a full row may wrap
	s.grid.Resize(w-margin, h)
	s.grid.Margin(margin)
}
