package draw

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	uv "github.com/charmbracelet/ultraviolet"
	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

// cells describes every cell of a terminal, a line for each row.
func cells(e *vt.Emulator) []string {
	rows := make([]string, e.Height())
	for y := range rows {
		var b strings.Builder
		for x := range e.Width() {
			c := e.CellAt(x, y)
			if c == nil || c.Width == 0 && c.Content == "" {
				c = &uv.Cell{}
			}
			text := c.Content
			if text == "" {
				text = " "
			}
			st := c.Style
			if text == " " && st.Attrs&(uv.AttrReverse|uv.AttrStrikethrough) == 0 && st.Underline == 0 {
				st = uv.Style{Bg: st.Bg} // the color of a blank does not show
			}
			fmt.Fprintf(&b, "%s %v/", text, st)
		}
		rows[y] = b.String()
	}
	return rows
}

// A terminal that was given every patch shows the same cells as one that shows
// other text and is given the whole frame.
func TestPatchesMakeTheFrame(t *testing.T) {
	paper, _ := themes.ByName("paper")
	for name, palettes := range map[string][2]*themes.Palette{
		"the terminal's ground": {dark, themes.Compile(themes.Default(false), themes.ANSI256)},
		"its own ground": {themes.CompileOnGround(paper, themes.TrueColor),
			themes.CompileOnGround(themes.Default(true), themes.ANSI256)},
	} {
		t.Run(name, func(t *testing.T) {
			rnd := testkit.Rand(t, 3)
			for _, margin := range []int{1, 0} {
				const w, h = 25, 6
				g := New(w-margin, h)
				g.Margin(margin)
				e := vt.NewEmulator(w, h)
				var p Patch
				for step := range 300 {
					for range rnd.IntN(4) {
						if rnd.IntN(40) == 0 {
							g.Clear()
						}
						scribble(g, rnd, scribbled)
					}
					pal := palettes[step%200/150]
					e.Write(p.Append(nil, g, pal))
					more := p.Append(nil, g, pal)
					testkit.Given(t, len(more) == 0, "step %d: an unchanged grid is patched with %q", step, more)
					if step%5 > 0 {
						continue
					}
					other := vt.NewEmulator(w, h)
					other.WriteString("\x1b[41m" + strings.Repeat("x", w*h) + themes.Reset)
					other.Write(new(Patch).Append(nil, g, pal))
					got, want := cells(e), cells(other)
					for y := range want {
						if got[y] != want[y] {
							t.Fatalf("step %d, margin %d, row %d:\n got %.2000s\nwant %.2000s", step, margin, y, got[y], want[y])
						}
					}
					shows(t, e, g)
					other.Close()
				}
				e.Close()
			}
		})
	}
}

// shows fails if e shows other characters than g anywhere but in the columns of loose
// cells, or does not begin with the character of one.
func shows(t *testing.T, e *vt.Emulator, g *Grid) {
	t.Helper()
	for i := range g.cells {
		x, y, head := i%g.w, i/g.w, i
		for g.cells[head].w == covered {
			head--
		}
		want, _ := g.At(x, y)
		got := ""
		if c := e.CellAt(x, y); c != nil {
			got = c.Content
		}
		// e has marks replace a letter there
		part := strings.HasPrefix(want, got) || x == e.Width()-1 && strings.HasSuffix(want, got)
		if loose := g.cells[head].loose; !loose && strings.Trim(got, " ") != strings.Trim(want, " ") ||
			loose && head == i && (got == "" || !part) {
			t.Fatalf("column %d of row %d shows %q and not %q:\n%s\nthe grid is\n%s", x, y, got, want, e.String(), g.Plain())
		}
	}
}

// Whatever columns a terminal gives to letters, what stands behind and below them
// keeps its place.
func TestLettersKeepTheirPlace(t *testing.T) {
	for _, s := range []string{"स्त्री", "র\u200d্য", "ก\u0e33", "ஷௌ", "ខ្មែ", "\u1112\u1161\u11ab",
		"👩🏽\u200d❤\ufe0f\u200d💋\u200d👨🏽", "🇩🇪", "e\u0301\u0302", "👩\u200d",
		"\u0d4eക", "x" + strings.Repeat("\u0301", 1000)} {
		g := New(30, 3)
		for _, x := range []int{0, 9, 29 - Width(s), 30 - Width(s)} {
			g.Text(x, 1, s, themes.Bad, 40)
		}
		g.Text(20, 1, "behind", themes.Text, 6)
		for x := range 30 {
			g.Set(x, 2, 'b', themes.Text)
		}
		for _, before := range []string{"", "wide 漢字漢字漢字漢字漢字漢字"} {
			e := vt.NewEmulator(31, 3)
			var p Patch
			other := New(30, 3)
			other.Text(0, 1, before, themes.Text, 30)
			e.Write(p.Append(nil, other, dark))
			e.Write(p.Append(nil, g, dark))
			shows(t, e, g)
			e.WriteString(".")
			g.Text(8, 1, "->", themes.Text, 2) // close to a letter
			e.Write(p.Append(nil, g, dark))
			shows(t, e, g)
			e.Close()
		}
	}
}

// A patch has the bytes of what changed.
func TestPatchIsAsLongAsTheChange(t *testing.T) {
	pal := themes.Compile(mustTheme("ansi"), themes.ANSI16)
	bad := pal.SGR(themes.Bad)
	g := New(40, 3)
	g.Text(0, 1, "first word, second word, third word", themes.Text, 40)
	var p Patch
	p.Append(nil, g, pal)
	for _, tc := range []struct {
		name string
		draw func()
		want string
	}{
		{"nothing", func() {}, ""},
		{"a word", func() { g.Text(12, 1, "SECOND", themes.Bad, 9) }, "\x1b[2;13H" + bad + "SECOND" + themes.Reset},
		{"two that are close", func() {
			g.Text(0, 0, "a", themes.Text, 1)
			g.Text(4, 0, "b", themes.Text, 1)
		}, "\x1b[1;1Ha   b"},
		{"two that are apart", func() {
			g.Text(0, 0, "c", themes.Bad, 1)
			g.Text(20, 0, "d", themes.Bad, 1)
		}, "\x1b[1;1H" + bad + "c\x1b[1;21Hd" + themes.Reset},
		{"the end of a row", func() { g.Fill(Rect{10, 1, 30, 1}, ' ', themes.Text) }, "\x1b[2;11H" + eraseRight},
		{"half of a wide cell", func() { g.Text(0, 2, "漢", themes.Text, 2) }, "\x1b[3;1H漢"},
		{"its style", func() { g.Style(Rect{1, 2, 1, 1}, themes.Bad) }, "\x1b[3;1H漢"},
		{"all, after Forget", func() { p.Forget() }, "\x1b[1;1H" + bad + "c   " + themes.Reset + "b               " + bad +
			"d" + themes.Reset + eraseRight +
			"\x1b[2;1Hfirst word" + eraseRight + "\x1b[3;1H漢" + eraseRight},
	} {
		tc.draw()
		testkit.Is(t, string(p.Append(nil, g, pal)), tc.want, tc.name)
	}
}

func TestPatchAllocatesNothing(t *testing.T) {
	g := New(200, 50)
	var p Patch
	var b []byte
	i := 0
	for range 100 { // the buffer gets its size
		i++
		frame(g, i)
		b = p.Append(b[:0], g, dark)
	}
	testkit.Allocates(t, 0, 90, func() {
		i++
		frame(g, i)
		b = p.Append(b[:0], g, dark)
	}, "a changed frame")
}

var dark = themes.Compile(themes.Default(true), themes.TrueColor)

// painted returns the rows of g as a terminal gets them, joined by "\n".
func painted(g *Grid, pal *themes.Palette) string {
	var rows []string
	for y := range g.h {
		rows = append(rows, string(g.row(nil, g.cells[y*g.w:(y+1)*g.w], pal)))
	}
	return strings.Join(rows, "\n")
}

func TestPaintRuns(t *testing.T) {
	pal := themes.Compile(mustTheme("ansi"), themes.ANSI16)
	bad, good, badge := pal.SGR(themes.Bad), pal.SGR(themes.Good), pal.SGR(themes.Badge)
	const reset = themes.Reset
	for _, tc := range []struct {
		name string
		draw func(g *Grid)
		want string
	}{
		{"blank", func(*Grid) {}, ""},
		{"plain", func(g *Grid) { g.Text(1, 0, "ab", themes.Text, 9) }, " ab"},
		{"one run", func(g *Grid) { g.Text(0, 0, "ab", themes.Bad, 9) }, bad + "ab" + reset},
		{"two runs", func(g *Grid) {
			g.Text(0, 0, "ab", themes.Bad, 9)
			g.Text(2, 0, "cd", themes.Good, 9)
		}, bad + "ab" + good + "cd" + reset},
		{"back to plain", func(g *Grid) {
			g.Text(0, 0, "ab", themes.Bad, 9)
			g.Text(2, 0, "cd", themes.Text, 9)
		}, bad + "ab" + reset + "cd"},
		{"blanks join the run before", func(g *Grid) {
			g.Text(0, 0, "ab", themes.Bad, 9)
			g.Text(4, 0, "cd", themes.Bad, 9)
		}, bad + "ab  cd" + reset},
		{"blanks that show do not", func(g *Grid) {
			g.Text(0, 0, "a", themes.Bad, 9)
			g.Text(1, 0, " x ", themes.Badge, 9)
			g.Text(4, 0, "  b", themes.Bad, 9)
		}, bad + "a" + badge + " x " + bad + "  b" + reset},
		{"trailing blanks are left off", func(g *Grid) { g.Text(0, 0, "ab      ", themes.Bad, 9) }, bad + "ab" + reset},
		{"trailing blanks that show are not", func(g *Grid) { g.Text(0, 0, "ab ", themes.Badge, 9) }, badge + "ab " + reset},
		{"wide and marks", func(g *Grid) { g.Text(0, 0, "漢e\u0301", themes.Bad, 9) },
			bad + "漢" + noWrap + " \x1b[3Ge\u0301" + wrap + "\x1b[4G" + reset},
		{"wide at the end", func(g *Grid) { g.Text(8, 0, "漢", themes.Text, 9) }, "        漢"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			g := New(10, 1)
			tc.draw(g)
			testkit.Is(t, painted(g, pal), tc.want)
		})
	}
}

func TestNoColorPaintsNoColor(t *testing.T) {
	pal := themes.Compile(themes.Default(true), themes.NoColor)
	g := New(200, 1)
	for r := range themes.Roles {
		g.Set(r, 0, 'x', themes.Role(r))
	}
	for _, seq := range strings.Split(painted(g, pal), "\x1b[")[1:] {
		code := seq[:strings.IndexByte(seq, 'm')]
		for part := range strings.SplitSeq(code, ";") {
			testkit.That(t, strings.Contains(",,0,1,2,4,7,", ","+part+","), "sequence %q", code)
		}
	}
}

// scribbled are texts of every width.
var scribbled = []string{"hello", "漢字", "█▄ ", "🚀", "   ", "e\u0301\u0302", "नमस्ते", "👩\u200d👧🇩🇪",
	"\u1112\u1161\u11ab"}

// scribble draws random cells, also outside the grid.
func scribble(g *Grid, rnd *rand.Rand, texts []string) {
	x, y := rnd.IntN(30)-4, rnd.IntN(9)-2
	st := themes.Role(rnd.IntN(themes.Roles))
	switch rnd.IntN(6) {
	case 0:
		g.Fill(Rect{x, y, rnd.IntN(9), 2}, 'f', st)
	case 1:
		g.Style(Rect{x, y, rnd.IntN(9), 2}, st)
	case 2:
		defer g.Clip(Rect{x, y, rnd.IntN(9), 3})()
		g.Box(Rect{x - 1, y, 12, 3}, themes.UnicodeGlyphs(), st, "t ─ u", st, "r")
	default:
		g.Text(x, y, texts[rnd.IntN(len(texts))], st, rnd.IntN(12))
	}
}

// A terminal that prints the frame shows the grid.
func TestPaintOnATerminal(t *testing.T) {
	for p := themes.NoColor; p <= themes.TrueColor; p++ {
		g := New(200, 50)
		frame(g, 3)
		g.Text(90, 10, "漢字 🚀 ", themes.Badge, 20)
		e := vt.NewEmulator(200, 50)
		e.WriteString(strings.ReplaceAll(painted(g, themes.Compile(themes.Default(true), p)), "\n", "\r\n"))
		got := strings.ReplaceAll(trimRows(e.String()), "\u0301", "")
		testkit.That(t, got == strings.ReplaceAll(g.Plain(), "\u0301", ""), "%v colours: the terminal shows\n%s", p, got)
		c := e.CellAt(199, 0)
		testkit.That(t, c == nil || c.Style.IsZero(), "%v colours: a style runs on past the row's end: %+v", p, c.Style)
		e.Close()
	}
}

func trimRows(s string) string {
	rows := strings.Split(s, "\n")
	for i := range rows {
		rows[i] = strings.TrimRight(rows[i], " ")
	}
	return strings.Join(rows, "\n")
}

func mustTheme(name string) themes.Theme {
	t, ok := themes.ByName(name)
	if !ok {
		panic("no theme " + name)
	}
	return t
}

// A theme with its own ground fills the margin too. A theme without one
// leaves the margin unpainted.
func TestMargin(t *testing.T) {
	paper, _ := themes.ByName("paper")
	onGround := themes.CompileOnGround(paper, themes.TrueColor)
	g := New(6, 2)
	g.Text(0, 0, "abcdef", themes.Text, 6)
	before := painted(g, onGround)
	g.Margin(2)
	rows := strings.Split(painted(g, onGround), "\n")
	for y, row := range rows {
		testkit.Is(t, ansi.StringWidth(row), 8, "row", y, "is … wide, want 6 and a margin of 2", row)
	}
	if bare := themes.Compile(paper, themes.TrueColor); strings.Contains(painted(g, bare), " ") {
		t.Errorf("a theme on the terminal's ground paints blanks: %q", painted(g, bare))
	}
	g.Margin(0)
	testkit.Is(t, painted(g, onGround), before, "the margin cannot be taken away")
}

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
