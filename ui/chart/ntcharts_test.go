package chart

import (
	"math"
	"testing"

	"charm.land/lipgloss/v2"
	"github.com/NimbleMarkets/ntcharts/v2/canvas"
	"github.com/NimbleMarkets/ntcharts/v2/canvas/graph"
	"github.com/NimbleMarkets/ntcharts/v2/linechart"
	"github.com/NimbleMarkets/ntcharts/v2/sparkline"

	"tokscope/themes"
)

// Size of what is drawn below: the plot of a large terminal, and a curve with a
// point a column.
const curveW, curveH = 200, 50

func curve(x int) float64 { return 0.5 + 0.45*math.Sin(float64(x)/15) }

// ownCurve draws the curve as a Chart does.
func ownCurve() (draw func(), read func() int) {
	p := &Plot{X: Axis{Max: curveW - 1}, Left: Axis{Max: 1}}
	l := p.Line(themes.PerUser)
	for x := range curveW {
		l.Points = append(l.Points, Point{X: float64(x), Y: curve(x)})
	}
	d := &drawing{p: p, gl: themes.UnicodeGlyphs(), w: curveW, h: curveH, plot: make([]mark, curveW*curveH)}
	return func() { clear(d.plot); d.lines() }, func() (n int) {
		for _, m := range d.plot {
			if m.r != 0 {
				n++
			}
		}
		return n
	}
}

// gridCurve draws it with the braille grid and the canvas of ntcharts.
func gridCurve() (draw func(), read func() int) {
	c := canvas.New(curveW, curveH)
	st := lipgloss.NewStyle().Foreground(lipgloss.Color("4"))
	return func() {
		c.Clear()
		g := graph.NewBrailleGrid(curveW, curveH, 0, curveW-1, 0, 1)
		before := g.GridPoint(canvas.Float64Point{Y: curve(0)})
		for x := 1; x < curveW; x++ {
			to := g.GridPoint(canvas.Float64Point{X: float64(x), Y: curve(x)})
			for _, q := range graph.GetLinePoints(before, to) {
				g.Set(q)
			}
			before = to
		}
		graph.DrawBraillePatterns(&c, canvas.Point{}, g.BraillePatterns(), st)
	}, func() int { return cellsOf(&c) }
}

// lineCurve draws it with the line chart of ntcharts, line by line.
func lineCurve() (draw func(), read func() int) {
	m := linechart.New(curveW, curveH, 0, curveW-1, 0, 1, linechart.WithXYSteps(0, 0))
	st := lipgloss.NewStyle().Foreground(lipgloss.Color("4"))
	return func() {
		m.Clear()
		for x := 1; x < curveW; x++ {
			m.DrawBrailleLineWithStyle(canvas.Float64Point{X: float64(x - 1), Y: curve(x - 1)}, canvas.Float64Point{X: float64(x), Y: curve(x)}, st)
		}
	}, func() int { return cellsOf(&m.Canvas) }
}

// sparkCurve draws it with the sparkline of ntcharts.
func sparkCurve() (draw func(), read func() int) {
	m := sparkline.New(curveW, curveH, sparkline.WithMaxValue(1), sparkline.WithNoAutoMaxValue(), sparkline.WithStyle(lipgloss.NewStyle()))
	return func() {
		m.Clear()
		for x := range curveW {
			m.Push(curve(x))
		}
		m.DrawBraille()
	}, func() int { return cellsOf(&m.Canvas) }
}

// cellsOf counts the cells of a canvas that show something.
func cellsOf(c *canvas.Model) (n int) {
	for y := range curveH {
		for x := range curveW {
			if r := c.Cell(canvas.Point{X: x, Y: y}).Rune; r != 0 && r != ' ' && r != 0x2800 {
				n++
			}
		}
	}
	return n
}

var curves = []struct {
	name string
	of   func() (draw func(), read func() int)
}{{"ours", ownCurve}, {"ntcharts-grid", gridCurve}, {"ntcharts-line", lineCurve}, {"ntcharts-sparkline", sparkCurve}}

// BenchmarkCurve compares our curve with those of ntcharts: doc.go has the
// figures. To read a canvas cell by cell, as a frame must, is part of each.
func BenchmarkCurve(b *testing.B) {
	for _, c := range curves {
		b.Run(c.name, func(b *testing.B) {
			draw, read := c.of()
			b.ReportAllocs()
			for b.Loop() {
				draw()
				read()
			}
		})
	}
	b.Run("ntcharts-view", func(b *testing.B) {
		c := canvas.New(curveW, curveH)
		b.ReportAllocs()
		for b.Loop() {
			c.View()
		}
	})
}

// What doc.go says of ntcharts holds: each of its curves allocates more than a
// whole frame may, ours nothing. All of them draw a curve.
func TestOurCurveAllocatesNothing(t *testing.T) {
	if underRace {
		t.Skip("the race detector allocates")
	}
	const frame = 200 // allocations that a changed frame may take
	for _, c := range curves {
		draw, read := c.of()
		runs := 1 // theirs take long
		if c.name == "ours" {
			runs = 5
		}
		n := testing.AllocsPerRun(runs, draw)
		if cells := read(); cells < curveW {
			t.Errorf("%s: a curve of %d cells", c.name, cells)
		}
		if ours := c.name == "ours"; ours && n > 0 || !ours && n <= frame {
			t.Errorf("%s: %v allocations a curve", c.name, n)
		}
	}
}
