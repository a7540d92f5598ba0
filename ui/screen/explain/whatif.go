package explain

import (
	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// effect is a row of the what-if table.
type effect struct {
	name, short        string
	before, now, taken metrics.Value // predicted for the knobs before and now; measured in the engine
	clients            metrics.Value // measured by the clients, in the engine's time
	kind               effectKind
}

type effectKind uint8

const (
	aTime  effectKind = iota // less is better
	aSpeed                   // more is better
	aShare                   // of the cache
	aCount
)

// effects are the rows, the most telling first.
func (n *figures) effects() [9]effect {
	a, b, f := &n.view.Previous, &n.view.Present, &n.view.Figures
	none := metrics.Unknown(metrics.WhyNotMeasured)
	each := none
	if t := f.ClientTPOT; t.OK && t.V > 0 {
		each = metrics.Known(1000/t.V, t.N)
	}
	return [...]effect{
		{"TTFT", "TTFT", a.TTFT, b.TTFT, f.TTFT, f.ClientTTFT, aTime},
		{"TPOT", "TPOT", a.TPOT, b.TPOT, f.TPOT, f.ClientTPOT, aTime},
		{"per user, tok/s", "per user", a.Speed, b.Speed, f.Speed, each, aSpeed},
		{"aggregate tok/s", "aggr.", a.Total, b.Total, f.Total, none, aSpeed},
		{"gap p99", "gap p99", a.Gap99, b.Gap99, f.Gap99, none, aTime},
		{"KV cache, peak", "KV peak", a.KV, b.KV, f.KV, none, aShare},
		{"users that fit", "room for", a.MostUsers, b.MostUsers, none, none, aCount},
		{"TTFT p99", "TTFT p99", a.TTFTP99, b.TTFTP99, f.TTFTP99, none, aTime},
		{"queue", "queue", a.Queue, b.Queue, none, none, aTime},
	}
}

// whatIf is the panel of the model's predictions.
type whatIf struct {
	turn, names draw.Memo[serving.EngineMark, string]
}

func turnWords(m serving.EngineMark) string { return say.KnobChanges(&m.From, &m.To) }
func turnNames(m serving.EngineMark) string { return say.KnobNames(&m.From, &m.To) + " changed" }

// whatIf is what the model says of the knobs, against those before the last
// turn and against what is measured; below, the arithmetic.
func (s *whatIf) whatIf(p *canvas, r draw.Rect, border themes.Role) {
	n := &p.now.view
	had := n.Previous.Knobs.Users > 0
	title, turned := "what if", ""
	if n.Busy {
		title = "what if ─ computing"
	}
	other := ""
	if had {
		turned = within(r.W-draw.Width(title)-9, s.turn.Of(change(n), turnWords), s.names.Of(change(n), turnNames))
		if n.Unchanged {
			other = p.Plural(n.Previous.Knobs.Users, "user", "users")
			turned = within(r.W-draw.Width(title)-9, p.Join("compared with ", other), p.Join("vs ", other))
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
		p.Grid.Center(in.X, in.Y+in.H/3, in.W,
			p.Chrome(draw.Either(n.Busy, "asking the model", "nothing predicted yet")), p.Glyphs, themes.Dim)
		return
	}
	sums := 2
	if in.H < 7 {
		sums = 0
	}
	all := p.now.effects()
	rows := min(in.H-1-sums, len(all))
	c := columnsOf(in.W)
	l := p.Row(in, 0)
	l.Slot(themes.Dim, "predicted", c.label)
	if c.before > 0 {
		l.Field(themes.Dim, draw.Either(other == "", "before", other), c.before)
	}
	l.Field(themes.Dim, "now", c.num)
	l.Field(themes.Dim, "change", c.change)
	if c.taken > 0 {
		l.Field(themes.Dim, "measured", c.taken)
	}
	if c.clients > 0 {
		l.Field(themes.Dim, "by clients", c.clients)
	}
	for i := range max(rows, 0) {
		s.effectRow(p, p.Row(in, i+1), &all[i], c, had)
	}
	if sums > 0 {
		s.ceiling(p, p.Row(in, in.H-2))
		s.floor(p, p.Row(in, in.H-1))
	}
}

// change is the change of the knobs between the two predictions. The speed of
// time has no part in it.
func change(n *serving.View) serving.EngineMark {
	m := serving.EngineMark{From: n.Previous.Knobs, To: n.Present.Knobs}
	m.From.Time = m.To.Time
	return m
}

// spinner turns while something is computed.
func (p *canvas) spinner() rune {
	if p.v.ReducedMotion {
		return p.Glyphs.Bullet
	}
	n := len(p.Glyphs.Spinner)
	return p.Glyphs.Spinner[int(uint64(p.v.Explain.Now)/100e6%uint64(n))]
}

// tableColumns are the widths of the what-if table; 0 omits a column.
type tableColumns struct{ label, before, num, change, taken, clients int }

func columnsOf(w int) tableColumns {
	c := tableColumns{label: 9, num: 8, change: 8}
	if w >= 41 {
		c.before, c.taken = 7, 9
	} else if w >= 34 {
		c.taken = 9
	}
	if w >= 62 {
		c.clients = 12
	}
	if extra := w - c.label - c.before - c.num - c.change - c.taken - c.clients; extra > 0 && c.taken > 0 {
		c.label += min(extra, 6)
		if extra > 12 {
			c.num, c.taken, c.change = c.num+2, c.taken+2, c.change+2
			if c.before > 0 {
				c.before += 2
			}
		}
	}
	return c
}

func (s *whatIf) effectRow(p *canvas, l line, e *effect, c tableColumns, had bool) {
	end := l.End
	l.End = l.X + c.label - 1
	name := e.name
	if len(name) > l.Left() {
		name = e.short
	}
	l.Cut(themes.Dim, name)
	l.X, l.End = l.End+1, end
	if c.before > 0 {
		text := ""
		if had {
			text = p.effectValue(e.before, e.kind)
		}
		l.Field(themes.Dim, text, c.before)
	}
	l.Field(themes.Strong, p.effectValue(e.now, e.kind), c.num)
	at := l.X
	if had {
		if text, up, down := p.change(e.before, e.now); text != "" {
			glyph, role := ' ', themes.Dim
			switch {
			case up:
				glyph, role = p.Glyphs.Up, judged(e.kind, true)
			case down:
				glyph, role = p.Glyphs.Down, judged(e.kind, false)
			}
			l.X = at + max(c.change-draw.Width(text)-2, 0)
			l.Set(role, glyph)
			l.Skip(1)
			l.Whole(role, text)
		}
	}
	l.X = at + c.change
	if c.taken > 0 && (e.taken.OK || e.taken.Why != metrics.WhyNotMeasured) {
		l.Field(themes.Text, p.effectValue(e.taken, e.kind), c.taken)
	}
	l.X = at + c.change + c.taken
	if c.clients > 0 && e.clients.OK {
		l.Field(themes.Text, p.effectValue(e.clients, e.kind), c.clients)
	}
}

// judged is the color of a change: better, worse, or neither.
func judged(k effectKind, up bool) themes.Role {
	switch {
	case k == aTime && up, k == aSpeed && !up:
		return themes.Warn
	case k == aTime || k == aSpeed:
		return themes.Good
	}
	return themes.Text
}

func (p *canvas) effectValue(v metrics.Value, k effectKind) string {
	switch {
	case !v.OK:
		return draw.Unknown
	case k == aTime:
		return p.Ms(v.V)
	case k == aShare:
		return p.Percent(v.V)
	case k == aCount:
		return p.Whole(v.V)
	}
	return p.Number(v.V)
}

// ceiling is the arithmetic of decode: bandwidth / bytes = the most that one
// user can have, unless a draft model guesses.
func (s *whatIf) ceiling(p *canvas, l line) {
	q := &p.now.view.Present
	if !q.Ceiling.OK {
		l.Cut(themes.Dim, p.Join("no ceiling: ", format.Why(q.Ceiling.Why)))
		return
	}
	sum := p.Join(p.Amount(q.Machine.Bandwidth, "B/s"), " ÷ ", p.Amount(q.Machine.StepBytes, "B"))
	s.arithmetic(p, l, themes.Decode, draw.Either(q.Knobs.DraftK > 0, "no draft: ceiling ", "ceiling "),
		sum, "bytes/s ÷ bytes", p.Number(q.Ceiling.V), " tok/s", " per user")
}

// floor is the arithmetic of prefill: 2 · parameters · prompt / FLOP/s = the
// least that a prompt takes. The peak is that of the format which is computed
// in; it is named where it is not the roofline's.
func (s *whatIf) floor(p *canvas, l line) {
	q := &p.now.view.Present
	if !q.Floor.OK {
		l.Cut(themes.Dim, p.Join("no floor: ", format.Why(q.Floor.Why)))
		return
	}
	m := &q.Machine
	sum := p.Join("2×", p.Amount(m.PromptParameters, ""), "×",
		p.Int(q.Knobs.Prompt), " ÷ ", p.Amount(m.FormatPeak, "FLOP/s"))
	if m.FormatPeak != m.Peak {
		sum = p.Join(sum, " ", m.Format)
	}
	s.arithmetic(p, l, themes.Prefill, "floor ", sum, "2·P·prompt ÷ FLOP/s", p.Ms(q.Floor.V), "", "")
}

// arithmetic writes a sum with its numbers and what comes out; where that has
// no room, what comes out and the rule.
func (s *whatIf) arithmetic(p *canvas, l line, role themes.Role, name, sum, rule, result, unit, of string) {
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
