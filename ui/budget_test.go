package ui

import (
	"math"
	"slices"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/lipgloss/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/screen/registry"
)

// warmed is a model whose screen is full.
type warmed struct {
	onTerminal
	next func() // brings what the next frame shows
	own  func() // what that and the frame make the backend do, whose allocations are no frame's
	rest func() // brings what moves to an end
}

// budgets are the screens whose frames have a bound of allocations.
var budgets = []struct {
	name string
	most float64
	warm func(t testing.TB, w, h int) warmed
}{{"live", 25, warmLive}, {"load", 200, warmLoad}, {"explain", 200, warmExplain}}

// warmLive is in the middle of a stream; its bound has no exceptions.
func warmLive(_ testing.TB, w, h int) warmed {
	m, b := warm(w, h)
	return warmed{nowhere(m), func() {
		b.Advance(33 * time.Millisecond)
		b.Chunk("another ")
	}, func() {}, func() {
		b.Finish()
		b.Advance(time.Minute)
		m.sample(true)
	}}
}

// warmExplain has a full timeline, on the tour.
func warmExplain(t testing.TB, w, h int) warmed {
	b := newBackend(t)
	m := New(registry.All(), only(b, "explain"), Options{Profile: themes.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tap(m, "4", "T", "n")
	next := func() { b.Advance(33 * time.Millisecond) }
	for i := 0; i < 100 || !b.ExplainView().Tour.Ready; i++ { // its predictions are computed meanwhile
		next()
		m.Update(frameMsg{})
	}
	own := func() {
		next()
		b.ExplainView()
	}
	return warmed{nowhere(m), next, own, func() { tap(m, "space") }}
}

// restless is a load whose figures all change at every call: speeds,
// distributions, counts, the series over time.
type restless struct {
	liveFake
	*loads
	v          loadstat.View
	looks      int
	gaps, ttft *metrics.Histogram
}

func (b *restless) LoadStart(_ metrics.Workload, users int) (loadstat.Question, error) {
	b.v.Running = true
	b.LoadDrive(loadstat.Drive{Users: users})
	return loadstat.Question{}, nil
}

// LoadDrive gives the load lanes that decode, and figures that fall per user and rise in all.
func (b *restless) LoadDrive(d loadstat.Drive) {
	v, n, step := &b.v, d.Users, 6.5+0.14*float64(d.Users)
	v.Path = append(v.Path, v.Live)
	v.Live = loadstat.Point{Users: n, Speed: metrics.Known(1000/step, 9), Total: metrics.Known(float64(n)*1000/step, 9)}
	lane := loadstat.Lane{State: loadstat.LaneDecoding, Gap: 10,
		Past: slices.Repeat([]loadstat.Slice{{State: loadstat.LaneDecoding, Gap: 10}}, 60)}
	v.Target, v.Users, v.InFlight, v.Decoding, v.Lanes = n, n, n, n, slices.Repeat([]loadstat.Lane{lane}, n)
	for i := range v.Lanes {
		v.Lanes[i].User, v.Lanes[i].Stream = i+1, i+1
	}
}

func (b *restless) LoadStop() { b.v.Ending, b.v.Target = true, 0 }

func (b *restless) LoadVersion() uint64 { return uint64(b.Now() / 1e6) }

func (b *restless) LoadView() loadstat.View {
	if !b.v.Running {
		return b.loads.LoadView()
	}
	v := b.v
	v.Now, v.Endpoint = b.Now(), b.Endpoint()
	b.looks++
	wobble := 1 + 0.1*math.Sin(float64(b.looks))
	q := &v.Live
	q.Speed.V *= wobble
	q.Total.V *= wobble
	q.Steady, q.Requests = b.looks%8 > 0, b.looks
	q.TTFT, q.Gaps = distribution(300*wobble), distribution(20*wobble)
	b.gaps.Add(20 * wobble)
	b.ttft.Add(300 * wobble)
	q.GapBins, q.TTFTBins = b.gaps, b.ttft
	q.GoodShare, q.GoodRate, q.Rate =
		metrics.Known(0.5*wobble, 90), metrics.Known(5*wobble, 90), metrics.Known(10*wobble, 90)
	v.Done, v.Budget.Tokens = b.looks, float64(b.looks)*1200
	v.Observer = metrics.Observer{LateP99: time.Duration(100e3 * wobble), N: 100}
	for i := range 100 {
		at := v.Now - metrics.Stamp(100-i)*metrics.Stamp(time.Second)
		v.Series = append(v.Series, loadstat.Sample{At: at, Users: 1 + i/20,
			Speed: metrics.Known(q.Speed.V+float64(i), 9), Total: q.Total.V})
	}
	return v
}

func distribution(mid float64) metrics.Dist {
	k := func(f float64) metrics.Value { return metrics.Known(mid*f, 200) }
	return metrics.Dist{N: 200, Min: k(0.7), P50: k(1), P90: k(1.5), P95: k(1.9), P99: k(3), Max: k(4),
		Mean: k(1.1), StdDev: k(0.3)}
}

// warmLoad went up to 256 users, and every figure and chart changes four times a second.
func warmLoad(t testing.TB, w, h int) warmed {
	all := newBackend(t)
	b := &restless{liveFake: liveFake{all.Backend, all.rootFake}, loads: all.loads,
		gaps: metrics.NewHistogram(0.1, 1e5, 10), ttft: metrics.NewHistogram(0.1, 1e5, 10)}
	m := New(registry.All(), b, Options{Profile: themes.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tap(m, "2", "space")
	for n := 2; n <= 256; n *= 2 {
		b.Advance(time.Second)
		tap(m, "right")
		m.Update(frameMsg{})
	}
	next := func() { b.Advance(300 * time.Millisecond) }
	own := func() {
		next()
		b.LoadView()
	}
	return warmed{nowhere(m), next, own, func() { tap(m, "x") }}
}

// changed draws and writes the next frame.
func (w warmed) changed() {
	w.next()
	w.frame()
}

// unchanged is a message that changes nothing.
func (w warmed) unchanged() {
	w.m.Update(struct{}{})
	w.t.write(&w.m.surface)
}

// TestFramesKeepTheirBudget: a frame that changed costs at most the allocations of its
// screen's bound, and one that did not costs none.
func TestFramesKeepTheirBudget(t *testing.T) {
	for _, c := range budgets {
		w := c.warm(t, 80, 24)
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {300, 80}} {
			w.m.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			for range 5 {
				before := w.m.written()
				if w.changed(); w.m.written() == before {
					t.Errorf("%s, %v: a frame did not change", c.name, size)
				}
			}
			own, all := testing.AllocsPerRun(50, w.own), testing.AllocsPerRun(50, w.changed)
			if all-own > c.most {
				t.Errorf("%s, %v: %v allocations a frame, %v of them in the backend: the budget is %v",
					c.name, size, all, own, c.most)
			}
		}
		w.rest()
		w.frame()
		testkit.Allocates(t, 0, 50, w.unchanged, c.name, "for nothing")
	}
}

// BenchmarkFrame has the frames of each screen at 200x50.
func BenchmarkFrame(bm *testing.B) {
	for _, c := range budgets {
		bm.Run(c.name+"/changed", func(bm *testing.B) {
			w := c.warm(bm, 200, 50)
			bm.ReportAllocs()
			for i := 0; bm.Loop(); i++ {
				if i%400 == 399 { // keep a stream at its length
					bm.StopTimer()
					w = c.warm(bm, 200, 50)
					bm.StartTimer()
				}
				w.changed()
			}
		})
		bm.Run(c.name+"/unchanged", func(bm *testing.B) {
			w := c.warm(bm, 200, 50)
			w.rest()
			w.frame()
			bm.ReportAllocs()
			for bm.Loop() {
				w.unchanged()
			}
		})
	}
}

// BenchmarkFrameBudget checks the budget of a frame at 200x50: 1 ms of CPU.
// lipgloss takes some 5 ms to render as many cells in runs of eight. An
// unchanged frame costs nothing measurable.
func BenchmarkFrameBudget(bm *testing.B) {
	const most, mostIdle = 0.15, 0.00005
	w, n := warmLive(bm, 200, 50), 0
	changed := func() {
		if n++; n%400 == 0 { // keep the stream at its length
			w = warmLive(bm, 200, 50)
		}
		w.changed()
	}
	idle := warmLive(bm, 200, 50)
	idle.rest()
	idle.frame()
	style := lipgloss.NewStyle().Foreground(lipgloss.Color("#aabbcc"))
	cells := 0
	reference := func() {
		for range 50 * 200 / 8 {
			cells += len(style.Render("another "))
		}
	}
	for bm.Loop() {
		r, i := testkit.Ratio(time.Now, changed, reference), testkit.Ratio(time.Now, idle.unchanged, reference)
		bm.ReportMetric(r, "of-lipgloss")
		bm.ReportMetric(i, "idle-of-lipgloss")
		if r > most || i > mostIdle {
			bm.Fatalf("a frame takes %.3f of rendering its cells with lipgloss (at most %v), an unchanged one %.6f (at most %v)",
				r, most, i, mostIdle)
		}
	}
}
