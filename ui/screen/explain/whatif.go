package explain

import (
	"tokscope/metrics"
	"tokscope/metrics/figure"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
	"tokscope/ui/screen/listing"
)

// effect is a figure of the knobs, and a row of the what-if table.
type effect struct {
	name, short        string
	before, now, taken metrics.Value // predicted for the knobs before and now; measured in the engine
	clients            metrics.Value // measured by the clients, in the engine's time
	unit               figure.Unit   // Ms, TokensPerSecond, Share or Number
	role               themes.Role   // of the figure that is measured
}

// words are what stands behind the figure, "" where its text has the unit.
func (e *effect) words() string { return format.If(e.unit == figure.TokensPerSecond, "tok/s") }

// predicted reports whether the figure is predicted for the present knobs of n, and not
// yet measured, in an engine that works.
func (e *effect) predicted(n *serving.View) bool {
	return !e.taken.OK && e.now.OK && !n.Busy && n.Broken.Code == ""
}

func (e *effect) text(p *canvas, v metrics.Value) string {
	switch e.unit {
	case figure.Ms:
		return p.Duration(v)
	case figure.Share:
		return p.PercentOf(v)
	case figure.Number:
		return p.WholeOf(v)
	}
	return p.NumberOf(v)
}

// effects are the figures, the most telling first.
func (n *figures) effects() [9]effect {
	a, b, f := &n.view.Previous, &n.view.Present, &n.view.Figures
	none := metrics.Unknown(metrics.WhyNotMeasured)
	each := none
	if t := f.ClientTPOT; t.OK && t.V > 0 {
		each = metrics.Known(1000/t.V, t.N)
	}
	gap99 := format.Either(f.Requests > 0, f.Gap99, none)
	const usual = themes.Strong
	return [...]effect{
		{"TTFT", "TTFT", a.TTFT, b.TTFT, f.TTFT, f.ClientTTFT, figure.Ms, usual},
		{"TPOT", "TPOT", a.TPOT, b.TPOT, f.TPOT, f.ClientTPOT, figure.Ms, usual},
		{"per user", "per user", a.Speed, b.Speed, f.Speed, each, figure.TokensPerSecond, themes.PerUser},
		{"aggregate", "aggr.", a.Total, b.Total, f.Total, none, figure.TokensPerSecond, themes.Aggregate},
		{"gap p99", "gap p99", a.Gap99, b.Gap99, gap99, none, figure.Ms, usual},
		{"KV cache, peak", "KV peak", a.KV, b.KV, f.KV, none, figure.Share, usual},
		{"users that fit", "room for", a.MostUsers, b.MostUsers, none, none, figure.Number, usual},
		{"TTFT p99", "TTFT p99", a.TTFTP99, b.TTFTP99, f.TTFTP99, none, figure.Ms, usual},
		{"queue", "queue", a.Queue, b.Queue, none, none, figure.Ms, usual},
	}
}

// whatIf is the panel of the model's predictions.
type whatIf struct {
	turn, names draw.Memo[serving.EngineMark, string]
	cols        []listing.Column[effectCell]
}

func turnWords(m serving.EngineMark) string { return say.KnobChanges(&m.From, &m.To) }
func turnNames(m serving.EngineMark) string { return say.KnobNames(&m.From, &m.To) + " changed" }

// whatIf is what the model says of the knobs, against those before the last
// turn and against what is measured; below, the arithmetic.
func (s *whatIf) whatIf(p *canvas, r draw.Rect, border themes.Role) {
	n := &p.now.view
	had := n.Previous.Knobs.Users > 0
	title, turned, other := format.Either(n.Busy, "what if ─ computing", "what if"), "", ""
	if had {
		turned = draw.FirstFit(r.W-draw.Width(title)-9, s.turn.Of(change(n), turnWords), s.names.Of(change(n), turnNames))
		if n.Unchanged {
			other = p.Plural(n.Previous.Knobs.Users, "user", "users")
			turned = draw.FirstFit(r.W-draw.Width(title)-9, p.Join("compared with ", other), p.Join("vs ", other))
		}
	}
	in := p.Box(r, border, title, turned)
	if n.Busy && r.W >= 30 {
		p.Grid.Set(r.X+2+draw.Width(title)+1, r.Y, p.spinner(), themes.Accent)
	}
	if n.Present.Err != "" {
		p.Wrapped(in, in.H/4, 4, themes.Bad, p.Join("It cannot run: ", n.Present.Err))
		return
	}
	if n.Present.Knobs.Users == 0 {
		p.Middle(in, themes.Dim, format.Either(n.Busy, "asking the model", "nothing predicted yet"))
		return
	}
	sums := format.Either(in.H < 7, 0, 2)
	all := p.now.effects()
	shown := effectColumns
	if n.Figures.Requests == 0 { // nothing is measured yet
		shown = effectColumns[:measuredFrom]
	}
	s.cols = listing.Choose(s.cols[:0], shown, in.W)
	for i := range s.cols {
		if c := &s.cols[i]; c.Head == "before" && other != "" {
			c.Head = other
		}
	}
	listing.Heads(&p.Canvas, p.Row(in, 0), s.cols, "", false, nil)
	room := in.H - 1 - sums
	pitch := format.Either(room >= 2*len(all), 2, 1) // rows a figure
	for i := range max(min(room, len(all)), 0) {
		listing.Cells(&p.Canvas, p.Row(in, 1+i*pitch), s.cols, effectCell{p, &all[i], had})
	}
	if sums > 0 {
		p.ceiling(p.Row(in, in.H-2))
		p.floor(p.Row(in, in.H-1))
	}
}

// change is the change of the knobs between the two predictions. The speed of
// time has no part in it.
func change(n *serving.View) serving.EngineMark {
	m := serving.EngineMark{From: n.Previous.Knobs, To: n.Present.Knobs}
	m.From.Time = m.To.Time
	return m
}

func (p *canvas) spinner() rune {
	if p.v.Look.ReducedMotion {
		return p.Glyphs.Bullet
	}
	n := len(p.Glyphs.Spinner)
	return p.Glyphs.Spinner[int(uint64(p.v.Explain.Now)/100e6%uint64(n))]
}

// effectCell is a row of the table with what it is drawn with.
type effectCell struct {
	p *canvas
	*effect
	had bool // there is a prediction before
}

// effectColumns are the table's columns. Where room is short the clients' figures go
// first, then those before.
var effectColumns = []listing.Column[effectCell]{
	{Head: "predicted", Width: 9, Text: true, Write: func(l line, r effectCell) {
		l.End--
		l.Cut(themes.Dim, format.Either(len(r.name) > l.Left(), r.short, r.name))
	}},
	{Width: 6, Rank: 3, Least: 1},
	{Head: "before", Width: 7, Rank: 2, Write: func(l line, r effectCell) {
		if r.had {
			l.Field(themes.Dim, r.text(r.p, r.before), l.Left())
		}
	}},
	{Width: 2, Rank: 5},
	{Head: "now", Width: 8, Write: func(l line, r effectCell) { l.Field(themes.Strong, r.text(r.p, r.now), l.Left()) }},
	{Width: 2, Rank: 5},
	{Head: "change", Width: 8, Write: writeChange},
	{Width: 2, Rank: 5},
	{Head: "measured", Width: 9, Rank: 1, Write: func(l line, r effectCell) {
		if r.taken.OK || r.taken.Why != metrics.WhyNotMeasured {
			l.Field(themes.Text, r.text(r.p, r.taken), l.Left())
		}
	}},
	{Width: 2, Rank: 5},
	{Head: "by clients", Width: 12, Rank: 4, Write: func(l line, r effectCell) {
		if r.clients.OK {
			l.Field(themes.Text, r.text(r.p, r.clients), l.Left())
		}
	}},
}

// measuredFrom is where in effectColumns what is measured begins.
const measuredFrom = 7

// writeChange writes by how much the prediction has changed: "+12 %", "2.4x" from twice
// on, and from half a percent on which way.
func writeChange(l line, r effectCell) {
	if !r.had || !r.before.OK || !r.now.OK || !(r.before.V > 0) || !(r.now.V >= 0) {
		return
	}
	f, sign, role := finite(r.now.V/r.before.V), ' ', themes.Dim
	switch {
	case f > 1.005:
		sign, role = r.p.Glyphs.Up, judged(r.unit, true)
	case f < 0.995:
		sign, role = r.p.Glyphs.Down, judged(r.unit, false)
	}
	b := r.p.Scratch()
	switch {
	case r.now.V == 0:
		b = append(b, "to 0"...)
	case f >= 1.995:
		b = format.AppendFactor(b, f)
	case sign != ' ':
		b = format.AppendChange(b, f-1)
	default:
		b = append(b, "same"...)
	}
	text := r.p.Keep(b)
	l.To(l.End - draw.Width(text) - 2)
	l.Set(role, sign)
	l.Skip(1)
	l.Whole(role, text)
}

// judged is the color of a change: better, worse, or neither.
func judged(u figure.Unit, up bool) themes.Role {
	switch {
	case u == figure.Ms && up, u == figure.TokensPerSecond && !up:
		return themes.Warn
	case u == figure.Ms || u == figure.TokensPerSecond:
		return themes.Good
	}
	return themes.Text
}

// ceiling is the arithmetic of decode: bandwidth / bytes = the most that one
// user can have, unless a draft model guesses.
func (p *canvas) ceiling(l line) {
	q := &p.now.view.Present
	if !q.Ceiling.OK {
		l.Cut(themes.Dim, p.Join("no ceiling: ", format.Why(q.Ceiling.Why)))
		return
	}
	sum := p.Join(p.Amount(q.Machine.Bandwidth, "B/s"), " ÷ ", p.Amount(q.Machine.StepBytes, "B"))
	p.arithmetic(l, themes.Decode, format.Either(q.Knobs.DraftK > 0, "no draft: ceiling ", "ceiling "),
		sum, "bytes/s ÷ bytes", p.Number(q.Ceiling.V), " tok/s", " per user")
}

// floor is the arithmetic of prefill: 2 · parameters · prompt / FLOP/s = the
// least that a prompt takes. The peak is that of the format which is computed
// in; it is named where it is not the roofline's.
func (p *canvas) floor(l line) {
	q := &p.now.view.Present
	if !q.Floor.OK {
		l.Cut(themes.Dim, p.Join("no floor: ", format.Why(q.Floor.Why)))
		return
	}
	m := &q.Machine
	sum := p.Join("2×", p.Amount(m.PromptParameters, ""), "×",
		p.Int(q.Knobs.Prompt), " ÷ ", p.Amount(m.FormatPeak, "FLOP/s"),
		format.If(m.FormatPeak != m.Peak, p.Join(" ", m.Format)))
	p.arithmetic(l, themes.Prefill, "floor ", sum, "2·P·prompt ÷ FLOP/s", p.Ms(q.Floor.V), "", "")
}

// arithmetic writes a sum with its numbers and what comes out; where that has
// no room, what comes out and the rule.
func (p *canvas) arithmetic(l line, role themes.Role, name, sum, rule, result, unit, of string) {
	l.Write(role, name)
	if n := draw.Width(p.Chrome(p.Join(sum, " = ", result, unit))); n > l.Left() {
		l.Write(themes.Figure, result)
		l.Write(themes.Unit, unit)
		l.Whole(themes.Text, p.Join(" = ", rule))
		return
	}
	l.Write(themes.Text, p.Join(sum, " = "))
	l.Write(themes.Figure, result)
	l.Whole(themes.Unit, unit)
	l.Whole(themes.Unit, of)
}
