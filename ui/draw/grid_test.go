package draw

import (
	"strings"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// want compares the grid's text with literal rows.
func want(t *testing.T, g *Grid, rows ...string) {
	t.Helper()
	testkit.Is(t, g.Plain(), strings.Join(rows, "\n"), "got")
}

func TestTextClipsAndCounts(t *testing.T) {
	for _, tc := range []struct {
		name    string
		x, y    int
		s       string
		max     int
		want    string
		columns int
	}{
		{"inside", 1, 0, "abc", 10, " abc", 3},
		{"to max", 0, 0, "abcdef", 3, "abc", 3},
		{"to the edge", 6, 0, "abcdef", 10, "      ab", 2},
		{"from the left", -2, 0, "abcdef", 10, "cdef", 6},
		{"above", 0, -1, "abc", 10, "", 0},
		{"below", 0, 1, "abc", 10, "", 0},
		{"right of it", 8, 0, "abc", 10, "", 0},
		{"no room", 0, 0, "abc", 0, "", 0},
		{"negative room", 0, 0, "abc", -4, "", 0},
		{"wide", 0, 0, "漢字x", 10, "漢字x", 5},
		{"wide not cut by max", 0, 0, "漢字", 3, "漢", 2},
		{"wide at the edge", 7, 0, "漢", 10, "", 2},
		{"wide half left", -1, 0, "漢字", 10, " 字", 4},
		{"marks", 0, 0, "e\u0301\u0323x", 10, "e\u0301\u0323x", 2},
		{"marks before box drawing", 0, 0, "e\u0301─│x", 10, "e\u0301─│x", 4},
		{"emoji", 0, 0, "🚀!", 10, "🚀!", 3},
		{"control characters never get in", 0, 0, "a\x1b\n\u009bb", 10, "a\ufffd\ufffd\ufffdb", 5},
		{"a lone mark never gets in", 0, 0, "\u0301a", 10, "\ufffda", 2},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := New(8, 1)
			testkit.Is(t, g.Text(tc.x, tc.y, tc.s, themes.Text, tc.max), tc.columns, "columns")
			want(t, g, tc.want)
		})
	}
}

func TestWideCells(t *testing.T) {
	for _, tc := range []struct {
		name string
		draw func(g *Grid)
		want string
	}{
		{"over the left half", func(g *Grid) { g.Set(2, 0, 'x', 0) }, "漢x 語"},
		{"over the right half", func(g *Grid) { g.Set(3, 0, 'x', 0) }, "漢 x語"},
		{"wide over two halves", func(g *Grid) { g.Text(1, 0, "字", 0, 2) }, " 字 語"},
		{"wide over itself", func(g *Grid) { g.Text(2, 0, "字", 0, 2) }, "漢字語"},
		{"wide shifted over the last", func(g *Grid) { g.Text(3, 0, "字", 0, 2) }, "漢 字"},
		{"filled through", func(g *Grid) { g.Fill(Rect{3, 0, 2, 1}, '.', 0) }, "漢 .."},
		{"a wide fill is blank", func(g *Grid) { g.Fill(Rect{2, 0, 2, 1}, '漢', 0) }, "漢  語"},
		{"clipped in the middle", func(g *Grid) {
			defer g.Clip(Rect{0, 0, 3, 1})()
			g.Text(2, 0, "字", 0, 2)
		}, "漢  語"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := New(6, 1)
			g.Text(0, 0, "漢日語", 0, 6)
			tc.draw(g)
			want(t, g, tc.want)
			for x := range 6 { // no half is left alone
				s, _ := g.At(x, 0)
				if r := []rune(s); len(r) == 1 && Width(s) == 2 {
					right, _ := g.At(x+1, 0)
					testkit.That(t, right == "", "column %d is wide but %q follows", x, right)
				}
			}
		})
	}
}

func TestClip(t *testing.T) {
	g := New(6, 3)
	outer := g.Clip(Rect{1, 1, 4, 9})
	inner := g.Clip(Rect{0, 0, 3, 2})
	g.Fill(Rect{-5, -5, 50, 50}, 'i', 0)
	inner()
	g.Set(3, 1, 'o', 0)
	g.Set(0, 1, 'x', 0)
	g.Style(Rect{-1, -1, 9, 9}, themes.Bad)
	outer()
	outer() // an extra call has no effect
	g.Set(0, 0, 'c', 0)
	want(t, g, "c", " iio", "")
	if _, st := g.At(4, 2); st != themes.Bad {
		t.Error("Style did not reach the clip's corner")
	}
	if _, st := g.At(5, 2); st != themes.Text {
		t.Error("Style went over the clip")
	}
}

func TestRightCenterCut(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	g := New(10, 6)
	testkit.Is(t, g.Right(10, 0, "12.5 ms", 0, 9), 7, "Right used")
	g.Right(10, 1, "123456789", 0, 4)
	g.Center(0, 2, 10, "mid", gl, 0)
	g.Center(0, 3, 10, "much too long", gl, 0)
	testkit.Is(t, g.Cut(0, 4, "漢字漢字漢字", gl, 0, 8), 7, "Cut used")
	g.Cut(0, 5, "fits", gl, 0, 4)
	want(t, g, "   12.5 ms", "      1234", "   mid", "much too …", "漢字漢…", "fits")
}

func TestSmallSizes(t *testing.T) {
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		for w := -1; w <= 4; w++ {
			for h := -1; h <= 4; h++ {
				g := New(w, h)
				for _, r := range []Rect{g.Bounds(), {0, 0, 20, 20}, {-3, -3, 5, 5}, {0, 0, -1, -1}, {1, 1, 1, 1}} {
					restore := g.Clip(r)
					g.Box(r, gl, themes.Border, "title ─ x", themes.Title, "right")
					g.Rule(r, 1, gl, themes.Border, "rule", themes.Title)
					g.Text(r.X, r.Y, "漢e\u0301x", themes.Text, r.W)
					g.Right(r.X+r.W, r.Y, "漢", themes.Text, r.W)
					g.Bar(r.X, r.Y, r.H, 0.7, gl, themes.Good)
					g.HBar(r.X, r.Y, r.W, 0.7, gl, themes.Good)
					g.Gauge(r.X, r.Y, r.W, 0.7, gl, themes.Good, themes.Faint)
					g.Big(r.X, r.Y, "12.5", gl, themes.Figure, r.W)
					g.Fill(r.Inset(1, 1), '.', themes.Text)
					g.Style(r, themes.Bad)
					restore()
				}
				new(Patch).Append(nil, g, themes.Compile(themes.Default(true), themes.TrueColor))
				rows := strings.Split(g.Plain(), "\n")
				testkit.That(t, h <= 0 || len(rows) == h, "%dx%d: %d rows", w, h, len(rows))
				g.Resize(h, w)
				g.Clear()
			}
		}
	}
}

func TestClustersAreBounded(t *testing.T) {
	g := New(4, 1)
	for i := range 3 * tableMax {
		g.Text(0, 0, string(rune(0x4e00+i%20000))+string(rune(0x300+i/20000)), 0, 4)
	}
	n := len(g.clusters.text)
	testkit.Given(t, n <= tableMax, "%d clusters kept", n)
	g.Clear()
	g.Text(0, 0, "e\u0301", 0, 4)
	want(t, g, "e\u0301")
}

func TestRect(t *testing.T) {
	r := Rect{2, 3, 10, 4}
	l, rest := r.SplitH(3)
	top, bottom := r.SplitV(-1)
	for _, tc := range []struct {
		name      string
		got, want Rect
	}{
		{"left", l, Rect{2, 3, 3, 4}},
		{"rest", rest, Rect{5, 3, 7, 4}},
		{"top", top, Rect{2, 3, 10, 3}},
		{"bottom", bottom, Rect{2, 6, 10, 1}},
		{"inset", r.Inset(1, 1), Rect{3, 4, 8, 2}},
		{"inset to nothing", r.Inset(6, 6), Rect{8, 9, 0, 0}},
		{"inner", r.Inner(), Rect{4, 4, 6, 2}},
		{"center", r.Center(4, 2), Rect{5, 4, 4, 2}},
		{"center of too much", r.Center(40, 20), r},
		{"intersect", r.Intersect(Rect{0, 0, 4, 4}), Rect{2, 3, 2, 1}},
		{"apart", r.Intersect(Rect{50, 50, 4, 4}), Rect{50, 50, 0, 0}},
	} {
		testkit.Is(t, tc.got, tc.want, tc.name)
	}
	if l, rest := r.SplitH(99); l != r || !rest.Empty() {
		t.Errorf("split past the end: %+v %+v", l, rest)
	}
	testkit.That(t, r.Contains(2, 3) && !r.Contains(12, 3) && !r.Contains(2, 7) && !(Rect{0, 0, -1, 5}).Contains(0, 0),
		"Contains")
}

// TestRecede checks that only text and traces stay behind, all of them faint.
func TestRecede(t *testing.T) {
	g := New(12, 4)
	gl := themes.UnicodeGlyphs()
	g.Box(Rect{0, 0, 12, 4}, gl, themes.Border, "title", themes.Title, "")
	g.Text(2, 1, "語 now", themes.Good, 8)
	g.Text(2, 2, "past", themes.Faint, 8)
	g.Recede(Rect{0, 0, 12, 3})
	want(t, g, "  title", "  語 now", "", "╰──────────╯")
	_, role := g.At(2, 1)
	testkit.That(t, role == themes.Faint, "text has role %d", role)
}

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
		got := g.TargetAt(c.x, c.y)
		testkit.That(t, got == c.want, "%d,%d is %v, want %v", c.x, c.y, got, c.want)
	}
	if g.Clear(); g.TargetAt(0, 0) != nil {
		t.Error("a cleared grid can be clicked")
	}
}
