package chart

import "tokscope/themes"

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
	if right && len(p.Right.Ticks) > 0 {
		return &p.Right
	}
	return &p.Left
}
