package chart

import "tokscope/themes"

// Plot is what is to be drawn. One that is filled again for the next picture
// keeps the room of the last one and the labels of axes that stay.
type Plot struct {
	X, Left Axis
	// Right is the second vertical axis; without ticks there is none.
	Right Axis
	// LeftRole and RightRole colour the numbers of the axes, so that each is
	// known by the lines that are read on it.
	LeftRole, RightRole themes.Role
	// Lines are drawn in order, points above all lines.
	Lines []Line
	Rules []Rule
	Notes []Note
}

// Line is a polyline with marks.
type Line struct {
	Points []Point
	Role   themes.Role
	Right  bool // read on the right axis
	Loose  bool // no line between the points
}

// Point is one point of a line. One outside of the axes, or that is no
// number, is left out, and the line is broken there.
type Point struct {
	X, Y float64
	Mark rune        // 0: none
	Role themes.Role // of the mark; 0 is the line's
}

// Rule is a dashed line across the plot with a label in a free place on it.
type Rule struct {
	At       float64
	Vertical bool // At is on the X axis; else on the left one, or on the right
	Right    bool
	Role     themes.Role
	Label    string
	Short    string // where there is no room for Label
}

// Note is a short text beside a place, where there is room for it.
type Note struct {
	X, Y  float64
	Right bool
	Role  themes.Role
	Text  string
	Left  bool // rather at the left of the place than at its right
	Else  bool // only where the note before it found no room
}

// begin takes lines, rules and notes off.
func (p *Plot) begin() { p.Lines, p.Rules, p.Notes = p.Lines[:0], p.Rules[:0], p.Notes[:0] }

// Line adds a line without points, drawn above those before it. It is valid
// until the next one is added.
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
