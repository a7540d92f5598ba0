package live

import (
	"tokscope/themes"
	"tokscope/ui/cell"
)

// definitions is the wrapped text of the overlay, kept for one width.
type definitions struct {
	width int
	rows  []defRow
}

type defRow struct {
	name, text string
}

// define lays the meaning of the figures over the text panel, so that the
// figures themselves stay in view.
func (s *Screen) define(p *pen, lay plan, r cell.Rect) {
	at := lay.text
	if lay.small {
		at = r
	}
	p.g.Fill(at, ' ', themes.Ink)
	in := p.box(at, "what the figures mean", "")
	_ = in
}
