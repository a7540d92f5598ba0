package ui

import (
	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
)

func (m *Model) resize(w, h int) {
	m.look.W, m.look.H = max(w, 0), max(h, 0)
	m.surface.resize(m.look.W, m.look.H)
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
			g.Style(body, themes.Faint)
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
