package explain

import (
	"strconv"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/cell"
)

// state is the first row: what runs, whether it does, the engine's clock and
// its speed, and what a person must know before believing the figures.
func (s *Screen) state(p *pen, r cell.Rect) {
	s.place("state", r, 0)
	e := &p.v.Explain
	l := p.row(r, 0)
	l.skip(1)
	s.running(p, &l)
	l.skip(2)
	l.put(themes.Dim, either(r.W >= 100, "engine clock ", "clock "))
	l.field(themes.Ink, p.seconds(e.Clock), 10)
	l.skip(2)
	s.speedOfTime(p, &l)
	l.skip(2)
	if e.Slipped > slippedFrom && e.Running {
		if l.whole(themes.Warn, p.join("▲ ", p.ms(e.Slipped*1e3), " behind the model")) {
			l.skip(2)
		}
	}
	name := e.Machine.Name
	if n := cell.Width(name); name != "" && n <= l.left()-1 {
		l.x = l.end - n - 1
	}
	l.whole(themes.Strong, name)
}

// running says in one word what the engine's time does.
func (s *Screen) running(p *pen, l *line) {
	e := &p.v.Explain
	const width = 20
	from := l.x
	switch {
	case e.Broken != "":
		l.put(themes.Alert, " stopped ")
	case p.v.Cursor != 0 && s.now.back > 0:
		l.put(themes.Badge, p.join(" ", p.of(s.now.back, "step", "steps"), " back "))
	case e.Paused:
		l.put(themes.Badge, " paused ")
	case !e.Running:
		l.put(themes.Dim, string(p.gl.Ring))
		l.put(themes.Dim, " not running")
	default:
		l.set(themes.Good, p.gl.Dot)
		l.put(themes.Ink, " running")
	}
	if p.v.Cursor != 0 && s.now.back > 0 && e.Broken == "" {
		l.put(themes.Dim, either(e.Paused, " paused", ""))
	}
	l.x = max(l.x, from+width)
}

func (s *Screen) speedOfTime(p *pen, l *line) {
	t := p.v.Explain.Knobs.Time
	switch {
	case !(t > 0):
		return
	case t >= 1:
		l.put(themes.Dim, "real time")
	default:
		l.put(themes.Accent, p.join(p.factor(t), " slow motion"))
		text := p.join(": ", p.ms(1000/t), " here are 1 s there")
		if cell.Width(text)+cell.Width(p.v.Explain.Machine.Name)+3 <= l.left() { // the machine's name comes first
			l.put(themes.Dim, text)
		}
	}
}

// seconds is a time of the engine's clock, to the millisecond.
func (p *pen) seconds(v float64) string {
	return p.keep(append(strconv.AppendFloat(p.num[:0], min(max(finite(v), -1e9), 1e9), 'f', 3, 64), " s"...))
}

// reading is one of the figures that were measured.
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
		in := p.box(at, themes.Border, f.name, either(i == 0, s.since(p, false), ""))
		text, unit := p.speed(f.v), f.unit
		if f.time {
			text, unit = p.split(f.v)
		}
		n := p.g.Big(in.X, in.Y, text, p.gl, f.role, in.W)
		l := p.row(in, 2)
		l.skip(n + 1)
		l.whole(themes.Unit, unit)
		l = p.row(in, 0)
		l.to(in.X + max(n, 12) + 4)
		s.beside(p, &l, i)
	}
}

// beside is what stands beside a large figure: the model's prediction.
func (s *Screen) beside(p *pen, l *line, i int) {
	n := &s.now.view
	q := [...]metrics.Value{n.Present.TTFT, n.Present.TPOT, n.Present.Speed, n.Present.Total}[i]
	text := p.speed(q)
	if i < 2 {
		text = p.duration(q)
	}
	if q.OK && !n.Busy {
		l.whole(themes.Dim, p.join("predicted ", text))
	}
}

// split is a known time and its unit apart.
func (p *pen) split(v metrics.Value) (num, unit string) {
	if !v.OK {
		return unknown, "ms"
	}
	return cutUnit(p.ms(v.V))
}

func (s *Screen) figureRow(p *pen, r cell.Rect) {
	l := p.row(r, 0)
	l.skip(1)
	if why := p.v.Explain.Broken; why != "" {
		l.cut(themes.Alert, p.join(" ", why, " "))
		return
	}
	for _, f := range s.now.readings() {
		if l.left() < cell.Width(f.name)+10+len(f.unit) {
			break
		}
		l.put(themes.Dim, f.name)
		l.skip(1)
		text := p.speed(f.v)
		if f.time {
			text = p.duration(f.v)
		}
		l.field(f.role, text, 6)
		if f.unit != "" {
			l.skip(1)
			l.put(themes.Unit, f.unit)
		}
		l.skip(2)
	}
	text := s.since(p, true)
	if n := cell.Width(text); n < l.left()-1 {
		l.x = l.end - n - 1
		l.put(themes.Dim, text)
	}
}

// since says of how many requests the figures are.
func (s *Screen) since(p *pen, long bool) string {
	f := &s.now.view.Figures
	text := p.join("n=", p.int(f.Requests))
	if long {
		return p.join("measured, ", text, " since the last turn")
	}
	return text
}
