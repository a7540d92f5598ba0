package ui

import (
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

func (m *Model) resize(w, h int) {
	m.look.W, m.look.H = max(w, 0), max(h, 0)
	margin := min(m.look.W, 1) // the last column stays empty: a full row may wrap
	m.surface.grid.Resize(m.look.W-margin, m.look.H)
	m.surface.grid.Margin(margin)
	m.dirty = true
}

// draw draws the frame: a header row, the screen, dialogs and toast over it,
// a footer row. With fewer than three rows the header is dropped first.
func (m *Model) draw() {
	g := m.surface.grid
	g.Clear()
	body := g.Bounds()
	var header, footer draw.Rect
	if body.H >= 3 {
		header, body = body.SplitV(1)
	}
	if body.H >= 2 {
		body, footer = body.SplitV(-1)
	}
	s, d := m.screens.shown(), m.stack.top()
	m.status.Clear()
	s.Status(&m.status)
	m.drawHeader(header)
	s.Draw(g, body)
	if d != nil {
		if _, preview := d.(*dialog.Themes); !preview {
			g.Recede(body)
		}
		d.Draw(g, body, m.look.Glyphs)
	}
	m.toast.draw(g, body, m.look.Glyphs)
	c := &m.surface.caret
	if *c = (caret{}); d != nil {
		c.x, c.y, c.shown = d.Caret()
	}
	m.footer.draw(g, footer, m.keys(), &m.status, m.look.Glyphs.ASCII)
	m.surface.drawn++
}

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
	s.palette, s.grounded = format.Either(grounded, themes.CompileOnGround, themes.Compile)(t, p), grounded
	return true
}
