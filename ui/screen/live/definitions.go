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
	rows  []textRow
	at    scroll
}

func (d *definitions) wrap(width int) {
	if d.width == width && d.rows != nil {
		return
	}
	d.width, d.rows, d.at.top = width, d.rows[:0], 0
	for _, def := range say.Definitions() {
		if len(d.rows) > 0 {
			d.rows = append(d.rows, textRow{})
		}
		unit := ""
		if def.Unit != "" {
			unit = "  (" + def.Unit + ")"
		}
		for i, row := range wrap(def.Label+" = "+def.Formula+unit, width) { // a formula is never cut
			r := textRow{text: row, lead: themes.Accent, role: themes.Text, own: true}
			if rest, ok := strings.CutPrefix(row, def.Label+" "); ok && i == 0 {
				r.name, r.text = def.Label+" ", rest
			}
			d.rows = append(d.rows, r)
		}
		for _, text := range [...]string{def.Text, "unknown: " + def.Undefined} {
			for _, row := range wrap(text, width-2) {
				d.rows = append(d.rows, ownRow(themes.Dim, "  "+row))
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
	drawRows(p, in, d.rows[d.at.top:])
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
	drawRows(p, in, d.rows)
}
