package ui

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/draw"
)

// surface holds the grid that is drawn on, and the resulting frame.
type surface struct {
	grid     *draw.Grid
	palette  *themes.Palette
	dark     bool // the terminal's background, as far as known
	grounded bool // the palette paints its own background
	frame    tea.View
	drawn    int         // frames so far
	cursor   *tea.Cursor // the last cursor given to Bubble Tea
}

func newSurface() surface {
	s := surface{grid: draw.New(0, 0), dark: true}
	s.frame.AltScreen = true
	return s
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

// capture takes the mouse, or gives it back to the terminal.
func (s *surface) capture(mouse bool) {
	s.frame.MouseMode = tea.MouseModeNone
	if mouse {
		s.frame.MouseMode = tea.MouseModeCellMotion
	}
}

// resize fits the surface to a terminal of w by h.
func (s *surface) resize(w, h int) {
	margin := min(w, 1) // the last column stays empty: a full row may wrap
	s.grid.Resize(w-margin, h)
	s.grid.Margin(margin)
}

// place puts the terminal's cursor where text is typed, or hides it. Input
// methods and screen readers follow it; the caret is drawn as well. Bubble
// Tea's renderer reads the cursor on its own goroutine at any time, so a
// cursor already given to it is never modified.
func (s *surface) place(x, y int, ok bool) {
	s.frame.Cursor = nil
	if !ok {
		return
	}
	if s.cursor == nil || s.cursor.X != x || s.cursor.Y != y {
		s.cursor = &tea.Cursor{Position: tea.Position{X: x, Y: y}, Shape: tea.CursorBlock}
	}
	s.frame.Cursor = s.cursor
}
