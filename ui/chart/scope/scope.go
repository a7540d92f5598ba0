package scope

import (
	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
)

// Data is what one frame shows. The scope keeps nothing of it but the columns
// that it computed.
type Data struct {
	Stream  *metrics.Stream
	Figures *metrics.Figures // of Stream; may be older than it
	Now     metrics.Stamp
	Phases  []Phase        // of the wait, in their order in time
	Past    []*metrics.Run // earlier runs, oldest first; the last MostPast are drawn
	Pinned  *metrics.Run   // the reference; nil without one

	Reading float64 // gap of the reading pace in ms; 0 for none
	Label   string  // of its line
	Signs   string  // explains the signs of stalls and bursts; "" for none
	Open    float64 // gap under way in ms; 0 for none
	Answer  float64 // when the answer begins behind the reasoning, ms since sent; 0 for none

	Zoom   Zoom
	Linear bool // the axis of gaps is linear around the median
	Cursor int  // chunk, -1 for none
	Still  bool // the window moves in quarters instead of sliding
}

// MostPast is how many earlier runs are drawn: with more, they hide each other.
const MostPast = 3

// Phase is a part of the wait.
type Phase struct {
	Ms     float64
	Before bool // before the request was sent
	Role   themes.Role
	Fill   Fill
}

// Fill is the pattern of a phase, so that phases differ without color.
type Fill uint8

const (
	Solid Fill = iota
	Checked
	Sparse
	Lined
)

// dot reports whether the pattern has a dot at x, y.
func (f Fill) dot(x, y int) bool {
	switch f {
	case Checked:
		return (x+y)%2 == 0
	case Sparse:
		return y%2 == 0 && (x+y/2)%2 == 0
	case Lined:
		return y%2 == 1
	}
	return true
}

// Glyph is a cell of the pattern, for a legend.
func (f Fill) Glyph(gl *themes.Glyphs) rune {
	if gl.ASCII {
		return [...]rune{gl.Block, gl.Shade, gl.LightShade, gl.MidShade}[f]
	}
	var r rune
	for y := range 4 {
		for x := range 2 {
			if f.dot(x, y) {
				r = draw.Dot(r, x, 3-y)
			}
		}
	}
	return r
}

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
	counts counts
	roles  []themes.Role // of the rows of cells, from the top

	win  Window
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

// Draw draws the trace with its axes into r and, at its right, the
// distribution into dist, whose first row is one above r. An empty dist is
// left out.
func (s *Scope) Draw(p *draw.Canvas, r, dist draw.Rect, d *Data) {
	s.plot = draw.Rect{}
	if r.H < 1 || r.W < AxisWidth+2 {
		return
	}
	foot := 0
	switch {
	case r.H >= 6:
		foot = 2
	case r.H >= 3:
		foot = 1
	}
	s.plot = draw.Rect{X: r.X + AxisWidth, Y: r.Y, W: r.W - AxisWidth, H: r.H - foot}
	s.prepare(d)
	s.dots.reset(s.plot.W, s.plot.H)
	s.answerRule(d)
	s.readingLine(d)
	s.runs(d)
	s.wait(d)
	s.open(d)
	s.chunks(&s.sweep, trace, 0)
	s.stalls(d)
	s.guide(p, d)
	s.axes(p, foot, d)
	s.labels(p, d)
	s.dots.draw(p, s.plot)
	s.cursor(p, d, foot)
	if !dist.Empty() {
		s.distribution(p, dist, d)
	}
}

// prepare chooses window and scale and brings the columns up to date.
func (s *Scope) prepare(d *Data) {
	zero := zeroOf(d.Stream)
	s.win = s.pace.choose(d, viewOf(d, zero), s.plot.W)
	s.y = s.ranges.choose(d, s.plot.H)
	s.sweep.update(d.Stream, zero, s.win, s.y)
	s.roles = s.roles[:0]
	for row := range s.plot.H {
		s.roles = append(s.roles, themes.Heat(draw.Heat(s.y.Value(float64(4*(s.plot.H-row)-2)))))
	}
}

// zeroOf is the moment at time 0: the request was sent, or else it started.
func zeroOf(s *metrics.Stream) metrics.Stamp {
	if s.Marks.Sent.Known() {
		return s.Marks.Sent
	}
	return s.Marks.Start
}
