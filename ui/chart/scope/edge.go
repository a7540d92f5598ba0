package scope

import (
	"tokscope/themes"
	"tokscope/ui/draw"
)

// edges are the two rows of cells in which what lies outside the axis of gaps has a
// mark: one above the plot and the axis of time below it, or else the outermost rows
// of the plot itself.
type edges struct {
	above, below int // on the screen
	tops, floor  dots
	marks        []outlier
}

// begin chooses the rows of the edges of a plot: above is that over it, -1 for none.
// Rows of the plot itself have no room for values.
func (e *edges) begin(plot draw.Rect, above, foot int) {
	e.above, e.below = above, plot.Bottom()
	e.tops.reset(plot.W, 1)
	if above < 0 {
		e.above = plot.Y
		e.tops.hold(0, 0, plot.W)
	}
	if foot == 0 {
		e.below--
		e.floor.hold(0, 0, plot.W)
	}
}

// outlier is a mark at an edge: in a cell of it, for a gap.
type outlier struct {
	x    int
	ms   float64
	done bool // its value is written, or has no room
}

// outliers marks the columns with a gap above or below the axis, each cell with the
// one that lies farthest outside. As many as fit have their value beside them, those
// farthest outside first; marks that touch share that of the farthest. The farthest of all
// has its value also where others are near, which share it then. A gap that is long
// enough for its value is a line with that in it, which ends at its mark.
func (s *Scope) outliers(p *draw.Canvas, d *Data) {
	e := &s.edges
	e.marks = e.marks[:0]
	if x, ok := s.now(d); ok {
		if _, off := s.y.Dot(d.Open); off > 0 {
			e.marks = append(e.marks, outlier{x: x / 2, ms: d.Open})
		}
	}
	above := func(c *column) (float64, bool) { return c.max, c.highOff > 0 }
	s.marked(p, d, &edge{&e.tops, e.above, p.Glyphs.Stall, 1, above})
	e.marks = e.marks[:0]
	below := func(c *column) (float64, bool) { return c.min, c.lowOff < 0 }
	s.marked(p, d, &edge{&e.floor, e.below, p.Glyphs.Change, -1, below})
}

// valuesMost is how many marks of an edge have their value: more than fit.
const valuesMost = 24

// edge is one of the two, with its sign. side is 1 above and -1 below; of is the gap of a
// column farthest outside, and whether it is.
type edge struct {
	row  *dots
	y    int // on the screen
	sign rune
	side float64
	of   func(*column) (ms float64, ok bool)
}

func (s *Scope) marked(p *draw.Canvas, d *Data, at *edge) {
	e := &s.edges
	open := len(e.marks)
	for x := range s.sweep.cols {
		c := &s.sweep.cols[x]
		ms, ok := at.of(c)
		switch n := len(e.marks); {
		case c.known == 0 || !ok:
		case n > open && e.marks[n-1].x == x/2:
			e.marks[n-1].ms = at.side * max(at.side*e.marks[n-1].ms, at.side*ms)
		default:
			e.marks = append(e.marks, outlier{x: x / 2, ms: ms})
		}
	}
	for i := range e.marks {
		m := &e.marks[i]
		at.row.hold(m.x, 0, 1)
		p.Grid.Set(s.plot.X+m.x, at.y, at.sign, heat(m.ms))
	}
	for i := range min(len(e.marks), valuesMost) {
		far := -1
		for i := range e.marks {
			if m := &e.marks[i]; !m.done && (far < 0 || at.side*m.ms > at.side*e.marks[far].ms) {
				far = i
			}
		}
		if far < 0 {
			return
		}
		m := e.marks[far]
		gap := Phase{Ms: m.ms, Running: m.ms == d.Open}
		text := p.Chrome(gap.time(p))
		if at.side > 0 && s.spanned(p, d, at, m, text) {
			e.touching(m.x, 1)
			continue
		}
		for near := 1; !s.valued(p, at, m, near, text) && i == 0 && near < at.row.w; near++ {
		}
	}
}

// valued writes the value of a mark beside those that are near it, with two blanks to what
// else is in the row. It reports whether there was room.
func (s *Scope) valued(p *draw.Canvas, at *edge, m outlier, near int, text string) bool {
	first, last := s.edges.touching(m.x, near)
	n := draw.Width(text)
	for _, x := range [...]int{last + 2, first - n - 1} {
		from, to := x-1, x+n+2 // a blank at its mark, and two at the other side
		if x < first {
			from, to = x-2, first
		}
		if from = max(from, 0); at.row.free(x, 0, n) && at.row.free(from, 0, min(to, at.row.w)-from) {
			at.row.hold(x, 0, n)
			p.Grid.Text(s.plot.X+x, at.y, text, heat(m.ms), n)
			return true
		}
	}
	return false
}

// spanned draws the gap of a mark as a line from where it began, with its value in it. It
// reports whether there was room.
func (s *Scope) spanned(p *draw.Canvas, d *Data, at *edge, m outlier, text string) bool {
	end, ok := s.win.to(), m.ms == d.Open
	if ok {
		end = sinceMs(d.Now, s.sweep.zero)
	}
	for x := 2 * m.x; x < 2*m.x+2 && !ok; x++ {
		c := &s.sweep.cols[x]
		for i := c.first; i < c.last && !ok; i++ {
			var ms float64
			ms, ok = d.Stream.Gap(int(i))
			end, ok = sinceMs(d.Stream.Chunks[i].At, s.sweep.zero), ok && ms == m.ms
		}
	}
	from := s.win.edge(end-m.ms) / 2
	n, w := draw.Width(text), m.x-from
	if !ok || w < n+6 || !at.row.free(from, 0, w) {
		return false
	}
	at.row.hold(from, 0, w)
	p.Grid.Across(s.plot.X+from, at.y, w, p.Glyphs.H, heat(m.ms))
	p.Grid.Set(s.plot.X+from, at.y, p.Glyphs.TeeL, heat(m.ms))
	p.Grid.Text(s.plot.X+from+(w-n-2)/2, at.y, p.Join(" ", text, " "), heat(m.ms), n+2)
	return true
}

// touching returns the first and last cell of the marks around the one in cell x that are
// no more than near cells apart: with 1 they touch. They have one value, that of the one
// farthest outside: all are done.
func (e *edges) touching(x, near int) (first, last int) {
	first, last = x, x
	for grown := true; grown; {
		grown = false
		for i := range e.marks {
			if m := &e.marks[i]; m.x >= first-near && m.x <= last+near {
				grown = grown || m.x < first || m.x > last
				first, last, m.done = min(first, m.x), max(last, m.x), true
			}
		}
	}
	return first, last
}

func heat(ms float64) themes.Role { return themes.Heat(draw.Heat(ms)) }
