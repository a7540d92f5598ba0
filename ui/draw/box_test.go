package draw

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

func TestBox(t *testing.T) {
	uni, ascii := themes.UnicodeGlyphs(), themes.ASCIIGlyphs()
	for _, tc := range []struct {
		name         string
		w            int
		gl           *themes.Glyphs
		title, right string
		want         string
	}{
		{"plain", 8, uni, "", "", "╭──────╮"},
		{"title", 16, uni, "now", "", "╭ now ─────────╮"},
		{"parts", 24, uni, "stream 3 ─ done", "", "╭ stream 3 ─ done ─────╮"},
		{"title and right", 24, uni, "gap", "p50 6.8", "╭ gap ────── p50 6.8 ──╮"},
		{"right alone", 16, uni, "", "p50 6.8", "╭─── p50 6.8 ──╮"},
		{"right just fits", 18, uni, "gap", "123456", "╭ gap ─ 123456 ──╮"},
		{"right does not fit", 17, uni, "gap", "123456", "╭ gap ──────────╮"},
		{"right is never cut", 16, uni, "a long title", "123", "╭ a long title ╮"},
		{"title is cut", 12, uni, "a long title", "", "╭ a long … ╮"},
		{"title is cut at a part", 12, uni, "stream ─ x ─ y", "", "╭ stream … ╮"},
		{"wide title is cut", 10, uni, "漢字漢字", "", "╭ 漢字… ─╮"},
		{"ascii", 24, ascii, "a ─ b", "p50", "+ a - b -------- p50 --+"},
		{"too small for a title", 4, uni, "x", "y", "╭──╮"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := New(tc.w, 3)
			g.Box(g.Bounds(), tc.gl, themes.Border, tc.title, themes.Title, tc.right)
			top := New(tc.w, 1)
			copy(top.cells, g.cells[:tc.w])
			top.clusters = g.clusters
			want(t, top, tc.want)
		})
	}
}

func TestBoxRoles(t *testing.T) {
	g := New(24, 3)
	g.Box(g.Bounds(), themes.UnicodeGlyphs(), themes.Border, "one ─ two", themes.Title, "r")
	for x, want := range map[int]themes.Role{0: themes.Border, 2: themes.Title, 6: themes.Border, 8: themes.Title,
		14: themes.Border, 19: themes.Title} {
		_, st := g.At(x, 0)
		testkit.That(t, st == want, "column %d has role %d, want %d", x, st, want)
	}
	g.Rule(g.Bounds(), 1, themes.UnicodeGlyphs(), themes.Border, "mid", themes.Title)
	want(t, g, "╭ one ─ two ────── r ──╮", "├ mid ─────────────────┤", "╰──────────────────────╯")
}

func TestBars(t *testing.T) {
	uni, ascii := themes.UnicodeGlyphs(), themes.ASCIIGlyphs()
	g := New(10, 3)
	for i, f := range []float64{0, 0.001, 1.0 / 24, 8.0 / 24, 9.0 / 24, 0.5, 1, 7} {
		g.Bar(i, 2, 3, f, uni, themes.Good)
	}
	nan := 0.0
	nan /= nan
	g.Bar(8, 2, 3, nan, uni, themes.Good)
	g.Bar(9, 2, 3, -1, uni, themes.Good)
	want(t, g, "      ██", "    ▁▄██", " ▁▁█████")

	g = New(8, 5)
	g.HBar(0, 0, 8, 0.5, uni, themes.Good)
	g.HBar(0, 1, 8, 0.3, uni, themes.Good)
	g.HBar(0, 2, 8, 1e-9, uni, themes.Good)
	g.Gauge(0, 3, 8, 0.3, ascii, themes.Good, themes.Faint)
	want(t, g, "████", "██▍", "▏", "##-.....", "")
}

func TestBig(t *testing.T) {
	for _, tc := range []struct {
		gl   *themes.Glyphs
		s    string
		max  int
		rows []string
	}{
		{themes.UnicodeGlyphs(), "0123456789", 99, []string{
			"█▀█ ▀█  ▀▀█ ▀▀█ █ █ █▀▀ █▀▀ ▀▀█ █▀█ █▀█",
			"█ █  █  █▀▀  ▀█ ▀▀█ ▀▀█ █▀█   █ █▀█ ▀▀█",
			"▀▀▀ ▀▀▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀   ▀ ▀▀▀ ▀▀▀",
		}},
		{themes.ASCIIGlyphs(), "0123456789", 99, []string{
			" _       _   _       _   _   _   _   _",
			"| |   |  _|  _| |_| |_  |_    | |_| |_|",
			"|_|   | |_   _|   |  _| |_|   | |_|  _|",
		}},
		{themes.UnicodeGlyphs(), "41?.5", 9, []string{"█ █ ▀█", "▀▀█  █", "  ▀ ▀▀▀ ▀"}},
	} {
		g := New(60, BigHeight)
		n := g.Big(0, 0, tc.s, tc.gl, themes.Figure, tc.max)
		want(t, g, tc.rows...)
		w := BigWidth(tc.s, tc.gl)
		testkit.That(t, n == min(w, tc.max), "%q: used %d, BigWidth %d", tc.s, n, w)
	}
	for _, f := range []map[rune]numeral{solid, segments} {
		for r, n := range f {
			for _, row := range n {
				testkit.That(t, Width(row) == Width(n[0]), "%q: rows of different width", r)
			}
		}
	}
	for r := range solid {
		_, ok := segments[r]
		testkit.That(t, ok, "%q has no ASCII form", r)
	}
}
