package load

import (
	"math"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/uitest"
)

func anyValue(t *rapid.T) metrics.Value {
	if rapid.IntRange(0, 4).Draw(t, "unknown") == 0 {
		return metrics.Unknown(metrics.WhyNotMeasured)
	}
	v := rapid.OneOf(rapid.Float64Range(0, 1e4), rapid.SampledFrom([]float64{0, -1, 1e-9, 1e9, 1e300, math.Inf(1), math.NaN()})).Draw(t, "value")
	return metrics.Known(v, rapid.IntRange(0, 500).Draw(t, "n"))
}

func anyDist(t *rapid.T) metrics.Dist {
	return metrics.Dist{N: 3, P50: anyValue(t), P90: anyValue(t), P99: anyValue(t)}
}

func anyBins(t *rapid.T) *metrics.Histogram {
	if rapid.Bool().Draw(t, "no bins") {
		return nil
	}
	h := metrics.NewHistogram(rapid.Float64Range(0.01, 10).Draw(t, "low"), rapid.Float64Range(20, 1e5).Draw(t, "high"), rapid.IntRange(1, 20).Draw(t, "per decade"))
	for range rapid.IntRange(0, 20).Draw(t, "values") {
		h.Add(rapid.Float64Range(0.01, 1e5).Draw(t, "v"))
	}
	return h
}

func anyPoint(t *rapid.T) loadstat.Point {
	return loadstat.Point{Users: rapid.IntRange(-1, 2000).Draw(t, "users"), Steady: rapid.Bool().Draw(t, "steady"), Speed: anyValue(t), SpeedP5: anyValue(t),
		Total: anyValue(t), TTFT: anyDist(t), Gaps: anyDist(t), GoodRate: anyValue(t), GoodShare: anyValue(t), Rate: anyValue(t), Peak: anyValue(t), GoodTokens: anyValue(t),
		Asked: rapid.SampledFrom([]float64{0, 0, 3, 1e9}).Draw(t, "asked"), Arrived: anyValue(t), Backlog: anyValue(t), FromIntended: anyDist(t),
		FromIntendedAtLeast: metrics.AtLeast{P50: anyValue(t), P99: anyValue(t)},
		Ramp:                rapid.SampledFrom([]*loadstat.Ramp{nil, nil, {From: 1, To: 5}, {From: 5, To: 1}}).Draw(t, "ramp"),
		GapBins:             anyBins(t), TTFTBins: anyBins(t), Why: rapid.SampledFrom([]loadstat.Unsteady{{}, {Code: loadstat.UnsteadyNoUser}, {Code: loadstat.UnsteadyShort, N: 1, Of: 3}}).Draw(t, "why")}
}

// anyLoad draws a view that nothing guarantees.
func anyLoad(t *rapid.T) *View {
	l := loadstat.View{Now: metrics.Stamp(rapid.Int64Range(-1e9, 1e12).Draw(t, "now")), Began: metrics.NoStamp, Running: rapid.Bool().Draw(t, "running"),
		Holding: rapid.Bool().Draw(t, "holding"), Target: rapid.IntRange(-1, 1500).Draw(t, "target"), SliceLen: 100 * time.Millisecond,
		Live: anyPoint(t), Sent: rapid.IntRange(0, 1e6).Draw(t, "sent"), Done: rapid.IntRange(0, 1e6).Draw(t, "done"), Failed: rapid.IntRange(0, 1e6).Draw(t, "failed"),
		InFlight: rapid.IntRange(0, 2000).Draw(t, "flight"), Decoding: rapid.IntRange(0, 2000).Draw(t, "decoding"), Rate: rapid.SampledFrom([]float64{0, 3}).Draw(t, "rate"),
		Backlog: rapid.IntRange(0, 1e6).Draw(t, "backlog"), Ending: rapid.Bool().Draw(t, "ending"),
		Drive: loadstat.Drive{Users: 3, Rate: rapid.SampledFrom([]float64{0, 3}).Draw(t, "drive"), To: rapid.SampledFrom([]float64{0, 30}).Draw(t, "to"), Within: 5 * time.Second}}
	text := rapid.SampledFrom([]string{"", "", "a reason", "a very long reason that no panel of any size has enough room for, so that it has to be cut somewhere"})
	l.Broken.Code, l.ClientLimits.Code, l.Stopped.Code = metrics.EndingCode(text.Draw(t, "broken")), loadstat.ClientLimitCode(text.Draw(t, "limits")), metrics.EndingCode(text.Draw(t, "stopped"))
	if rapid.Bool().Draw(t, "began") {
		l.Began = 0
	}
	for range rapid.IntRange(0, 6).Draw(t, "path") {
		l.Path = append(l.Path, anyPoint(t))
	}
	if rapid.Bool().Draw(t, "alone") {
		a := anyPoint(t)
		l.Alone = &a
	}
	at := l.Now
	for range rapid.IntRange(0, 20).Draw(t, "series") {
		at += metrics.Stamp(rapid.Int64Range(-1e9, 9e9).Draw(t, "step"))
		l.Series = append(l.Series, loadstat.Sample{At: at, Users: rapid.IntRange(0, 300).Draw(t, "users"), Total: anyValue(t).V, Speed: anyValue(t)})
	}
	for _, name := range rapid.SliceOfN(rapid.SampledFrom([]string{"ttft", "tpot", "speed", "none"}), 0, 3).Draw(t, "slos") {
		o := slo.Objective{Name: name, Limit: anyValue(t).V, AtLeast: name == "speed"}
		l.SLOs = append(l.SLOs, o)
		l.Live.Misses = append(l.Live.Misses, loadstat.Miss{SLO: o, N: rapid.IntRange(0, 9).Draw(t, "missed")})
	}
	for _, k := range []metrics.FaultKind{metrics.FaultRateLimit, metrics.FaultReset, metrics.FaultHTTP} {
		l.Faults = append(l.Faults, metrics.FaultCount{Kind: k, N: rapid.IntRange(0, 3000).Draw(t, "faults")})
	}
	n := rapid.OneOf(rapid.IntRange(0, 20), rapid.IntRange(0, 1100)).Draw(t, "lanes")
	past := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) loadstat.Slice {
		return loadstat.Slice{State: loadstat.LaneState(rapid.IntRange(0, 7).Draw(t, "state")), Gap: float32(rapid.Float64Range(-1, 1e5).Draw(t, "gap"))}
	}), 0, 40).Draw(t, "past")
	first := rapid.IntRange(1, 3).Draw(t, "first user")
	for i := range n {
		k := i % (len(past) + 1)
		lane := loadstat.Lane{User: first + i, State: loadstat.LaneState(i % 8), Since: metrics.Stamp(int64(i) * 1e8), Gap: float64(i), Past: past[k:], Offset: k - 1, Leaving: i%7 == 0}
		if i%11 == 0 {
			lane.Since, lane.Offset = metrics.NoStamp, 1000
		}
		l.Lanes = append(l.Lanes, lane)
	}
	l.Users = n
	v := &View{Load: l, Want: rapid.IntRange(-1, 3000).Draw(t, "want"), Kind: Kind(rapid.IntRange(0, int(Kinds)).Draw(t, "kind")), Open: rapid.Bool().Draw(t, "open"), WantRate: rapid.SampledFrom([]float64{0.1, 1, 12.5, 1000, 1e9}).Draw(t, "rate"), Log: rapid.Bool().Draw(t, "log"),
		ReducedMotion: rapid.Bool().Draw(t, "reduced")}
	if rapid.Bool().Draw(t, "ascii") {
		v.Glyphs = themes.ASCIIGlyphs()
	}
	return v
}

// TestDrawStaysInside: whatever the view, the size and what is selected,
// nothing panics and nothing outside of the rectangle is touched; with the
// ASCII glyphs nothing else is drawn.
func TestDrawStaysInside(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := newPicture()
		g := draw.New(rapid.IntRange(0, 210).Draw(t, "w"), rapid.IntRange(0, 60).Draw(t, "h"))
		for range rapid.IntRange(1, 3).Draw(t, "frames") {
			v := anyLoad(t)
			w, h := g.Size()
			r := draw.Rect{X: rapid.IntRange(0, 3).Draw(t, "x"), Y: rapid.IntRange(0, 3).Draw(t, "y"), W: rapid.IntRange(-1, w).Draw(t, "rw"), H: rapid.IntRange(-1, h).Draw(t, "rh")}
			g.Clear() // as the root does: what could be clicked in the last frame is gone
			g.Fill(g.Bounds(), '#', themes.Bad)
			s.Draw(g, r, v)
			for y := range h {
				for x := range w {
					text, _ := g.At(x, y)
					if !r.Contains(x, y) && text != "#" {
						t.Fatalf("%d,%d outside of %v holds %q", x, y, r, text)
					}
					if v.Glyphs != nil && len(text) > 0 && text[0] >= 0x80 {
						t.Fatalf("%d,%d holds %q on an ASCII terminal", x, y, text)
					}
				}
			}
			s.lanes.of = v
			s.lanes.Move(rapid.IntRange(-9, 9).Draw(t, "rows"))
			s.lanes.Page(rapid.IntRange(-2, 2).Draw(t, "pages"))
			if u, ok := s.lanes.Selected(); ok != (len(v.Load.Lanes) > 0) || ok && s.lanes.index(v.Load.Lanes) < 0 && u != v.Load.Lanes[0].User {
				t.Fatalf("selected %d, %v of %d lanes", u, ok, len(v.Load.Lanes))
			}
			x, y := rapid.IntRange(-5, 220).Draw(t, "px"), rapid.IntRange(-5, 70).Draw(t, "py")
			if row, ok := g.TargetAt(x, y).(onLane); ok {
				if user, ok := s.lanes.laneAt(row, x); !ok || user < 1 {
					t.Fatalf("the lane at %d,%d is of user %d, %v", x, y, user, ok)
				}
			}
			if n := userSteps.at(s.head.track, x); n < 1 || n > MaxUsers {
				t.Fatalf("column %v of the slider is %v users", x, n)
			}
		}
	})
}

// TestEveryLaneIsDrawnOnce: among the lanes in view each user has its own
// cell, so that none is hidden and none is shown twice.
func TestEveryLaneIsDrawnOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		n := rapid.IntRange(1, 256).Draw(t, "users")
		v := scene(1)
		v.Load.Lanes = nil
		for u := 1; u <= n; u++ {
			v.Load.Lanes = append(v.Load.Lanes, loadstat.Lane{User: u, State: loadstat.LaneDecoding, Gap: 9})
		}
		size := rapid.SampledFrom([][2]int{{80, 24}, {120, 40}, {200, 50}, {300, 80}}).Draw(t, "size")
		s := newPicture()
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
				if !ok || seen[u] || u != h.user+i {
					t.Fatalf("row %v: column %d is user %d, %v", r, i, u, ok)
				}
				seen[u] = true
			}
		}
		if len(seen) != n {
			t.Fatalf("%d of %d users are in view at %v", len(seen), n, size)
		}
	})
}

// TestSliderIsItsOwnInverse: the column of a step means that step again.
func TestSliderIsItsOwnInverse(t *testing.T) {
	for w := 12; w < 200; w++ {
		track := draw.Rect{X: 7, W: w, H: 1}
		before := 0
		for x := range w {
			n := int(userSteps.at(track, 7+x))
			if n < before {
				t.Fatalf("width %d: column %d is %d users, the one before %d", w, x, n, before)
			}
			before = n
		}
		for n := 1; n <= MaxUsers; n *= 2 {
			if got := int(userSteps.at(track, 7+userSteps.column(float64(n), w))); got != n {
				t.Errorf("width %d: the place of %d users means %d", w, n, got)
			}
		}
	}
	for n, want := range map[int][2]int{1: {1, 2}, 2: {1, 4}, 3: {2, 4}, 64: {32, 128}, 100: {64, 128}, 1024: {512, 1024}} {
		if got := [2]int{int(userSteps.next(float64(n), -1)), int(userSteps.next(float64(n), 1))}; got != want {
			t.Errorf("from %d users the steps are %v, want %v", n, got, want)
		}
	}
}
