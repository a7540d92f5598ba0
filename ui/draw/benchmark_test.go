package draw

import (
	"testing"

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

// BenchmarkPatchAllChanged draws and writes a frame in which every row changes.
func BenchmarkPatchAllChanged(b *testing.B) {
	g := New(200, 50)
	var p Patch
	var out []byte
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		frame(g, i)
		out = p.Append(out[:0], g, dark)
		b.SetBytes(int64(len(out)))
	}
}

// BenchmarkPatchUnchanged draws and writes a frame that looks the same.
func BenchmarkPatchUnchanged(b *testing.B) {
	g := New(200, 50)
	frame(g, 1)
	var p Patch
	out := p.Append(nil, g, dark)
	b.ReportAllocs()
	for b.Loop() {
		frame(g, 1)
		out = p.Append(out[:0], g, dark)
	}
}

// words changes some cells of a frame, as text that arrives does.
func words(g *Grid, n int) {
	for i := range 5 {
		g.Text(2+n*7%180, 10+i, text[(n+i)%60:(n+i)%60+8], themes.Tint(n%themes.Levels, 0), 8)
	}
}

// BenchmarkPatch makes the bytes that change a few words on a terminal.
func BenchmarkPatch(b *testing.B) {
	g := New(200, 50)
	frame(g, 1)
	var p Patch
	out := p.Append(nil, g, dark)
	b.ReportAllocs()
	i := 0
	for b.Loop() {
		i++
		words(g, i)
		out = p.Append(out[:0], g, dark)
	}
	b.ReportMetric(float64(len(out)), "bytes")
}
