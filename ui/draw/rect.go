package draw

// Rect is a rectangle of cells. Negative sizes count as empty.
type Rect struct{ X, Y, W, H int }

// Empty reports whether r holds no cell.
func (r Rect) Empty() bool { return r.W <= 0 || r.H <= 0 }

// Contains reports whether the cell x, y is in r.
func (r Rect) Contains(x, y int) bool {
	return x >= r.X && y >= r.Y && x < r.X+r.W && y < r.Y+r.H
}

// Right returns the column after the last one.
func (r Rect) Right() int { return r.X + max(r.W, 0) }

// Bottom returns the row after the last one.
func (r Rect) Bottom() int { return r.Y + max(r.H, 0) }

// Inset removes dx columns from both sides and dy rows from top and bottom. A
// smaller rectangle becomes empty, never negative.
func (r Rect) Inset(dx, dy int) Rect {
	return Rect{r.X + dx, r.Y + dy, max(r.W-2*dx, 0), max(r.H-2*dy, 0)}
}

// Inner returns the space inside a box, with one blank column at both sides.
func (r Rect) Inner() Rect { return r.Inset(2, 1) }

// Intersect returns the intersection of r and s, which may be empty.
func (r Rect) Intersect(s Rect) Rect {
	x, y := max(r.X, s.X), max(r.Y, s.Y)
	return Rect{x, y, max(min(r.Right(), s.Right())-x, 0), max(min(r.Bottom(), s.Bottom())-y, 0)}
}

// SplitH splits r into a left part of w columns and the rest. w is limited to
// 0..r.W. A negative w counts from the right.
func (r Rect) SplitH(w int) (left, right Rect) {
	w = within(w, r.W)
	return Rect{r.X, r.Y, w, r.H}, Rect{r.X + w, r.Y, max(r.W, 0) - w, r.H}
}

// SplitV splits r into an upper part of h rows and the rest. h is limited to
// 0..r.H. A negative h counts from the bottom.
func (r Rect) SplitV(h int) (top, bottom Rect) {
	h = within(h, r.H)
	return Rect{r.X, r.Y, r.W, h}, Rect{r.X, r.Y + h, r.W, max(r.H, 0) - h}
}

// Center returns a rectangle of w by h in the middle of r, smaller if r is.
func (r Rect) Center(w, h int) Rect {
	w, h = min(max(w, 0), max(r.W, 0)), min(max(h, 0), max(r.H, 0))
	return Rect{r.X + (max(r.W, 0)-w)/2, r.Y + (max(r.H, 0)-h)/2, w, h}
}

func within(n, size int) int {
	size = max(size, 0)
	if n < 0 {
		n += size
	}
	return min(max(n, 0), size)
}

// Scroll returns the first of the rows that are shown of n, so many, with the selected among
// them. It moves no more than it must.
func Scroll(first, selected, rows, n int) int {
	first = max(min(first, selected), selected-rows+1)
	return max(min(first, n-rows), 0)
}
