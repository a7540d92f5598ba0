package live

import (
	"os"
	"strings"
	"testing"
	"time"

	"tokscope/themes"
	"tokscope/ui/cell"
)

// TestShot is a scratch aid.
func TestShot(t *testing.T) {
	dir := os.Getenv("SHOT_DIR")
	if dir == "" {
		return
	}
	w, h := 120, 40
	if s := os.Getenv("SHOT_SIZE"); s != "" {
		var ok bool
		w, h, ok = size(s)
		if !ok {
			t.Fatal(s)
		}
	}
	th := themes.Default(true)
	if n := os.Getenv("SHOT_THEME"); n != "" {
		th, _ = themes.ByName(n)
	}
	pal := themes.Compile(th, themes.TrueColor)
	for name, v := range scenes() {
		s := New()
		if os.Getenv("SHOT_ASCII") != "" {
			v.Glyphs = themes.ASCIIGlyphs()
		}
		v.ShowDefinitions = os.Getenv("SHOT_DEFS") != ""
		g := cell.New(w, h)
		s.Draw(g, cell.Rect{X: 0, Y: 1, W: w, H: h - 2}, v)
		os.WriteFile(dir+"/"+name+".ans", []byte("\x1b[?25l\x1b[H"+strings.ReplaceAll(g.Paint(pal), "\n", "\r\n")), 0o644)
		os.WriteFile(dir+"/"+name+".txt", []byte(g.Plain()), 0o644)
	}
	_ = time.Second
}

func size(s string) (w, h int, ok bool) {
	a, b, ok := strings.Cut(s, "x")
	for _, c := range a {
		w = w*10 + int(c-'0')
	}
	for _, c := range b {
		h = h*10 + int(c-'0')
	}
	return w, h, ok
}
