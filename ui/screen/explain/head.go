package explain

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	cell "tokscope/ui/draw"
	ink "tokscope/ui/draw"
)

// state is the first row: what runs, whether it does, the engine's clock and
// its speed, and what a person must know before believing the figures.
func (s *Screen) state(p *pen, r cell.Rect) {
	s.place("state", r, 0)
	e := &p.v.Explain
	l := p.Row(r, 0)
	l.Skip(1)
	s.running(p, &l)
	l.Skip(2)
	l.Write(themes.Dim, ink.Either(r.W >= 100, "engine clock ", "clock "))
	l.Field(themes.Ink, p.seconds(e.Clock), 10)
	l.Skip(2)
	s.speedOfTime(p, &l)
	l.Skip(2)
	if e.Slipped > slippedFrom && e.Running {
		if l.Whole(themes.Warn, p.Join("▲ ", p.Ms(e.Slipped*1e3), " behind the model")) {
			l.Skip(2)
		}
	}
	name := e.Machine.Name
	if n := cell.Width(name); name != "" && n <= l.Left()-1 {
		l.X = l.End - n - 1
	}
	l.Whole(themes.Strong, name)
}

// running says in one word what the engine's time does.
func (s *Screen) running(p *pen, l *line) {
	e := &p.v.Explain
	const width = 20
	from := l.X
	switch {
	case e.Broken != "":
		l.Write(themes.Alert, " stopped ")
	case p.v.Cursor != 0 && s.now.back > 0:
		l.Write(themes.Badge, p.Join(" ", p.of(s.now.back, "step", "steps"), " back "))
	case e.Paused:
		l.Write(themes.Badge, " paused ")
	case !e.Running:
		l.Write(themes.Dim, string(p.Glyphs.Ring))
		l.Write(themes.Dim, " not running")
	default:
		l.Set(themes.Good, p.Glyphs.Dot)
		l.Write(themes.Ink, " running")
	}
	if p.v.Cursor != 0 && s.now.back > 0 && e.Broken == "" {
		l.Write(themes.Dim, ink.Either(e.Paused, " paused", ""))
	}
	l.X = max(l.X, from+width)
}

func (s *Screen) speedOfTime(p *pen, l *line) {
	t := p.v.Explain.Knobs.Time
	switch {
	case !(t > 0):
		return
	case t >= 1:
		l.Write(themes.Dim, "real time")
	default:
		l.Write(themes.Accent, p.Join(p.factor(t), " slow motion"))
		text := p.Join(": ", p.Ms(1000/t), " here are 1 s there")
		if cell.Width(text)+cell.Width(p.v.Explain.Machine.Name)+3 <= l.Left() { // the machine's name comes first
			l.Write(themes.Dim, text)
		}
	}
}

// seconds is a time of the engine's clock, to the millisecond.
func (p *pen) seconds(v float64) string {
	return p.Keep(append(strconv.AppendFloat(p.Scratch(), min(max(finite(v), -1e9), 1e9), 'f', 3, 64), " s"...))
}

// reading is one of the measured figures.
type reading struct {
	name, unit string
	v          metrics.Value
	role       themes.Role
	time       bool // in ms
}

func (n *figures) readings() [5]reading {
	f := &n.view.Figures
	return [...]reading{
		{"TTFT", "", f.TTFT, themes.Strong, true},
		{"TPOT", "", f.TPOT, themes.Strong, true},
		{"each", "tok/s", f.Speed, themes.PerUser, false},
		{"in all", "tok/s", f.Total, themes.InTotal, false},
		{"gap p99", "", f.Gap99, themes.Strong, true},
	}
}

// figureRows are the figures measured since the knobs were turned: in large
// numerals where there is room, else in one row.
func (s *Screen) figureRows(p *pen, r cell.Rect) {
	s.place("figures", r, 0)
	if r.H < 5 {
		s.figureRow(p, r)
		return
	}
	all := s.now.readings()
	for i, f := range all[:4] {
		at := r
		if i < 3 {
			at, r = r.SplitH(r.W / (4 - i))
		}
		in := p.Box(at, themes.Border, f.name, ink.Either(i == 0, s.since(p, false), ""))
		text, unit := p.speed(f.v), f.unit
		if f.time {
			text, unit = p.split(f.v)
		}
		n := p.Grid.Big(in.X, in.Y, text, p.Glyphs, f.role, in.W)
		l := p.Row(in, 2)
		l.Skip(n + 1)
		l.Whole(themes.Unit, unit)
		l = p.Row(in, 0)
		l.To(in.X + max(n, 12) + 4)
		s.beside(p, &l, i)
	}
}

// beside is what stands beside a large figure: the model's prediction.
func (s *Screen) beside(p *pen, l *line, i int) {
	n := &s.now.view
	q := [...]metrics.Value{n.Present.TTFT, n.Present.TPOT, n.Present.Speed, n.Present.Total}[i]
	text := p.speed(q)
	if i < 2 {
		text = p.Duration(q)
	}
	if q.OK && !n.Busy {
		l.Whole(themes.Dim, p.Join("predicted ", text))
	}
}

// split is a known time and its unit apart.
func (p *pen) split(v metrics.Value) (num, unit string) {
	if !v.OK {
		return ink.Unknown, "ms"
	}
	return cutUnit(p.Ms(v.V))
}

func (s *Screen) figureRow(p *pen, r cell.Rect) {
	l := p.Row(r, 0)
	l.Skip(1)
	if why := p.v.Explain.Broken; why != "" {
		l.Cut(themes.Alert, p.Join(" ", why, " "))
		return
	}
	for _, f := range s.now.readings() {
		if l.Left() < cell.Width(f.name)+10+len(f.unit) {
			break
		}
		l.Write(themes.Dim, f.name)
		l.Skip(1)
		text := p.speed(f.v)
		if f.time {
			text = p.Duration(f.v)
		}
		l.Field(f.role, text, 6)
		if f.unit != "" {
			l.Skip(1)
			l.Write(themes.Unit, f.unit)
		}
		l.Skip(2)
	}
	text := s.since(p, true)
	if n := cell.Width(text); n < l.Left()-1 {
		l.X = l.End - n - 1
		l.Write(themes.Dim, text)
	}
}

// since says of how many requests the figures are.
func (s *Screen) since(p *pen, long bool) string {
	f := &s.now.view.Figures
	text := p.Join("n=", p.Int(f.Requests))
	if long {
		return p.Join("measured, ", text, " since the last turn")
	}
	return text
}
