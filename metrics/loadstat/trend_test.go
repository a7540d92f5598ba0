package loadstat

import (
	"math"
	"math/rand/v2"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// curvePoint is a steady point at so many users whose requests have those means and that
// noise, alike to the one before by phi.
func curvePoint(r *rand.Rand, users, requests int, speed, total, ttft, noise, phi float64) Point {
	series := func(n int) []float64 {
		out := make([]float64, n)
		for i := range out {
			x := r.NormFloat64()
			if i > 0 {
				x = phi*out[i-1] + math.Sqrt(1-phi*phi)*x
			}
			out[i] = x
		}
		return out
	}
	of := func(mean float64, n int) ([]float64, float64) {
		values, sum := series(n), 0.0
		for i, x := range values {
			values[i] = mean * math.Exp(noise*x)
			sum += values[i] / float64(n)
		}
		return values, sum
	}
	p := Point{Users: users, Steady: true, Requests: requests, To: 20e9}
	each, mean := of(speed, requests)
	p.Speed = metrics.Known(mean, requests)
	tpot := make([]float64, requests)
	for i, x := range each {
		tpot[i] = 1000 / x
	}
	p.TPOT = metrics.Distribution(tpot)
	p.SpeedInterval = NoInterval(metrics.Needs(Batches))
	if requests >= Batches {
		means := make([]float64, Batches)
		for i := range means {
			part := each[i*requests/Batches : (i+1)*requests/Batches]
			for _, x := range part {
				means[i] += x / float64(len(part))
			}
		}
		p.SpeedInterval = BatchInterval(p.Speed, means)
	}
	parts, sum := of(total, Batches)
	p.Total = metrics.Known(sum, 0)
	p.TotalInterval = BatchInterval(p.Total, parts)
	waits, _ := of(ttft, requests)
	p.TTFT = metrics.Distribution(waits)
	return p
}

// TestTrendOfFlatCurves holds what Trend promises: where more users change nothing, one of
// the curves seems to fall or rise in fewer than 5 of 100 loads, at any of their steps.
func TestTrendOfFlatCurves(t *testing.T) {
	r := testkit.Rand(t, 1)
	loads := 400
	if testing.Short() {
		loads = 80
	}
	for _, noise := range []float64{0.01, 0.05, 0.15, 0.4} {
		for _, phi := range []float64{0, 0.5} {
			for _, first := range []int{3, 8, 40} {
				wrong := 0
				for range loads {
					v := View{Running: true}
					for k := range 9 {
						v.Path = append(v.Path, curvePoint(r, 1<<k, first<<min(k, 4), 50, 900, 300, noise, phi))
						if trend, ok := v.Trend(); ok && (moves(trend.Speed) || moves(trend.Total)) {
							wrong++
							break
						}
					}
				}
				share := float64(wrong) / float64(loads)
				t.Logf("noise %2.0f %%, alike %.1f, %2d requests at first: %.1f %% wrong", 100*noise, phi, first, 100*share)
				testkit.That(t, share <= 0.05,
					"noise %.2f, alike %.1f, %d requests: %.1f %% of flat loads move", noise, phi, first, 100*share)
			}
		}
	}
}

func moves(c Course) bool { return c == Falls || c == Rises }

// TestTrend holds what is said of known curves, with the noise of a calm server: mostly
// what is true, else that it is not clear, and hardly ever something else.
func TestTrend(t *testing.T) {
	r := testkit.Rand(t, 2)
	at := func(users int, speed, total, ttft float64) Point {
		return curvePoint(r, users, 30, speed, total, ttft, 0.02, 0)
	}
	for _, c := range []struct {
		name               string
		path               func() []Point
		speed, total, ttft Course
		full               int
		queues             bool
	}{
		{"a batch", func() []Point { return []Point{at(1, 150, 140, 31), at(8, 130, 1000, 50), at(64, 65, 4100, 210)} },
			Falls, Rises, Rises, 0, false},
		{"a queue", func() []Point { return []Point{at(1, 54.5, 36, 124), at(8, 54.3, 36, 4710)} }, Stays, Stays, Rises, 1,
			true},
		{"a queue behind eight", func() []Point {
			return []Point{at(1, 54, 50, 124), at(8, 54, 400, 130),
				at(64, 54, 402, 9000)}
		},
			Stays, Rises, Rises, 8, true},
		{"shared", func() []Point { return []Point{at(1, 54, 50, 124), at(8, 7, 50, 124)} }, Falls, Stays, Unclear, 1, false},
		{"too many", func() []Point { return []Point{at(1, 54, 50, 124), at(8, 4, 30, 500)} }, Falls, Falls, Rises, 0, false},
	} {
		const loads = 200
		as, wrong := 0, 0
		for range loads {
			v := View{Path: c.path()}
			have, ok := v.Trend()
			full := 0
			if have.Full != nil {
				full = have.Full.Users
			}
			other := func(is, want Course) bool { return is != want && is != Unclear && want != Unclear }
			switch {
			case ok && have.Speed == c.speed && have.Total == c.total && have.TTFT == c.ttft && full == c.full &&
				have.Queues == c.queues:
				as++
			case !ok || other(have.Speed, c.speed) || other(have.Total, c.total) || other(have.TTFT, c.ttft) ||
				full != c.full && full != 0 || have.Queues && !c.queues:
				wrong++
			}
		}
		t.Logf("%s: as it is in %d, otherwise in %d of %d", c.name, as, wrong, loads)
		testkit.That(t, as >= loads*2/3 && wrong <= loads/20,
			"%s: as it is in %d, otherwise in %d of %d", c.name, as, wrong, loads)
	}
	alone := at(1, 150, 140, 31)
	for _, v := range []View{{}, {Path: []Point{alone}}, {Path: []Point{alone, alone}},
		{Path: []Point{alone}, Live: Point{Users: 8}},
		{Path: []Point{alone, at(8, 100, 900, 40)}, Setup: 1}} {
		if have, ok := v.Trend(); ok {
			t.Errorf("%d points: %+v", len(v.Path), have)
		}
	}
}

// TestSuspect holds that a window says something before it is steady, and only then.
func TestSuspect(t *testing.T) {
	r := testkit.Rand(t, 3)
	unsteady := curvePoint(r, 64, 30, 65, 4100, 210, 0.02, 0)
	unsteady.Steady = false
	flat := curvePoint(r, 64, 30, 150, 140, 31, 0.02, 0)
	flat.Steady = false
	v := View{Running: true, Users: 64, Target: 64, Live: unsteady,
		Path: []Point{curvePoint(r, 1, 10, 150, 140, 31, 0.02, 0)}}
	if s, ok := v.Suspect(); !ok || !s.Suspected || s.Speed != Falls || s.Total != Rises {
		t.Errorf("%v %+v", ok, s)
	}
	for name, change := range map[string]func(v *View){
		"steady": func(v *View) { v.Live.Steady = true }, "warm-up": func(v *View) { v.Live.Warmup = true },
		"held": func(v *View) { v.Holding = true }, "joining": func(v *View) { v.Target = 128 },
		"short": func(v *View) { v.Live.To = 1e9 }, "alone": func(v *View) { v.Path = nil },
		"flat": func(v *View) { v.Live = flat },
	} {
		w := v
		if change(&w); func() bool { _, ok := w.Suspect(); return ok }() {
			t.Error(name)
		}
	}
}
