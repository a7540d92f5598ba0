package ui

import (
	"math"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/themes"
	"tokscope/ui/screen/registry"
)

// restless is a load whose figures all change at every call: speeds,
// distributions, counts, the series over time.
type restless struct {
	liveFake
	*loadFake
	looks      int
	gaps, ttft *metrics.Histogram
}

func (b *restless) LoadView() loadstat.View {
	v := b.loadFake.LoadView()
	if !v.Running {
		return v
	}
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
	q.GoodShare, q.GoodRate, q.Rate = metrics.Known(0.5*wobble, 90), metrics.Known(5*wobble, 90), metrics.Known(10*wobble, 90)
	v.Done, v.Budget.Tokens = b.looks, float64(b.looks)*1200
	v.Observer = metrics.Observer{LateP99: time.Duration(100e3 * wobble), N: 100}
	for i := range 100 {
		at := v.Now - metrics.Stamp(100-i)*metrics.Stamp(time.Second)
		v.Series = append(v.Series, loadstat.Sample{At: at, Users: 1 + i/20, Speed: metrics.Known(q.Speed.V+float64(i), 9), Total: q.Total.V})
	}
	return v
}

func distribution(mid float64) metrics.Dist {
	k := func(f float64) metrics.Value { return metrics.Known(mid*f, 200) }
	return metrics.Dist{N: 200, Min: k(0.7), P50: k(1), P90: k(1.5), P95: k(1.9), P99: k(3), Max: k(4), Mean: k(1.1), StdDev: k(0.3)}
}

// warmLoad is a model on the Load screen that went up to 256 users.
func warmLoad(w, h int) (*Model, *restless) {
	live := newLive()
	b := &restless{liveFake: live, loadFake: newLoadFake(live.Backend, live.rootFake), gaps: metrics.NewHistogram(0.1, 1e5, 10), ttft: metrics.NewHistogram(0.1, 1e5, 10)}
	m := New(registry.All(), b, Options{Profile: themes.TrueColor})
	m.Update(tea.WindowSizeMsg{Width: w, Height: h})
	tap(m, "2", "space")
	for n := 2; n <= 256; n *= 2 {
		b.Advance(time.Second)
		tap(m, "right")
		m.Update(frameMsg{})
	}
	return m, b
}

// A frame of Load with every figure and chart changed, four a second, costs
// at most 200 allocations. Those of the backend are subtracted.
func TestAChangedFrameOfLoadKeepsItsBudget(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}, {300, 80}} {
		m, b := warmLoad(size[0], size[1])
		var before string
		engine := testing.AllocsPerRun(50, func() {
			b.Advance(300 * time.Millisecond)
			b.LoadView()
		})
		same := 0
		all := testing.AllocsPerRun(50, func() {
			b.Advance(300 * time.Millisecond)
			m.Update(frameMsg{})
			now := m.written()
			if now == before {
				same++
			}
			before = now
		})
		if all-engine > 200 {
			t.Errorf("%dx%d: %v allocations a frame, %v of them in the backend: the budget is 200", size[0], size[1], all, engine)
		}
		if same > 0 {
			t.Errorf("%dx%d: %d frames did not change", size[0], size[1], same)
		}
	}
}

func BenchmarkLoadFrameChanged(bm *testing.B) {
	m, b := warmLoad(200, 50)
	o := nowhere(m)
	bm.ReportAllocs()
	for bm.Loop() {
		b.Advance(300 * time.Millisecond)
		o.frame()
	}
}
