package draw

// Target is the meaning of a click on a part of the frame. Every screen has
// its own target types and reads them with a type switch. A small number as
// its value costs no allocation in a frame.
type Target any

// placed is a target and its place.
type placed struct {
	Rect
	what Target
}

// Target registers what as the target of clicks in r, until Clear. Where
// places overlap, the last one counts. A place outside the clip, or an empty
// r, cannot be clicked.
func (g *Grid) Target(r Rect, what Target) {
	if r = r.Intersect(g.clip); !r.Empty() {
		g.targets = append(g.targets, placed{r, what})
	}
}

// TargetAt returns the target at the cell x, y, or nil.
func (g *Grid) TargetAt(x, y int) Target {
	for i := len(g.targets) - 1; i >= 0; i-- {
		if g.targets[i].Contains(x, y) {
			return g.targets[i].what
		}
	}
	return nil
}
