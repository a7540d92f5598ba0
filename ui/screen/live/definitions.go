package live

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// definitions is the text of the overlay.
type definitions struct {
	shown bool
	rows  draw.Memo[int, []textRow]
	at    scroll
}

// definitionRows are what all figures mean, in rows of that width.
func definitionRows(width int) (rows []textRow) {
	for _, def := range say.Definitions() {
		if len(rows) > 0 {
			rows = append(rows, textRow{})
		}
		unit := format.If(def.Unit != "", "  ("+def.Unit+")")
		for _, row := range namedRows(def.Label+" ", "= "+def.Formula+unit, width) { // a formula is never cut
			row.lead, row.own = themes.Accent, true
			rows = append(rows, row)
		}
		for _, text := range [...]string{def.Text, "unknown: " + def.Undefined} {
			for _, row := range wrap(text, width-2) {
				rows = append(rows, ownRow(themes.Dim, "  "+row))
			}
		}
	}
	return rows
}

// define lays the meaning of the figures over the text, so that the figures
// themselves stay in view.
func (s *picture) define(p *canvas, lay plan, r draw.Rect) {
	at := lay.text
	if lay.compact || at.Empty() {
		at = r
	}
	p.Grid.Fill(at, ' ', themes.Text)
	d := &s.defs
	in := at.Inner()
	rows := d.rows.Of(in.W, definitionRows)
	d.at.fit(len(rows), in.H)
	p.Box(at, themes.Border, "what the figures mean", d.at.where(p, "row"))
	drawRows(p, in, rows[d.at.top:])
}

// meaning shows the meaning of the figures in a panel of its own, from the
// first on, where there is room for it beside everything else.
func (s *picture) meaning(p *canvas, r draw.Rect) {
	in := r.Inner()
	rows := s.means.Of(in.W, definitionRows)
	p.Box(r, themes.Border, "what the figures mean", format.Either(len(rows) > in.H, "d shows all", ""))
	drawRows(p, in, rows)
}
