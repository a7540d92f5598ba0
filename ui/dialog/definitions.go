package dialog

import (
	"strings"

	"tokscope/metrics/definition"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/keys"
	"tokscope/ui/say"
)

// Definitions shows one run under the definitions of the field's tools. The
// events that the selected tool's figures are made of are lit.
type Definitions struct {
	reader // its row is the selected tool
	title  string
	trace  definition.Trace
	rows   []definition.Row
	says   string // how far they lie apart

	first int // row shown
	list  draw.Rect
}

// NewDefinitions returns the dialog on a run with that title, at tokscope's own
// definitions.
func NewDefinitions(title string, t definition.Trace) *Definitions {
	d := &Definitions{title: title, trace: t}
	d.rows = definition.Table(&d.trace)
	d.says = say.Spreads(d.rows)
	d.last = len(d.rows) - 1
	d.at = d.last
	d.keys = readerKeys("D", keys.Always("tool"))
	return d
}

// Click implements Dialog: a row selects its tool.
func (d *Definitions) Click(x, y int) Act {
	if d.list.Contains(x, y) {
		d.at = min(d.first+y-d.list.Y, d.last)
	}
	return d.reader.Click(x, y)
}

// Columns of the dialog.
const (
	definitionsWidth = 100
	toolWidth        = 22
	figureWidth      = 9
	countWidth       = 18
)

// definitionColumns are the figures in their order, with the least inner width
// at which each has room.
var definitionColumns = []struct {
	name string
	from int
	of   func(*definition.Row) *definition.Cell
}{
	{"TTFT ms", 0, func(r *definition.Row) *definition.Cell { return &r.TTFT }},
	{"TPOT ms", 0, func(r *definition.Row) *definition.Cell { return &r.TPOT }},
	{"ITL ms", 54, func(r *definition.Row) *definition.Cell { return &r.ITL }},
	{"tok/s", 62, func(r *definition.Row) *definition.Cell { return &r.Speed }},
	{"end ms", 71, func(r *definition.Row) *definition.Cell { return &r.Latency }},
}

func (d *Definitions) Draw(g *draw.Grid, area draw.Rect, gl *themes.Glyphs) {
	detail := 0 // rows that describe the selected tool
	switch {
	case area.H >= 22:
		detail = 10
	case area.H >= 16:
		detail = 4
	}
	box, in := frame(g, area, gl, area.Center(definitionsWidth, len(d.rows)+3+detail+2), d.title, "times in ms")
	d.box, in = box, air(in)
	if above := in.Y - 1; above > box.Y {
		says := format.Clauses(d.says, func(s string) bool { return draw.Width(s) <= in.W })
		g.Cut(in.X, above, says, gl, themes.Text, in.W)
	}
	room := max(in.H-1-detail, 1)
	d.page = room - 1
	d.first = draw.Scroll(d.first, d.at, room, len(d.rows))
	d.list = draw.Rect{X: in.X, Y: in.Y + 1, W: in.W, H: min(room, len(d.rows))}
	drawRow(g, in, gl, themes.Dim, [2]string{"tool", "tool"}, func(i int) string { return definitionColumns[i].name }, "n")
	for i := 0; i < d.list.H && d.first+i < len(d.rows); i++ {
		row, r, role := &d.rows[d.first+i], draw.Rect{X: in.X, Y: in.Y + 1 + i, W: in.W, H: 1}, themes.Text
		if d.first+i == d.at {
			role = themes.Selected
			g.Fill(r, ' ', role)
		}
		drawRow(g, r, gl, role, [2]string{say.RuleName(row.Rule), row.Rule.Tool},
			func(i int) string { return say.DefinitionCell(definitionColumns[i].of(row)) }, say.CountSource(row.Count))
	}
	if detail > 0 {
		d.drawDetail(g, draw.Rect{X: in.X, Y: in.Bottom() - detail, W: in.W, H: detail}, gl)
	}
}

// drawRow draws a name, or the shorter one behind it, the figures that have room, and n
// where that has.
func drawRow(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, role themes.Role, name [2]string,
	figure func(column int) string, n string) {
	names := format.Either(r.W < 54, min(toolWidth, r.W-2*figureWidth), toolWidth)
	g.Cut(r.X, r.Y, name[format.Either(draw.Width(name[0]) < names, 0, 1)], gl, role, names-1)
	x := r.X + names
	for i := range definitionColumns {
		if r.W >= definitionColumns[i].from {
			x += figureWidth
			g.Right(x, r.Y, figure(i), role, figureWidth-1)
		}
	}
	if r.Right() >= x+2+countWidth {
		g.Text(x+2, r.Y, n, role, countWidth)
	}
}

// drawDetail says what the selected rule is, and lights the events it uses.
func (d *Definitions) drawDetail(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	row := &d.rows[d.at]
	what := "first token: " + say.Pick(row.Rule.Starts) + "; ends at: " + say.EndsAt(row.Rule.Latency)
	lines := format.Either(r.H > 4, format.Wrap(what, r.W), []string{what})
	lines = append(lines, formulas(row.Rule, r)...)
	y := r.Y + 1
	if r.H > 4 && 1+1+len(lines)+figureRows > r.H {
		y-- // the selected row above is lit: the text needs no distance
	}
	add := func(text string, role themes.Role) {
		if y < r.Bottom() {
			g.Cut(r.X, y, text, gl, role, r.W)
			y++
		}
	}
	add(say.RuleName(row.Rule)+": "+say.RuleEvidence(row.Rule)+"; source: "+row.Rule.Source, themes.Dim)
	for _, line := range lines {
		add(line, themes.Text)
	}
	if r.Bottom()-y < figureRows {
		return
	}
	if r.Bottom()-y > figureRows {
		y++
	}
	d.drawEvents(g, draw.Rect{X: r.X, Y: y, W: r.W, H: r.Bottom() - y}, gl)
}

// figureRows are the rows of the events and of the figures below them.
const figureRows = 5

// formulas are those of a rule, in rows of r.W where there is room for several.
func formulas(rule *definition.Rule, r draw.Rect) []string {
	lines := []string{"TPOT " + say.Formula(rule.TPOT, false)}
	for _, next := range [...]string{"ITL " + say.Formula(rule.ITL, false),
		"tok/s " + say.Formula(rule.Speed, true)} {
		last := &lines[len(lines)-1]
		if r.H > 4 && draw.Width(*last)+2+draw.Width(next) > r.W {
			lines = append(lines, next)
		} else {
			*last += "  " + next
		}
	}
	return lines
}

// eventsLabel is the width of the labels left of the events.
const eventsLabel = 9

// drawEvents draws all events on one time axis, those that the selected rule
// counts lit, and below them the span of each figure.
func (d *Definitions) drawEvents(g *draw.Grid, r draw.Rect, gl *themes.Glyphs) {
	row, t := &d.rows[d.at], &d.trace
	axis := draw.Rect{X: r.X + eventsLabel, Y: r.Y, W: r.W - eventsLabel, H: r.H}
	last := t.Chunks[len(t.Chunks)-1].At
	for _, m := range []float64{t.Finish.V, t.Usage.V, t.Done.V, t.End.V} {
		last = max(last, m)
	}
	if axis.W < 10 || last <= 0 {
		return
	}
	column := func(ms float64) int { return axis.X + min(int(ms/last*float64(axis.W-1)+0.5), axis.W-1) }
	g.Text(r.X, r.Y, "events", themes.Dim, eventsLabel)
	filled, emptyLit := 0.0, false // the last chunk that is not empty; an empty one after it counts
	for i := range t.Chunks {
		c := &t.Chunks[i]
		shape, role := gl.Block, themes.Dim
		switch {
		case c.Kinds == definition.Empty:
			shape = gl.Bullet
			emptyLit = emptyLit || c.At > filled && definition.Counts(row.Rule, c)
		case c.Kinds&definition.Content == 0:
			shape, filled = gl.MidShade, c.At
		default:
			filled = c.At
		}
		if definition.Counts(row.Rule, c) {
			role = themes.Accent
		}
		g.Set(column(c.At), axis.Y, shape, role)
	}
	var signs []string
	for _, e := range []struct {
		at   float64
		ok   bool
		sign string // its first letter is drawn
		lit  bool
	}{
		{t.Choices.V, t.Choices.OK && t.Choices.V < t.Chunks[0].At, "role", row.Rule.Starts&definition.Choices != 0},
		{t.Finish.V, t.Finish.OK && t.Finish.V > filled, "finish", emptyLit ||
			row.Rule.Counts&definition.FinishEvent != 0 || row.Rule.Latency == definition.Finish},
		{t.Usage.V, t.Usage.OK && t.Usage.V > filled, "usage", row.Latency.Span.To == definition.Usage},
		{t.Done.V, t.Done.OK, "done", row.Latency.Span.To == definition.Done},
		{t.End.V, t.End.OK, "end", row.Rule.Latency == definition.End},
	} {
		if e.ok {
			g.Set(column(e.at), axis.Y, rune(e.sign[0]), format.Either(e.lit, themes.Accent, themes.Dim))
			signs = append(signs, e.sign[:1]+" "+e.sign)
		}
	}
	drawFoot(g, d.box, strings.Join(signs, ", "), themes.Dim) // what the letters are
	y := axis.Y + 1
	for _, c := range []struct {
		name string
		cell *definition.Cell
	}{{"TTFT", &row.TTFT}, {"TPOT", &row.TPOT}, {"tok/s", &row.Speed}, {"end", &row.Latency}} {
		if y >= r.Bottom() {
			return
		}
		g.Text(r.X, y, c.name, themes.Dim, eventsLabel)
		if !c.cell.Value.OK && !c.cell.ByServer.OK {
			g.Cut(axis.X, y, format.Why(c.cell.Value.Why), gl, themes.Dim, axis.W)
			y++
			continue
		}
		from, to := column(c.cell.From), column(c.cell.To)
		for x := from; x <= to; x++ {
			shape := gl.H
			switch x {
			case from:
				shape = gl.TeeL
			case to:
				shape = gl.TeeR
			}
			g.Set(x, y, shape, themes.Accent)
		}
		y++
	}
}
