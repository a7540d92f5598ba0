package draw

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/charmbracelet/x/ansi"
	"github.com/charmbracelet/x/vt"

	"tokscope/metrics/testkit"
	"tokscope/themes"
)

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
		{"wide and marks", func(g *Grid) { g.Text(0, 0, "漢e\u0301", themes.Bad, 9) }, bad + "漢" + noWrap + " \x1b[3Ge\u0301" + wrap + "\x1b[4G" + reset},
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
			if !strings.Contains(",,0,1,2,4,7,", ","+part+",") {
				t.Errorf("sequence %q", code)
			}
		}
	}
}

// scribbled are texts of every width.
var scribbled = []string{"hello", "漢字", "█▄ ", "🚀", "   ", "e\u0301\u0302", "नमस्ते", "👩\u200d👧🇩🇪", "\u1112\u1161\u11ab"}

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
		if got := strings.ReplaceAll(trimRows(e.String()), "\u0301", ""); got != strings.ReplaceAll(g.Plain(), "\u0301", "") {
			t.Errorf("%v colours: the terminal shows\n%s", p, got)
		}
		if c := e.CellAt(199, 0); c != nil && !c.Style.IsZero() {
			t.Errorf("%v colours: a style runs on past the row's end: %+v", p, c.Style)
		}
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

func TestAllocations(t *testing.T) {
	g := New(200, 50)
	frame(g, 0)
	var p Patch
	out := p.Append(nil, g, dark)
	testkit.Allocates(t, 0, 20, func() {
		frame(g, 0)
		out = p.Append(out[:0], g, dark)
	}, "an unchanged frame, drawn again and written")
	i := 0
	testkit.Allocates(t, 8, 20, func() {
		i++
		frame(g, i)
		out = p.Append(out[:0], g, dark)
	}, "a changed frame")
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
