package load

import (
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/metrics/testkit"
	"tokscope/ui/chart"
	"tokscope/ui/draw"
	"tokscope/ui/screen"
)

// sent is a request of a scene: prompt and cached tokens as the server counts them,
// -1 for not reported, and its times in ms.
type sent struct {
	began          metrics.Stamp
	prompt, cached int
	ttft, tpot     float64
}

// endedOf is the list of the requests in that order.
func endedOf(all []sent) request.View {
	log := request.NewLog(0)
	for i, q := range all {
		m := metrics.NewMarks()
		m.Start, m.GotConn, m.Sent = q.began, q.began, q.began+1e6
		s := metrics.Stream{ID: i + 1, State: metrics.Done, Marks: m, Usage: metrics.NoUsage(), LiveTokens: -1,
			LastData: metrics.NoStamp, DataDeadline: metrics.NoStamp, Finish: "length"}
		at := m.Sent + metrics.Stamp(q.ttft*1e6)
		for k := range 40 {
			s.Text = append(s.Text, "word "...)
			s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: int32(k), Event: int32(k), Bytes: 190,
				TextEnd: int32(len(s.Text)), Tokens: 1, Kernel: true})
			at += metrics.Stamp(q.tpot * 1e6)
		}
		s.Marks.FirstByte, s.Marks.FirstEvent, s.Marks.End, s.Now = s.Chunks[0].At, s.Chunks[0].At, at, at
		s.Usage.Prompt, s.Usage.Cached, s.Usage.Completion, s.TokensFrom = q.prompt, q.cached, 40, metrics.TokensUsage
		f := metrics.Measure(&s, metrics.Options{})
		log.Add(request.RowOf(i+1, 1, &s, &f), request.Pack(&s))
	}
	return log.View()
}

// depths are 12 cold requests at each length, and as many with most of the prompt
// cached.
func depths(lengths ...int) (all []sent) {
	r := rand.New(rand.NewPCG(5, 5))
	began := metrics.Stamp(0)
	for _, n := range lengths {
		for i := range 24 {
			q := sent{began: began, prompt: n + r.IntN(n/20+1), tpot: (7 + float64(n)/4000) * (1 + 0.02*r.Float64())}
			if q.ttft = (40 + 0.08*float64(q.prompt)) * (1 + 0.1*r.Float64()); i%2 == 1 {
				q.cached = q.prompt * 9 / 10
				q.ttft = 40 + 0.1*(q.ttft-40)
			}
			all = append(all, q)
			began += 300e6
		}
	}
	return all
}

// lengthScene is a load of 8 users whose chart over the prompt length is shown.
func lengthScene(all []sent) *View {
	v := scene(8)
	v.Kind, v.Ended = Lengths, endedOf(all)
	return v
}

// uncached are the cold ones.
func uncached(all []sent) []sent {
	return slices.DeleteFunc(all, func(q sent) bool { return q.cached > 0 })
}

// The points and the fit are those of a reading of the requests one by one.
func TestLengthsAreThoseOfTheRequests(t *testing.T) {
	all := depths(500, 2000, 8000)
	v := lengthScene(all)
	n := &lengths{}
	n.follow(v)
	var prompts, ttfts []float64
	for _, q := range all {
		if q.cached == 0 {
			prompts, ttfts = append(prompts, float64(q.prompt)), append(ttfts, q.ttft)
		}
	}
	want := loadstat.FitTTFT(prompts, ttfts)
	near := func(a, b float64) bool { return math.Abs(a-b) <= 1e-3*math.Abs(b) } // chunks have whole nanoseconds
	if n.fit.N != len(prompts) || !near(n.fit.A.V, want.A.V) || !near(n.fit.B.V, want.B.V) || n.of != request.Cold {
		t.Errorf("the fit is %+v, want %+v", n.fit, want)
	}
	testkit.Given(t, len(n.by.Groups) == 3 && n.by.Requests == len(all) && n.prompts.low >= 500 && n.prompts.top <= 8400,
		"%d groups, %d requests, prompts %v", len(n.by.Groups), n.by.Requests, n.prompts)
	for i, length := range []float64{500, 2000, 8000} {
		var cold, speed []float64
		for _, q := range all {
			if float64(q.prompt) < length || float64(q.prompt) > 1.1*length {
				continue
			}
			if speed = append(speed, 1000/q.tpot); q.cached == 0 {
				cold = append(cold, float64(q.prompt)*1000/q.ttft)
			}
		}
		slices.Sort(cold)
		slices.Sort(speed)
		middle := func(x []float64) float64 { return (x[(len(x)-1)/2] + x[len(x)/2]) / 2 }
		if g := &n.by.Groups[i]; !near(g.Sides[request.Cold].Prefill.V, middle(cold)) || !near(g.Speed.V, middle(speed)) ||
			g.Speed.N != 24 {
			t.Errorf("at %v: prefill %+v, want %v; decode %+v, want %v", length, g.Sides[request.Cold].Prefill, middle(cold),
				g.Speed, middle(speed))
		}
	}
}

// A change of users begins the points anew. One of the workload does not, and the
// chart says that there was one.
func TestLengthsOfOneLoad(t *testing.T) {
	users := func(n int) *loadstat.Setting { return &loadstat.Setting{Drive: loadstat.Drive{Users: n}} }
	length := func(n int) *loadstat.Setting {
		s := users(8)
		s.Work.InputTokens = n
		return s
	}
	all := uncached(depths(500, 2000, 8000))
	third := all[len(all)*2/3].began
	for _, c := range []struct {
		name     string
		mark     loadstat.Mark
		requests int
		want     string
	}{
		{"users", loadstat.Mark{Kind: loadstat.MarkUsers, From: users(4), To: users(8)}, 12, "12 requests begun after 14 s"},
		{"length", loadstat.Mark{Kind: loadstat.MarkWork, From: length(2000), To: length(8000)}, 36,
			"36 requests, across 1 workload change"},
		{"model", loadstat.Mark{Kind: loadstat.MarkModel, From: users(8),
			To: &loadstat.Setting{Drive: loadstat.Drive{Users: 8}, Endpoint: metrics.Endpoint{Model: "b"}}}, 12,
			"12 requests begun after 14 s"},
		{"objectives", loadstat.Mark{Kind: loadstat.MarkObjectives, From: users(8), To: users(8)}, 36,
			"36 requests under this load"},
	} {
		v := lengthScene(all)
		c.mark.At = third
		v.Load.Marks = []loadstat.Mark{c.mark}
		pic, g := &picture{}, draw.New(79, 22)
		pic.Draw(g, g.Bounds(), v)
		if n := pic.now.lengths.by.Requests; n != c.requests || !strings.Contains(g.Plain(), c.want) {
			t.Errorf("%s: %d requests, want %d and %q in\n%s", c.name, n, c.requests, c.want, g.Plain())
		}
	}
}

// After a ramp only the requests that began after it count.
func TestLengthsAfterARamp(t *testing.T) {
	v := lengthScene(uncached(depths(500, 2000)))
	at := v.Ended.Row(12).Began
	v.Load.Path = append(v.Load.Path, loadstat.Point{From: 0, To: at, Users: 5, Ramp: &loadstat.Ramp{From: 1, To: 8}})
	n := &lengths{}
	if n.follow(v); n.by.Requests != 12 || n.since != at {
		t.Errorf("%d requests since %d, want 12 since %d", n.by.Requests, n.since, at)
	}
	v.Load.Drive = loadstat.Drive{Users: 5, To: 8, Within: 9e9}
	v.Load.Now += 2 * screen.FiguresEvery
	if n.follow(v); n.by.Requests != 24 || !n.ramps {
		t.Errorf("on the ramp: %d requests, ramps %v", n.by.Requests, n.ramps)
	}
}

// TestLengthsCostLittle holds that frames without an ended request read none, however
// many have ended, and what a frame costs in which requests have ended, with points,
// medians, fit and table: each its share of the budget.
func TestLengthsCostLittle(t *testing.T) {
	all := depths(200, 400, 800, 1600, 3200, 6400, 12_800, 25_600, 51_200)
	var views []request.View
	for n := 100; n < len(all); n += 4 {
		views = append(views, endedOf(all[:n]))
	}
	v := lengthScene(nil)
	s, frame := framesOf(v, 200, 50)
	for _, new := range []int{4, 0} {
		ended := func() {
			v.Ended = views[0]
			if new > 0 {
				views = views[1:]
			}
			frame(screen.FiguresEvery)
		}
		for range 5 { // until the last ones are in the fit
			ended()
		}
		before, version := s.now.lengths.by.Requests, s.now.lengths.version
		testkit.Allocates(t, 100, 20, ended, "a frame's share,", new, "new requests")
		testkit.Is(t, s.now.lengths.by.Requests-before, 21*new, "requests were added")
		testkit.That(t, new != 0 || s.now.lengths.version == version,
			"the points changed %d times without a request", s.now.lengths.version-version)
	}
}

// A chosen scale holds whatever the range: a key goes from the one that is shown to
// the other.
func TestLengthsScale(t *testing.T) {
	for _, c := range []struct {
		all  []sent
		log  bool
		want string
	}{
		{depths(1000, 4000, 16_000), false, "── log ──"}, // cached prompts are far faster
		{depths(1000, 4000, 16_000), true, "── linear ──"},
		{uncached(depths(1000, 4000)), false, "── linear ──"},
		{uncached(depths(1000, 4000)), true, "── log ──"},
	} {
		v := lengthScene(c.all)
		v.Log = c.log
		pic, g := &picture{}, draw.New(119, 38)
		pic.Draw(g, g.Bounds(), v)
		if n := &pic.now.lengths; !strings.Contains(g.Plain(), c.want) || v.logs(n) != (c.want == "── log ──") {
			t.Errorf("log %v: logs %v, want %q in\n%s", c.log, v.logs(n), c.want, g.Plain())
		}
	}
}

// The fit's curve is the prefill speed of its line, within its prompts alone.
func TestLengthsDrawTheFit(t *testing.T) {
	n := &lengths{fit: loadstat.TTFTFit{A: metrics.Known(50, 9), B: metrics.Known(0.1, 9), Low: 1000, High: 8000, N: 9}}
	var plot chart.Plot
	plot.X.Lengths(500, 20_000)
	n.drawFit(&plot)
	dashes := 0
	for _, q := range plot.Lines[0].Points {
		switch want := 1000 * q.X / (50 + 0.1*q.X); {
		case q.X < 999 || q.X > 8001:
			t.Errorf("a point at %v", q.X)
		case q.Y == -1:
			dashes++
		case math.Abs(q.Y-want) > 1e-6*want:
			t.Errorf("at %v: %v, want %v", q.X, q.Y, want)
		}
	}
	testkit.Is(t, dashes, fitDashes, "dashes")
	n.fit = loadstat.NoFit(3, metrics.Needs(8))
	plot.Lines = nil
	n.drawFit(&plot)
	testkit.Is(t, len(plot.Lines), 0, "an unknown fit is drawn")
}
