package smoke

import (
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/history"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest/golden"
)

// noon is a whole day in UTC.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

// dayOfSlots is a day of slots of ten minutes; TTFT doubles after 18 hours.
func dayOfSlots() *Data {
	d := &Data{Figure: history.TTFT, From: noon, To: noon.Add(24 * time.Hour), Version: 1}
	for i := range 144 {
		m := 260 * (1 + 0.1*math.Sin(float64(i)/9))
		if i >= 108 {
			m *= 2.1
		}
		s := history.Slot{From: noon.Add(time.Duration(i) * 10 * time.Minute), Width: 10 * time.Minute, N: 5}
		if i%29 == 28 {
			s.Failed = 1
		}
		if i == 60 {
			s.Failed = 5
		}
		if n := s.N - s.Failed; n > 0 {
			s.Figures[history.TTFT] = history.Quantiles{N: n, Min: m * .85, P10: m * .86, P25: m * .93, P50: m, P75: m * 1.05,
				P90: m * 1.2, Max: m * 1.3}
		}
		d.Slots = append(d.Slots, s)
	}
	d.Baseline = 262
	d.Changes = []history.Change{
		{Figure: history.TPOT, At: noon.Add(time.Hour), Ratio: 2},
		{Figure: history.TTFT, At: noon.Add(18 * time.Hour), Before: 262, After: 551, Ratio: 2.1, Low: 1.9, High: 2.3},
	}
	d.At = noon.Add(20 * time.Hour)
	return d
}

func drawn(d *Data, w, h int, gl *themes.Glyphs) *draw.Grid {
	var p draw.Canvas
	g := draw.New(w, h)
	p.Begin(g, gl)
	new(Chart).Draw(&p, g.Bounds(), d)
	return g
}

// TestGolden holds the chart at several sizes, linear, and in ASCII.
func TestGolden(t *testing.T) {
	sheet := golden.NewSheet(t, "smoke")
	d := dayOfSlots()
	sheet.Screen("100x16", drawn(d, 100, 16, themes.UnicodeGlyphs()))
	sheet.Screen("50x9", drawn(d, 50, 9, themes.UnicodeGlyphs()))
	sheet.Screen("200x12", drawn(d, 200, 12, themes.UnicodeGlyphs()))
	sheet.Screen("ASCII", drawn(d, 76, 12, themes.ASCIIGlyphs()))
	linear := *d
	linear.Linear = true
	sheet.Screen("linear", drawn(&linear, 76, 14, themes.UnicodeGlyphs()))
	none := Data{Figure: history.Speed, From: noon, To: noon.Add(7 * 24 * time.Hour)}
	sheet.Screen("nothing measured", drawn(&none, 60, 9, themes.UnicodeGlyphs()))
}

// TestChangeIsDated checks that a change stands in the column of its moment with
// its words, and that one of another figure is named.
func TestChangeIsDated(t *testing.T) {
	for _, w := range []int{40, 100, 137, 240} {
		rows := strings.Split(drawn(dayOfSlots(), w, 14, themes.UnicodeGlyphs()).Plain(), "\n")
		other, after, ok := strings.Cut(rows[0], "▼")
		between, _, both := strings.Cut(after, "▼")
		if !ok || !both || w >= 100 && !strings.HasPrefix(after, " 13:00, TPOT 2.0x") {
			t.Fatalf("%d columns: %q", w, rows[0])
		}
		before := other + "▼" + between
		plot := w - AxisWidth
		x := len([]rune(before)) - AxisWidth
		testkit.That(t, x == int(.75*float64(plot)), "%d columns: the change stands in column %d of %d", w, x, plot)
		if !strings.Contains(rows[0], "06:00") || w >= 100 && !strings.Contains(rows[0], "06:00, 2.1x (1.9–2.3)") {
			t.Errorf("%d columns: %q", w, rows[0])
		}
	}
}

// TestColorBelongsToTheValue checks that a value far above what is usual has another color
// than a usual one, by the baseline, or without one by what was before the change.
func TestColorBelongsToTheValue(t *testing.T) {
	for _, base := range []bool{true, false} {
		d := dayOfSlots()
		if !base {
			d.Baseline = 0
		}
		usual, slow := d.role(262), d.role(551)
		if usual == slow || usual != themes.Heat(0) || slow == themes.PerUser ||
			d.role(2000) != themes.Heat(themes.Levels-1) {
			t.Errorf("baseline %v: roles %v and %v", base, usual, slow)
		}
	}
	d := dayOfSlots()
	d.Baseline, d.Changes = 0, nil
	testkit.Is(t, d.role(551), themes.PerUser, "a color although nothing is known to be usual")
}

// TestTimesAreRound checks that the axis of time names round moments in UTC, in
// the columns that hold them.
func TestTimesAreRound(t *testing.T) {
	zone := time.FixedZone("here", 5*3600+1800)
	for span, want := range map[time.Duration]string{
		20 * time.Second:     "12:00:10",
		time.Hour:            "12:30",
		24 * time.Hour:       "23 Nov",
		7 * 24 * time.Hour:   "25 Nov",
		900 * 24 * time.Hour: "Jan",
	} {
		d := Data{From: noon.In(zone), To: noon.Add(span).In(zone)}
		g := drawn(&d, 110, 8, themes.UnicodeGlyphs())
		rows := strings.Split(g.Plain(), "\n")
		if !strings.Contains(rows[7], want) {
			t.Errorf("%v: %q has no %q", span, rows[7], want)
		}
	}
}

// TestKeptColumnsFollowTheData checks that a chart that was drawn before shows new
// slots, another figure, size and span.
func TestKeptColumnsFollowTheData(t *testing.T) {
	var c Chart
	var p draw.Canvas
	d := dayOfSlots()
	for step, change := range []func(){
		func() {}, func() { d.Linear = true }, func() { d.Figure = history.TPOT }, func() { d.Figure = history.TTFT },
		func() { d.To = d.To.Add(time.Hour) }, func() { d.Slots, d.Version = d.Slots[:90], 2 },
	} {
		change()
		g := draw.New(90, 14)
		p.Begin(g, themes.UnicodeGlyphs())
		c.Draw(&p, g.Bounds(), d)
		testkit.That(t, g.Plain() == drawn(d, 90, 14, themes.UnicodeGlyphs()).Plain(),
			"step %d: the kept picture differs from a new one", step)
	}
}

// TestDrawAllocates bounds what a frame of an unchanged chart allocates.
func TestDrawAllocates(t *testing.T) {
	var c Chart
	var p draw.Canvas
	d, g := dayOfSlots(), draw.New(200, 30)
	testkit.Allocates(t, 40, 20, func() { p.Begin(g, themes.UnicodeGlyphs()); c.Draw(&p, g.Bounds(), d) }, "a frame")
}

// TestLegendNamesWhatIsDrawn checks that single requests are called so, and that no sign is
// explained that is not there.
func TestLegendNamesWhatIsDrawn(t *testing.T) {
	var p draw.Canvas
	g := draw.New(120, 16)
	p.Begin(g, themes.UnicodeGlyphs())
	legend := func(d *Data) string {
		var c Chart
		c.Draw(&p, g.Bounds(), d)
		return c.Legend(&p, d)
	}
	testkit.Is(t, legend(dayOfSlots()), "median ⠒  middle 50 % ⣿  all ⢕  failed ✗  baseline ⠄⠄⠄  selected ▲", "of all")
	d := Data{Figure: history.TTFT, From: noon, To: noon.Add(time.Hour)}
	testkit.Is(t, legend(&d), "", "of nothing")
	d.Slots = []history.Slot{{From: noon.Add(time.Minute), Width: time.Second, N: 1}}
	d.Slots[0].Figures[d.Figure] = history.QuantilesOf([]float64{261})
	testkit.Is(t, legend(&d), "request ⠒", "of one request")
}

// TestTicksHaveTheirMoment checks that a tick of the axis of time has its words below it.
func TestTicksHaveTheirMoment(t *testing.T) {
	for w := 30; w < 200; w++ {
		for _, span := range []time.Duration{20 * time.Second, time.Hour, 25 * time.Hour, 900 * 24 * time.Hour} {
			d := Data{From: noon.Add(-17 * time.Second), To: noon.Add(span)}
			rows := strings.Split(drawn(&d, w, 8, themes.UnicodeGlyphs()).Plain(), "\n")
			words := []rune(rows[7] + strings.Repeat(" ", w))
			for x, r := range []rune(rows[6]) {
				if r == '┴' && (words[x] == ' ' && words[x-1] == ' ' && words[x+1] == ' ') {
					t.Fatalf("%d columns, %v: a tick without words\n%s\n%s", w, span, rows[6], rows[7])
				}
			}
		}
	}
}

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
		d := &Data{Slots: anySlots(t, from, f), Figure: f, From: from,
			To:     from.Add(time.Duration(rapid.IntRange(1, 1e6).Draw(t, "span")) * time.Second),
			Linear: rapid.Bool().Draw(t, "linear")}
		if rapid.Bool().Draw(t, "has a baseline") {
			d.Baseline = math.Exp(rapid.Float64Range(-3, 12).Draw(t, "baseline"))
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

// compare compares the dots of the plot with the slots.
func compare(t *rapid.T, c *Chart, g *draw.Grid, gl *themes.Glyphs, d *Data) {
	dotOf := func(v float64) int {
		y, _ := c.y.Dot(v)
		return y
	}
	span := d.To.Sub(d.From).Seconds() / float64(2*c.plot.W)
	failures, near := make([]int, c.plot.W), make([]bool, c.plot.W)
	qs := make([]history.Quantiles, 2*c.plot.W)
	for x := range qs {
		var of []history.Quantiles
		from, mid, to := float64(x)*span, (float64(x)+.5)*span, float64(x+1)*span
		for i := range d.Slots {
			s := &d.Slots[i]
			a, b := s.From.Sub(d.From).Seconds(), s.From.Add(s.Width).Sub(d.From).Seconds()
			first := math.Ceil(a/span - .5) // the first column whose middle it holds
			holdsOne := (first+.5)*span < b
			m := (a + b) / 2
			inside := b > 0 && a < span*float64(len(qs)) // one that is inside is in a column
			outer := inside && (x == 0 && b <= mid || x == len(qs)-1 && a >= mid)
			for _, edge := range []float64{a - mid, b - mid, m - from, m - to, (first+.5)*span - b} {
				near[x/2] = near[x/2] || math.Abs(edge) < span*1e-6 // rounding may decide otherwise
			}
			if holdsOne && a <= mid && mid < b || !holdsOne && m >= from && m < to || outer {
				of = append(of, s.Figures[d.Figure])
				failures[x/2] += s.Failed
			}
		}
		qs[x] = history.Mix(of...)
	}
	for x := range c.plot.W {
		if near[x] {
			continue
		}
		for y := range c.plot.H {
			low := 4 * (c.plot.H - 1 - y)
			text, role := g.At(c.plot.X+x, c.plot.Y+y)
			r := []rune(text + " ")[0]
			holds, medians, below := false, rune(0), false
			for i, q := range qs[2*x : 2*x+2] {
				if q.N == 0 {
					continue
				}
				if m := dotOf(q.P50); m >= low && m < low+4 {
					medians = draw.Dot(medians, i, low+3-m)
				}
				if bottom, top := dotOf(q.Min), dotOf(q.Max); bottom < low+4 && top >= low {
					_, off := c.y.Dot(q.Min)
					holds, below = true, below || off < 0
				}
			}
			band := role == themes.Dim || role == themes.Faint
			switch {
			case medians != 0 && gl.ASCII:
				testkit.Need(t, r, gl.Heavy, "cell", x, y, "holds a median, drawn")
			case medians != 0:
				testkit.Given(t, r == medians && !band, "cell %d, %d holds the medians %q, drawn is %q", x, y, medians, r)
			case !holds && role == themes.Aggregate:
				if dot, off := c.y.Dot(d.Baseline); off != 0 || dot < low || dot >= low+4 || r != dash(gl, dot) {
					t.Fatalf("cell %d, %d has the guide %q, which is in row of dots %d", x, y, r, dot)
				}
			case !holds:
				testkit.Given(t, (r < 0x2800 || r >= 0x2900) && (r != gl.Down || !band),
					"cell %d, %d holds nothing, drawn is %q", x, y, r)
			case r != ' ' && !band:
				t.Fatalf("cell %d, %d holds no median, drawn is %q in the color of one", x, y, r)
			case !gl.ASCII && r >= 0x2800 && r < 0x2900:
				for i, q := range qs[2*x : 2*x+2] {
					for dot := low; dot < low+4; dot++ {
						is := (r-0x2800)&(draw.Dot(0, i, low+3-dot)-0x2800) != 0
						testkit.Given(t, !is || q.N != 0 && dot >= dotOf(q.Min) && dot <= dotOf(q.Max),
							"cell %d, %d: a dot at %d, the values are %+v", x, y, dot, q)
						testkit.Given(t, is || q.N < HalfFrom || dot < dotOf(q.P25) || dot > dotOf(q.P75),
							"cell %d, %d: no dot at %d, the middle half is %+v", x, y, dot, q)
					}
				}
			}
		}
		if c.plot.Y > c.area.Y {
			if text, _ := g.At(c.plot.X+x, c.plot.Y-1); (text == string(gl.Fail)) != (failures[x] > 0) {
				t.Fatalf("column %d has %d failures, but the sign %q", x, failures[x], text)
			}
		}
	}
}

// TestEqualValuesAreAtEqualHeight draws a point, the baseline and the numbers of the axis
// at random values, sizes and scales: those of one value are in one row of dots.
func TestEqualValuesAreAtEqualHeight(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w, h := rapid.IntRange(LeastW+4, 200).Draw(t, "w"), rapid.IntRange(LeastH, 60).Draw(t, "h")
		any := rapid.Float64Range(math.Log(0.001), math.Log(60e3))
		lo := math.Exp(any.Draw(t, "lo"))
		hi := lo * math.Exp(rapid.Float64Range(0, 5).Draw(t, "ratio"))
		d := &Data{Figure: history.TTFT, From: noon, To: noon.Add(time.Hour), Linear: rapid.Bool().Draw(t, "linear")}
		points := func(values ...float64) *Data {
			d.Slots = nil
			for i, v := range values { // the last is in the left half
				s := history.Slot{From: noon.Add(time.Duration(i) * time.Second), Width: time.Second, N: 1}
				if i > 1 {
					s.From, s.Width = noon.Add(time.Minute), 29*time.Minute
				}
				s.Figures[d.Figure] = history.QuantilesOf([]float64{v})
				d.Slots = append(d.Slots, s)
			}
			return d
		}
		rowOf := func(g *draw.Grid, x, from, rows int) (dot int) { // of the only dots in a part of a column
			dot = -1
			for y := from; y < from+rows; y++ {
				if text, _ := g.At(x, y); len(text) == 3 && []rune(text)[0]&^0xff == 0x2800 {
					for i := range 4 {
						if r := []rune(text)[0]; r&(draw.Dot(0, 0, i)|draw.Dot(0, 1, i))&0xff != 0 {
							dot = 4*y + i
						}
					}
				}
			}
			return dot
		}
		var p draw.Canvas
		paint := func(c *Chart) *draw.Grid {
			g := draw.New(w, h)
			p.Begin(g, themes.UnicodeGlyphs())
			c.Draw(&p, g.Bounds(), d)
			return g
		}
		var c Chart
		points(lo, hi)
		paint(&c)
		type number struct {
			v float64
			y int
		}
		numbers := []number{{lo * math.Exp(rapid.Float64Range(0, 1).Draw(t, "share")*math.Log(hi/lo)), -1}}
		c.y.Numbers(c.step, func(v float64, y int) { numbers = append(numbers, number{v, y}) })
		for _, n := range numbers {
			if n.v < lo || n.v > hi {
				continue // it would move the scale
			}
			var c Chart
			d.Baseline = 0
			points(lo, hi, n.v)
			d.Version++
			g := paint(&c)
			point := rowOf(g, c.plot.X+c.plot.W/4, 0, h)
			if n.y >= 0 && rowOf(g, c.plot.X-2, c.plot.Y+n.y, 1) != point {
				t.Fatalf("%v: its mark is not in row %d\n%s", n.v, point, g.Plain())
			}
			d.Baseline = n.v
			d.Version++
			g = paint(&c)
			if guide, mark := rowOf(g, c.plot.Right()-2, 0, h), rowOf(g, c.plot.X-2, point/4, 1); guide != point ||
				mark != point {
				t.Fatalf("%v of %v to %v: the point is in row %d, the guide in %d, the mark in %d\n%s",
					n.v, lo, hi, point, guide, mark, g.Plain())
			}
		}
	})
}
