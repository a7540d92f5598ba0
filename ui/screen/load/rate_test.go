package load

import (
	"math"
	"math/rand/v2"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/draw"
	"tokscope/ui/say"
)

// openScene is an open loop that goes up to rate requests a second, at an
// endpoint that answers 8.4.
func openScene(rate float64) *View {
	const capacity = 8.4
	v := scene(16)
	l := &v.Load
	r := rand.New(rand.NewPCG(9, 9))
	l.Path = l.Path[:1]
	at := func(asked float64) loadstat.Point {
		done := min(asked, capacity)
		q := point(r, max(int(2*asked), 1), asked <= capacity)
		q.From, q.To = l.Now-20e9, l.Now
		q.Asked, q.Arrived, q.Rate = asked, metrics.Known(asked, int(20*asked)), metrics.Known(done, int(20*done))
		q.Requests, q.Failed = int(20*done), 0
		q.FromIntended = dist(q.TTFT.P50.V*max(asked/capacity*asked/capacity, 1), q.Requests)
		return q
	}
	for asked := 1.0; asked <= rate; asked = rateSteps.next(asked, 1) {
		l.Path = append(l.Path, at(asked))
	}
	l.Live = at(rate)
	l.Rate, l.Target = rate, 0
	l.Drive = loadstat.Drive{Rate: rate}
	for i := range l.Series {
		q := &l.Series[i]
		if i >= 45 {
			q.Rate, q.Arrived, q.Ended = rate, int(rate), int(min(rate, capacity))
			q.InFlight = 16 + float64(i-45)*max(rate-capacity, 0)
		}
	}
	v.Kind, v.Open, v.WantRate = Rates, true, rate
	return v
}

// rampScene is a load on a ramp from 1 to 100 users, after its first half.
func rampScene() *View {
	v := scene(1)
	l := &v.Load
	r := rand.New(rand.NewPCG(8, 8))
	slice := func(from, to float64) loadstat.Point {
		q := point(r, int(math.Round((from+to)/2)), false)
		q.Ramp, q.Why = &loadstat.Ramp{From: from, To: to}, loadstat.Unsteady{Code: loadstat.UnsteadyRamp}
		return q
	}
	for n := 1.0; n < 50; n += 5 {
		l.Path = append(l.Path, slice(n, n+5))
	}
	l.Live = slice(50, 53)
	l.Target, l.Users = 53, 53
	lanesOf(r, l, 53)
	l.Drive = loadstat.Drive{Users: 53, To: 100, Within: 28 * time.Second}
	v.Want = 53
	return v
}

// fallScene is a load that went up to 64 users and came back to 4, slower than
// before.
func fallScene() *View {
	v := scene(64)
	l := &v.Load
	for n := 32; n >= 4; n /= 2 {
		q := point(rand.New(rand.NewPCG(6, uint64(n))), n, true)
		q.Speed.V, q.Total.V = 0.7*q.Speed.V, 0.7*q.Total.V
		l.Path = append(l.Path, q)
	}
	l.Live = l.Path[len(l.Path)-1]
	l.Target, l.Users, l.Lanes, v.Want = 4, 4, l.Lanes[:4], 4
	return v
}

// overloadScene is an open loop above the capacity, whose users are all busy.
func overloadScene() *View {
	v := openScene(12)
	v.Load.Backlog, v.Load.Arrived = 37, 512
	return v
}

// The way up and the way down are two lines with marks of their own, and the
// turning point is on both.
func TestCourse(t *testing.T) {
	n := &figures{}
	for _, users := range []int{1, 2, 4, 8, 4, 2} {
		n.points = append(n.points, loadstat.Point{Users: users, Steady: true, Speed: metrics.Known(1, 1)})
	}
	n.points = append(n.points, loadstat.Point{Users: 5, Asked: 2, Speed: metrics.Known(1, 1)})
	n.closed.follow(n.points)
	of := func(line []int) (out []int) {
		for _, i := range line {
			out = append(out, n.points[i].Users)
		}
		return out
	}
	if up, down := of(n.closed.up), of(n.closed.down); !slices.Equal(up, []int{1, 2, 4, 8}) ||
		!slices.Equal(down, []int{2, 4, 8}) {
		t.Errorf("up %v, down %v", up, down)
	}
	n.rates.open = true
	if n.rates.follow(n.points); !slices.Equal(n.rates.up, []int{6}) || len(n.rates.down) > 0 {
		t.Errorf("rates up %v, down %v", n.rates.up, n.rates.down)
	}
}

// Both lines of the queue have their names in the chart, also where as many
// requests end as arrive.
func TestLinesOfTheQueueAreNamed(t *testing.T) {
	for _, size := range [][2]int{{100, 30}, {120, 40}, {200, 50}} {
		for _, equal := range []bool{false, true} {
			v := overloadScene()
			v.Kind = Queue
			for i := range v.Load.Series {
				if q := &v.Load.Series[i]; equal {
					q.Ended = q.Arrived
				}
			}
			_, text, _ := strings.Cut(frame(v, size[0], size[1]).Plain(), "arrive, end: req/s")
			text, _, _ = strings.Cut(text, "arrive above end")
			for _, name := range []string{"arrive", "end"} {
				testkit.That(t, strings.Contains(text, name), "%v, equal %v: no %q in\n%s", size, equal, name, text)
			}
		}
	}
}

// The rate's slider: every step has a column of its own, each column gives a
// rate that is drawn there, and fine steps go up and down again.
func TestRateSlider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		track := draw.Rect{X: 5, W: rapid.IntRange(20, 200).Draw(t, "w")}
		x := 5 + rapid.IntRange(0, track.W-1).Draw(t, "x")
		rate := rateSteps.at(track, x)
		if off := rateSteps.column(rate, track.W) + 5 - x; off < -1 || off > 1 {
			t.Fatalf("column %d of %d is %v, which is drawn %d columns away", x, track.W, rate, off)
		}
		up := rateFine(rate, 1)
		testkit.Given(t, (rate >= mostRate || up > rate) && up <= mostRate, "one more than %v is %v", rate, up)
		down := rateFine(rate, -1)
		testkit.Given(t, (rate <= leastRate || down < rate) && down >= leastRate, "one less than %v is %v", rate, down)
		s := rateSteps.next(rate, 1)
		testkit.Given(t, rate >= mostRate || s > rate, "a step above %v is %v", rate, s)
	})
	for _, c := range []struct {
		rate float64
		by   int
		want float64
	}{{12, 1, 13}, {12, -1, 11}, {1.2, 1, 1.3}, {1, -1, 0.99}, {0.1, -1, 0.1}, {1000, 1, 1000}, {99, 1, 100}} {
		testkit.Is(t, rateFine(c.rate, c.by), c.want, c.rate, "by", c.by)
	}
}

// A value of the slider never moves its track, however many digits a ramp has.
func TestTheTrackStays(t *testing.T) {
	for _, h := range []int{24, 30} {
		for _, want := range []float64{0.1, 1.987, 12, 12.34, 123.4, 999.9, 1000} {
			v := openScene(5)
			v.WantRate = want
			pic := &picture{}
			g := draw.New(79, h-2)
			pic.Draw(g, g.Bounds(), v)
			if pic.head.track.X != 13 {
				t.Errorf("%d rows, %v: the track begins at %d:\n%s", h, want, pic.head.track.X, g.Plain())
			}
		}
	}
}

// An open loop says what it does at 80 columns, whole: on a ramp too, and before
// it is steady.
func TestSentenceOfAnOpenLoopIsWhole(t *testing.T) {
	for _, ramp := range []bool{false, true} {
		v := openScene(5)
		q := &v.Load.Live
		q.Users, q.Steady = 255, false
		q.Speed, q.Total = metrics.Known(14.65, 9), metrics.Known(78, 9)
		if v.Load.Alone, v.Load.Path = nil, nil; ramp {
			q.Ramp, q.Asked = &loadstat.Ramp{From: 1.8, To: 1.9}, 1.85
		}
		row := strings.Join(strings.SplitN(frame(v, 80, 24).Plain(), "\n", 3)[:2], " ")
		if strings.Contains(row, "…") || !strings.Contains(row, "78.0") || !strings.HasSuffix(strings.TrimRight(row, " "),
			"not steady") {
			t.Errorf("ramp %v: %q", ramp, row)
		}
	}
}

// steered is a load of 16 users whose prompt was changed after 8 users, then its
// model and its objectives.
func steered() *View {
	v := scene(16)
	l := &v.Load
	first := loadstat.Setting{Work: l.Work, Endpoint: l.Endpoint, SLOs: l.SLOs, Drive: loadstat.Drive{Users: 8}}
	first.Endpoint.Model = "llama-3.1-8b"
	prompt := first
	prompt.Work.Name, prompt.Work.InputTokens = "custom", 4000
	model := prompt
	model.Endpoint.Model = "llama-3.1-70b"
	lax := model
	lax.SLOs = []slo.Objective{{Name: "ttft", Limit: 2000}}
	l.Setups = []loadstat.Setting{first, prompt, model}
	l.Setup = 2
	l.Marks = []loadstat.Mark{
		{At: l.Now - 45e9, Kind: loadstat.MarkWork, From: &first, To: &prompt}, {At: l.Now - 30e9, Kind: loadstat.MarkModel,
			From: &prompt, To: &model},
		{At: l.Now - 10e9, Kind: loadstat.MarkObjectives, From: &model, To: &lax},
	}
	l.Undo, l.Work, l.Endpoint, l.SLOs, l.Alone = &l.Marks[2], model.Work, model.Endpoint, lax.SLOs, nil
	for i := range l.Path { // 1, 2, 4, 8 with the first, 16 with the second
		if q := &l.Path[i]; q.Users > 8 {
			q.Setup, q.Speed.V, q.Total.V = 1, q.Speed.V*0.8, q.Total.V*0.8
		}
	}
	slow := &l.Live
	slow.Setup, slow.Speed.V, slow.Total.V = 2, slow.Speed.V*0.3, slow.Total.V*0.3
	return v
}

// Points of another work are in no line, knee or sentence of the present one.
func TestWorksAreNotMixed(t *testing.T) {
	v := steered()
	pic := &picture{}
	g := draw.New(119, 38)
	pic.Draw(g, g.Bounds(), v)
	n := &pic.now
	if len(n.points) != 1 || n.points[0].Setup != 2 || n.knee != 0 || len(n.works) != 2 ||
		n.works[0].points[0].Setup != 1 || len(n.works[1].points) != 4 {
		t.Errorf("%d points, knee %d, works %+v", len(n.points), n.knee, n.works)
	}
	testkit.Is(t, pic.now.works[0].name, "llama-3.1-8b", "the second work is called")
	testkit.Is(t, pic.now.works[1].name, "llama-3.1-8b, prompt 1k", "the first work is called")
}

// A change shows at once, not with the next figures.
func TestMarkIsDrawnAtOnce(t *testing.T) {
	v := steered()
	v.Kind = Timeline
	pic := &picture{}
	g := draw.New(119, 38)
	marks := v.Load.Marks
	v.Load.Marks = nil
	pic.Draw(g, g.Bounds(), v)
	v.Load.Marks = marks[:1]
	pic.Draw(g, g.Bounds(), v)
	testkit.Has(t, g.Plain(), say.MarkShort(&marks[0]))
}

// Each mark of a model, a prompt or objectives has a label, whole or its short word,
// and no label covers another.
func TestMarksAreLabeled(t *testing.T) {
	for _, size := range [][2]int{{120, 40}, {200, 50}} {
		v := steered()
		v.Kind = Timeline
		lax := *v.Load.Marks[2].To
		lax.SLOs = []slo.Objective{{Name: "ttft", Limit: 2000}, {Name: "tpot", Limit: 10}}
		v.Load.Marks[2].To, v.Load.Marks[2].At = &lax, v.Load.Now-40e9
		g := frame(v, size[0], size[1])
		for _, want := range []string{`╎ prompt( 4k)?\b`, `╎ (llama-\S*|model)[ ╎│]`, `╎ objectives\b`} {
			if !regexp.MustCompile(want).MatchString(g.Plain()) {
				t.Errorf("%v: no %s in\n%s", size, want, g.Plain())
			}
		}
	}
}

// TestALullIsSteered: between two requests of an open loop nothing is under way,
// and the load can be changed all the same.
func TestALullIsSteered(t *testing.T) {
	s := &Screen{}
	l := &s.view.Load
	l.Running, l.Rate, l.Undo = true, 2, &loadstat.Mark{Kind: loadstat.MarkRate}
	testkit.That(t, s.undoes() != nil && s.undoes().Kind == loadstat.MarkRate, "nothing can be taken back in a lull")
	l.Running = false
	testkit.Is(t, s.undoes(), nil, "an ended load is changed")
}
