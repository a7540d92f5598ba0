package smoke

import (
	"math"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/history"
	_ "tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
)

// anySlots are ascending slots of one width, with gaps and failures.
func anySlots(t *rapid.T, from time.Time, f history.Figure) []history.Slot {
	width := time.Duration(rapid.SampledFrom([]int{1, 7, 60, 300, 3600, 86400}).Draw(t, "width")) * time.Second
	base := math.Exp(rapid.Float64Range(math.Log(0.01), math.Log(60e3)).Draw(t, "base"))
	at := from.Add(time.Duration(rapid.IntRange(-20, 20).Draw(t, "first")) * width)
	slots := make([]history.Slot, 0, 50)
	for range rapid.IntRange(0, 50).Draw(t, "slots") {
		s := history.Slot{From: at, Width: width, N: rapid.IntRange(1, 9).Draw(t, "n")}
		s.Failed = rapid.IntRange(0, s.N).Draw(t, "failed") * rapid.IntRange(0, 1).Draw(t, "fails")
		if n := s.N - s.Failed; n > 0 {
			var v [7]float64
			for i := range v {
				v[i] = base * math.Exp(rapid.Float64Range(-1, 1).Draw(t, "v"))
			}
			if rapid.IntRange(0, 30).Draw(t, "zero") == 0 {
				v[0] = 0
			}
			slices.Sort(v[:])
			s.Figures[f] = history.Quantiles{N: n, Min: v[0], P10: v[1], P25: v[2], P50: v[3], P75: v[4], P90: v[5], Max: v[6]}
		}
		slots = append(slots, s)
		at = at.Add(width * time.Duration(rapid.SampledFrom([]int{1, 1, 1, 2, 9}).Draw(t, "gap")))
	}
	return slots
}

// TestDrawnIsMeasured reads the chart of random slots at random sizes back from
// the cells. Every column is exactly the quantiles of its slots, each in the cell
// that holds it; a column without a value has no band; nothing lies outside.
func TestDrawnIsMeasured(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		from := time.Unix(1.8e9+int64(rapid.IntRange(0, 1e6).Draw(t, "at")), 0)
		f := history.Figure(rapid.IntRange(0, int(history.NumFigures)-1).Draw(t, "figure"))
		d := &Data{Slots: anySlots(t, from, f), Figure: f, From: from, To: from.Add(time.Duration(rapid.IntRange(1, 1e6).Draw(t, "span")) * time.Second),
			Linear: rapid.Bool().Draw(t, "linear")}
		if rapid.Bool().Draw(t, "has a baseline") {
			d.Baseline = &history.Baseline{}
			d.Baseline.Figures[f] = history.Quantiles{N: 9, P50: math.Exp(rapid.Float64Range(-3, 12).Draw(t, "baseline"))}
		}
		for range rapid.IntRange(0, 3).Draw(t, "changes") {
			at := from.Add(time.Duration(rapid.IntRange(-100, 1e6).Draw(t, "change")) * time.Second)
			d.Changes = append(d.Changes, history.Change{Figure: f, At: at, Ratio: 2.1, Low: 1.9, High: 2.3})
		}
		gl := themes.UnicodeGlyphs()
		if rapid.Bool().Draw(t, "ascii") {
			gl = themes.ASCIIGlyphs()
		}
		w, h := rapid.IntRange(0, 220).Draw(t, "w"), rapid.IntRange(0, 40).Draw(t, "h")
		const margin = 3
		g := draw.New(w+2*margin, h+2*margin)
		g.Fill(g.Bounds(), '~', themes.Text)
		r := draw.Rect{X: margin, Y: margin, W: w, H: h}
		g.Fill(r, ' ', themes.Text)
		var p draw.Canvas
		var c Chart
		p.Begin(g, gl)
		c.Draw(&p, r, d)
		for y := range h + 2*margin {
			for x := range w + 2*margin {
				if text, _ := g.At(x, y); !r.Contains(x, y) && text != "~" {
					t.Fatalf("%q is drawn outside, at %d, %d of %dx%d", text, x-margin, y-margin, w, h)
				}
			}
		}
		if w < LeastW || h < LeastH {
			return
		}
		compare(t, &c, g, gl, d)
	})
}

// compare compares the cells of the plot with the slots.
func compare(t *rapid.T, c *Chart, g *draw.Grid, gl *themes.Glyphs, d *Data) {
	lo, hi := c.y.Min, c.y.Max
	height := func(v float64) float64 { // in cells above the lower edge
		if d.Linear {
			return (v-lo)/(hi-lo)*float64(c.plot.H-1) + 0.5
		}
		if v <= 0 {
			return math.Inf(-1)
		}
		return math.Log(v/lo)/math.Log(hi/lo)*float64(c.plot.H-1) + 0.5
	}
	holds := func(row int, v float64) bool { // row from the bottom; the outer rows hold what is beyond
		const slack = 1e-6
		from, to := float64(row)-slack, float64(row)+1+slack
		if row == 0 {
			from = math.Inf(-1)
		}
		if row == c.plot.H-1 {
			to = math.Inf(1)
		}
		return height(v) >= from && height(v) <= to
	}
	span := d.To.Sub(d.From).Seconds() / float64(c.plot.W)
	for x := range c.plot.W {
		var qs []history.Quantiles
		failed := 0
		from, mid, to := float64(x)*span, (float64(x)+.5)*span, float64(x+1)*span
		near := false // rounding may decide otherwise
		for i := range d.Slots {
			s := &d.Slots[i]
			a, b := s.From.Sub(d.From).Seconds(), s.From.Add(s.Width).Sub(d.From).Seconds()
			first := math.Ceil(a/span - .5) // the first column whose middle it holds
			holdsOne := (first+.5)*span < b
			m := (a + b) / 2
			for _, edge := range []float64{a - mid, b - mid, m - from, m - to, (first+.5)*span - b} {
				near = near || math.Abs(edge) < span*1e-6
			}
			if holdsOne && a <= mid && mid < b || !holdsOne && m >= from && m < to {
				qs = append(qs, s.Figures[d.Figure])
				failed += s.Failed
			}
		}
		if near {
			continue
		}
		q := history.Mix(qs...)
		if q.N != c.cols[x].q.N || failed != c.cols[x].failed {
			t.Fatalf("column %d has %d values and %d failures, its slots %d and %d", x, c.cols[x].q.N, c.cols[x].failed, q.N, failed)
		}
		var median, half, all []int // rows from the bottom
		for y := range c.plot.H {
			text, role := g.At(c.plot.X+x, c.plot.Y+y)
			row := c.plot.H - 1 - y
			switch r := []rune(text + " ")[0]; {
			case r == gl.Heavy && role == themes.PerUser:
				median = append(median, row)
			case r == gl.MidShade && role == themes.PerUser:
				half = append(half, row)
			case (r == gl.LightShade || r == gl.Up || r == gl.Down) && role == themes.Dim:
				all = append(all, row)
			}
		}
		if q.N == 0 {
			if len(median)+len(half)+len(all) > 0 {
				t.Fatalf("column %d has no value, but bands", x)
			}
			continue
		}
		if len(median) != 1 || !holds(median[0], q.P50) {
			t.Fatalf("column %d: the median %v is drawn in the rows %v, at height %v", x, q.P50, median, height(q.P50))
		}
		if q.N < 4 {
			q.P25, q.P75 = q.P50, q.P50
		}
		half = append(half, median...)
		all = append(all, half...)
		if top, bottom := slices.Max(half), slices.Min(half); !holds(top, q.P75) || !holds(bottom, q.P25) || len(half) != top-bottom+1 {
			t.Fatalf("column %d: the half %v to %v is drawn in the rows %v, at heights %v to %v", x, q.P25, q.P75, half, height(q.P25), height(q.P75))
		}
		if top, bottom := slices.Max(all), slices.Min(all); !holds(top, q.Max) || !holds(bottom, q.Min) || len(all) != top-bottom+1 {
			t.Fatalf("column %d: all from %v to %v is drawn in the rows %v, at heights %v to %v", x, q.Min, q.Max, all, height(q.Min), height(q.Max))
		}
		if c.plot.Y > c.area.Y {
			if text, _ := g.At(c.plot.X+x, c.plot.Y-1); (text == string(gl.Fail)) != (failed > 0) {
				t.Fatalf("column %d has %d failures, but the sign %q", x, failed, text)
			}
		}
	}
}
