package live

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// definitions is the wrapped text of the overlay, kept for one width.
type definitions struct {
	shown bool
	width int
	rows  []defRow
	top   int // first row in view
	room  int // rows that fit
}

// defRow is a row of the overlay: either a label with its formula, or text.
type defRow struct{ label, text string }

func (d *definitions) wrap(width int) {
	if d.width == width && d.rows != nil {
		return
	}
	d.width, d.rows, d.top = width, d.rows[:0], 0
	for _, def := range format.LiveDefinitions() {
		if len(d.rows) > 0 {
			d.rows = append(d.rows, defRow{})
		}
		unit := ""
		if def.Unit != "" {
			unit = "  (" + def.Unit + ")"
		}
		d.rows = append(d.rows, defRow{def.Label, "= " + def.Formula + unit})
		for _, text := range [...]string{def.Text, "unknown: " + def.Undefined} {
			for _, row := range wrap(text, width-2) {
				d.rows = append(d.rows, defRow{text: row})
			}
		}
	}
}

// define lays the meaning of the figures over the text, so that the figures
// themselves stay in view.
func (s *picture) define(p *canvas, lay plan, r draw.Rect) {
	at := lay.text
	if lay.compact {
		at = r
	}
	p.Grid.Fill(at, ' ', themes.Text)
	d := &s.defs
	in := at.Inner()
	d.wrap(in.W)
	d.room = in.H
	d.top = min(d.top, max(len(d.rows)-d.room, 0))
	right := ""
	if len(d.rows) > d.room {
		right = p.Join("row ", p.Int(d.top+1), "–", p.Int(min(d.top+d.room, len(d.rows))), " of ", p.Int(len(d.rows)))
	}
	p.Box(at, themes.Border, "what the figures mean", right)
	for i, row := range d.rows[d.top:min(d.top+max(d.room, 0), len(d.rows))] {
		l := p.Row(in, i)
		if row.label != "" {
			l.Write(themes.Accent, row.label)
			l.Skip(1)
			l.Cut(themes.Text, row.text)
			continue
		}
		l.Skip(2)
		l.Cut(themes.Dim, row.text)
	}
}
