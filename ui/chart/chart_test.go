package chart

import (
	"math"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

func drawn(w, h int, gl *themes.Glyphs, p *Plot) *draw.Grid {
	g := draw.New(w, h)
	var c Chart
	c.Draw(g, g.Bounds(), gl, 1, func(to *Plot) {
		rows := to.Left.rows
		*to = *p
		for _, a := range []*Axis{&to.Left, &to.Right} {
			if a.rows = rows; !a.Log && len(a.Ticks) > 1 {
				a.Ticks = nil // of the other plot
				a.Linear(a.Max, Number)
			}
		}
	})
	return g
}

func linear(top float64) (a Axis)       { a.Linear(top, Number); return a }
func decades(lo, hi float64) (a Axis)   { a.Decades(lo, hi, Number); return a }
func doublings(least, top int) (a Axis) { a.Doublings(least, top); return a }
func lengths(lo, hi float64) (a Axis)   { a.Lengths(lo, hi); return a }

// seesaw is a small plot with everything in it.
func seesaw(gl *themes.Glyphs) *Plot {
	p := new(Plot)
	fillSeesaw(p, gl)
	return p
}

func fillSeesaw(p *Plot, gl *themes.Glyphs) {
	p.X.Doublings(256, 64)
	p.Left.Linear(151, Number)
	p.Right.Linear(4000, Number)
	p.LeftRole, p.RightRole = themes.PerUser, themes.Aggregate
	p.Rules = append(p.Rules, Rule{At: 50, Role: themes.Warn, Label: "objective"}, Rule{At: 32, Vertical: true,
		Role: themes.Bad, Label: "breaks"})
	step := func(n float64) float64 { return 6.5 + 0.14*n }
	total := p.Line(themes.Aggregate)
	total.Right = true
	for n := 1.0; n <= 64; n *= 2 {
		total.Points = append(total.Points, Point{X: n, Y: n * 900 / step(n), Mark: gl.Ring})
	}
	each := p.Line(themes.PerUser)
	for n := 1.0; n <= 64; n *= 2 {
		each.Points = append(each.Points, Point{X: n, Y: 1000 / step(n), Mark: gl.Dot})
	}
}

func TestBothAxesArePrinted(t *testing.T) {
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		g := drawn(60, 16, gl, seesaw(gl))
		screen := g.Plain()
		rows := strings.Split(screen, "\n")
		testkit.Has(t, screen, "objective", "breaks", "200", "4,000")
		if got := strings.Fields(rows[15]); strings.Join(got, " ") != "1 2 4 8 16 32 64 256" &&
			strings.Join(got, " ") != "1 2 4 8 16 32 64 128 256" {
			t.Errorf("the X axis reads %q", got)
		}
		if !strings.HasPrefix(strings.TrimSpace(rows[14]), "0") || !strings.HasSuffix(rows[14], "0") {
			t.Errorf("the axes do not begin at 0: %q", rows[14])
		}
		n := strings.Count(screen, string(gl.Dot))
		testkit.That(t, gl.ASCII || n == 7, "%d solid points, want 7:\n%s", n, screen)
		x, y := 2, slices.IndexFunc(rows, func(row string) bool { return strings.HasPrefix(row, "200") })
		_, st := g.At(x, y)
		testkit.That(t, st == themes.PerUser, "the left numbers have role %d", st)
		testkit.That(t, !gl.ASCII || strings.IndexFunc(screen, func(r rune) bool { return r > '~' }) < 0,
			"not ASCII:\n%s", screen)
	}
}

// TestPointsLieWhereTheAxesSay checks that the point of a tick's value is in
// the tick's row and column.
func TestPointsLieWhereTheAxesSay(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	for h := LeastH + 4; h < 40; h++ {
		for _, v := range []float64{50, 100, 150} {
			p := &Plot{X: doublings(256, 64), Left: linear(150), Lines: []Line{{Points: []Point{{X: 16, Y: v, Mark: '@'}}}}}
			rows := strings.Split(drawn(60, h, gl, p).Plain(), "\n")
			for _, row := range rows {
				if !strings.Contains(row, "@") {
					continue
				}
				label := strings.Trim(strings.Fields(row)[0], "│┤@")
				testkit.Given(t, label == "" || label == Number(v), "height %d: the point of %v stands beside %q", h, v, label)
				at := strings.Index(row, "@")
				foot := []rune(rows[len(rows)-1])
				if x := len([]rune(row[:at])); string(foot[x:x+2]) != "16" && string(foot[x-1:x+1]) != "16" {
					t.Fatalf("height %d: the point of 16 users stands at column %d over %q", h, x, string(foot))
				}
			}
		}
	}
}

// TestTicksAreWholeRowsApart checks that the rows between neighboring ticks of a linear
// axis are equal, that the axis holds its top, and that a point of a tick's value lies on
// the tick's row.
func TestTicksAreWholeRowsApart(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	rapid.Check(t, func(t *rapid.T) {
		h := rapid.IntRange(LeastH, 60).Draw(t, "h")
		top := math.Pow(10, rapid.Float64Range(-2, 6).Draw(t, "power of the top"))
		g := draw.New(60, h)
		var c Chart
		c.Draw(g, g.Bounds(), gl, 1, func(p *Plot) {
			p.X.Doublings(256, 64)
			p.Left.Linear(top, Number)
			for i, tick := range p.Left.Ticks {
				l := p.Line(themes.Good)
				l.Loose, l.Points = true, append(l.Points, Point{X: float64(int(1) << (i % 8)), Y: tick.At, Mark: '@'})
			}
		})
		a := &c.p.Left
		last := a.Ticks[len(a.Ticks)-1].At
		testkit.Given(t, last >= top*(1-1e-9) && (a.Max <= top*5 || h <= LeastH),
			"height %d: up to %v has ticks up to %v and an end of %v", h, top, last, a.Max)
		var at []int
		rows := strings.Split(g.Plain(), "\n")
		for y, row := range rows[:h-1] {
			label, _, _ := strings.Cut(strings.TrimLeft(row, " "), string(gl.AxisTick))
			if label = strings.TrimRight(label, " "); y == h-2 || len(label) < len(row) &&
				strings.Trim(label, "0123456789.,kM") == "" && label != "" {
				at = append(at, y)
			}
			if point := strings.Contains(row, "@"); point != (len(at) > 0 && at[len(at)-1] == y) && y < h-3 {
				t.Fatalf("height %d, up to %v: row %d has only one of tick and point:\n%s", h, top, y, g.Plain())
			}
		}
		if len(at) != len(a.Ticks) {
			t.Fatalf("height %d, up to %v: ticks in rows %v of %d:\n%s", h, top, at, len(a.Ticks), g.Plain())
		}
		for i := range at[1:] {
			if at[i+1]-at[i] != at[1]-at[0] {
				t.Fatalf("height %d, up to %v: ticks in rows %v:\n%s", h, top, at, g.Plain())
			}
		}
	})
}

// TestTheLastColumnHasItsLabel checks that the end of the X axis is named wherever the
// labels fit at all, and that its label stands at its tick.
func TestTheLastColumnHasItsLabel(t *testing.T) {
	gl := themes.UnicodeGlyphs()
	for w := 24; w < 120; w++ {
		for _, p := range []*Plot{{X: doublings(256, 64), Left: linear(150)}, {X: doublings(256, 64), Left: linear(150),
			Right: linear(4000)}} {
			rows := strings.Split(drawn(w, 12, gl, p).Plain(), "\n")
			tick := len([]rune(rows[10][:strings.LastIndex(rows[10], string(gl.TeeT))]))
			label := strings.LastIndex(rows[11], "256")
			if label < 0 || tick < label || tick > label+2 {
				t.Errorf("width %d: the last tick is in column %d, its label in %d:\n%s\n%s", w, tick, label, rows[10], rows[11])
			}
		}
	}
}

// A line runs through the marks of its own points: where it is flat, mark and
// dots share a row, wherever in it the value is.
func TestALineMeetsItsMarks(t *testing.T) {
	for h := LeastH; h < 40; h++ {
		p := &Plot{X: doublings(256, 64), Left: linear(150)}
		for v := 0.0; v <= 150; v += 1.25 {
			p.Lines = []Line{{Points: []Point{{X: 2, Y: v, Mark: '@'}, {X: 64, Y: v, Mark: '@'}}}}
			for _, row := range strings.Split(drawn(24, h, themes.UnicodeGlyphs(), p).Plain(), "\n") {
				dots := strings.ContainsFunc(row, func(r rune) bool { return r > 0x2800 && r <= 0x28ff })
				testkit.Need(t, dots, strings.Contains(row, "@"), "height", h, "the line at", v, "misses its mark", row)
			}
		}
	}
}

// Words beside points that lie close stay apart: "4 2 1" must not read "421".
func TestNotesStayApart(t *testing.T) {
	p := &Plot{X: linear(150), Left: linear(6000)}
	for i, x := range []float64{149, 146, 141, 139} {
		p.Notes = append(p.Notes, Note{X: x, Y: float64(140 + 60*i), Text: "777"})
	}
	screen := drawn(50, 12, themes.UnicodeGlyphs(), p).Plain()
	for _, word := range strings.FieldsFunc(screen, func(r rune) bool { return r < '0' || r > '9' }) {
		testkit.That(t, !strings.Contains(word, "77") || word == "777", "%q is no note:\n%s", word, screen)
	}
	testkit.Has(t, screen, "777")

	// A note can have alternatives: one of them is written.
	for first, want := range map[float64]string{75: "here", 1e9: "there"} { // the second lies outside
		p.Notes = []Note{{X: first, Y: 3000, Text: "here"}, {X: 1e9, Y: 3000, Text: "outside", Else: true},
			{X: 30, Y: 3000, Text: "there", Else: true}, {X: 40, Y: 1000, Text: "else", Else: true}}
		screen := drawn(50, 12, themes.UnicodeGlyphs(), p).Plain()
		for _, text := range []string{"here", "there", "outside", "else"} {
			has := strings.Contains(strings.ReplaceAll(screen, "there", "t-h-ere"), strings.ReplaceAll(text, "there", "t-h-ere"))
			testkit.That(t, has == (text == want), "%q is written %v, only %q should be:\n%s", text, has, want, screen)
		}
	}
}

// Labels of adjacent rules are at the right of their rule. Lines of the two
// axes differ without colors and without braille.
func TestLabelsStandRightOfTheirRule(t *testing.T) {
	p := &Plot{X: linear(150), Left: linear(6000)}
	for _, at := range []float64{40, 46, 52} {
		p.Rules = append(p.Rules, Rule{At: at, Vertical: true, Label: Number(at)})
	}
	for _, row := range strings.Split(drawn(60, 12, themes.UnicodeGlyphs(), p).Plain(), "\n")[:10] {
		for _, at := range []string{"40", "46", "52"} {
			if i := strings.Index(row, " "+at+" "); i >= 0 && !strings.HasSuffix(row[:i], string(themes.UnicodeGlyphs().Burst)) {
				t.Errorf("%s stands at the left of its rule: %q", at, row)
			}
		}
	}
	gl := themes.ASCIIGlyphs()
	screen := drawn(60, 16, gl, seesaw(gl)).Plain()
	if !strings.Contains(screen, "~~") || !strings.Contains(screen, "..") || !strings.Contains(screen, "- objective -") {
		t.Errorf("lines and objective are alike:\n%s", screen)
	}
}

func TestPictureIsCached(t *testing.T) {
	var c Chart
	g := draw.New(60, 16)
	gl := themes.UnicodeGlyphs()
	asked := 0
	plot := func(p *Plot) { asked++; fillSeesaw(p, gl) }
	for i, step := range []struct {
		r       draw.Rect
		version uint64
		fresh   bool
	}{{g.Bounds(), 1, true}, {g.Bounds(), 1, false}, {g.Bounds(), 2, true}, {draw.Rect{W: 50, H: 16}, 2, true},
		{draw.Rect{X: 3, Y: 0, W: 50, H: 16}, 2, false}} {
		testkit.Is(t, c.Draw(g, step.r, gl, step.version, plot), step.fresh, "step", i, "drawn anew")
	}
	testkit.Is(t, asked, 3, "the plot was asked for … times")
	testkit.Allocates(t, 0, 50, func() { c.Draw(g, draw.Rect{W: 50, H: 16}, gl, 2, plot) }, "a kept picture")
	if underRace {
		return // the race detector empties the pools at random
	}
	version := uint64(2)
	testkit.Allocates(t, 0, 50, func() {
		version++
		c.Draw(g, draw.Rect{W: 50, H: 16}, gl, version, plot)
	}, "a picture in the room of the last one")
}

// TestAnyPlotDrawsWithoutPanic draws NaN and infinite numbers, axes without
// length, and charts of every size. Nothing panics, hangs or draws outside.
func TestAnyPlotDrawsWithoutPanic(t *testing.T) {
	number := rapid.OneOf(rapid.Float64(), rapid.Float64Range(0, 500),
		rapid.SampledFrom([]float64{0, -1, math.NaN(), math.Inf(1), math.Inf(-1), 1e308, 5e-324}))
	rapid.Check(t, func(t *rapid.T) {
		axis := func(name string) Axis {
			switch rapid.IntRange(0, 3).Draw(t, name) {
			case 0:
				return linear(number.Draw(t, "top"))
			case 1:
				return decades(number.Draw(t, "low"), number.Draw(t, "high"))
			case 2:
				return doublings(rapid.IntRange(-5, 1<<20).Draw(t, "least"), rapid.IntRange(-5, 1<<40).Draw(t, "most"))
			}
			return Axis{Min: number.Draw(t, "min"), Max: number.Draw(t, "max"), Log: rapid.Bool().Draw(t, "log"),
				Ticks: []Tick{{number.Draw(t, "tick"), "tick"}}}
		}
		p := &Plot{X: axis("x"), Left: axis("left")}
		if rapid.Bool().Draw(t, "two") {
			p.Right = axis("right")
		}
		for range rapid.IntRange(0, 3).Draw(t, "lines") {
			l := Line{Role: themes.Good, Right: rapid.Bool().Draw(t, "on the right")}
			for range rapid.IntRange(0, 9).Draw(t, "points") {
				l.Points = append(l.Points, Point{X: number.Draw(t, "x"), Y: number.Draw(t, "y"), Mark: 'o'})
			}
			p.Lines = append(p.Lines, l)
			p.Rules = append(p.Rules, Rule{At: number.Draw(t, "rule"), Vertical: rapid.Bool().Draw(t, "vertical"),
				Label: "a label"})
			p.Notes = append(p.Notes, Note{X: number.Draw(t, "nx"), Y: number.Draw(t, "ny"), Text: "a note"})
		}
		g := draw.New(90, 30)
		r := draw.Rect{X: 2, Y: 2, W: rapid.IntRange(-3, 85).Draw(t, "w"), H: rapid.IntRange(-3, 26).Draw(t, "h")}
		var c Chart
		golden.Inside(t, g, r, false, func() {
			c.Draw(g, r, themes.UnicodeGlyphs(), 1, func(to *Plot) { *to = *p })
		})
	})
}

func TestAxes(t *testing.T) {
	for _, c := range []struct {
		a    Axis
		want string
	}{
		{linear(149), "0 50 100 150"},
		{linear(4114), "0 1,000 2,000 3,000 4,000 5,000"},
		{linear(0.7), "0 0.2 0.4 0.6 0.8"},
		{linear(52000), "0 20k 40k 60k"},
		{linear(math.NaN()), "0 0.2 0.4 0.6 0.8 1"},
		{decades(24, 150), "20 50 100 200"},
		{decades(100, 100), "100 200 500 1,000"},
		{decades(65, 151), "50 100 200"},
		{decades(148, 5000), "100 200 500 1,000 2,000 5,000"},
		{decades(0.3, 4e5), "0.1 1 10 100 1,000 10k 100k 1M"},
		{doublings(256, 300), "1 2 4 8 16 32 64 128 256 512"},
		{lengths(200, 4000), "200 500 1k 2k 5k"},
		{lengths(1000, 64_000), "1k 2k 5k 10k 20k 50k 100k"},
		{lengths(1000, 4000), "0 1k 2k 3k 4k"},
		{lengths(1000, 1000), "0 200 400 600 800 1k"},
		{lengths(1200, 1400), "0 500 1k 1.5k"},
		{lengths(1, 2e6), "1 10 100 1k 10k 100k 1M 10M"},
	} {
		var got []string
		for _, tick := range c.a.Ticks {
			got = append(got, tick.Label)
			if _, ok := c.a.At(tick.At); !ok {
				t.Errorf("tick %s lies outside of its own axis", tick.Label)
			}
		}
		testkit.Is(t, strings.Join(got, " "), c.want, "ticks")
	}
	a := lengths(200, 64_000)
	testkit.Allocates(t, 0, 20, func() { a.Lengths(200, 64_000) }, "an unchanged axis")
}

// TestDashedPiecesHaveGaps: a dashed piece has gaps on its way, a solid one has
// none, in braille and in ASCII, flat and steep. So does a line of short pieces.
func TestDashedPiecesHaveGaps(t *testing.T) {
	for _, gl := range []*themes.Glyphs{themes.UnicodeGlyphs(), themes.ASCIIGlyphs()} {
		for _, to := range []Point{{X: 100, Y: 50}, {X: 30, Y: 100}, {X: 100, Y: 100}} {
			count := func(pieces int, dashed bool) (n int) {
				line := []Point{{X: 10, Y: 50}}
				for i := range pieces {
					part := float64(i+1) / float64(pieces)
					line = append(line, Point{X: 10 + part*(to.X-10), Y: 50 + part*(to.Y-50), Dashed: dashed})
				}
				p := &Plot{X: linear(100), Left: linear(100), Lines: []Line{{Points: line}}}
				g := drawn(60, 20, gl, p)
				for y := range 18 {
					for x := 5; x < 60; x++ {
						s, _ := g.At(x, y)
						switch r := []rune(s)[0]; {
						case r >= 0x2800 && r < 0x2900:
							for bits := r - 0x2800; bits > 0; bits &= bits - 1 {
								n++
							}
						case gl.ASCII && r == gl.Bullet:
							n++
						}
					}
				}
				return n
			}
			for _, pieces := range []int{1, 40} {
				solid, dashed := count(pieces, false), count(pieces, true)
				testkit.That(t, dashed >= solid/3 && dashed <= 2*solid/3+1,
					"ASCII %v, to %v in %d pieces: %d of %d dots are drawn", gl.ASCII, to, pieces, dashed, solid)
			}
		}
	}
}

// TestLabelsKeepClearOfPoints: no point is drawn into the label of a rule.
func TestLabelsKeepClearOfPoints(t *testing.T) {
	for at := 0.0; at <= 100; at += 2.5 {
		p := &Plot{X: linear(100), Left: linear(100),
			Lines: []Line{{Loose: true, Points: []Point{{X: at, Y: 50, Mark: '@'}}}}}
		p.Rules = append(p.Rules, Rule{At: 50, Label: "objective 50 tok/s per user", Short: "50"})
		if screen := drawn(70, 14, themes.UnicodeGlyphs(), p).Plain(); !strings.Contains(screen,
			"objective 50 tok/s per user") && !strings.Contains(screen, " 50 ") || !strings.Contains(screen, "@") {
			t.Errorf("a point at %v:\n%s", at, screen)
		}
	}
}

func TestNiceIsTheNextRoundNumber(t *testing.T) {
	for _, v := range []float64{1e-9, 0.013, 0.9, 1, 1.01, 2, 3, 5, 6, 47, 5001, 1e300} {
		n := Nice(v)
		m := n / math.Pow10(int(math.Floor(math.Log10(n)+1e-9)))
		if n < v*(1-1e-9) || n > v*2.5 || math.Abs(m-1) > 1e-9 && math.Abs(m-2) > 1e-9 && math.Abs(m-5) > 1e-9 {
			t.Errorf("Nice(%v) is %v", v, n)
		}
	}
	for _, v := range []float64{0, -1, math.Inf(1), math.NaN()} {
		testkit.Is(t, Nice(v), 1, "Nice", v)
	}
}

// TestSeriesAscends checks that numbers ascend, and that Below and Above find each.
func TestSeriesAscends(t *testing.T) {
	for i := -21; i <= 12; i++ {
		at, next := Round.At(i), Round.At(i+1)
		if at >= next || Round.Below(at) != i || Round.Above(at) != i || Round.Below(at*1.3) != i ||
			Round.Above(at*1.3) != i+1 {
			t.Errorf("number %d is %g, the next %g", i, at, next)
		}
	}
}

// TestScaleNumbersStayApart checks that a scale has its powers of ten wherever a row
// is free, and a two or a five only between blank rows.
func TestScaleNumbersStayApart(t *testing.T) {
	for rows, want := range map[int][]float64{
		2:  {1000, 10},
		4:  {1000, 100, 10, 1},
		14: {1000, 100, 10, 1, 20},
		40: {1000, 100, 10, 1, 2, 5, 20, 50, 200, 500},
	} {
		var got []float64
		c := Scale{Min: 1, Max: 1000, Log: true, Rows: rows}
		c.Numbers(0, func(v float64, row int) {
			got = append(got, v)
			at, off := c.Row(v)
			testkit.That(t, at == row && off == 0, "%v is written in row %d, not %d", v, row, at)
		})
		testkit.That(t, slices.Equal(got, want), "%d rows have %v", rows, got)
	}
	var got []float64
	Scale{Min: 18, Max: 24, Rows: 9}.Numbers(2, func(v float64, _ int) { got = append(got, v) })
	testkit.Same(t, got, []float64{18, 20, 22, 24}, "a linear scale")
}

// TestScaleValueIsWhereItsDotIs checks that Value reverses Dot, and that what lies
// outside is at the edge.
func TestScaleValueIsWhereItsDotIs(t *testing.T) {
	for _, c := range []Scale{{Min: 0.5, Max: 700, Log: true, Rows: 11}, {Min: 3, Max: 9, Rows: 5}} {
		for dot := range 4 * c.Rows {
			if y, off := c.Dot(c.Value(float64(dot) + 0.5)); y != dot || off != 0 {
				t.Errorf("%+v: dot %d has a value in dot %d, %d", c, dot, y, off)
			}
		}
		if y, off := c.Dot(0); y != 0 || off != -1 {
			t.Errorf("%+v: 0 is at %d, %d", c, y, off)
		}
		if row, off := c.Row(1e9); row != 0 || off != 1 {
			t.Errorf("%+v: a large value is at %d, %d", c, row, off)
		}
	}
}
