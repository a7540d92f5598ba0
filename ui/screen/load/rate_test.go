package load

import (
	"math"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	_ "tokscope/metrics/testseed"
	"tokscope/themes"
	"tokscope/ui/draw"
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
	for asked := 1.0; asked <= rate; asked = RateStep(asked, 1) {
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
	if up, down := of(n.closed.up), of(n.closed.down); !equal(up, 1, 2, 4, 8) || !equal(down, 2, 4, 8) {
		t.Errorf("up %v, down %v", up, down)
	}
	n.rates.open = true
	if n.rates.follow(n.points); !equal(n.rates.up, 6) || len(n.rates.down) > 0 {
		t.Errorf("rates up %v, down %v", n.rates.up, n.rates.down)
	}
	text := frame(fallScene(), 120, 40).Plain()
	if !strings.Contains(text, "◀◁ coming down") || strings.Count(text, "◀") < 5 || strings.Count(text, "●") < 5 {
		t.Errorf("the path of a load that fell:\n%s", text)
	}
	if text = frame(scene(64), 120, 40).Plain(); strings.Contains(text, "coming down") {
		t.Errorf("a load that never fell:\n%s", text)
	}
}

func equal(have []int, want ...int) bool {
	if len(have) != len(want) {
		return false
	}
	for i := range have {
		if have[i] != want[i] {
			return false
		}
	}
	return true
}

// What arrives, ends and waits is on the screen, at 80x24 too, and TTFT from the
// schedule beside that from sending.
func TestQueueIsVisible(t *testing.T) {
	v := overloadScene()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		text := frame(v, size[0], size[1]).Plain()
		for _, want := range []string{"12.0 req/s arrive, 8.40 end: the queue grows by 3.60 a second", "37 unsent", "at 12 req/s"} {
			if !strings.Contains(text, want) {
				t.Errorf("%dx%d: no %q in\n%s", size[0], size[1], want, text)
			}
		}
		if !strings.Contains(text, "sched") {
			t.Errorf("%dx%d: no TTFT from the schedule in\n%s", size[0], size[1], text)
		}
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
				if !strings.Contains(text, name) {
					t.Errorf("%v, equal %v: no %q in\n%s", size, equal, name, text)
				}
			}
		}
	}
}

// Before the first second of an open loop there is no line to name.
func TestQueueWithoutASecond(t *testing.T) {
	v := overloadScene()
	v.Kind, v.Load.Series = Queue, nil
	if text := frame(v, 120, 40).Plain(); !strings.Contains(text, "arrive, end: req/s") {
		t.Errorf("no chart of the queue:\n%s", text)
	}
}

// The legend of the queue calls a mark a change: it may be one of the users.
func TestLegendOfTheQueue(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		v := overloadScene()
		v.Kind = Queue
		if text := frame(v, size[0], size[1]).Plain(); strings.Contains(text, "the rate changes") || size[0] > 80 && !strings.Contains(text, "╎ a change") {
			t.Errorf("%v: the legend:\n%s", size, text)
		}
	}
}

// The rate's slider: every step has a column of its own, each column gives a
// rate that is drawn there, and fine steps go up and down again.
func TestRateSlider(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		track := draw.Rect{X: 5, W: rapid.IntRange(20, 200).Draw(t, "w")}
		x := 5 + rapid.IntRange(0, track.W-1).Draw(t, "x")
		rate := rateAt(track, x)
		if off := rateColumn(rate, track.W) + 5 - x; off < -1 || off > 1 {
			t.Fatalf("column %d of %d is %v, which is drawn %d columns away", x, track.W, rate, off)
		}
		if up := RateFine(rate, 1); rate < mostRate && !(up > rate) || up > mostRate {
			t.Fatalf("one more than %v is %v", rate, up)
		}
		if down := RateFine(rate, -1); rate > leastRate && !(down < rate) || down < leastRate {
			t.Fatalf("one less than %v is %v", rate, down)
		}
		if s := RateStep(rate, 1); rate < mostRate && !(s > rate) {
			t.Fatalf("a step above %v is %v", rate, s)
		}
	})
	for _, c := range []struct {
		rate float64
		by   int
		want float64
	}{{12, 1, 13}, {12, -1, 11}, {1.2, 1, 1.3}, {1, -1, 0.99}, {0.1, -1, 0.1}, {1000, 1, 1000}, {99, 1, 100}} {
		if have := RateFine(c.rate, c.by); have != c.want {
			t.Errorf("%v by %d: %v, want %v", c.rate, c.by, have, c.want)
		}
	}
}

// What the slider that is not in use would be at is said, at every size.
func TestTheOtherSlider(t *testing.T) {
	poisson := func() *View {
		v := openScene(5)
		v.Poisson, v.Load.Drive.Poisson, v.Load.InFlight = true, true, 11
		return v
	}
	many := func() *View {
		v := openScene(5)
		v.Load.InFlight = 1024
		return v
	}
	slow := scene(8)
	slow.Load.Live.Rate = metrics.Known(0.769, 8)
	for _, c := range []struct {
		name string
		v    *View
		w, h int
		want []string
	}{
		{"slow", slow, 100, 30, []string{"0.769 req/s"}},
		{"slow", slow, 120, 40, []string{"0.769 requests a second end"}},
		{"closed", scene(8), 80, 24, []string{"users 8 ", "5.11 req/s"}},
		{"closed", scene(8), 100, 30, []string{"5.11 req/s", "◆"}},
		{"closed", scene(8), 120, 40, []string{"5.11 requests a second end", "95 % 129–134", "95 % – "}},
		{"closed", scene(8), 200, 50, []string{"5.11 requests a second end"}},
		{"open", openScene(5), 80, 24, []string{"req/s 5 ", "even"}},
		{"Poisson", poisson(), 80, 24, []string{"Poisson"}},
		{"Poisson", poisson(), 100, 30, []string{"Poisson", "running 11 waiting"}},
		{"Poisson", poisson(), 120, 40, []string{"at random (Poisson)", "11 requests under way"}},
		{"many", many(), 120, 40, []string{"1024 requests under way", "running 1024 waiting"}},
		{"many", many(), 100, 30, []string{"running 1024 waiting"}},
		{"starting", sceneOf("starting"), 120, 40, []string{"– requests a second end"}},
	} {
		text := plain(c.v, c.w, c.h)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %dx%d: no %q in\n%s", c.name, c.w, c.h, want, frame(c.v, c.w, c.h).Plain())
			}
		}
	}
}

// A value of the slider never moves its track, however many digits a ramp has.
func TestTheTrackStays(t *testing.T) {
	for _, h := range []int{24, 30} {
		for _, want := range []float64{0.1, 1.987, 12, 12.34, 123.4, 999.9, 1000} {
			v := openScene(5)
			v.WantRate = want
			pic := newPicture()
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
		row := strings.SplitN(frame(v, 80, 24).Plain(), "\n", 2)[0]
		if strings.Contains(row, "…") || !strings.Contains(row, "78.0") || !strings.HasSuffix(strings.TrimRight(row, " "), "not steady") {
			t.Errorf("ramp %v: %q", ramp, row)
		}
	}
}

// The lanes of an open loop have the queue in front of them: the requests that
// are due and not sent. A closed loop has none.
func TestUnsentIsInTheLanes(t *testing.T) {
	v := overloadScene()
	for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
		if text := plain(v, size[0], size[1]); !strings.Contains(text, "unsent ·····") {
			t.Errorf("%dx%d: no queue in the lanes:\n%s", size[0], size[1], frame(v, size[0], size[1]).Plain())
		}
	}
	if text := plain(v, 200, 50); !strings.Contains(text, "37 due and unsent "+strings.Repeat("·", 37)+" ") {
		t.Errorf("not 37 dots:\n%s", frame(v, 200, 50).Plain())
	}
	v.Load.Waiting = metrics.Known(174, 0)
	if text := plain(v, 200, 50); !strings.Contains(text, "37 due and unsent, 174 wait at the server ········") {
		t.Errorf("not those that wait at the server:\n%s", text)
	}
	v.Load.Backlog = 0
	if text := plain(v, 120, 40); !strings.Contains(text, "0 due and unsent, 174 wait at the server") {
		t.Errorf("an empty queue has no row:\n%s", text)
	}
	if text := plain(scene(16), 120, 40); strings.Contains(text, "unsent") {
		t.Errorf("a closed loop has a queue:\n%s", text)
	}
}

// A ramp says where it leads and in which time, at all sizes, however long both
// are.
func TestWhereARampLeads(t *testing.T) {
	for _, c := range []struct {
		d    loadstat.Drive
		w, h int
		want string
	}{
		{loadstat.Drive{Rate: 12, To: 40, Within: 28e9}, 80, 24, "ramp to 40/s in 28 s"},
		{loadstat.Drive{Rate: 12, To: 40, Within: 28e9}, 120, 40, "to 40 in 28 s"},
		{loadstat.Drive{Rate: 12, To: 40, Within: 28e9}, 200, 50, "ramp to 40/s in 28 s"},
		{loadstat.Drive{Rate: 12, To: 1000, Within: 90 * time.Minute}, 120, 40, "to 1,000"},
		{loadstat.Drive{Users: 12, To: 40, Within: 28e9}, 120, 40, "to 40 in 28 s"},
	} {
		v := rampScene()
		if v.Load.Drive = c.d; c.d.Open() {
			v = openScene(12)
			v.Load.Drive = c.d
		}
		if text := plain(v, c.w, c.h); !strings.Contains(text, c.want) {
			t.Errorf("%+v, %dx%d: no %q in\n%s", c.d, c.w, c.h, c.want, frame(v, c.w, c.h).Plain())
		}
	}
}

// The heading has the mean rate of a ramp's slice with three digits, and a rate
// that a person asked for exactly.
func TestHeadingOfARate(t *testing.T) {
	for _, c := range []struct {
		asked float64
		ramp  *loadstat.Ramp
		want  string
	}{
		{19.52, &loadstat.Ramp{From: 18.54, To: 20.5}, "at 19.5 req/s"},
		{2, &loadstat.Ramp{From: 1, To: 3}, "at 2 req/s"},
		{19.52, nil, "at 19.52 req/s"},
	} {
		v := openScene(5)
		v.Load.Live.Asked, v.Load.Live.Ramp = c.asked, c.ramp
		for _, size := range [][2]int{{80, 24}, {120, 40}, {200, 50}} {
			if text := plain(v, size[0], size[1]); !strings.Contains(text, c.want) {
				t.Errorf("%v: no %q in\n%s", size, c.want, text)
			}
		}
	}
}

// A ramp has no point that is steady, and none that becomes so.
func TestLegendOfARamp(t *testing.T) {
	v := rampScene()
	v.Load.Live.SpeedInterval = loadstat.Interval{} // slices have none
	if text := plain(v, 120, 40); !strings.Contains(text, "95 % – not steady") {
		t.Errorf("an unknown interval without its reason:\n%s", text)
	}
	if text := plain(rampScene(), 120, 40); !strings.Contains(text, "○ not steady") || strings.Contains(text, "○ not yet") {
		t.Errorf("the legend of a ramp:\n%s", text)
	}
}

// Where so many requests wait that the percentile lies among them, the panel has
// its lower bound in the place of "–" or of what the few say that ended. It is
// rounded down.
func TestLowerBoundOfTheWait(t *testing.T) {
	v := openScene(40)
	v.Load.Live.FromIntended = metrics.Distribution(nil)
	v.Load.Live.FromIntendedAtLeast = metrics.AtLeast{P50: metrics.Known(12_086, 900)}
	for _, size := range [][2]int{{120, 40}, {100, 30}, {80, 24}} {
		have := frame(v, size[0], size[1]).Plain()
		at := strings.Index(have, "sched")
		if at >= 0 && strings.HasPrefix(have[at:], "sched:") { // the title
			at += 6 + strings.Index(have[at+6:], "sched")
		}
		row, _, _ := strings.Cut(have[max(at, 0):], "\n")
		if !strings.Contains(row, "≥12.0 s") || strings.Contains(row, "12.1") || !strings.Contains(row, "p99       –") && !strings.Contains(row, "p99        –") {
			t.Errorf("%v: %q in\n%s", size, row, have)
		}
	}
}

// A load that has not begun says what space starts: users, or a rate.
func TestSpaceStartsWhatTheSliderSays(t *testing.T) {
	v := sceneOf("idle")
	find := func(want string) {
		t.Helper()
		if text := frame(v, 120, 40).Plain(); !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	find("space starts with 1 user")
	v.Open, v.WantRate = true, 12
	find("space starts with 12 requests a second")
}

// A load that stops, and one that has ended, say nothing of requests that arrive. The
// state counts the requests that run, not the users that the load keeps to its end.
func TestNothingArrivesAfterAStop(t *testing.T) {
	v := overloadScene()
	l := &v.Load
	l.Ending, l.InFlight, l.Waiting = true, 11, metrics.Known(9, 0)
	for size, want := range map[[2]int]string{{80, 24}: "no more requests arrive: 2 running, 9 waiting", {160, 50}: "2 running, 9 waiting; at 12 req/s: 8.40 ended a second while 12.0 arrived; the queue grew by 3.60 a second"} {
		if text := plain(v, size[0], size[1]); !strings.Contains(text, want) || !strings.Contains(text, "stopping 11 still run") || strings.Contains(text, "users are busy") {
			t.Errorf("%v: no %q in\n%s", size, want, frame(v, size[0], size[1]).Plain())
		}
	}
	l.Ending, l.Running, l.InFlight, l.Waiting = false, false, 0, metrics.Known(0, 0)
	if text := plain(v, 120, 40); !strings.Contains(text, "at 12 req/s: 8.40 ended a second while 12.0 arrived; the queue grew by 3.60 a second") || strings.Contains(text, "users are busy") {
		t.Errorf("an ended load:\n%s", frame(v, 120, 40).Plain())
	}
}

// A slider that does not set the load shows what is measured, dim, and what sets
// the load stays on the screen. After the end the small slider keeps its value.
func TestTheSliderThatDoesNotSetTheLoad(t *testing.T) {
	users := func() *View { // an open loop, with the chart of a closed one
		v := openScene(40)
		v.Kind, v.Open, v.Load.InFlight = Curve, false, 68
		return v
	}
	many := func() *View {
		v := users()
		v.Load.Rate, v.Load.Drive.Rate, v.WantRate, v.Load.InFlight = 1000, 1000, 1000, 1024
		return v
	}
	rates := func(rate float64, users int) func() *View { // the other way round
		return func() *View {
			v := scene(8)
			v.Kind, v.Open, v.WantRate, v.Want, v.Load.Live.Rate = Rates, true, 1, users, metrics.Known(rate, 8)
			return v
		}
	}
	ended := func(v *View) func() *View {
		return func() *View {
			l := &v.Load
			l.Running, l.InFlight, l.Users, l.Target, l.Live.Users = false, 0, 0, 0, 68
			return v
		}
	}
	rate := openScene(40)
	rate.Want = 1
	for _, c := range []struct {
		name string
		v    func() *View
		w, h int
		want []string
	}{
		{"users", users, 40, 12, []string{"users 68 at 40 req/s ┬"}},
		{"users", users, 80, 24, []string{"users 68 ┬", "at 40 req/s 1"}},
		{"users", users, 100, 30, []string{"users 68 ┬", "at 40 req/s 1"}},
		{"users", users, 120, 40, []string{"╭ users busy, at 40 req/s ─", "█▀▀ █▀█ ┬──", "the load is at 40 req/s"}},
		{"many", many, 80, 24, []string{"users 1024 ┬", "at 1000/s 1"}},
		{"many", many, 120, 40, []string{"╭ users busy, at 1000 req/s ─", "the load is at 1000 req/s"}},
		{"rates", rates(0.423, 8), 40, 12, []string{"req/s 0.42 at 8 users"}},
		{"rates", rates(0.423, 8), 80, 24, []string{"req/s 0.42 ━", "at 8 users 0.1"}},
		{"rates", rates(0.423, 8), 120, 40, []string{"╭ requests a second that end, at 8 users ─", "█▀█ █ █ ▀▀█ ━━", "the load is at 8 users"}},
		{"rates", rates(0.042, 1024), 80, 24, []string{"req/s 0.04 ◆", "1024 users 0.04"}},
		{"rates", rates(0.002, 8), 80, 24, []string{"req/s – ┬"}},
		{"closed, ended", ended(scene(8)), 80, 24, []string{"users 8 ┬", "5.11 req/s"}},
		{"closed, ended", ended(scene(8)), 120, 40, []string{"5.11 requests a second end"}},
		{"open, ended", ended(rate), 120, 40, []string{"requests a second, evenly spaced", "68 users were busy"}},
	} {
		text := plain(c.v(), c.w, c.h)
		for _, want := range c.want {
			if !strings.Contains(text, want) {
				t.Errorf("%s, %dx%d: no %q in\n%s", c.name, c.w, c.h, want, frame(c.v(), c.w, c.h).Plain())
			}
		}
	}
	g := frame(users(), 120, 40)
	if x, y := find(t, g.Plain(), "█▀▀ █▀█"); y != 1 {
		t.Errorf("the big number is in row %d:\n%s", y, g.Plain())
	} else if _, st := g.At(x, y); st != themes.Dim {
		t.Errorf("the measured number looks like a setting:\n%s", g.Plain())
	}
}
