package scope

import (
	"math"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// Data is what one frame shows. The scope keeps nothing of it but the columns
// that it computed.
type Data struct {
	Stream  *metrics.Stream
	Figures *metrics.Figures // of Stream; may be older than it
	Now     metrics.Stamp
	Phases  []Phase        // in their order in time; Draw keeps none of them
	Past    []*metrics.Run // earlier runs, oldest first; the last MostPast are drawn
	Pinned  *metrics.Run   // the reference; nil without one

	Open float64 // gap under way in ms; 0 for none

	Zoom   Zoom
	Linear bool // the axis of gaps is linear
	Cursor int  // chunk, -1 for none
	Still  bool // the window moves in quarters instead of sliding
}

// MostPast is how many earlier runs are drawn: with more, they hide each other.
const MostPast = 3

// AxisWidth is the width of the numbers at the left, with the line.
const AxisWidth = 8

// Widths of the distribution, with its line, and of the panels that have one.
const (
	distWidth, distFrom = 22, 104
	distWide, wideFrom  = 34, 160
)

// Scope draws a stream. It keeps the columns of the streams that it shows, so
// that a frame costs what is new. It is not safe for concurrent use.
type Scope struct {
	sweep  sweep
	past   [MostPast]sweep
	pinned sweep
	pace   pace
	ranges ranges
	dots   dots
	strip  dots
	edges  edges
	counts counts
	owner  []int16 // the phase of each column of dots, from 1 on
	list   []name
	water  []Phase

	win  Window
	zero string // what the axis of time has at 0
	y    chart.Scale
	plot draw.Rect // where the trace was drawn
}

// Split divides the inside of a panel between the trace and the distribution,
// which is empty where there is no room.
func Split(r draw.Rect) (trace, dist draw.Rect) {
	w := 0
	switch {
	case r.W >= wideFrom:
		w = distWide
	case r.W >= distFrom:
		w = distWidth
	}
	return r.SplitH(r.W - w)
}

// plan is how Draw divides its rows below the band.
type plan struct {
	names, marks bool
	foot         int // rows of the axis of time with its numbers
}

// planOf is the division of h rows: the gaps have at least two of them.
func planOf(h int) plan {
	p := plan{names: h == 2 || h >= 7, marks: h >= 9}
	switch {
	case h >= 8:
		p.foot = 2
	case h >= 4:
		p.foot = 1
	}
	return p
}

// Draw draws phases, trace and axes into r and, at its right, the distribution
// into dist, which has the rows of r. An empty dist is left out.
func (s *Scope) Draw(p *draw.Canvas, r, dist draw.Rect, d *Data) {
	s.plot = draw.Rect{}
	gutter := format.Either(d.Zoom == Wait, waterNames+waterTimes+1, AxisWidth)
	if r.H < 1 || r.W < gutter+2 {
		return
	}
	to := planOf(r.H)
	_, at := r.SplitH(gutter)
	rows := [3]int{-1, -1, -1} // of band, names and marks
	for i, has := range [...]bool{true, to.names, to.marks} {
		if has && d.Zoom != Wait {
			rows[i] = at.Y
			_, at = at.SplitV(1)
		}
	}
	s.plot, _ = at.SplitV(at.H - to.foot)
	s.prepare(d)
	if rows[0] >= 0 {
		p.Grid.Text(r.X, rows[0], "phases", themes.Dim, AxisWidth)
		s.bars(p, rows[0], d.Phases)
	}
	if rows[1] >= 0 {
		s.names(p, rows[1], d)
	}
	if s.plot.H < 1 {
		return
	}
	s.edges.floor.reset(s.plot.W, 1)
	s.axes(p, to.foot, d)
	if d.Zoom == Wait {
		s.waterfall(p, d)
		return
	}
	s.dots.reset(s.plot.W, s.plot.H)
	s.runs(d)
	s.open(d)
	s.chunks(&s.sweep, trace, 0)
	if x, ok := s.placeOf(d, d.Cursor); ok { // a line through its column, under everything else
		p.Grid.Down(s.plot.X+x/2, s.plot.Y, s.plot.H, p.Glyphs.AxisV, themes.Accent)
	}
	s.dots.draw(p, s.plot)
	s.edges.begin(s.plot, rows[2], to.foot)
	s.signs(p, to.foot)
	s.outliers(p, d)
	s.cursor(p, d)
	if !dist.Empty() {
		s.distribution(p, dist, d)
	}
}

// prepare chooses window and scale and brings the columns up to date.
func (s *Scope) prepare(d *Data) {
	zero := zeroOf(d)
	s.win = s.pace.choose(d, viewOf(d, zero), s.plot.W)
	s.y = s.ranges.choose(d, s.plot.H)
	s.sweep.update(d.Stream, zero, s.win, s.y)
	switch m := &d.Stream.Marks; {
	case m.Sent.Known() || d.Stream.State == metrics.Idle:
		s.zero = "sent"
	case d.Stream.State.Ended():
		s.zero = "end"
	default:
		s.zero = "now"
	}
}

// zeroOf is the moment at time 0: the request was sent. While it is not, that is
// the present one, or the end, so that nothing before it is drawn as a wait.
func zeroOf(d *Data) metrics.Stamp {
	m := &d.Stream.Marks
	switch {
	case m.Sent.Known():
		return m.Sent
	case d.Stream.State.Ended() && m.End.Known():
		return m.End
	case d.Stream.State != metrics.Idle && d.Now.Known():
		return d.Now
	}
	return m.Start
}

// cursor marks the chunk of the cursor: the cell of its gap, or its place at the
// edge where the gap lies outside the axis or is unknown.
func (s *Scope) cursor(p *draw.Canvas, d *Data) {
	x, ok := s.placeOf(d, d.Cursor)
	if !ok {
		return
	}
	at := draw.Rect{X: s.plot.X + x/2, Y: s.edges.below, W: 1, H: 1}
	if ms, known := d.Stream.Gap(d.Cursor); known {
		switch row, off := s.y.Row(ms); {
		case off > 0:
			at.Y = s.edges.above
		case off == 0:
			at.Y = s.plot.Y + row
		}
	}
	p.Grid.Style(at, themes.Badge)
}

// Area is where the trace was drawn last, without axes.
func (s *Scope) Area() draw.Rect { return s.plot }

// ChunkAt is the chunk drawn nearest to a cell of the screen. ok is false
// outside of the trace and where nothing is in view.
func (s *Scope) ChunkAt(st *metrics.Stream, x, y int) (chunk int, ok bool) {
	if !s.plot.Contains(x, y) || s.sweep.id != st.ID || len(st.Chunks) < s.sweep.seen {
		return -1, false
	}
	want := 4*(s.plot.Bottom()-1-y) + 2
	best := math.Inf(1)
	chunk = -1
	for i := range s.sweep.cols {
		c := &s.sweep.cols[i]
		far := math.Abs(float64(i) - float64(2*(x-s.plot.X)) - 0.5)
		if far -= 0.5; far > best {
			continue
		}
		for j := c.first; j < c.last; j++ {
			dist := far * 1000
			if ms, known := st.Gap(int(j)); known {
				row, _ := s.y.Dot(ms)
				dist += math.Abs(float64(row - want))
			} else {
				dist += 999
			}
			if dist < best {
				best, chunk = dist, int(j)
			}
		}
	}
	return chunk, chunk >= 0
}
