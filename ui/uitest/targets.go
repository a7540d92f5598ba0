package uitest

import "tokscope/ui/draw"

// Targets returns the click targets of g, each with the rectangle around its
// cells.
func Targets(g *draw.Grid) map[draw.Target]draw.Rect {
	out := map[draw.Target]draw.Rect{}
	w, h := g.Size()
	for y := range h {
		for x := range w {
			what := g.TargetAt(x, y)
			if what == nil {
				continue
			}
			r, ok := out[what]
			if !ok {
				r = draw.Rect{X: x, Y: y}
			}
			left, right := min(r.X, x), max(r.Right(), x+1)
			out[what] = draw.Rect{X: left, Y: r.Y, W: right - left, H: y + 1 - r.Y}
		}
	}
	return out
}
