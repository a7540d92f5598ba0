package live

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// defined are the figures of this screen by the names of metrics.Define, in
// the order in which the eye meets them.
var defined = []string{
	"ttft", "tpot", "speed", "times_reading", "tokens", "tokens_per_chunk", "gap", "longest", "stalls", "bursts",
	"percentile", "below_reading", "wpm", "wait", "trend", "ttfc", "chunk_speed", "itl", "observer",
}

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
	for _, name := range defined {
		def, ok := metrics.Define(name)
		if !ok {
			continue
		}
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
func (s *Screen) define(p *pen, lay plan, r draw.Rect) {
	at := lay.text
	if lay.compact {
		at = r
	}
	p.Grid.Fill(at, ' ', themes.Ink)
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
			l.Cut(themes.Ink, row.text)
			continue
		}
		l.Skip(2)
		l.Cut(themes.Dim, row.text)
	}
}
