package live

import (
	"strings"

	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// definitions is the wrapped text of the overlay, kept for one width.
type definitions struct {
	shown bool
	width int
	rows  []defRow
	at    scroll
}

// defRow is a row of the overlay: a label with its formula, the rest of a
// formula, or text.
type defRow struct {
	label, text string
	formula     bool
}

func (d *definitions) wrap(width int) {
	if d.width == width && d.rows != nil {
		return
	}
	d.width, d.rows, d.at.top = width, d.rows[:0], 0
	for _, def := range say.Definitions() {
		if len(d.rows) > 0 {
			d.rows = append(d.rows, defRow{})
		}
		unit := ""
		if def.Unit != "" {
			unit = "  (" + def.Unit + ")"
		}
		for i, row := range wrap(def.Label+" = "+def.Formula+unit, width) { // a formula is never cut
			if rest, ok := strings.CutPrefix(row, def.Label+" "); ok && i == 0 {
				d.rows = append(d.rows, defRow{label: def.Label, text: rest})
				continue
			}
			d.rows = append(d.rows, defRow{text: row, formula: true})
		}
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
	d.at.fit(len(d.rows), in.H)
	p.Box(at, themes.Border, "what the figures mean", d.at.where(p, "row"))
	d.draw(p, in, d.at.top)
}

// meaning shows the meaning of the figures in a panel of its own, from the
// first on, where there is room for it beside everything else.
func (s *picture) meaning(p *canvas, r draw.Rect) {
	d := &s.means
	in := r.Inner()
	d.wrap(in.W)
	right := ""
	if len(d.rows) > in.H {
		right = "d shows all"
	}
	p.Box(r, themes.Border, "what the figures mean", right)
	d.draw(p, in, 0)
}

// draw draws the rows that fit, from top on.
func (d *definitions) draw(p *canvas, in draw.Rect, top int) {
	for i, row := range d.rows[min(top, len(d.rows)):min(top+max(in.H, 0), len(d.rows))] {
		l := p.Row(in, i)
		if row.label != "" {
			l.Write(themes.Accent, row.label)
			l.Skip(1)
			l.Cut(themes.Text, row.text)
			continue
		}
		if row.formula {
			l.Cut(themes.Text, row.text)
			continue
		}
		l.Skip(2)
		l.Cut(themes.Dim, row.text)
	}
}
