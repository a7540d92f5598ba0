package live

import (
	"tokscope/ui/chart/scope"
	"tokscope/ui/draw"
)

// Parts draws panels of Live on another screen, so that a stream looks the same there.
type Parts struct{ pic *picture }

// NewParts returns the parts of one screen.
func NewParts() Parts { return Parts{newPicture()} }

// Scope draws the scope of the whole stream in a box with that title, and with that click
// target on it.
func (s Parts) Scope(g *draw.Grid, r draw.Rect, v *View, title string, on draw.Target) {
	p := &s.pic.canvas
	p.begin(g, v, s.pic)
	s.pic.scope.title, s.pic.scope.zoom = title, scope.Whole
	s.pic.scope.panel(p, r)
	g.Target(r, on)
}

// Facts draws the facts beside the figures, as many as have room.
func (s Parts) Facts(g *draw.Grid, r draw.Rect, v *View) {
	s.pic.canvas.begin(g, v, s.pic)
	s.pic.canvas.facts(r)
}
