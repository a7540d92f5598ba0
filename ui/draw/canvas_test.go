package draw

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/themes"
)

func newWriter(w, h int, gl *themes.Glyphs) *Canvas {
	p := new(Canvas)
	p.Begin(New(w, h), gl)
	return p
}

func TestLine(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(*Line)
		want string
	}{
		{"put is clipped", func(l *Line) { l.Write(0, "0123456789abc") }, "0123456789"},
		{"cut says so", func(l *Line) { l.Cut(0, "0123456789abc") }, "012345678…"},
		{"whole or nothing", func(l *Line) { l.Write(0, "412 ms"); l.Whole(0, " 9.1 s"); l.Whole(0, "!") }, "412 ms!"},
		{"field", func(l *Line) { l.Field(0, "6.8", 5); l.Write(0, " ms") }, "  6.8 ms"},
		{"slot", func(l *Line) { l.Slot(0, "gap", 5); l.Write(0, "–") }, "gap  –"},
		{"to never goes back", func(l *Line) { l.Write(0, "abc"); l.To(2); l.Write(0, "d"); l.To(6); l.Write(0, "e") },
			"abcd  e"},
		{"ruler", func(l *Line) { l.Write(0, "a"); l.Skip(1); l.Ruler() }, "a ────────"},
		{"set ends with the row", func(l *Line) { l.To(9); l.Set(0, '●'); l.Set(0, '●') }, "         ●"},
	} {
		p := newWriter(12, 1, nil)
		l := p.Line(0, 0, 10)
		c.do(&l)
		testkit.Is(t, strings.TrimRight(p.Grid.Plain(), " "), c.want, c.name)
	}
}

// A text that fits one column in Unicode may need two in ASCII.
func TestWholeCountsDrawnCells(t *testing.T) {
	for gl, want := range map[*themes.Glyphs]string{themes.UnicodeGlyphs(): "≤ 5", themes.ASCIIGlyphs(): ""} {
		p := newWriter(12, 1, gl)
		l := p.Line(0, 0, 3)
		if fits := l.Whole(0, "≤ 5"); fits != (want != "") || strings.TrimSpace(p.Grid.Plain()) != want {
			t.Errorf("ASCII %v: it fits: %v, %q", gl.ASCII, fits, p.Grid.Plain())
		}
	}
}

func TestMissingRowDrawsNothing(t *testing.T) {
	p := newWriter(12, 3, nil)
	for _, i := range []int{-1, 2, 99} {
		l := p.Row(Rect{X: 1, Y: 1, W: 8, H: 2}, i)
		l.Write(0, "something")
		l.Set(0, '●')
		l.Ruler()
	}
	testkit.Is(t, strings.TrimSpace(p.Grid.Plain()), "")
}

// A Canvas writes figures as package format does, and keeps them.
func TestFigures(t *testing.T) {
	p := newWriter(1, 1, nil)
	known, unknown := metrics.Known(0.5, 1), metrics.Unknown(metrics.WhyNoCount)
	got := []string{p.Int(1024), p.Count(1024), p.Whole(1024), p.Number(4114), p.Exact(0.5), p.Ms(6.84), p.Percent(0.001),
		p.Amount(15e9, "B"), p.Elapsed(247), p.Plural(1, "chunk", "chunks"), p.Plural(1024, "chunk", "chunks"),
		p.WholeOf(known), p.NumberOf(known), p.Duration(known), p.PercentOf(known),
		p.WholeOf(unknown), p.NumberOf(unknown), p.Duration(unknown), p.PercentOf(unknown)}
	want := []string{"1024", "1,024", "1,024", "4,110", "0.5", "6.84 ms", "<1 %", "15.0 GB", "4:07 min", "1 chunk",
		"1,024 chunks",
		"1", "0.500", "500 µs", "50 %", "–", "–", "–", "–"}
	testkit.That(t, slices.Equal(got, want), "%q\nwant %q", got, want)
}

func TestWrapped(t *testing.T) {
	p := newWriter(12, 4, nil)
	r := Rect{X: 1, Y: 1, W: 10, H: 3}
	testkit.Is(t, p.Wrapped(r, 0, 2, 0, "one token reads every weight once"), 2, "rows")
	testkit.Is(t, p.Grid.Plain(), "\n one token\n reads eve…\n")
}

// TestSentenceBreaksAtClauses checks that a row ends with a clause where the rest fits, and
// that what stands behind the first clauses has another role.
func TestSentenceBreaksAtClauses(t *testing.T) {
	const text = "TTFT about 3.5x the baseline since 04:48 UTC, phase unknown: no timings; TPOT unchanged"
	for w, want := range map[int]string{
		100: text,
		78:  "TTFT about 3.5x the baseline since 04:48 UTC, phase unknown: no timings;\nTPOT unchanged",
		60:  "TTFT about 3.5x the baseline since 04:48 UTC,\nphase unknown: no timings; TPOT unchanged",
		44:  "TTFT about 3.5x the baseline since 04:48\nUTC, phase unknown: no timings; TPOT unchan…",
	} {
		g := New(w, 2)
		var p Canvas
		p.Begin(g, themes.UnicodeGlyphs())
		rows := p.Sentence(g.Bounds(), themes.Bad, 1, text)
		got := strings.TrimSpace(g.Plain())
		testkit.That(t, got == want && rows == 1+strings.Count(want, "\n"), "%d columns, %d rows: %q", w, rows, got)
		for y := range 2 {
			row := strings.Split(g.Plain()+"\n", "\n")[y]
			if at := strings.Index(row, "TPOT"); at >= 0 && w > 44 {
				if _, role := g.At(at, y); role != themes.Text {
					t.Errorf("%d columns: what is unchanged has role %v", w, role)
				}
			}
		}
		if _, role := g.At(0, 0); role != themes.Bad {
			t.Errorf("%d columns: what changed has role %v", w, role)
		}
	}
}

// Strings of a frame stay valid after the next frame has begun.
func TestKept(t *testing.T) {
	var k Canvas
	k.Begin(nil, nil)
	b := []byte("41 ms")
	a := k.Keep(b)
	copy(b, "99999")
	c := k.Keep(b)
	k.Begin(nil, nil)
	d := k.Keep([]byte("other"))
	testkit.That(t, a == "41 ms" && c == "99999" && d == "other", "%q %q %q", a, c, d)
}

// A frame costs one allocation once its size is known.
func TestFrameAllocation(t *testing.T) {
	var k Canvas
	gl := themes.UnicodeGlyphs()
	b := []byte(strings.Repeat("x", 50))
	testkit.Allocates(t, 1, 100, func() {
		k.Begin(nil, gl)
		for range 200 {
			k.Keep(b)
		}
	}, "a frame")
}

func TestHeat(t *testing.T) {
	for ms, want := range map[float64]int{-1: 0, 0: 0, GapMin: 0, math.Inf(1): themes.Levels - 1,
		GapMax: themes.Levels - 1, math.NaN(): 0} {
		got := Heat(ms)
		testkit.That(t, got == want, "a gap of %g ms has the heat %d, want %d", ms, got, want)
	}
	for ms, last := GapMin, 0; ms < 2*GapMax; ms *= 1.1 {
		if h := Heat(ms); h < last || h >= themes.Levels {
			t.Errorf("%g ms has the heat %d after %d", ms, h, last)
		} else {
			last = h
		}
	}
}

func TestMemoWritesAValueOnce(t *testing.T) {
	var m Memo[int, string]
	n := 0
	write := func(v int) string { n++; return strconv.Itoa(v) }
	for _, c := range []struct {
		v, n int
		want string
	}{{0, 1, "0"}, {0, 1, "0"}, {7, 2, "7"}, {7, 2, "7"}, {0, 3, "0"}} {
		got := m.Of(c.v, write)
		testkit.That(t, got == c.want && n == c.n, "%q written %d times, want %q and %d", got, n, c.want, c.n)
	}
}
