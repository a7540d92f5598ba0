package say

import (
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/format"
)

func TestLoadSentence(t *testing.T) {
	alone := &loadstat.Point{Users: 1, Steady: true, Speed: metrics.Known(149, 3)}
	live := loadstat.Point{Users: 64, Steady: true, Total: metrics.Known(4114, 0), Speed: metrics.Known(65.2, 64)}
	for _, c := range []struct {
		name string
		set  func(*loadstat.View)
		want string
	}{
		{"the sentence", func(v *loadstat.View) {}, "64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: 149"},
		{"hollow", func(v *loadstat.View) { v.Live.Steady = false },
			"64 users: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"estimated", func(v *loadstat.View) { v.Live.Estimated = true },
			"64 users: 65.2 tok/s per user, 4,110 tok/s aggregate (tokens estimated); 1 user: 149"},
		{"nobody alone", func(v *loadstat.View) { v.Alone = nil },
			"64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: not measured"},
		{"one", func(v *loadstat.View) { v.Live = *alone; v.Live.Total = metrics.Known(141, 0) },
			"1 user: 149 tok/s per user, 141 tok/s aggregate"},
		{"slow", func(v *loadstat.View) { v.Live.Speed = metrics.Known(0.4321, 3) },
			"64 users: 0.432 tok/s per user, 4,110 tok/s aggregate; 1 user: 149"},
		{"begun", func(v *loadstat.View) {
			v.Live.Total, v.Live.Speed = metrics.Unknown(metrics.WhyNoCount), metrics.Unknown(metrics.WhyNoCount)
			v.Live.Steady = false
		}, "64 users: not measured yet; 1 user: 149"},
		{"held back", func(v *loadstat.View) { v.Live.Speed = metrics.Unknown(metrics.WhyAtOnce) },
			"64 users: 4,110 tok/s aggregate, answers came all at once; 1 user: 149"},
		{"open", func(v *loadstat.View) { v.Live.Asked, v.Live.Users, v.InFlight = 2.5, 3, 7 },
			"2.5 req/s asked for, 7 under way: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: 149"},
		{"queue", func(v *loadstat.View) {
			v.Live = loadstat.Point{Users: 80, Asked: 12, Arrived: metrics.Known(12, 240), Rate: metrics.Known(8.4, 168),
				Requests: 168, To: 20e9, Total: v.Live.Total, Speed: v.Live.Speed}
		}, "12.0 req/s arrive, 8.40 end: the queue grows by 3.60 a second; 65.2 tok/s per user, 4,110 tok/s aggregate, " +
			"not steady"},
		{"no end yet", func(v *loadstat.View) {
			v.Live = loadstat.Point{Users: 300, Asked: 60, Warmup: true, Arrived: metrics.Known(60, 600),
				Rate: metrics.Known(0, 0), To: 10e9}
			v.InFlight = 612
		}, "60.0 req/s arrive, none has ended yet: 612 under way; not measured yet"},
		{"few ends yet, of the rate before", func(v *loadstat.View) {
			v.Live = loadstat.Point{Users: 300, Asked: 60, Warmup: true, Arrived: metrics.Known(60, 600),
				Rate: metrics.Known(1.2, 12), Requests: 12, To: 10e9}
			v.InFlight = 612
		}, "60.0 req/s arrive, 1.20 end so far: 612 under way; not measured yet"},
		{"backlog", func(v *loadstat.View) {
			v.Live = loadstat.Point{Users: 64, Asked: 12, Arrived: metrics.Known(12, 240), Rate: metrics.Known(12, 240),
				Requests: 240, To: 20e9}
			v.Backlog, v.Users = 37, 64
		}, "12.0 req/s arrive, 12.0 end; 37 wait: all 64 users are busy; not measured yet"},
		{"ramp of users", func(v *loadstat.View) { v.Live.Ramp, v.Live.Steady = &loadstat.Ramp{From: 60, To: 68}, false },
			"64 users on a ramp: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"ramp of the rate", func(v *loadstat.View) {
			v.InFlight = 7
			v.Live.Ramp, v.Live.Steady, v.Live.Asked, v.Live.Users = &loadstat.Ramp{From: 5, To: 6}, false, 5.5, 7
		}, "5.50 req/s on a ramp, 7 under way: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"a part of a ramp that has ended", func(v *loadstat.View) {
			v.Sent = 9
			v.Running, v.Live.Ramp, v.Live.Steady, v.Live.Users = false, &loadstat.Ramp{From: 14.5, To: 16}, false, 15
		}, "14.5–16 users on a ramp: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"a part of a ramp of the rate that has ended", func(v *loadstat.View) {
			v.Sent = 9
			v.Running, v.Live.Ramp, v.Live.Steady, v.Live.Asked, v.Live.Users = false, &loadstat.Ramp{From: 5, To: 6}, false,
				5.5, 7
		}, "at 5–6 req/s on a ramp: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"leaving", func(v *loadstat.View) { v.Live.Users, v.Live.Steady, v.Users, v.Target = 32, false, 118, 32 },
			"118 users, falling to 32: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"leaving to one", func(v *loadstat.View) { v.Live.Users, v.Live.Steady, v.Users, v.Target = 1, false, 3, 1 },
			"3 users, falling to 1: 65.2 tok/s per user, 4,110 tok/s aggregate, not steady; 1 user: 149"},
		{"on hold", func(v *loadstat.View) { v.Holding, v.Live.Steady, v.InFlight = true, false, 12 },
			"64 users on hold, 12 requests under way; 1 user: 149"},
		{"alone but not steady", func(v *loadstat.View) {
			v.Path, v.Alone = []loadstat.Point{{Users: 1, Speed: metrics.Known(148, 2)}}, nil
		}, "64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: 148 (settling)"},
		{"never", func(v *loadstat.View) { v.Began = metrics.NoStamp }, "no load yet"},
	} {
		v := loadstat.View{Running: true, Live: live, Alone: alone}
		c.set(&v)
		is(t, Load(&v).String(), c.want)
	}
	testkit.Is(t, Load(nil).String(), "no load yet", "nil view")
}

// TestAnswers holds what is said of answers without a pace, and of those that waited for
// an end marker.
func TestAnswers(t *testing.T) {
	const held, open = " came all at once: left out of per-user speed, TPOT and gaps",
		" had no end marker and left the connection open: each then waited in silence, so the aggregate is too low"
	for want, p := range map[string]loadstat.Point{
		"":                              {TTFT: metrics.Dist{N: 9}},
		"1 of 9 answers" + held:         {AtOnce: 1, TTFT: metrics.Dist{N: 9}},
		"1 of 1 answer" + held:          {AtOnce: 1, TTFT: metrics.Dist{N: 1}},
		"1,200 of 3,000 answers" + held: {AtOnce: 1200, TTFT: metrics.Dist{N: 3000}},
		"4 of 4 answers" + open:         {LeftOpen: 4, TTFT: metrics.Dist{N: 4}},
		"2 of 8 answers" + held + "; 8 of 8 answers" + open: {AtOnce: 2, LeftOpen: 8, TTFT: metrics.Dist{N: 8}},
	} {
		is(t, strings.Join(Answers(&p), "; "), want)
	}
}

// A load that stops says what is left of it, and an open loop that has ended is
// written in the past tense. Neither calls requests under way that have ended.
func TestLoadSentenceOfAStoppedLoad(t *testing.T) {
	grew := loadstat.Point{Users: 512, Asked: 40, Arrived: metrics.Known(40, 800), Rate: metrics.Known(4.62, 92),
		Requests: 92, To: 20e9, Total: metrics.Known(974, 0), Speed: metrics.Known(22.8, 92)}
	fits := grew
	fits.Asked, fits.Arrived, fits.Requests, fits.Steady = 4, metrics.Known(4, 80), 80, true
	none := loadstat.Point{Users: 300, Asked: 60, Warmup: true, Arrived: metrics.Known(60, 600),
		Rate: metrics.Known(0, 0), To: 10e9}
	few := none
	few.Requests, few.Rate = 12, metrics.Known(1.2, 12)
	closed := loadstat.Point{Users: 8, Steady: true, Total: metrics.Known(1026, 0), Speed: metrics.Known(131, 64)}
	for _, c := range []struct {
		name   string
		live   loadstat.Point
		ending bool
		width  int
		want   string
	}{
		{"stopping", grew, true, 999,
			"no more requests arrive: 36 running, 961 waiting; at 40 req/s: 4.60 ended a second while 40.0 arrived; the " +
				"queue grew by 35.4 a second; 22.8 tok/s per user, 974 tok/s aggregate, not steady"},
		{"stopping, 119 columns", grew, true, 119,
			"no more requests arrive: 36 running, 961 waiting; at 40 req/s: 4.60 ended a second; the queue grew by 35.4 a " +
				"second"},
		{"stopping, 78 columns", grew, true, 78, "no more requests arrive: 36 running, 961 waiting"},
		{"ended", grew, false, 999,
			"at 40 req/s: 4.60 ended a second while 40.0 arrived; the queue grew by 35.4 a second; 22.8 tok/s per user, 974 " +
				"tok/s aggregate, not steady"},
		{"ended, 119 columns", grew, false, 119,
			"at 40 req/s: 4.60 ended a second while 40.0 arrived; the queue grew by 35.4 a second; 22.8 tok/s per user, not " +
				"steady"},
		{"ended, 78 columns", grew, false, 78, "at 40 req/s: 4.60 ended a second; the queue grew by 35.4 a second"},
		{"ended within the capacity", fits, false, 999, "at 4 req/s: 22.8 tok/s per user, 974 tok/s aggregate"},
		{"stopping within the capacity", fits, true, 119,
			"no more requests arrive: 36 running, 961 waiting; at 4 req/s: 22.8 tok/s per user, 974 tok/s aggregate"},
		{"none ended", none, false, 78, "at 60 req/s: none had ended while 60.0 a second arrived"},
		{"few ended", few, false, 78, "at 60 req/s: 1.20 ended a second while 60.0 arrived"},
		{"stopping, closed loop", closed, true, 999,
			"no more requests start: 36 running, 961 waiting; 8 users: 131 tok/s per user, 1,030 tok/s aggregate; 1 user: " +
				"not measured"},
	} {
		v := loadstat.View{Sent: 1100, Live: c.live, Rate: c.live.Asked, Users: 1024, Backlog: 93}
		if c.ending {
			v.Running, v.Ending, v.InFlight, v.Waiting = true, true, 997, metrics.Known(961, 0)
		}
		is(t, Load(&v).Fit(c.width), c.want)
	}
	v := loadstat.View{Sent: 9, Live: fits, Running: true, Ending: true, InFlight: 12,
		Waiting: metrics.Unknown(metrics.WhyNoQueue)}
	is(t, Load(&v).Fit(60), "no more requests arrive: 12 under way")
	v = loadstat.View{Running: true, Live: fits, InFlight: 7}
	is(t, Load(&v).String(), "4 req/s asked for, 7 under way: 22.8 tok/s per user, 974 tok/s aggregate")
}

// While users join or leave, the sentence has their present and their future number,
// and says how many requests the aggregate belongs to. So it does of an open loop,
// and where far fewer run than there are users.
func TestLoadSentenceOfAChangingLoad(t *testing.T) {
	point := func(users int, running, speed, total float64) loadstat.Point {
		return loadstat.Point{Users: users, Running: metrics.Known(running, 0), Speed: metrics.Known(speed, 9),
			Total: metrics.Known(total, 0)}
	}
	open := point(30, 43.2, 22.8, 974)
	open.Asked = 20
	ramp := point(8, 9, 123, 500)
	ramp.Ramp = &loadstat.Ramp{From: 7, To: 9}
	steady := point(64, 58, 65.2, 4114)
	steady.Steady = true
	const idle = 24
	joining := make([]loadstat.Lane, 32) // the users of a load exist at once and begin one after the other
	for i := range joining[idle:] {
		joining[idle+i].Stream = i + 1
	}
	for _, c := range []struct {
		name  string
		v     loadstat.View
		width int
		want  string
	}{
		{"rising", loadstat.View{Running: true, Users: 32, Target: 32, Lanes: joining, Live: point(32, 4.1, 123, 500)}, 999,
			"8 users, rising to 32: 123 tok/s per user, 500 tok/s aggregate with 4.10 running on average, not steady; 1 " +
				"user: not measured"},
		{"rising, 78 columns", loadstat.View{Running: true, Users: 32, Target: 32, Lanes: joining,
			Live: point(32, 4.1, 123, 500)}, 78, "8 users, rising to 32: 123 tok/s per user, not steady"},
		{"rising by one", loadstat.View{Running: true, Users: 1, Target: 2, Live: point(2, 1, 140, 139)}, 60,
			"1 user, rising to 2: 140 tok/s per user, not steady"},
		{"falling", loadstat.View{Running: true, Users: 8, Target: 1, Live: point(1, 10, 138, 1380)}, 999,
			"8 users, falling to 1: 138 tok/s per user, 1,380 tok/s aggregate with 10.0 running on average, not steady; 1 " +
				"user: not measured"},
		{"a ramp of users is said by itself", loadstat.View{Running: true, Users: 8, Target: 9, Live: ramp}, 999,
			"8 users on a ramp: 123 tok/s per user, 500 tok/s aggregate, not steady; 1 user: not measured"},
		{"constant", loadstat.View{Running: true, Users: 64, Target: 64, Live: steady}, 999,
			"64 users: 65.2 tok/s per user, 4,110 tok/s aggregate; 1 user: not measured"},
		{"most wait", loadstat.View{Running: true, Users: 64, Target: 64, Live: point(64, 16, 65.2, 1043)}, 999,
			"64 users: 65.2 tok/s per user, 1,040 tok/s aggregate with 16.0 running on average, not steady; 1 user: not " +
				"measured"},
		{"open", loadstat.View{Running: true, Users: 50, InFlight: 22, Live: open}, 999,
			"20 req/s asked for: 22.8 tok/s per user, 974 tok/s aggregate with 43.2 running on average, not steady"},
		{"open, 78 columns", loadstat.View{Running: true, Users: 50, InFlight: 22, Live: open}, 78,
			"20 req/s asked for: 22.8 tok/s per user, 974 tok/s aggregate, not steady"},
		{"open, ended", loadstat.View{Sent: 900, Users: 50, Live: open}, 999,
			"at 20 req/s: 22.8 tok/s per user, 974 tok/s aggregate with 43.2 running on average, not steady"},
	} {
		is(t, Load(&c.v).Fit(c.width), c.want)
	}
}

// Failures of a load go first, all of one base: the requests that have ended. Where none
// ended well there is nothing else to say. Nothing of an ended load is awaited.
func TestLoadSentenceOfFailures(t *testing.T) {
	limits := []metrics.FaultCount{{Kind: metrics.FaultRateLimit, Status: 429, N: 6}, {Kind: metrics.FaultReset, N: 1}}
	none := loadstat.Point{Users: 4, Failed: 7, Total: metrics.Known(0, 0),
		Speed: metrics.Unknown(metrics.WhyNoLaterToken)}
	unknown := loadstat.Point{Users: 4, Total: metrics.Unknown(metrics.WhyJustBegun),
		Speed: metrics.Unknown(metrics.WhyNoLaterToken)}
	part := loadstat.Point{Users: 4, Failed: 7, Total: metrics.Known(31, 0),
		Speed: metrics.Unknown(metrics.WhyNoLaterToken)}
	open := none
	open.Asked, open.Arrived, open.Rate, open.To = 12, metrics.Known(12, 240), metrics.Known(0, 0), 20e9
	const all = "7 of 7 failed: 6× HTTP 429, 1× connection broke"
	for _, c := range []struct {
		name string
		v    loadstat.View
		want string
	}{
		{"all", loadstat.View{Running: true, Sent: 7, Failed: 7, Faults: limits, Live: none}, all},
		{"all, ended", loadstat.View{Sent: 7, Failed: 7, Faults: limits, Live: none}, all},
		{"before the first window", loadstat.View{Running: true, Sent: 7, Failed: 7, Faults: limits, Live: unknown}, all},
		{"some under way", loadstat.View{Running: true, Sent: 10, Failed: 7, Faults: limits, Live: none}, all},
		{"one", loadstat.View{Sent: 1, Failed: 1, Faults: limits[1:], Live: none}, "1 of 1 failed: 1× connection broke"},
		{"of two statuses", loadstat.View{Running: true, Sent: 17, Done: 9, Failed: 8, Live: part,
			Faults: []metrics.FaultCount{{Kind: metrics.FaultRateLimit, Status: 429, N: 6},
				{Kind: metrics.FaultHTTP, Status: 500, N: 2}}},
			"8 of 17 failed: 6× HTTP 429, 2× HTTP 500; 4 users: 31.0 tok/s aggregate, per user not known yet, not steady; 1 " +
				"user: not measured"},
		{"since a change", loadstat.View{Running: true, Sent: 90, Done: 80, Failed: 10, Faults: limits, Live: none},
			"10 of 90 failed: 6× HTTP 429, 1× connection broke; 4 users: none of 7 in this window ended well; 1 user: not " +
				"measured"},
		{"without their kinds", loadstat.View{Sent: 7, Failed: 7, Live: none}, "7 of 7 failed"},
		{"with tokens, ended", loadstat.View{Sent: 9, Failed: 7, Faults: limits, Live: part},
			all + "; 4 users: 31.0 tok/s aggregate, per user not known, not steady; 1 user: not measured"},
		{"no figure, ended", loadstat.View{Sent: 9, Live: unknown}, "4 users: not measured; 1 user: not measured"},
		{"open", loadstat.View{Sent: 240, Failed: 240, Live: open},
			"240 of 240 failed; at 12 req/s: 0.350 ended a second while 12.0 arrived; the queue grew by 11.7 a second"},
	} {
		is(t, Load(&c.v).String(), c.want)
	}
	v := loadstat.View{Sent: 7, Failed: 7, Faults: limits, Live: none}
	is(t, Load(&v).Fit(40), "7 of 7 failed")
}

// A sentence that is too long loses whole words, never a part of a word or a
// number.
func TestLoadFits(t *testing.T) {
	v := loadstat.View{Running: true, Live: loadstat.Point{Users: 256, Total: metrics.Known(10913, 0),
		Speed: metrics.Known(43, 9)}, Alone: &loadstat.Point{Users: 1, Steady: true, Speed: metrics.Known(149, 3)}}
	for _, c := range []struct {
		width int
		want  string
	}{
		{92, "256 users: 43.0 tok/s per user, 10,900 tok/s aggregate, not steady; 1 user: 149"},
		{79, "256 users: 43.0 tok/s per user, 10,900 tok/s aggregate, not steady; 1 user: 149"},
		{74, "256 users: 43.0 tok/s per user, 10,900 aggregate, not steady; 1 user: 149"},
		{70, "256 users: 43.0 tok/s per user, 10,900 tok/s aggregate, not steady"},
	} {
		is(t, Load(&v).Fit(c.width), c.want)
	}
	v.Live.Users, v.Live.Total, v.Live.Estimated = 4, metrics.Unknown(metrics.WhyNoCount), true
	is(t, Load(&v).Fit(79), "4 users: 43.0 tok/s per user (tokens estimated), not steady; 1 user: 149")
}

var numbers = regexp.MustCompile(`<?[0-9][0-9,]*(\.[0-9]+)?M?`)

// Every number in the sentence is a figure of the points, with the same
// digits. None is NaN, and unsteady or estimated figures are named as such.
func TestLoadSentenceProperty(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		v := loadstat.View{Running: true, Live: drawPoint(t)}
		if rapid.Bool().Draw(t, "alone") {
			p := drawPoint(t)
			v.Alone = &p
		}
		line := Load(&v).String()
		if strings.Contains(line, "NaN") || strings.Contains(line, "Inf") {
			t.Fatal(line)
		}
		shown := v.Live.Total.OK || v.Live.Speed.OK
		if shown && strings.Contains(line, "not steady") == v.Live.Steady || shown &&
			strings.Contains(line, "estimated") != v.Live.Estimated {
			t.Fatal(line)
		}
		want := []float64{float64(v.Live.Users)}
		for _, x := range []metrics.Value{v.Live.Speed, v.Live.Total} {
			if x.OK {
				want = append(want, x.V)
			}
		}
		if v.Live.Users != 1 && v.Alone != nil && v.Alone.Speed.OK {
			want = append(want, v.Alone.Speed.V)
		}
		got := numbers.FindAllString(strings.Replace(line, "; 1 user: ", "; ", 1), -1)
		testkit.Need(t, len(got), len(want), line, "holds … numbers")
		for i, s := range got {
			testkit.Given(t, s == format.Number(want[i]) || s == format.Whole(want[i]), "%q: %s stands for %v", line, s, want[i])
		}
	})
}

// drawPoint draws a point of a load, of which figures may be unknown.
func drawPoint(t *rapid.T) loadstat.Point {
	value := func(name string) metrics.Value {
		v := rapid.OneOf(rapid.Float64Range(0, 1e6), rapid.Just(0.0)).Draw(t, name)
		if rapid.Bool().Draw(t, name+" known") {
			return metrics.Known(v, 3)
		}
		return metrics.Unknown(metrics.WhyNoCount)
	}
	return loadstat.Point{
		Users: rapid.IntRange(1, 512).Draw(t, "users"), Steady: rapid.Bool().Draw(t, "steady"),
		Total: value("total"), Speed: value("speed"), Estimated: rapid.Bool().Draw(t, "estimated"),
	}
}

// The sentence on a replayed load keeps its doubt where which load it is needs room.
func TestLoadReplaySentenceKeepsTheDoubt(t *testing.T) {
	p := loadstat.Point{Users: 4, From: 1, To: 2, Speed: metrics.Known(79.6, 9), Total: metrics.Known(268, 9), Requests: 9}
	v := loadstat.View{Users: 4, Target: 4, Live: p, Path: []loadstat.Point{p}, Sent: 9}
	for width := 78; width < 140; width++ {
		s := LoadReplay(&v, &loadstat.Replay{Index: 2, Count: 3}).Fit(width)
		testkit.That(t, strings.HasPrefix(s, "load 2 of 3, ") && strings.Contains(s, "not steady") && len([]rune(s)) <= width,
			"in %d columns: %q", width, s)
	}
}

// A cut of a stopping load says how many requests it ends, and names leaving users
// only where users leave.
func TestLoadCut(t *testing.T) {
	leaving := func(n int) *loadstat.View {
		v := &loadstat.View{Running: true, Target: 2, Users: 2 + n, InFlight: 2 + n, Lanes: make([]loadstat.Lane, 2+n)}
		for i := range n {
			v.Lanes[2+i].Leaving = true
		}
		return v
	}
	for want, v := range map[string]*loadstat.View{
		"1,180 requests were cut":               {Running: true, Ending: true, Rate: 40, Users: 1200, InFlight: 1180},
		"1 request was cut":                     {Running: true, Ending: true, Users: 8, InFlight: 1},
		"no request was under way":              {Running: true, Ending: true, Users: 8},
		"48 requests of leaving users were cut": leaving(48),
		"1 request of a leaving user was cut":   leaving(1),
	} {
		is(t, LoadCut(v), want)
	}
}

// TestStart holds what a load that has not begun would be.
func TestStart(t *testing.T) {
	const work = "1k in · up to 200 tokens"
	for want, s := range map[string]Start{
		"space starts 1 user of " + work + "; each asks again and again until x stops it": {Drive: loadstat.Drive{Users: 1},
			Work: work},
		"space starts 12.5 requests a second of " + work +
			", until x stops them": {Drive: loadstat.Drive{Rate: 12.5}, Work: work},
		"space starts 64 users on api.example.com of " + work + "; each asks again and again until x stops it; " +
			"a round is up to about 76,800 tokens": {loadstat.Drive{Users: 64}, work, "api.example.com", 1200},
		"space starts 1 request a second on groq of " + work +
			", until x stops them; a minute is up to about 72,000 tokens": {
			loadstat.Drive{Rate: 1}, work, "groq", 1200},
	} {
		is(t, s.Sentence().String(), want)
	}
}

// steadyAt is a steady point with figures that hardly vary.
func steadyAt(users int, speed, total, ttft float64) loadstat.Point {
	around := func(v float64) []float64 { return []float64{v * 0.98, v, v, v, v, v, v, v * 1.02} }
	narrow := func(v float64) loadstat.Interval {
		return loadstat.Interval{Low: metrics.Known(0.99*v, 20), High: metrics.Known(1.01*v, 20)}
	}
	return loadstat.Point{Users: users, Steady: true, To: 20e9, Requests: 8, Speed: metrics.Known(speed, 8),
		Total: metrics.Known(total, 0),
		TPOT:  metrics.Distribution(around(1000 / speed)), TTFT: metrics.Distribution(around(ttft)),
		SpeedInterval: narrow(speed), TotalInterval: narrow(total)}
}

// TestLoadTitle holds that title and sentence say what the curves do, and nothing before
// they do it.
func TestLoadTitle(t *testing.T) {
	one := steadyAt(1, 149, 140, 31)
	for _, c := range []struct {
		name      string
		points    []loadstat.Point
		title, at string // the sentence at the last of them
	}{
		{"before any", nil, "speed over users", ""},
		{"one", []loadstat.Point{one}, "speed over users", "1 user: 149 tok/s per user, 140 tok/s aggregate"},
		{"a batch", []loadstat.Point{one, steadyAt(64, 57.3, 3500, 66)}, "per-user falls, aggregate rises",
			"from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35.0 ms; 57.3 tok/s per user, 3,500 tok/s " +
				"aggregate"},
		{"a queue", []loadstat.Point{steadyAt(1, 54.6, 36, 124), steadyAt(8, 54.3, 36, 4710)},
			"more users add nothing: requests queue, TTFT 124 ms → 4.71 s",
			"from 1 to 8 users: no more tokens, as fast per user, requests queue, TTFT 124 ms → 4.71 s; 54.3 tok/s per user, " +
				"36.0 tok/s aggregate"},
		{"a queue from eight on", []loadstat.Point{steadyAt(1, 54, 50, 124), steadyAt(8, 54, 400, 130),
			steadyAt(64, 54, 400, 9000)},
			"more than 8 users add nothing: requests queue, TTFT 130 ms → 9.00 s",
			"from 1 to 64 users: 8.0x the tokens, as fast per user, TTFT +8.88 s; 54.0 tok/s per user, 400 tok/s aggregate"},
		{"flat, but for noise", []loadstat.Point{one, steadyAt(2, 145, 146, 33)}, "more users add nothing",
			"from 1 to 2 users: no more tokens, as fast per user; 145 tok/s per user, 146 tok/s aggregate"},
		{"overload", []loadstat.Point{one, steadyAt(256, 4, 90, 9000)}, "per-user and aggregate fall",
			"from 1 to 256 users: 0.64x the tokens, 37x slower per user, TTFT +8.97 s; 4.00 tok/s per user, 90.0 tok/s " +
				"aggregate"},
	} {
		v := loadstat.View{Running: true, Path: c.points}
		if n := len(c.points); n > 0 {
			v.Live = c.points[n-1]
			v.Users, v.Target = v.Live.Users, v.Live.Users
			is(t, Load(&v).String(), c.at)
		}
		is(t, LoadTitle(&v).String(), c.title)
	}
	// requests that wait are not in TTFT yet
	queued := loadstat.View{Running: true, Users: 8, Target: 8, InFlight: 8, Now: 30e9, Sent: 12, Chunks: 9,
		Path: []loadstat.Point{one},
		Live: loadstat.Point{Users: 8, Speed: metrics.Known(54.5, 0), Total: metrics.Known(36.4, 0)}}
	for i := range 8 {
		queued.Lanes = append(queued.Lanes, loadstat.Lane{User: i + 1, Stream: i + 1, State: loadstat.LaneNoToken,
			Since: metrics.Stamp(9+i) * 1e9})
	}
	queued.Lanes[7].State = loadstat.LaneDecoding
	is(t, Load(&queued).String(), "7 of 8 requests have no token yet, the longest for 21 s; 1 user waited 31.0 ms; "+
		"8 users: 54.5 tok/s per user, 36.4 tok/s aggregate, not steady")
	v := loadstat.View{Running: true, Users: 64, Target: 64, Path: []loadstat.Point{one}, Live: steadyAt(64, 57.3, 3500,
		66)}
	v.Live.Steady, v.Live.Why = false, loadstat.Unsteady{Code: loadstat.UnsteadyFew, N: 5, Of: 64}
	is(t, Load(&v).String(), "from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35.0 ms; not certain yet: "+
		"5 requests measured, 64 needed; 57.3 tok/s per user, 3,500 tok/s aggregate")
	is(t, Load(&v).Fit(100), "from 1 to 64 users: 25x the tokens, 2.6x slower per user, TTFT +35.0 ms; not certain yet")
	is(t, LoadTitle(&v).String(), "speed over users")
}

// Every kind of change has words, and text from outside is harmless in them.
func TestMarks(t *testing.T) {
	base := loadstat.Setting{Work: metrics.Workload{Name: "1k in", Prompt: "a", InputTokens: 1000, MaxTokens: 200},
		Endpoint: metrics.Endpoint{Name: "demo", Model: "a"}, Drive: loadstat.Drive{Users: 8}}
	for _, x := range []struct {
		long, short, undone string
		change              func(s *loadstat.Setting)
	}{
		{"prompt 1k → 4k", "prompt 4k", "prompt back to 1k", func(s *loadstat.Setting) { s.Work.InputTokens = 4000 }},
		{"prompt 1k → 512", "prompt 512", "prompt back to 1k", func(s *loadstat.Setting) { s.Work.InputTokens = 512 }},
		{"prompt 1k → 200..4000", "prompt 200..4000", "prompt back to 1k",
			func(s *loadstat.Setting) { s.Input = metrics.Lengths{Low: 200, High: 4000} }},
		{"prompt 1k in → chat", "prompt chat", "prompt back to 1k in",
			func(s *loadstat.Setting) { s.Work.Name, s.Work.InputTokens = "chat", 0 }},
		{"prompt 1k → as typed", "prompt as typed", "prompt back to 1k",
			func(s *loadstat.Setting) { s.Work.InputTokens = 0 }},
		{"prompt edited", "prompt edited", "undone: prompt edited", func(s *loadstat.Setting) { s.Work.Prompt = "b" }},
		{"answer 200 → 800", "answer 800", "answer back to 200", func(s *loadstat.Setting) { s.Work.MaxTokens = 800 }},
		{"answer 200 → open", "answer open", "answer back to 200", func(s *loadstat.Setting) { s.Work.MaxTokens = 0 }},
		{"workload", "workload", "undone: workload", func(s *loadstat.Setting) { s.Work.Connection = metrics.ReuseCold }},
		{"model a → default", "default", "model back to a", func(s *loadstat.Setting) { s.Endpoint.Model = "" }},
		{"model a → b␛[2Jc", "b␛[2Jc", "model back to a", func(s *loadstat.Setting) { s.Endpoint.Model = "b\x1b[2Jc" }},
		{"endpoint demo → groq", "groq", "endpoint back to demo", func(s *loadstat.Setting) { s.Endpoint.Name = "groq" }},
		{"users 8 → 64", "users 64", "users back to 8", func(s *loadstat.Setting) { s.Users = 64 }},
		{"rate 8 users → 2.5/s Poisson", "rate 2.5/s Poisson", "back to 8 users",
			func(s *loadstat.Setting) { s.Users, s.Rate, s.Poisson = 0, 2.5, true }},
		{"objectives none → ttft ≤ 500 ms", "objectives ttft ≤ 500 ms", "objectives back to none",
			func(s *loadstat.Setting) { s.SLOs = []slo.Objective{{Name: "ttft", Limit: 500}} }},
	} {
		to := base
		x.change(&to)
		m := loadstat.Mark{Kind: loadstat.Difference(&base, &to), From: &base, To: &to}
		if long, short := Mark(&m), MarkShort(&m); long != x.long || short != x.short {
			t.Errorf("%q, %q; want %q, %q", long, short, x.long, x.short)
		}
		is(t, Undone(&m), x.undone)
		if m.Undo = true; Mark(&m) != x.long+" (undo)" {
			t.Errorf("an undo is %q", Mark(&m))
		}
	}
	open := base
	open.Users, open.Rate = 0, 12
	is(t, Undone(&loadstat.Mark{Kind: loadstat.MarkRate, From: &open, To: &base}), "rate back to 12/s")
	open.To, open.Within = 40, 20e9
	is(t, Undone(&loadstat.Mark{Kind: loadstat.MarkRate, From: &open, To: &base}), "rate back to 12/s to 40/s in 20.0 s")
	other := base
	other.Endpoint = metrics.Endpoint{Name: "groq", Model: "b"}
	other.Work.InputTokens = 512
	is(t, Setup(&other, &base), "groq, b, prompt 512")
	is(t, Setup(&base, &base), "")
}
