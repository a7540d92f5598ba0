package chart

import (
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
)

// The minimum size of a chart. A smaller one has no plot between its axes.
const (
	LeastW = 16
	LeastH = 5
)

const footRows = 2 // of the X axis and its labels

// Chart caches a picture until its data changes. The zero value is ready. It
// is not safe for concurrent use.
type Chart struct {
	w, h    int
	version uint64
	gl      *themes.Glyphs
	drawn   bool
	cells   []mark
	p       Plot
	d       drawing
}

// mark is a cell of the cached picture; 0 is blank.
type mark struct {
	r  rune
	st themes.Role
}

// Draw copies the picture into r. It calls plot only if version, size or
// glyphs differ from the last call. plot gets the last Plot, with its axes,
// and without lines, rules and notes; Linear and Span fit its vertical axes to
// the rows. Draw reports whether it drew a new picture. A rectangle below
// LeastW by LeastH stays unchanged.
func (c *Chart) Draw(g *draw.Grid, r draw.Rect, gl *themes.Glyphs, version uint64, plot func(*Plot)) (fresh bool) {
	if r.W < LeastW || r.H < LeastH {
		return false
	}
	if !c.drawn || c.w != r.W || c.h != r.H || c.version != version || c.gl != gl {
		c.w, c.h, c.version, c.gl, c.drawn, fresh = r.W, r.H, version, gl, true, true
		c.p.Lines, c.p.Rules, c.p.Notes = c.p.Lines[:0], c.p.Rules[:0], c.p.Notes[:0]
		c.p.Left.rows, c.p.Right.rows = r.H-footRows, r.H-footRows
		plot(&c.p)
		c.cells = c.d.picture(c.cells[:0], r.W, r.H, gl, &c.p)
	}
	for i, m := range c.cells {
		if m.r != 0 {
			g.Set(r.X+i%c.w, r.Y+i/c.w, m.r, m.st)
		}
	}
	return fresh
}

// Inside returns the part of r between the axes of the last picture that Draw
// copied there; empty before any.
func (c *Chart) Inside(r draw.Rect) draw.Rect {
	if !c.drawn || r.W < LeastW || r.H < LeastH {
		return draw.Rect{}
	}
	return draw.Rect{X: r.X + c.d.x0, Y: r.Y, W: c.d.w, H: c.d.h}
}

// Plot is the data to draw. A reused Plot keeps the memory of the last
// picture and the labels of unchanged axes.
type Plot struct {
	X, Left Axis
	// Right is the second vertical axis. Without ticks it is not drawn.
	Right Axis
	// LeftRole and RightRole color the numbers of the axes like the lines read
	// on them.
	LeftRole, RightRole themes.Role
	// Lines are drawn in order, then all points above them.
	Lines []Line
	Rules []Rule
	Notes []Note
}

// Line is a polyline with marks.
type Line struct {
	Points []Point
	Role   themes.Role
	Right  bool // read on the right axis
	Loose  bool // without lines between the points
}

// Point is one point of a line. A point outside the axes or with NaN is
// dropped and breaks the line.
type Point struct {
	X, Y float64
	Mark rune        // 0: none
	Role themes.Role // of the mark; 0 is the line's
	// Dashed draws the piece of the line that ends here with gaps.
	Dashed bool
}

// Rule is a dashed line across the plot with a label in a free place on it.
type Rule struct {
	At       float64
	Vertical bool // At is on the X axis, else on the left or the right one
	Right    bool
	Role     themes.Role
	Label    string
	Short    string // used if Label does not fit
	Event    bool   // a vertical rule in time: its line is drawn before all labels
	Weak     bool   // a line that gives way to labels of other rules without other room
	Cut      bool   // a vertical rule cuts Label to the room before it uses Short
}

// Note is a short text beside a place, drawn if it fits.
type Note struct {
	X, Y  float64
	Right bool
	Role  themes.Role
	Text  string
	Left  bool // prefers the left side of the place
	Else  bool // drawn only if the previous note did not fit
}

// Line adds a line without points above the previous ones. It is valid until
// the next call.
func (p *Plot) Line(role themes.Role) *Line {
	n := len(p.Lines)
	if n < cap(p.Lines) {
		p.Lines = p.Lines[:n+1]
	} else {
		p.Lines = append(p.Lines, Line{})
	}
	l := &p.Lines[n]
	*l = Line{Role: role, Points: l.Points[:0]}
	return l
}

func (p *Plot) axis(right bool) *Axis {
	return format.Either(right && len(p.Right.Ticks) > 0, &p.Right, &p.Left)
}
