package smoke

import (
	"math"
	"strings"
	"testing"
	"time"

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
			s.Figures[history.TTFT] = history.Quantiles{N: n, Min: m * .85, P10: m * .86, P25: m * .93, P50: m, P75: m * 1.05, P90: m * 1.2, Max: m * 1.3}
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
		if x := len([]rune(before)) - AxisWidth; x != int(.75*float64(plot)) {
			t.Errorf("%d columns: the change stands in column %d of %d", w, x, plot)
		}
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
		if usual == slow || usual != themes.Heat(0) || slow == themes.PerUser || d.role(2000) != themes.Heat(themes.Levels-1) {
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
		if g.Plain() != drawn(d, 90, 14, themes.UnicodeGlyphs()).Plain() {
			t.Errorf("step %d: the kept picture differs from a new one", step)
		}
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
