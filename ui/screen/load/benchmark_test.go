package load

import (
	"slices"
	"testing"
	"time"

	"charm.land/lipgloss/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// framesOf returns a picture, and what draws the next frame of it on a terminal of w by
// h: all lanes of v have moved on by a slice, and the clock by step.
func framesOf(v *View, w, h int) (s *picture, frame func(step metrics.Stamp)) {
	s = &picture{}
	g, i, advance := draw.New(w-1, h-2), 0, advancing(v)
	pal := themes.Compile(themes.Default(true), themes.TrueColor)
	var patch draw.Patch
	var out []byte
	return s, func(step metrics.Stamp) {
		i++
		advance(i, step)
		s.Draw(g, g.Bounds(), v)
		out = patch.Append(out[:0], g, pal)
	}
}

// advancing returns a function that moves every lane of v on to slice i and the
// clock by step. A slice stays what it was.
func advancing(v *View) func(i int, step metrics.Stamp) {
	const period, shown = 300, 200 // lanesOf makes period slices
	var full [][]loadstat.Slice
	for i := range v.Load.Lanes {
		past := v.Load.Lanes[i].Past[:period]
		full = append(full, slices.Concat(past, past)) // any part follows another
	}
	return func(i int, step metrics.Stamp) {
		v.Load.Now += step
		for j := range v.Load.Lanes {
			l, from := &v.Load.Lanes[j], (i+j)%period
			l.Past, l.Offset = full[j][from:from+shown:from+shown], i+1000
			l.State, l.Gap = l.Past[shown-1].State, float64(l.Past[shown-1].Gap)
		}
	}
}

// TestFrameAllocations holds the budget of frames in which only lanes change,
// and that charts are drawn no more often than four times a second.
func TestFrameAllocations(t *testing.T) {
	s, frame := framesOf(scene(256), 120, 40)
	frame(1)
	before := s.now.version
	testkit.Allocates(t, 100, 200, func() { frame(1) }, "a frame") // a nanosecond: no figure may change
	testkit.That(t, s.now.version == before, "figures changed %d times within a microsecond", s.now.version-before)
	frame(screen.FiguresEvery)
	testkit.That(t, s.now.version == before+1,
		"after a quarter of a second the figures changed %d times", s.now.version-before)
}

// BenchmarkLanesBudget holds the budget of time with 256 lanes at 200x50, 1.5 ms
// a frame, where lipgloss takes some 5 ms to render as many cells in runs of
// eight: for the frames of 30 a second, of which every eighth changes numbers
// and charts, and for one in which everything changes.
func BenchmarkLanesBudget(b *testing.B) {
	const most = 0.3
	style := lipgloss.NewStyle().Foreground(lipgloss.Color("#aabbcc"))
	cells := 0
	reference := func() {
		for range 50 * 200 / 8 {
			cells += len(style.Render("another "))
		}
	}
	_, frame := framesOf(scene(256), 200, 50)
	usual, all := func() { frame(33e6) }, func() { frame(300e6) }
	for b.Loop() {
		r, a := testkit.Ratio(time.Now, usual, reference), testkit.Ratio(time.Now, all, reference)
		b.ReportMetric(r, "of-lipgloss")
		b.ReportMetric(a, "all-of-lipgloss")
		testkit.Given(b, r <= most && a <= most,
			"a frame takes %.3f of rendering its cells with lipgloss (at most %v), one in which all changes %.3f", r, most, a)
	}
}

// TestAllocationsOfEverything holds what a frame in which everything changes
// costs the screen, charts and distributions too, at every size (in short mode
// the smallest), with every chart and both scales: half of the 200 that the root has for all of it.
func TestAllocationsOfEverything(t *testing.T) {
	for i, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {300, 80}} {
		if i > 0 && testing.Short() {
			break
		}
		for k := range 2 * Kinds {
			v := scene(256)
			v.Kind, v.Log = k/2, k%2 == 1
			speed, total := v.Load.Live.Speed.V, v.Load.Live.Total.V
			s, frame := framesOf(v, size[0], size[1])
			wobbling := func() {
				v.Load.Done++
				wobble := 1 + float64(v.Load.Done%7)/50
				v.Load.Live.Speed.V, v.Load.Live.Total.V = speed*wobble, total/wobble
				frame(screen.FiguresEvery)
			}
			wobbling()
			before := s.now.version
			testkit.Allocates(t, 100, 20, wobbling, "the share of a frame in which all changes", size, v.Kind, v.Log)
			testkit.That(t, s.now.version == before+21, "only %d of 21 frames changed the figures", s.now.version-before)
		}
	}
}
