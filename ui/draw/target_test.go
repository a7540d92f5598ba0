package draw

import "testing"

func TestTargetOfAClick(t *testing.T) {
	type panel uint8
	type row int
	g := New(20, 5)
	g.Target(Rect{X: 0, Y: 0, W: 10, H: 5}, panel(1))
	g.Target(Rect{X: 2, Y: 1, W: 3, H: 1}, row(7))
	g.Target(Rect{X: 12, Y: 0, W: 0, H: 5}, panel(2)) // empty
	restore := g.Clip(Rect{X: 0, Y: 0, W: 15, H: 5})
	g.Target(Rect{X: 14, Y: 0, W: 4, H: 1}, panel(3))
	restore()
	for _, c := range []struct {
		x, y int
		want Target
	}{{0, 0, panel(1)}, {3, 1, row(7)}, {3, 2, panel(1)}, {12, 0, nil}, {14, 0, panel(3)}, {15, 0, nil}, {-1, 9, nil}} {
		if got := g.TargetAt(c.x, c.y); got != c.want {
			t.Errorf("%d,%d is %v, want %v", c.x, c.y, got, c.want)
		}
	}
	if g.Clear(); g.TargetAt(0, 0) != nil {
		t.Error("a cleared grid can be clicked")
	}
}
