package loadgen

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
)

// A load changes between users and a rate while it runs: no request is
// canceled, the path grows, and SetDrive restores what was before.
func TestClosedToOpenAndBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(200*time.Millisecond, 20*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 41)
		time.Sleep(10 * time.Second)
		was := l.SetDrive(loadstat.Drive{Rate: 7, Poisson: true})
		testkit.Is(t, was, loadstat.Drive{Users: 4}, "before")
		time.Sleep(10 * time.Second)
		if v := l.View(); v.Rate != 7 || !v.Drive.Poisson || v.Live.Asked != 7 || len(v.Path) != 1 || v.Path[0].Users != 4 ||
			v.Target != 0 {
			t.Errorf("open: rate %v, %+v, path %d", v.Rate, v.Drive, len(v.Path))
		}
		was = l.SetDrive(was)
		testkit.Is(t, was, loadstat.Drive{Rate: 7, Poisson: true}, "open")
		time.Sleep(5 * time.Second)
		v := l.View()
		if v.Cancelled != 0 || v.Failed != 0 || v.Users != 4 || v.InFlight != 4 || v.Live.Users != 4 || v.Live.Asked != 0 ||
			len(v.Path) != 2 || v.Path[1].Asked != 7 {
			t.Errorf("closed again: %d canceled, %d failed, %d users, %d under way, path %d", v.Cancelled, v.Failed, v.Users,
				v.InFlight, len(v.Path))
		}
		finish(l)
	})
}

// Whatever a person does to the slider, the load is what it says in the end,
// and no request is canceled.
func TestDriveAnyOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		type change struct {
			holds, hold bool
			drive       loadstat.Drive
			lasts       time.Duration
		}
		users := rapid.IntRange(1, 8).Draw(rt, "users")
		changes := rapid.SliceOfN(rapid.Custom(func(rt *rapid.T) (c change) {
			switch c.drive = (loadstat.Drive{Users: rapid.IntRange(1, 12).Draw(rt, "users")}); rapid.IntRange(0, 3).Draw(rt,
				"kind") {
			case 1:
				c.drive = loadstat.Drive{Rate: rapid.Float64Range(0.5, 60).Draw(rt, "rate"), Poisson: rapid.Bool().Draw(rt,
					"poisson")}
			case 2:
				c.drive.To, c.drive.Within = rapid.Float64Range(1, 12).Draw(rt, "to"), 5*time.Second
			case 3:
				c.holds, c.hold = true, rapid.Bool().Draw(rt, "hold")
			}
			c.lasts = time.Duration(rapid.IntRange(0, 3000).Draw(rt, "ms")) * time.Millisecond
			return c
		}), 1, 8).Draw(rt, "changes")
		// rapid cannot stop the goroutine of a bubble: it draws before and is told after.
		var wrong []string
		errorf := func(format string, args ...any) { wrong = append(wrong, fmt.Sprintf(format, args...)) }
		synctest.Test(t, func(t *testing.T) {
			f := newFake(100*time.Millisecond, 20*time.Millisecond)
			l := closed(f, Shape{Drive: loadstat.Drive{Users: users}}, 11)
			var d loadstat.Drive
			for _, c := range changes {
				if c.holds {
					l.Hold(c.hold)
				}
				d = c.drive
				l.SetDrive(d)
				time.Sleep(c.lasts)
			}
			l.Hold(false)
			d.To, d.Within = 0, 0
			l.SetDrive(d)
			time.Sleep(4 * time.Second)
			v := l.View()
			seen := map[int]bool{}
			for _, n := range v.Lanes {
				if seen[n.User] {
					errorf("two users are number %d", n.User)
				}
				seen[n.User] = true
			}
			if v.Cancelled != 0 || d.Rate == 0 && (v.Users != d.Users || v.InFlight != d.Users) || d.Rate > 0 && v.Backlog > 1 {
				errorf("%+v: %d users, %d under way, %d canceled, %d wait", d, v.Users, v.InFlight, v.Cancelled, v.Backlog)
			}
			sent := func() float64 { // now: a view may be 32 ms old
				f.mu.Lock()
				defer f.mu.Unlock()
				return float64(len(f.starts))
			}
			if d.Rate > 0 { // as many as its rate says
				before := sent()
				time.Sleep(20 * time.Second)
				if n, want := sent()-before, 20*d.Rate; !d.Poisson && math.Abs(n-want) > 1 ||
					math.Abs(n-want) > 6*math.Sqrt(want)+1 {
					errorf("%+v: %v requests in 20 s", d, n)
				}
			}
			finish(l)
			f.mu.Lock()
			defer f.mu.Unlock()
			if f.open != 0 {
				errorf("%d requests are left", f.open)
			}
		})
		if len(wrong) > 0 {
			rt.Fatal(wrong)
		}
	})
}

// A ramp that needs consent waits for it.
func TestRampNeedsConsent(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(200*time.Millisecond, 20*time.Millisecond)
		l := start(context.Background(), Config{Work: metrics.Workload{Prompt: "x", MaxTokens: 11},
			Shape: Shape{Drive: loadstat.Drive{Users: 2}}, Seed: 1, Guarded: true}, f.deps())
		l.SetDrive(loadstat.Drive{Users: 1, To: 20, Within: 10 * time.Second})
		time.Sleep(2 * time.Second)
		if v := l.View(); v.Target != 2 || v.Drive.Ramps() || v.Asks == (loadstat.Question{}) {
			t.Errorf("before consent: %d users, %+v, question %+v", v.Target, v.Drive, v.Asks)
		}
		l.Consent()
		time.Sleep(11 * time.Second)
		f.mu.Lock()
		most := f.most
		f.mu.Unlock()
		if v := l.View(); v.Target != 20 || most != 20 {
			t.Errorf("after the ramp: %d users, %d requests at once", v.Target, most)
		}
		finish(l)
	})
}

// The distances on a slope are those whose area is asked for, whatever the
// slope and the moment.
func TestSlope(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := slope{from: rapid.Float64Range(0.01, 100).Draw(t, "from"), to: rapid.Float64Range(0.01, 100).Draw(t, "to"),
			begin: 5e9}
		s.end = s.begin + metrics.Stamp(rapid.IntRange(1, 60).Draw(t, "long"))*1e9
		at := metrics.Stamp(rapid.Float64Range(0, 80e9).Draw(t, "at"))
		area := rapid.Float64Range(0.001, 20).Draw(t, "area")
		d := s.after(at, area)
		if d < time.Hour-1 && math.Abs(s.area(at, at+metrics.Stamp(d))-area) > 1e-6*(1+area) {
			t.Fatalf("%+v: from %v, %v later the area is %v, want %v", s, time.Duration(at), d, s.area(at, at+metrics.Stamp(d)),
				area)
		}
		sum := 0.0 // by rectangles
		const steps = 2000
		for i := range steps {
			sum += s.at(at+metrics.Stamp((float64(i)+0.5)/steps*3e9)) * 3 / steps
		}
		whole := s.area(at, at+3e9)
		testkit.Given(t, math.Abs(whole-sum) <= 1e-3*(1+whole), "%+v: area %v, by rectangles %v", s, whole, sum)
	})
}
