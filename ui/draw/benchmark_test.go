package draw

import (
	"strings"
	"testing"

	"charm.land/lipgloss/v2"

	"tokscope/themes"
)

const text = "When a request arrives, the server first reads the whole prompt in one pass. "

// frame draws a full 200x50 screen like the Live screen: boxes, tinted text
// in runs of a token, a strip of bars. n shifts everything.
func frame(g *Grid, n int) {
	gl := themes.UnicodeGlyphs()
	g.Clear()
	g.Box(Rect{0, 0, 199, 25}, gl, themes.Border, "stream 3 ─ decoding ─ 212/400 tokens", themes.Title, "e\u0301")
	g.Box(Rect{0, 25, 199, 25}, gl, themes.Border, "gap before every chunk ─ log scale", themes.Title, "p50 6.8   p95 7.9")
	for y := 1; y < 24; y++ {
		for x := 2; x < 196; x += 4 {
			k := x + 7*y + n
			g.Text(x, y, text[k%70:k%70+4], themes.Tint(k%themes.Levels, k%themes.Fades), 4)
		}
	}
	for x := 2; x < 196; x++ {
		k := (x*31 + n*17) % 97
		g.Bar(x, 48, 22, float64(k)/97, gl, themes.Heat(k*themes.Levels/97))
	}
}

// BenchmarkPaintAllChanged draws and paints a frame in which every row
// changes.
func BenchmarkPaintAllChanged(b *testing.B) {
	g := New(200, 50)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		frame(g, i)
		b.SetBytes(int64(len(g.Paint(dark))))
	}
}

// BenchmarkPaintUnchanged draws and paints a frame that looks the same.
func BenchmarkPaintUnchanged(b *testing.B) {
	g := New(200, 50)
	frame(g, 1)
	g.Paint(dark)
	b.ReportAllocs()
	for b.Loop() {
		frame(g, 1)
		g.Paint(dark)
	}
}

// BenchmarkPaintOnly paints an unchanged grid without drawing.
func BenchmarkPaintOnly(b *testing.B) {
	g := New(200, 50)
	frame(g, 1)
	g.Paint(dark)
	b.ReportAllocs()
	for b.Loop() {
		g.Paint(dark)
	}
}

// BenchmarkPaintReference paints the same cells with a lipgloss style per
// run, as the reference for the grid.
func BenchmarkPaintReference(b *testing.B) {
	g := New(200, 50)
	frame(g, 1)
	styles := make([]lipgloss.Style, themes.Roles)
	for i := range styles {
		s := themes.Default(true).Style(themes.Role(i), themes.TrueColor)
		styles[i] = lipgloss.NewStyle().Foreground(lipgloss.Color(s.Fg.String())).Bold(s.Attr&themes.Bold != 0)
	}
	b.ReportAllocs()
	for b.Loop() {
		var out strings.Builder
		for y := range g.h {
			var run []byte
			var st themes.Role
			for x := range g.w {
				c := g.cells[y*g.w+x]
				if c.st != st && len(run) > 0 {
					out.WriteString(styles[st].Render(string(run)))
					run = run[:0]
				}
				st = c.st
				run = g.clusters.append(run, c)
			}
			out.WriteString(styles[st].Render(string(run)))
			out.WriteByte('\n')
		}
	}
}
