package load

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// with is v after those changes.
func with(v *View, changes ...func(v *View, l *loadstat.View)) *View {
	for _, f := range changes {
		f(v, &v.Load)
	}
	return v
}

// over is v after the end of its load.
func over(v *View) *View {
	l := &v.Load
	l.Running, l.InFlight, l.Users, l.Target, l.Live.Users = false, 0, 0, 0, 68
	return v
}

// forecast is a limit of tokens that will be used up soon, or is.
func forecast(left int) metrics.LimitForecast {
	f := metrics.LimitForecast{Limit: 6000, Left: left, Reset: metrics.Known(45_000, 0), Pace: metrics.Known(39, 3),
		UsedUp: metrics.Known(23_000, 3), Outcome: metrics.LimitUsedUp, Answers: 3}
	if left == 0 {
		f.UsedUp = metrics.Known(0, 3)
	}
	return f
}

// TestSays holds what the screen says in a state at some sizes, and what it does not
// say there. Blanks and the frames of panels do not count.
func TestSays(t *testing.T) {
	type change = func(*View, *loadstat.View)
	const small, usual, large = "80x24", "120x40", "200x50"
	all := []string{small, usual, large}
	wide := []string{"80x40", "100x40", usual, large}
	kind := func(k Kind) change { return func(v *View, _ *loadstat.View) { v.Kind = k } }
	drive := func(d loadstat.Drive) change { return func(_ *View, l *loadstat.View) { l.Drive = d } }
	counts := func(n int) change {
		return func(v *View, l *loadstat.View) { l.InFlight = n; v.Poisson, l.Drive.Poisson = true, true }
	}
	alone := func(speed float64) change {
		return func(_ *View, l *loadstat.View) {
			l.Alone.Steady, l.Alone.Total = false, metrics.Known(speed, 3)
			l.Path[0] = *l.Alone
		}
	}
	failing := func(_ *View, l *loadstat.View) {
		l.Failed, l.Faults = 30, []metrics.FaultCount{{Kind: metrics.FaultHTTP, Status: 503, N: 30}}
		l.LastFault = &metrics.Fault{Kind: metrics.FaultHTTP, Status: 503,
			Message: "HTTP 503 Service Unavailable: over\x1bloaded"}
	}
	slowFail := func(_ *View, l *loadstat.View) {
		l.Live.TTFTFailed = metrics.WithFailuresOf([]float64{100, 150, 200, 250, 300, 350}, 4)
	}
	missed := func(_ *View, l *loadstat.View) {
		for _, p := range []*loadstat.Point{&l.Live, &l.Path[len(l.Path)-1]} {
			p.GoodShare, p.JudgedFailed, p.Misses = metrics.Known(0.7, 100), 30, nil
			for _, o := range l.SLOs {
				p.Misses = append(p.Misses, loadstat.Miss{SLO: o, N: 30})
			}
		}
	}
	noToken := func(_ *View, l *loadstat.View) {
		l.Running, l.Users, l.Broken, l.Path, l.Alone, l.Done, l.Sent = true, 4, metrics.Ending{}, nil, nil, 0, 20
		l.Live = loadstat.Point{Users: 4, Failed: 20, Total: metrics.Known(0, 0),
			Speed: metrics.Unknown(metrics.WhyNoLaterToken)}
		l.LastFault = &metrics.Fault{Kind: metrics.FaultRateLimit, Status: 429}
	}
	nothing := func(_ *View, l *loadstat.View) {
		l.Path, l.Alone, l.Done, l.Live = nil, nil, 0, loadstat.Point{Users: 4}
	}
	stops := func(_ *View, l *loadstat.View) { l.Ending, l.InFlight, l.Waiting = true, 11, metrics.Known(9, 0) }
	stopped := func(_ *View, l *loadstat.View) { l.Running, l.InFlight, l.Waiting = false, 0, metrics.Known(0, 0) }
	waits := func(backlog int) change {
		return func(_ *View, l *loadstat.View) { l.Waiting, l.Backlog = metrics.Known(174, 0), backlog }
	}
	asked := func(rate float64, ramp *loadstat.Ramp) change {
		return func(_ *View, l *loadstat.View) { l.Live.Asked, l.Live.Ramp = rate, ramp }
	}
	ramp := func(d loadstat.Drive) change { // of both kinds of loop, a second at a time
		return func(_ *View, l *loadstat.View) {
			for i := range l.Series {
				if level := 1 + 1.9503*float64(i-68); i >= 69 && d.Open() {
					l.Series[i].Rate = level
				} else if i >= 69 {
					l.Series[i].Users = int(level)
				}
			}
			l.Marks = []loadstat.Mark{{At: 69e9 + 2e8, Kind: loadstat.MarkUsers,
				From: &loadstat.Setting{Drive: loadstat.Drive{Users: 1}}, To: &loadstat.Setting{Drive: d}}}
			l.Drive = d
		}
	}
	started := func(_ *View, l *loadstat.View) {
		for i := range l.Lanes[8:] {
			l.Lanes[8+i].Stream = 0
		}
	}
	gaps := func(_ *View, l *loadstat.View) {
		l.Live.GapBins = metrics.NewHistogram(0.1, 1e5, 10)
		l.Live.GapBins.Add(0.13)
		l.Live.GapBins.Add(230)
	}
	limits := func(f metrics.LimitForecasts) change { return func(_ *View, l *loadstat.View) { l.Limits = f } }
	late := func(p99 time.Duration) change {
		return func(_ *View, l *loadstat.View) { l.Observer.LateP99 = p99 }
	}
	use := func(u metrics.Use) change { return func(_ *View, l *loadstat.View) { l.Observer.Use = u } }
	cores := metrics.Use{CPU: 0.31, Seconds: 5, Cores: 2}
	descriptors := cores
	descriptors.Descriptors, descriptors.DescriptorLimit = 118, 1024
	unmeasured := func(_ *View, l *loadstat.View) {
		l.Path = slices.DeleteFunc(l.Path, func(q loadstat.Point) bool { return q.Users == 8 || q.Users == 16 })
	}
	bounded := func(_ *View, l *loadstat.View) { // the median is among those that wait
		l.Live.FromIntended = metrics.Distribution(nil)
		l.Live.FromIntendedAtLeast = metrics.AtLeast{P50: metrics.Known(12_086, 900)}
	}
	few := loadstat.NoFit(5, metrics.Needs(8))
	prompts := func(change func(*sent)) []sent {
		list := depths(500, 4000)
		for i := range list {
			change(&list[i])
		}
		return list
	}
	for _, c := range []struct {
		name  string
		v     *View
		sizes []string
		has   []string
		not   []string
	}{
		{"counts are whole", with(sceneOf("starting"), func(_ *View, l *loadstat.View) {
			l.Budget.Tokens, l.Done, l.Live.Total = 0, 1, metrics.Known(0, 0)
		}), all[1:2], []string{"1 request 0 tokens"}, []string{"0.0 tokens"}},
		{"late", with(scene(8), late(2e6)), all[1:2], []string{"lag 2.00 ms (p99); requests leave late too"}, nil},
		{"in time", with(scene(8), late(2e5)), all[1:2], nil, []string{"requests leave late too"}},
		{"an impossible gain", with(scene(16), alone(1.3)), all[1:2], nil, []string{"×1"}},
		{"retried", with(scene(64), func(_ *View, l *loadstat.View) { l.Retried = 12 }), all[1:2],
			[]string{"0 of 661 failed 12 retried"}, nil},
		{"failures alone", with(sceneOf("refused"), nothing), all[1:2],
			[]string{"no request ended with figures", "20 of 20 failed: 20× server returned an error"}, nil},
		{"no token", with(sceneOf("refused"), noToken), all[1:2],
			[]string{"20 of 20 failed: 20× server returned an error", "no request has ended well"}, []string{"○ aggregate"}},
		{"started users", with(scene(32), started), all[1:2], []string{" 8 users, rising to 32: ", " 8 of 32 users "}, nil},
		{"not steady", with(scene(256), func(_ *View, l *loadstat.View) { l.Live.Steady, l.Live.To = false, 3e9 }),
			[]string{small},
			[]string{"from 1 to 256 users: 35x the tokens, 6.3x slower per user", "not certain yet"}, nil},
		{"a claim goes before figures", scene(64), []string{"40x12"},
			[]string{"from 1 to 64 users: 26x the tokens, 2.3x slower per user"}, nil},
		{"an open loop stands still in the closed one's charts", with(openScene(40), kind(Curve)), all[1:2],
			[]string{"╭ speed over users"}, nil},
		{"the scale of a distribution", with(scene(64), gaps), all[2:], []string{"scale 126 µs – 251 ms, log ▆"}, nil},
		{"goodput", with(scene(8), func(v *View, _ *loadstat.View) { v.Max = GoodputPanel }), all[1:2],
			[]string{"meet all, 1,020 tok/s", "fastest second 1,170 tok/s aggregate", "95 % per user 129–134 tok/s",
				"95 % aggregate – (the parts of the window are correlated: it varies slowly)"}, nil},

		{"one user's hollow figures",
			with(scene(64), func(_ *View, l *loadstat.View) { l.Alone, l.Path[0].Steady = nil, false }),
			all[1:2], []string{"at 64 users vs 1 (settling)"}, nil},
		{"no room for it", scene(20), all[1:2], nil, []string{"all users: waiting"}},
		{"the last peak", with(scene(64), func(_ *View, l *loadstat.View) { l.Running = false }), all[1:],
			[]string{"last peak "}, []string{"peak now"}},
		{"measured lines", scene(64), wide, nil, []string{"⠤ ⠤", "coming down"}},
		{"a guessed line", with(scene(64), unmeasured), wide, []string{"⠤ ⠤ not"}, nil},
		{"that on the frontier", with(scene(64), unmeasured, kind(Frontier)), wide, []string{"⠤ ⠤ not"}, nil},

		{"tokens soon used up", with(scene(16), limits(metrics.LimitForecasts{Tokens: forecast(900)})), all[1:2],
			[]string{" failed tokens used up in 23 s "}, nil},
		{"requests soon used up", with(scene(16), limits(metrics.LimitForecasts{Requests: forecast(900)})), all[1:2],
			[]string{" failed requests used up in 23 s "}, nil},
		{"no tokens left", with(scene(16), limits(metrics.LimitForecasts{Tokens: forecast(0)})), all[1:2],
			[]string{" failed 0 tokens left for 45 s "}, nil},
		{"a limit soon, small", with(scene(16), limits(metrics.LimitForecasts{Tokens: forecast(900)})), all[:1],
			[]string{" failed limit in 23 s "}, nil},
		{"a limit, small", with(scene(16), limits(metrics.LimitForecasts{Tokens: forecast(0)})), all[:1],
			[]string{" failed limit used up "}, nil},
		{"the last failure, small", with(scene(16), failing), all[:1], []string{"30 of 323 failed: 30× HTTP 503"},
			[]string{"\x1b"}},
		{"the last failure", with(scene(16), failing), all[1:], []string{"30 of 323 failed: 30× HTTP 503"}, []string{"\x1b"}},
		{"its words", with(scene(16), failing), all[2:],
			[]string{" last: HTTP 503 Service Unavailable: over␛loaded"}, nil},
		{"failures are no slow TTFT", with(scene(16), missed), all[:2],
			[]string{"✓ ttft 100 % ✓ tpot 100 %", "too many requests fail, at 16 users"}, nil},
		{"they have a share", with(scene(16), missed), all[1:2], []string{"30 of 100 failed in this window"}, nil},
		{"TTFT with them, small", with(scene(16), slowFail), all[:1], []string{"TTFT✗ 325 ms p90 > all"},
			[]string{"alone TTFT"}},
		{"TTFT with them", with(scene(16), slowFail), all[1:], []string{"✗ with failures", "TTFT✗ p50 325 ms p90 > all"},
			nil},
		{"TTFT with them, a rate", with(openScene(40), slowFail), all[1:2],
			[]string{"sched p50", "TTFT✗ p50 325 ms p90 > all"}, nil},
		{"TTFT with them, a rate, small", with(openScene(40), slowFail), all[:1], []string{"TTFT✗ 325 ms p90 > all"}, nil},
		{"no failure", scene(16), all, nil, []string{"TTFT✗", "with failures"}},
		{"cores", with(scene(8), use(cores)), all[1:2], []string{"· 0.310 of 2 cores"}, nil},
		{"descriptors", with(scene(8), use(descriptors)), all[2:], []string{"· 0.310 of 2 cores · 118 of 1,024 descriptors"},
			nil},
		{"a busy machine", with(scene(8), use(metrics.Use{CPU: 1.9, Seconds: 5, Cores: 2}), func(_ *View, l *loadstat.View) {
			l.ClientLimits = loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: 7.42}
		}), all[1:2], []string{"requests leave 7.42 ms late · CPU 95 %"}, nil},

		{"unsent", overloadScene(), all[2:], []string{"37 due and unsent " + strings.Repeat("·", 37) + " "}, nil},
		{"unsent, and at the server", with(overloadScene(), waits(37)), all[2:],
			[]string{"37 due and unsent, 174 wait at the server ········"}, nil},
		{"none unsent", with(overloadScene(), waits(0)), all[1:2], []string{"0 due and unsent, 174 wait at the server"}, nil},
		{"a wait of more than", with(openScene(40), bounded), []string{small, "100x30"}, []string{"sched ≥12.0 s p99 –"},
			[]string{"12.1"}},
		{"that in full", with(openScene(40), bounded), all[1:2], []string{"sched p50 ≥12.0 s p99 –"}, nil},
		{"before the first second", with(overloadScene(), kind(Queue), func(_ *View, l *loadstat.View) { l.Series = nil }),
			all[1:2],
			[]string{"arrive, end: req/s"}, nil},
		{"it stops, small", with(overloadScene(), stops), all[:1],
			[]string{"no more requests arrive: 2 running, 9 waiting", "stopping 11 still run"}, []string{"users are busy"}},
		{"it stops", with(overloadScene(), stops), []string{"160x50"}, []string{"stopping 11 still run",
			"2 running, 9 waiting; " +
				"at 12 req/s: 8.40 ended a second while 12.0 arrived; the queue grew by 3.60 a second"},
			[]string{"users are busy"}},
		{"it has ended", with(overloadScene(), stopped), all[1:2],
			[]string{"at 12 req/s: 8.40 ended a second while 12.0 arrived; the queue grew by 3.60 a second"},
			[]string{"users are busy"}},
		{"idle, a rate", with(sceneOf("idle"), func(v *View, _ *loadstat.View) { v.Open, v.WantRate = true, 12 }), all[1:2],
			[]string{"space starts 12 requests a second of 1k in · up to 200 tokens, until x stops them"}, nil},

		{"a rate", with(openScene(5), asked(19.52, nil)), all, []string{"at 19.52 req/s"}, nil},
		{"a slice of a ramp", with(openScene(5), asked(19.52, &loadstat.Ramp{From: 18.54, To: 20.5})), all,
			[]string{"at 19.5 req/s"}, nil},
		{"another", with(openScene(5), asked(2, &loadstat.Ramp{From: 1, To: 3})), all, []string{"at 2 req/s"}, nil},
		{"where a ramp leads", with(openScene(12), drive(loadstat.Drive{Rate: 12, To: 40, Within: 28e9})),
			[]string{small, large},
			[]string{"ramp to 40/s in 28 s"}, nil},
		{"in short", with(openScene(12), drive(loadstat.Drive{Rate: 12, To: 40, Within: 28e9})), all[1:2],
			[]string{"to 40 in 28 s"}, nil},
		{"far", with(openScene(12), drive(loadstat.Drive{Rate: 12, To: 1000, Within: 90 * time.Minute})), all[1:2],
			[]string{"to 1,000"}, nil},
		{"of users", with(rampScene(), drive(loadstat.Drive{Users: 12, To: 40, Within: 28e9})), all[1:2],
			[]string{"to 40 in 28 s", "○ not steady"}, []string{"○ not yet"}},
		{"no interval of a slice",
			with(rampScene(), func(_ *View, l *loadstat.View) { l.Live.SpeedInterval = loadstat.Interval{} }),
			all[1:2], []string{"95 % – not steady"}, nil},
		{"the mark of a ramp", with(scene(1), kind(Timeline), ramp(loadstat.Drive{Rate: 1, To: 40, Within: 20e9})), all[2:],
			[]string{"╎ 1 → 40/s"}, []string{"2.95"}},
		{"one of users", with(scene(1), kind(Timeline), ramp(loadstat.Drive{Users: 1, To: 40, Within: 20e9})), all[2:],
			[]string{"╎ 1 → 40"}, []string{"2.95"}},

		{"a slow load", with(scene(8), func(_ *View, l *loadstat.View) { l.Live.Rate = metrics.Known(0.769, 8) }),
			[]string{"100x30"}, []string{"0.769 req/s"}, nil},
		{"Poisson, small", with(openScene(5), counts(11)), []string{small, "100x30"}, []string{"Poisson"}, nil},
		{"Poisson", with(openScene(5), counts(11)), all[1:2], []string{"at random (Poisson)", "11 requests under way"}, nil},
		{"many", with(openScene(5), counts(1024)), []string{"100x30", usual}, []string{"running 1024 waiting"}, nil},
		{"ended, small", over(scene(8)), all[:1], []string{"users 8 ┬", "5.11 req/s"}, nil},
		{"ended", over(scene(8)), all[1:2], []string{"completed 5.11 req/s"}, nil},
		{"an open loop, ended", over(with(openScene(40), func(v *View, _ *loadstat.View) { v.Want = 1 })), all[1:2],
			[]string{"requests a second, evenly spaced", "0 requests under way"}, nil},

		{"works before, small", with(steered(), kind(Frontier)), all[:1],
			[]string{"· llama-3.1-8b", "16 users", "dim: earlier"}, nil},
		{"works before", with(steered(), kind(Frontier)), all[1:],
			[]string{"llama-3.1-8b", "16 users", "llama-3.1-8b, prompt 1k", "dim: before a change"}, nil},
		{"works over time", with(steered(), kind(Timeline)), all[1:2], []string{"prompt", "╎ llama-…╎",
			"a change: users, rate, workload, model, endpoint or objectives"}, nil},
		{"works and an objective", with(steered(), func(_ *View, l *loadstat.View) { l.SLOs = pair }),
			[]string{small, "100x30", usual, large},
			[]string{"● steady ○ not yet", "dim: ", "50"}, nil},
		{"a recorded load", with(steered(), func(v *View, _ *loadstat.View) { v.Replay = &loadstat.Replay{} }), all[2:],
			[]string{"last change: objectives ttft ≤ 500 ms and tpot ≤ 20 ms → ttft ≤ 2 s", "llama-3.1-8b"}, nil},

		{"a fit", varied(8, fitted(12.3, 0.0221, 0.978, 200)), all[2:],
			[]string{"TTFT = 12.3 ms + 22.1 ms/1k prompt tokens R² 0.98 n 200"}, nil},
		{"it falls", varied(8, fitted(300, -0.0021, 0, 200)), all[1:2], []string{"300 ms − 2.10 ms/1k R² 0"}, nil},
		{"it begins below nothing", varied(8, fitted(-4, 0.062, 0.999, 200)), all[1:2],
			[]string{"−4.00 ms + 62.0 ms/1k R² 0.99"}, nil},
		{"too few for it", varied(8, &few), all[2:], []string{"TTFT by length: needs n ≥ 8"}, nil},
		{"one length", varied(8, nil), all[2:], nil, []string{"/1k"}},
		{"lengths, nothing ended", lengthScene(nil), all[:1],
			[]string{"waiting for the first request to finish", "over prompt length ─ 8 users"}, nil},
		{"no counts", lengthScene(prompts(func(q *sent) { q.prompt = -1 })), all[:1],
			[]string{"the server does not count", "of prompts)"}, nil},
		{"few", lengthScene(uncached(depths(500, 4000))[9:14]), all[:1], []string{"cold TTFT fit – (needs n ≥ 8), has 5"},
			nil},
		{"no word on the cache", lengthScene(prompts(func(q *sent) { q.cached = -1 })), all[1:2],
			[]string{"◆ cache not reported", " TTFT = "}, nil},
		{"lengths in ASCII", ascii(lengthScene(depths(1000, 4000, 16_000))), all[1:2],
			[]string{"medians * cold o warm x decode : a request", "1k", "5k", "20k"}, nil},
	} {
		for _, size := range c.sizes {
			var w, h int
			if _, err := fmt.Sscanf(size, "%dx%d", &w, &h); err != nil {
				t.Fatal(err)
			}
			text := plain(c.v, w, h)
			for _, want := range c.has {
				if !strings.Contains(text, want) {
					t.Errorf("%s, %s: no %q in\n%s", c.name, size, want, frame(c.v, w, h).Plain())
				}
			}
			for _, word := range c.not {
				if strings.Contains(text, word) {
					t.Errorf("%s, %s: %q in\n%s", c.name, size, word, frame(c.v, w, h).Plain())
				}
			}
		}
	}
}

// From 72 columns on, every size shows the state of the load and the number of
// waiting requests in full.
func TestTheStateIsAlwaysThere(t *testing.T) {
	for state, set := range map[string]func(*loadstat.View){
		"● steady":     func(*loadstat.View) {},
		"○ not steady": func(l *loadstat.View) { l.Live.Steady = false },
		"▲ client":     func(l *loadstat.View) { l.ClientLimits = loadstat.ClientLimit{Code: "late"} },
		"held":         func(l *loadstat.View) { l.Holding = true },
		"failed":       func(l *loadstat.View) { l.Broken.Code, l.Running = metrics.EndingFailures, false },
	} {
		for _, w := range []int{80, 99, 101, 110, 117, 118, 119, 130} {
			for _, h := range []int{24, 33, 40} {
				v := scene(16)
				set(&v.Load)
				text := plain(v, w, h)
				if !strings.Contains(strings.Split(text, "per-user falls")[0], state) || !strings.Contains(text, "waiting 0") {
					t.Fatalf("%dx%d: no %q:\n%s", w, h, state, frame(v, w, h).Plain())
				}
			}
		}
	}
}
