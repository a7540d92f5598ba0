package ui

import (
	tea "charm.land/bubbletea/v2"

	"tokscope/themes"
	"tokscope/ui/dialog"
	"tokscope/ui/draw"
)

func (m *Model) resize(w, h int) {
	m.w, m.h = max(w, 0), max(h, 0)
	margin := min(m.w, 1) // the last column takes no text: a full row may wrap
	m.grid.Resize(m.w-margin, m.h)
	m.grid.Margin(margin)
	m.dirty = true
}

// placeCursor puts the terminal's cursor where text goes: input methods and
// screen readers follow it. The caret is drawn as well. Bubble Tea's renderer
// looks at the cursor on a goroutine of its own whenever it likes: one that it
// was given is never written to again.
func (s *Model) placeCursor() {
	s.frame.Cursor = nil
	if d := s.top(); d != nil {
		if x, y, ok := d.Caret(); ok {
			if s.cursor == nil || s.cursor.X != x || s.cursor.Y != y {
				s.cursor = &tea.Cursor{Position: tea.Position{X: x, Y: y}, Shape: tea.CursorBlock}
			}
			s.frame.Cursor = s.cursor
		}
	}
}

// draw draws the frame: a row of header, the screen, what lies over it, a row
// of footer. Where there are not three rows, the header goes first.
func (m *Model) draw() {
	g := m.grid
	g.Clear()
	m.places = m.places[:0]
	body := g.Bounds()
	var header, footer draw.Rect
	if body.H >= 3 {
		header, body = body.SplitV(1)
	}
	if body.H >= 2 {
		body, footer = body.SplitV(-1)
	}
	m.drawHeader(header)
	switch {
	case m.explain.on:
		m.lensOfExplain()
		m.explain.screen.Draw(g, body, &m.explain.view)
	case m.load.on:
		m.load.screen.Draw(g, body, &m.load.view)
	default:
		m.screen.Draw(g, body, &m.view)
	}
	if d := m.top(); d != nil {
		if _, preview := d.(*dialog.Themes); !preview {
			g.Style(body, themes.Faint)
		}
		d.Draw(g, body, m.glyphs)
	}
	m.drawToast(body)
	m.placeCursor()
	m.drawFooter(footer)
	m.frame.Content = g.Paint(m.palette)
}
