package load

import (
	"cmp"
	"math"
	"reflect"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
	"tokscope/ui/uitest"
	"tokscope/ui/uitest/golden"
)

// odd fills whole records with any number, and with words that no panel has room for.
var odd = rapid.MakeConfig{
	Types: map[reflect.Type]*rapid.Generator[any]{
		reflect.TypeFor[metrics.Value](): rapid.Custom(func(t *rapid.T) metrics.Value {
			if rapid.IntRange(0, 4).Draw(t, "unknown") == 0 {
				return metrics.Unknown(metrics.WhyNotMeasured)
			}
			return metrics.Known(anyFloat(t), rapid.IntRange(0, 500).Draw(t, "n"))
		}).AsAny(),
		reflect.TypeFor[*metrics.Histogram](): rapid.Custom(func(t *rapid.T) *metrics.Histogram {
			h := metrics.NewHistogram(rapid.Float64Range(0.01, 10).Draw(t, "low"), rapid.Float64Range(20, 1e5).Draw(t, "high"),
				rapid.IntRange(1, 20).Draw(t, "per decade"))
			for range rapid.IntRange(0, 20).Draw(t, "values") {
				h.Add(rapid.Float64Range(0.01, 1e5).Draw(t, "v"))
			}
			return rapid.SampledFrom([]*metrics.Histogram{nil, h}).Draw(t, "bins")
		}).AsAny(),
		reflect.TypeFor[*loadstat.Setting](): rapid.SampledFrom([]*loadstat.Setting{{}, {Drive: loadstat.Drive{Users: 3}},
			{Endpoint: metrics.Endpoint{Model: "b"}}}).AsAny(),
		reflect.TypeFor[loadstat.LaneState](): rapid.Custom(func(t *rapid.T) loadstat.LaneState {
			return loadstat.LaneState(rapid.IntRange(0, int(loadstat.LaneLeaving)).Draw(t, "state"))
		}).AsAny(),
	},
	Kinds: map[reflect.Kind]*rapid.Generator[any]{
		reflect.Float64: rapid.Custom(anyFloat).AsAny(),
		reflect.Int:     rapid.OneOf(rapid.IntRange(-1, 20), rapid.IntRange(-1, 1e6)).AsAny(),
		reflect.Int64:   rapid.OneOf(rapid.Int64Range(-1e9, 1e12), rapid.Just[int64](0)).AsAny(),
		reflect.String: rapid.SampledFrom([]string{"", "ttft", "tpot", "speed", "a reason",
			"a very long reason that no panel of any size has enough room for, so that it has to be cut somewhere"}).AsAny(),
	},
}

func anyFloat(t *rapid.T) float64 {
	odd := rapid.SampledFrom([]float64{0, -1, 1e-9, 1e9, 1e300, math.Inf(1), math.NaN()})
	return rapid.OneOf(rapid.Float64Range(0, 1e4), odd).Draw(t, "value")
}

// anyLoad draws a view that nothing guarantees, of many lanes that share a past.
func anyLoad(t *rapid.T) *View {
	v := &View{Load: rapid.MakeCustom[loadstat.View](odd).Draw(t, "load"), Want: rapid.IntRange(-1, 3000).Draw(t, "want"),
		Kind: Kind(rapid.IntRange(0, int(Kinds)).Draw(t, "kind")), Open: rapid.Bool().Draw(t, "open"),
		WantRate: rapid.SampledFrom([]float64{0.1, 1, 12.5, 1000, 1e9}).Draw(t, "rate"), Log: rapid.Bool().Draw(t, "log"),
		Look: screen.Look{ReducedMotion: rapid.Bool().Draw(t, "reduced")}}
	l := &v.Load
	past := rapid.SliceOfN(rapid.MakeCustom[loadstat.Slice](odd), 0, 40).Draw(t, "past")
	first := rapid.IntRange(1, 3).Draw(t, "first user")
	l.Users, l.Lanes = rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 1100)).Draw(t, "lanes"), nil
	for i := range l.Users {
		k := i % (len(past) + 1)
		lane := loadstat.Lane{User: first + i, State: loadstat.LaneState(i % 8), Since: metrics.Stamp(int64(i) * 1e8),
			Gap: float64(i), Past: past[k:], Offset: k - 1, Leaving: i%7 == 0}
		if i%11 == 0 {
			lane.Since, lane.Offset = metrics.NoStamp, 1000
		}
		l.Lanes = append(l.Lanes, lane)
	}
	if rapid.Bool().Draw(t, "ascii") {
		v.Look.Glyphs = themes.ASCIIGlyphs()
	}
	return v
}

// TestDrawStaysInside: whatever the view, the size and what is selected,
// nothing panics and nothing outside of the rectangle is touched; with the
// ASCII glyphs nothing else is drawn.
func TestDrawStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := &picture{}
		g := draw.New(rapid.IntRange(0, 210).Draw(t, "w"), rapid.IntRange(0, 60).Draw(t, "h"))
		for range rapid.IntRange(1, 3).Draw(t, "frames") {
			v := anyLoad(t)
			w, h := g.Size()
			r := draw.Rect{X: rapid.IntRange(0, 3).Draw(t, "x"), Y: rapid.IntRange(0, 3).Draw(t, "y"),
				W: rapid.IntRange(-1, w).Draw(t, "rw"), H: rapid.IntRange(-1, h).Draw(t, "rh")}
			g.Clear() // as the root does: what could be clicked in the last frame is gone
			golden.Inside(t, g, r, v.Look.Glyphs != nil, func() { s.Draw(g, r, v) })
			s.lanes.of = v
			s.lanes.Move(rapid.IntRange(-9, 9).Draw(t, "rows"))
			s.lanes.Page(rapid.IntRange(-2, 2).Draw(t, "pages"))
			if u, ok := s.lanes.Selected(); ok != (len(v.Load.Lanes) > 0) || ok && s.lanes.index(v.Load.Lanes) < 0 &&
				u != v.Load.Lanes[0].User {
				t.Fatalf("selected %d, %v of %d lanes", u, ok, len(v.Load.Lanes))
			}
			x, y := rapid.IntRange(-5, 220).Draw(t, "px"), rapid.IntRange(-5, 70).Draw(t, "py")
			if row, ok := g.TargetAt(x, y).(onLane); ok {
				if user, ok := s.lanes.laneAt(row, x); !ok || user < 1 {
					t.Fatalf("the lane at %d,%d is of user %d, %v", x, y, user, ok)
				}
			}
			n := userSteps.at(s.head.track, x)
			testkit.Given(t, n >= 1 && n <= loadstat.MaxUsers, "column %v of the slider is %v users", x, n)
		}
	})
}

// TestEveryLaneIsDrawnOnce: among the lanes in view each user has its own
// cell, so that none is hidden and none is shown twice.
func TestEveryLaneIsDrawnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.SampledFrom([][2]int{{80, 24}, {120, 40}, {200, 50}, {300, 80}}).Draw(t, "size")
		most := map[int]int{80: 240}[size[0]] // more scroll there
		n := rapid.IntRange(1, cmp.Or(most, 256)).Draw(t, "users")
		v := scene(1)
		v.Load.Lanes = nil
		for u := 1; u <= n; u++ {
			v.Load.Lanes = append(v.Load.Lanes, loadstat.Lane{User: u, State: loadstat.LaneDecoding, Gap: 9})
		}
		s := &picture{}
		g := draw.New(size[0]-1, size[1]-2)
		s.Draw(g, g.Bounds(), v)
		seen := map[int]bool{}
		for what, r := range uitest.Targets(g) {
			row, ok := what.(onLane)
			if !ok {
				continue
			}
			h := s.lanes.lines[row]
			for i := range h.per {
				u, ok := s.lanes.laneAt(row, h.from+i)
				testkit.Given(t, ok && !seen[u] && u == h.user+i, "row %v: column %d is user %d, %v", r, i, u, ok)
				seen[u] = true
			}
		}
		testkit.Given(t, len(seen) == n, "%d of %d users are in view at %v", len(seen), n, size)
	})
}

// TestSliderIsItsOwnInverse: the column of a step means that step again.
func TestSliderIsItsOwnInverse(t *testing.T) {
	for w := len(userSteps); w < 200; w++ {
		track := draw.Rect{X: 7, W: w, H: 1}
		before := 0
		for x := range w {
			n := int(userSteps.at(track, 7+x))
			testkit.Given(t, n >= before, "width %d: column %d is %d users, the one before %d", w, x, n, before)
			before = n
		}
		for n := 1; n <= loadstat.MaxUsers; n *= 2 {
			if got := int(userSteps.at(track, 7+userSteps.column(float64(n), w))); got != n {
				t.Errorf("width %d: the place of %d users means %d", w, n, got)
			}
		}
	}
	for n, want := range map[int][2]int{1: {1, 2}, 2: {1, 4}, 3: {2, 4}, 64: {32, 128}, 100: {64, 128},
		1024: {512, 2048}, 3000: {2048, 4096}, 4096: {2048, 4096}} {
		if got := [2]int{int(userSteps.next(float64(n), -1)), int(userSteps.next(float64(n), 1))}; got != want {
			t.Errorf("from %d users the steps are %v, want %v", n, got, want)
		}
	}
}
