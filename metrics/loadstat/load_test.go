package loadstat

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// curve makes steady points with those totals at 1, 2, 4, … users.
func curve(totals ...float64) []Point {
	var out []Point
	for i, t := range totals {
		n := 1 << i
		out = append(out, Point{Users: n, Steady: true, Total: metrics.Known(t, 0), Speed: metrics.Known(t/float64(n), n)})
	}
	return out
}

func TestKnee(t *testing.T) {
	for name, c := range map[string]struct {
		totals []float64
		users  int // 0: none
	}{
		"too few points":   {[]float64{100, 200, 300}, 0},
		"still a line":     {[]float64{100, 200, 400, 800, 1600}, 0},
		"saturates at 32":  {[]float64{149, 290, 570, 1080, 1960, 3900, 4000, 4050, 4100}, 32},
		"falls at the end": {[]float64{100, 200, 400, 800, 1500, 1600, 1400, 900}, 16},
		"flat":             {[]float64{100, 100, 100, 100, 100}, 0},
	} {
		points := curve(c.totals...)
		i := Knee(points)
		testkit.That(t, i < 0 && c.users == 0 || i >= 0 && points[i].Users == c.users, "%s: index %d; want %d users", name, i,
			c.users)
	}
}

// The curve of a serving engine, B/(a + b·B): the knee is where Kneedle's
// formula puts it, √ of the product of the ends in this shape.
func TestKneeOfSaturation(t *testing.T) {
	var points []Point
	for n := 1; n <= 256; n++ {
		points = append(points, Point{Users: n, Steady: true, Total: metrics.Known(float64(n)/(6+0.1*float64(n)), 0)})
	}
	i := Knee(points)
	best, want := 0.0, 0
	low, high := points[0].Total.V, points[255].Total.V
	for k := range points {
		if d := (points[k].Total.V-low)/(high-low) - float64(k)/255; d > best {
			best, want = d, k
		}
	}
	testkit.That(t, i == want && points[i].Users >= 40 && points[i].Users <= 120,
		"knee at %d users, want %d", points[i].Users, points[want].Users)
}

// A point below the curve, or one replaced by a later point at the same
// number of users, does not move the knee.
func TestKneeTakesTheLatestSteady(t *testing.T) {
	points := curve(149, 290, 570, 1080, 1960, 3900, 4000, 4050, 4100)
	want := Knee(points)
	noisy := append([]Point{{Users: 8, Steady: true, Total: metrics.Known(9000, 0)},
		{Users: 2, Total: metrics.Known(1e6, 0)}}, points...)
	got := Knee(noisy)
	testkit.That(t, got == want+2, "index %d, want %d", got, want+2)
}

func drawPoint(t *rapid.T, slos []slo.Objective) Point {
	value := func(name string) metrics.Value {
		v := rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.Just(0.0)).Draw(t, name)
		if rapid.Bool().Draw(t, name+" known") {
			return metrics.Known(v, 3)
		}
		return metrics.Unknown(metrics.WhyNoCount)
	}
	p := Point{
		Users: rapid.IntRange(1, 512).Draw(t, "users"), Steady: rapid.Bool().Draw(t, "steady"),
		Total: value("total"), Speed: value("speed"), SpeedP5: value("p5"), Estimated: rapid.Bool().Draw(t, "estimated"),
	}
	p.TTFT.P90, p.TPOT.P90 = value("ttft"), value("tpot")
	if n := rapid.IntRange(0, 100).Draw(t, "judged"); n > 0 {
		p.GoodShare = metrics.Known(0.5, n)
		for _, o := range slos {
			p.Misses = append(p.Misses, Miss{o, rapid.IntRange(0, n).Draw(t, "missed")})
		}
	}
	return p
}

var someSLOs = []slo.Objective{{Name: "ttft", Limit: 500}, {Name: "tpot", Limit: 20},
	{Name: "speed", Limit: 50, AtLeast: true}}

// The largest load that meets the objectives was measured, meets them, and
// lies below the first that breaks one.
func TestMeetingProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var points []Point
		for range rapid.IntRange(0, 12).Draw(t, "points") {
			points = append(points, drawPoint(t, someSLOs))
		}
		largest, first, name := Meeting(points, someSLOs)
		testkit.Given(t, largest < 0 || first < 0 || points[largest].Users < points[first].Users,
			"meets at %d, breaks %s at %d", largest, name, first)
		testkit.Given(t, largest < 0 || points[largest].Steady, "point %d is not steady", largest)
		named := func(o slo.Objective) bool { return o.Name == name }
		if first >= 0 && name != Failures && !slices.ContainsFunc(someSLOs, named) {
			t.Fatalf("%q is no objective", name)
		}
		if i := Knee(points); i >= 0 && (!points[i].Steady || !points[i].Total.OK) {
			t.Fatalf("the knee is %+v", points[i])
		}
		if largest, first, _ := Meeting(points, nil); largest >= 0 || first >= 0 {
			t.Fatal("no objective is met by nobody")
		}
	})
}

func TestMeeting(t *testing.T) {
	points := curve(100, 200, 400, 800)
	for i := range points {
		points[i].GoodShare = metrics.Known(1, 20)
		points[i].Misses = []Miss{{someSLOs[0], 0}, {someSLOs[1], 0}}
	}
	points[2].Misses[0].N = 2 // 90 %: still met
	points[3].Misses[0].N, points[3].Misses[1].N = 3, 10
	two := someSLOs[:2]
	if largest, first, name := Meeting(points, two); largest != 2 || first != 3 || name != "tpot" {
		t.Errorf("point %d meets, %s breaks at %d", largest, name, first)
	}
	// One miss among fewer than ten requests does not break an objective: it
	// may be chance.
	few := curve(100)
	few[0].GoodShare, few[0].Misses = metrics.Known(0.8, 5), []Miss{{someSLOs[0], 1}}
	if _, first, name := Meeting(few, someSLOs[:1]); first >= 0 {
		t.Errorf("one of five: %s breaks at %d", name, first)
	}
	few[0].Misses[0].N = 2
	if _, first, _ := Meeting(few, someSLOs[:1]); first < 0 {
		t.Error("two of five break nothing")
	}
	// Objectives without counts are judged by the distributions.
	points[1].SpeedP5, points[0].SpeedP5 = metrics.Known(40, 20), metrics.Known(90, 20)
	if _, first, name := Meeting(points, someSLOs[2:]); first != 1 || name != "speed" {
		t.Errorf("%s breaks at %d", name, first)
	}
}

// A failed request misses every objective, but it was not slow: the shares are those
// of the requests that ended well, and failures have their own.
func TestFailuresBreakALoad(t *testing.T) {
	points := curve(100, 200)
	for i := range points {
		points[i].GoodShare, points[i].Misses = metrics.Known(1, 20), []Miss{{someSLOs[0], 0}, {someSLOs[1], 0}}
	}
	p, two := &points[1], someSLOs[:2]
	p.JudgedFailed, p.Misses = 6, []Miss{{two[0], 6}, {two[1], 8}}
	if a, b, f := p.Share(two[0]), p.Share(two[1]), p.FailedShare(); a.V != 1 || a.N != 14 ||
		math.Abs(b.V-12.0/14) > 1e-12 || f.V != 0.3 || f.N != 20 {
		t.Errorf("shares %+v and %+v, failed %+v", a, b, f)
	}
	if largest, first, name := Meeting(points, two); largest != 0 || first != 1 || name != Failures {
		t.Errorf("point %d meets, %q breaks at %d", largest, name, first)
	}
	p.Misses[1].N = 20 // none that ended met it
	if _, _, name := Meeting(points, two); name != "tpot" {
		t.Errorf("%q breaks", name)
	}
	p.JudgedFailed, p.Misses[0].N = 20, 20
	if _, first, name := Meeting(points, two); first != 1 || name != Failures || p.Share(two[0]).OK {
		t.Errorf("all fail: %q breaks at %d, share %+v", name, first, p.Share(two[0]))
	}
	// A few failures and a few misses are too many together.
	p.JudgedFailed, p.Misses[0].N, p.Misses[1].N = 2, 2, 3
	if _, first, name := Meeting(points, two); first != 1 || name != Failures {
		t.Errorf("a few of each: %q at %d", name, first)
	}
}

func TestSteady(t *testing.T) {
	good := Window{Users: 4, Long: 5 * time.Second, MinLong: 3 * time.Second, Measured: 8,
		Halves: [2]Half{{Tokens: 1000, InFlight: 4}, {Tokens: 1010, InFlight: 4}}}
	for _, c := range []struct {
		name string
		set  func(*Window)
		why  Unsteady
	}{
		{"as it should be", func(w *Window) {}, Unsteady{}},
		{"no user", func(w *Window) { w.Users = 0 }, Unsteady{Code: UnsteadyNoUser}},
		{"some leave", func(w *Window) { w.Extra = 1 }, Unsteady{UnsteadyLeaving, 1, 0}},
		{"some are cold", func(w *Window) { w.Cold = 2 }, Unsteady{UnsteadyCold, 2, 4}},
		{"an open loop without an end", func(w *Window) { w.Open, w.Users, w.Cold = true, 0, 1 },
			Unsteady{Code: UnsteadyNoneEnded}},
		{"too short", func(w *Window) { w.Long = time.Second }, Unsteady{UnsteadyShort, 1, 3}},
		{"too few", func(w *Window) { w.Measured = 3 }, Unsteady{UnsteadyFew, 3, 4}},
		{"nothing", func(w *Window) { w.Halves = [2]Half{} }, Unsteady{Code: UnsteadyNoTokens}},
		{"rising", func(w *Window) { w.Halves[1].Tokens = 1300 }, Unsteady{UnsteadyThroughput, 0.26, 0}},
		{"falling", func(w *Window) { w.Halves[1].Tokens = 700 }, Unsteady{UnsteadyThroughput, -0.35, 0}},
		{"a queue that grows", func(w *Window) {
			w.Halves[0].Answered, w.Halves[0].TTFT, w.Halves[0].TTFTSpread = 100, 175, 20
			w.Halves[1].Answered, w.Halves[1].TTFT, w.Halves[1].TTFTSpread = 100, 215, 20
		}, Unsteady{UnsteadyTTFT, 40, 0}},
		{"a queue of few that are scattered", func(w *Window) {
			w.Halves[0].Answered, w.Halves[0].TTFT, w.Halves[0].TTFTSpread = 4, 175, 80
			w.Halves[1].Answered, w.Halves[1].TTFT, w.Halves[1].TTFTSpread = 4, 215, 80
		}, Unsteady{}},
		{"a millisecond more", func(w *Window) {
			w.Halves[0].Answered, w.Halves[0].TTFT = 100, 1
			w.Halves[1].Answered, w.Halves[1].TTFT = 100, 2
		}, Unsteady{}},
		{"too few of a schedule", func(w *Window) { w.Open = true }, Unsteady{UnsteadyFew, 8, 20}},
		{"piling up", func(w *Window) { w.Open, w.Measured = true, 30; w.Halves[1].InFlight = 9 },
			Unsteady{UnsteadyQueue, 9, 4}},
	} {
		w := good
		c.set(&w)
		why := Steady(w)
		if why.N = math.Round(100*why.N) / 100; why != c.why {
			t.Errorf("%s: %+v, want %+v", c.name, why, c.why)
		}
	}
}

// Steady gives a reason exactly when a window is not steady, without NaN in
// it. A steady window with more requests in the same halves stays steady only
// if the halves agree.
func TestSteadyProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		w := Window{
			Users: rapid.IntRange(0, 300).Draw(t, "users"), Cold: rapid.IntRange(0, 1).Draw(t, "cold"),
			Extra: rapid.IntRange(0, 1).Draw(t, "extra"),
			Long:  time.Duration(rapid.Int64Range(0, 1e11).Draw(t, "long")), MinLong: 3 * time.Second,
			Measured: rapid.IntRange(0, 1000).Draw(t, "measured"), Open: rapid.Bool().Draw(t, "open"),
		}
		for i := range w.Halves {
			w.Halves[i] = Half{
				Tokens: rapid.Float64().Draw(t, "tokens"), InFlight: rapid.Float64Range(0, 1e4).Draw(t, "in flight"),
				Answered: rapid.IntRange(0, 50).Draw(t, "answered"), TTFT: rapid.Float64Range(0, 1e4).Draw(t, "ttft"),
				TTFTSpread: rapid.Float64Range(0, 1e4).Draw(t, "spread"),
			}
		}
		why := Steady(w)
		testkit.Given(t, (why.Code != "" || why == (Unsteady{})) && !math.IsNaN(why.N) && !math.IsNaN(why.Of), "%+v", why)
		if why.Code == "" {
			a, b := w.Halves[0].Tokens, w.Halves[1].Tokens
			testkit.Given(t, w.Long >= w.MinLong && w.Cold+w.Extra <= 0 && math.Abs(a-b) <= 0.4*(a+b)/2, "steady: %+v", w)
			w.Halves[0], w.Halves[1] = w.Halves[1], w.Halves[0]
			again := Steady(w)
			testkit.Given(t, again.Code == "" || w.Open, "the order of the halves decides")
		}
	})
}

func TestFitTTFT(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		a, b := rapid.Float64Range(0, 500).Draw(t, "a"), rapid.Float64Range(0.001, 1).Draw(t, "b")
		var x, y []float64
		for i := range 60 {
			p := 100 + 37*float64(i)
			noise := 0.0
			if i%4 == 3 { // a quarter was queued behind others
				noise = rapid.Float64Range(0, 5000).Draw(t, "wait")
			}
			x, y = append(x, p), append(y, a+b*p+noise)
		}
		f := FitTTFT(x, y)
		testkit.Given(t, f.A.OK && f.B.OK && f.N == 60, "%+v", f)
		// Outliers on one side shift it by less than they would a least-squares line.
		testkit.Given(t, math.Abs(f.B.V-b) <= 1.5 && !math.IsNaN(f.A.V), "b %v, want %v", f.B.V, b)
		testkit.Given(t, f.Off.V >= 0 && (!f.R2.OK || f.R2.V >= 0 && f.R2.V <= 1), "off %v, r2 %v", f.Off, f.R2)
	})
	var x, y []float64
	for i := range 30 {
		x, y = append(x, float64(100*i+100)), append(y, 40+0.03*float64(100*i+100))
	}
	y[7], y[20] = 9000, 4000
	if f := FitTTFT(x, y); math.Abs(f.A.V-40) > 0.5 || math.Abs(f.B.V-0.03) > 0.0005 || f.N != 30 || f.Low != 100 ||
		f.High != 3000 || f.Off.V > 0.5 || f.R2.V < 0.99 {
		t.Errorf("%+v, want 40 + 0.03 a token, which explains nearly all", f)
	}
	for name, c := range map[string][2][]float64{
		"nothing":   {nil, nil},
		"few":       {{1, 2, 3}, {1, 2, 3}},
		"one place": {slices.Repeat([]float64{1000}, 20), slices.Repeat([]float64{50}, 20)},
		"NaN":       {slices.Repeat([]float64{math.NaN()}, 20), slices.Repeat([]float64{50}, 20)},
		"huge":      {{-1e308, 1e308, -1e308, 1e308, 1, 2, 3, 4, 5}, {1e308, -1e308, 1e308, -1e308, 1, 2, 3, 4, 5}},
	} {
		f := FitTTFT(c[0], c[1])
		for _, v := range []metrics.Value{f.A, f.B, f.Off, f.R2} {
			testkit.That(t, !math.IsNaN(v.V) && !math.IsInf(v.V, 0) && (name == "huge" || !v.OK && v.Why != 0),
				"%s: %+v", name, f)
		}
	}
}

// Prompt length does not explain a TTFT that is independent of it.
func TestFitExplains(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 2))
	var x, apart, half []float64
	for range 200 {
		n := 200 + 3800*rng.Float64()
		x = append(x, n)
		apart = append(apart, 100+50*rng.NormFloat64())
		half = append(half, 100+0.1*n+110*rng.NormFloat64())
	}
	// half of a normal lie within 0.674 of its deviation
	if f := FitTTFT(x, apart); f.R2.V > 0.1 || math.Abs(f.B.V) > 0.01 || math.Abs(f.Off.V-33.7) > 5 {
		t.Errorf("noise alone: %+v", f)
	}
	if f := FitTTFT(x, half); f.R2.V < 0.3 || f.R2.V > 0.95 || math.Abs(f.B.V-0.1) > 0.02 {
		t.Errorf("as much noise as slope: %+v", f)
	}
	if f := FitTTFT(x, slices.Repeat([]float64{5}, 200)); f.B.V != 0 || f.A.V != 5 || f.R2.OK || f.R2.Why == 0 {
		t.Errorf("a TTFT that is always the same has no spread to explain: %+v", f)
	}
}

// TestFitBends: where TTFT grows faster than the length, the line of most requests
// passes the longest by, and R² alone would not say so.
func TestFitBends(t *testing.T) {
	var x, y []float64
	for _, tokens := range []float64{1017, 4089, 16377, 63398} {
		for range 5 {
			x, y = append(x, tokens), append(y, 14+0.021*tokens+4e-7*tokens*tokens)
		}
	}
	if f := FitTTFT(x, y); !f.Bends() || f.Longest.V < 0.1 || f.R2.V < 0.8 {
		t.Errorf("%+v bends", f)
	}
	for i := range y {
		y[i] = 14 + 0.021*x[i]
	}
	if f := FitTTFT(x, y); f.Bends() || !f.Longest.OK || math.Abs(f.Longest.V) > 1e-9 {
		t.Errorf("%+v is a line", f)
	}
	if f := FitTTFT(x[:16], y[:16]); f.Longest.OK || f.Bends() {
		t.Errorf("of one longest prompt: %+v", f.Longest)
	}
}

// What is left of a ramp after two stretches is what is left after both
// together, and it ends at its end.
func TestDriveAfter(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		d := Drive{Rate: rapid.Float64Range(0.1, 100).Draw(t, "rate"), To: rapid.Float64Range(0.1, 100).Draw(t, "to"),
			Within: time.Minute}
		if rapid.Bool().Draw(t, "closed") {
			d = Drive{Users: rapid.IntRange(1, 300).Draw(t, "users"), To: float64(rapid.IntRange(1, 300).Draw(t, "to")),
				Within: time.Minute}
		}
		a := time.Duration(rapid.IntRange(0, 70).Draw(t, "a")) * time.Second
		b := time.Duration(rapid.IntRange(0, 70).Draw(t, "b")) * time.Second
		twice, once := d.After(a).After(b), d.After(a+b)
		if twice.Within != once.Within || twice.Ramps() != once.Ramps() || math.Abs(twice.From()-once.From()) > 1+1e-9 ||
			d.Open() && math.Abs(twice.From()-once.From()) > 1e-9 {
			t.Fatalf("%+v after %v and %v is %+v, after both %+v", d, a, b, twice, once)
		}
		if lo, hi := min(d.From(), d.To), max(d.From(), d.To); once.From() < lo-1e-9 || once.From() > hi+1e-9 {
			t.Fatalf("%+v is at %v after %v", d, once.From(), a+b)
		}
		end := d.After(time.Minute)
		testkit.Given(t, !end.Ramps() && end.From() == d.To && end.Open() == d.Open(), "%+v ends as %+v", d, end)
	})
	if d := (Drive{Users: 7}); d.After(time.Hour) != d {
		t.Error("a load without a ramp changes")
	}
}
