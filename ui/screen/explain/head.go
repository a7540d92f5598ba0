package explain

import (
	"cmp"
	"slices"
	"strings"

	"tokscope/metrics/serving"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// state is the first row: what runs, whether it does, the engine's clock and
// its speed, and what a person must know before believing the figures.
func (p *canvas) state(r draw.Rect) {
	e := &p.v.Explain
	l := p.Row(r, 0)
	l.Skip(1)
	p.running(&l)
	l.Skip(2)
	l.Write(themes.Dim, format.Either(r.W >= 140, "engine clock ", "clock "))
	l.Field(themes.Text, p.seconds(e.Clock), 10)
	l.Skip(2)
	p.speedOfTime(&l)
	l.Skip(2)
	if e.Slipped > slippedFrom && e.Running && !slowed(e) &&
		l.Whole(themes.Warn, p.Join("▲ ", p.Ms(e.Slipped*1e3), " behind the model")) {
		l.Skip(2)
	}
	name, role := e.Machine.Name, themes.Strong
	if ring := p.predicted(); ring != "" && r.W < legendFrom {
		name, role = ring, themes.Dim
	}
	if n := draw.Width(name); name != "" && n <= l.Left()-1 {
		l.X = l.End - n - 1
	}
	l.Whole(role, name)
}

// running says in one word what the engine's time does.
func (p *canvas) running(l *line) {
	e := &p.v.Explain
	const width = 20
	from := l.X
	switch {
	case e.Broken.Code != "":
		l.Write(themes.Alert, " stopped ")
	case p.v.Cursor != 0 && p.now.back > 0:
		l.Write(themes.Badge, p.Join(" ", p.Plural(p.now.back, "step", "steps"), " back "))
		l.Write(themes.Dim, format.If(e.Paused, " paused"))
	case e.Paused:
		l.Write(themes.Badge, " paused ")
	case !e.Running:
		l.Write(themes.Dim, string(p.Glyphs.Ring))
		l.Write(themes.Dim, " not running")
	default:
		l.Set(themes.Good, p.Glyphs.Dot)
		l.Write(themes.Text, " running")
	}
	l.X = max(l.X, from+width)
}

// slowed reports whether the clock runs slower than the time knob says,
// because this machine cannot keep up.
func slowed(e *serving.View) bool { return e.Running && e.Speed > 0 && e.Speed < 0.995*e.Knobs.Time }

// overloaded says how fast the clock runs while this machine cannot keep up, in
// as many words as room columns hold.
func (p *canvas) overloaded(room int) string {
	e := &p.v.Explain
	short := p.Join("▲ slowed to ", p.Exact(format.Digits(e.Speed, 2)), "x")
	cause := p.Join(short, format.Either(e.Overloaded, ", and this machine still", ": this machine"), " cannot keep up")
	return draw.FirstFit(room, p.Join(cause, "; 1 s of engine time takes ", p.Ms(1000/e.Speed)), cause, short)
}

func (p *canvas) speedOfTime(l *line) {
	t := p.v.Explain.Knobs.Time
	switch {
	case !(t > 0):
		return
	case slowed(&p.v.Explain):
		l.Write(themes.Warn, p.overloaded(l.Left()))
	case t >= 1:
		l.Write(themes.Dim, "real time")
	default:
		l.Write(themes.Accent, p.Join(p.Exact(t), "x", " slow motion"))
		text := p.Join(": 1 s of engine time takes ", p.Ms(1000/t))
		if draw.Width(text)+draw.Width(p.v.Explain.Machine.Name)+3 <= l.Left() { // the machine's name comes first
			l.Write(themes.Dim, text)
		}
	}
}

// seconds is a time of the engine's clock, to the millisecond.
func (p *canvas) seconds(v float64) string {
	return p.Keep(format.AppendSeconds(p.Scratch(), v, 3))
}

// figureRows are the figures measured since the knobs were turned, until then what is
// predicted: in large numerals where there is room, else in one row. While the engine is
// broken, the reason stands in their place.
func (p *canvas) figureRows(r draw.Rect) {
	if r.H < 5 {
		p.figureRow(r)
		return
	}
	if why := p.broken(); why != "" {
		in := p.Box(r, themes.Bad, "stopped", "")
		p.Wrapped(in, 0, in.H, themes.Bad, why)
		return
	}
	all := p.now.effects()
	for i := range all[:4] {
		f := &all[i]
		at := r
		if i < 3 {
			at, r = r.SplitH(r.W / (4 - i))
		}
		in := p.Box(at, themes.Border, f.name, format.Either(i == 0, p.requests(at.W-14), ""))
		value, role, predicted := f.taken, f.role, p.Join("predicted ", f.text(p, f.now))
		if f.predicted(&p.now.view) {
			value, role, predicted = f.now, themes.Dim, "predicted"
		}
		text, unit, _ := strings.Cut(f.text(p, value), " ")
		unit = cmp.Or(unit, f.words(), "ms")
		n := p.Grid.Big(in.X, in.Y, text, p.Glyphs, role, in.W)
		l := p.Row(in, 2)
		l.Skip(n + 1)
		l.Whole(themes.Unit, unit)
		l = p.Row(in, 0)
		l.To(in.X + max(n, 12) + 4)
		l.Whole(themes.Dim, format.If(f.now.OK && !p.now.view.Busy, predicted))
	}
}

func (p *canvas) figureRow(r draw.Rect) {
	l := p.Row(r, 0)
	l.Skip(1)
	if why := p.broken(); why != "" {
		if r.H > 1 {
			p.Wrapped(draw.Rect{X: r.X + 1, Y: r.Y, W: r.W - 2, H: r.H}, 0, r.H, themes.Alert, why)
			return
		}
		l.Cut(themes.Alert, p.Join(" ", why, " "))
		return
	}
	all, end, ring := p.now.effects(), l.End, format.If(r.W >= legendFrom, p.predicted())
	if ring != "" {
		l.End -= draw.Width(ring) + 2
	}
	l = p.figuresIn(l, all[:5])
	l.End = end
	between := format.If(ring != "", "; ")
	text := p.requests(l.Left() - 2 - draw.Width(ring) - len(between))
	text = p.Join(ring, format.If(text != "", between), text)
	if n := draw.Width(text); n < l.Left()-1 {
		l.X = l.End - n - 1
		l.Write(themes.Dim, text)
	}
}

// legendFrom is the width from which the row of figures has room for what the mark of a
// prediction means; below, the first row has it.
const legendFrom = 88

// predicted says what the mark of a prediction means, "" where no figure has it.
func (p *canvas) predicted() string {
	all := p.now.effects()
	any := slices.ContainsFunc(all[:4], func(f effect) bool { return f.predicted(&p.now.view) })
	return format.If(any, p.Join(string(p.Glyphs.Ring), " predicted"))
}

// figuresIn writes what is measured of those in list that have room, else what is
// predicted, marked as such, and returns the line behind them.
func (p *canvas) figuresIn(l line, list []effect) line {
	for i := range list {
		f := &list[i]
		if l.Left() < draw.Width(f.name)+7 {
			break
		}
		l.Write(themes.Dim, f.name)
		l.Skip(1)
		text, role := f.text(p, f.taken), f.role
		if f.predicted(&p.now.view) {
			text, role = p.Join(string(p.Glyphs.Ring), f.text(p, f.now)), themes.Dim
		}
		l.Field(role, text, 6)
		if unit := f.words(); unit != "" && l.Left() > len(unit) {
			l.Skip(1)
			l.Write(themes.Unit, unit)
		}
		l.Skip(2)
	}
	return l
}

// requests says in at most room columns of how many requests the figures are.
func (p *canvas) requests(room int) string {
	n := p.now.view.Figures.Requests
	if n == 0 {
		return draw.FirstFit(room, "no request has ended yet", "none ended yet")
	}
	short := p.Join("n=", p.Int(n))
	return draw.FirstFit(room, p.Join(short, " since the last change"), short)
}
