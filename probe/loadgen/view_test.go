package loadgen

import (
	"context"
	"math"
	"reflect"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
)

// A view never changes after its publication.
func TestViewIsImmutable(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(200*time.Millisecond, 30*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 5}}, 40)
		var views, copies []loadstat.View
		for i := range 60 {
			time.Sleep(1700 * time.Millisecond)
			v := l.View()
			views = append(views, v)
			c := v
			c.Lanes, c.Path, c.Series, c.Faults = slices.Clone(v.Lanes), slices.Clone(v.Path), slices.Clone(v.Series),
				slices.Clone(v.Faults)
			for k := range c.Lanes {
				c.Lanes[k].Past = slices.Clone(v.Lanes[k].Past)
			}
			copies = append(copies, c)
			l.Resize(1 + i*7%12)
			l.SetSLOs([]slo.Objective{{Name: "ttft", Limit: float64(100 + i)}})
		}
		finish(l)
		for i := range views {
			testkit.Given(t, reflect.DeepEqual(views[i], copies[i]), "view %d has changed", i)
		}
	})
}

// The slices of a lane show what its user did: a request of 2 s waits for 1 s
// and decodes for 1 s, in gaps of 100 ms. No slice is missing, however long
// it runs.
func TestLanesTellTheTruth(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Second, 100*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 3}}, 11)
		time.Sleep(99500 * time.Millisecond) // each is in the middle of an answer
		for _, n := range l.View().Lanes {
			testkit.That(t, math.Abs(n.Gap-100) <= 1, "lane %d: the last gap is %v ms", n.User, n.Gap)
		}
		time.Sleep(500 * time.Millisecond)
		v := l.View()
		finish(l)
		for _, n := range v.Lanes {
			testkit.Given(t, len(n.Past) == slicesKept && math.Abs(float64(n.Offset+len(n.Past)-1000)) <= 2,
				"lane %d: %d slices from %d, after 1000", n.User, len(n.Past), n.Offset)
			prefill, decode := 0, 0
			for _, s := range n.Past {
				switch s.State {
				case loadstat.LaneNoToken:
					prefill++
				case loadstat.LaneDecoding:
					decode++
					testkit.That(t, s.Gap == 0 || math.Abs(float64(s.Gap)-100) <= 1, "lane %d: a gap of %v ms", n.User, s.Gap)
				default:
					t.Errorf("lane %d: %v", n.User, s.State)
				}
			}
			testkit.That(t, prefill >= 190 && prefill <= 240,
				"lane %d: %d slices of prefill, %d of decoding", n.User, prefill, decode)
		}
	})
}

// A user without new chunks is shown as stalled after some time, and again as
// decoding afterwards.
func TestLaneStalls(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(100*time.Millisecond, 20*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 2}}, 100)
		time.Sleep(time.Second)
		l.mu.Lock()
		slow := l.pool.users[0].stream.(*fakeStream)
		l.mu.Unlock()
		slow.mu.Lock() // nothing is added to it meanwhile
		v := slow.v
		slow.mu.Unlock()
		testkit.Given(t, v.State == metrics.Decoding, "state %v", v.State)
		l.mu.Lock()
		limit := l.intake.stallAfter
		u := *l.pool.users[0]
		v.Now = u.lane.last + metrics.Stamp(limit)
		before := l.intake.stateOf(&u, &v)
		v.Now++
		after := l.intake.stateOf(&u, &v)
		l.mu.Unlock()
		testkit.That(t, limit == 100*time.Millisecond && before == loadstat.LaneDecoding && after == loadstat.LaneStalled,
			"after %v: %v, then %v", limit, before, after)
		finish(l)
	})
}

// A screen draws thirty frames a second, each with a new view.
func TestAViewForEveryFrame(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l := closed(newFake(100*time.Millisecond, 10*time.Millisecond), Shape{Drive: loadstat.Drive{Users: 4}}, 1000)
		time.Sleep(time.Second)
		seen := l.Version()
		for frame := range 60 {
			time.Sleep(time.Second / 30)
			if v := l.Version(); v == seen {
				t.Errorf("frame %d shows what the one before has shown", frame)
			} else {
				seen = v
			}
		}
		finish(l)
	})
}

// The seconds of the time chart add up to what was received.
func TestSeriesAddsUp(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(130*time.Millisecond, 17*time.Millisecond)
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 30)
		time.Sleep(15 * time.Second)
		l.Drain()
		l.Wait()
		v := l.View()
		sum := 0.0
		for i, s := range v.Series {
			sum += s.Total
			if want := metrics.Stamp(i+1) * metrics.Stamp(time.Second); s.At != want || s.Users != 4 {
				t.Errorf("entry %d at %v, %d users", i, s.At, s.Users)
			}
			testkit.That(t, s.Total <= 0 || s.Speed.OK && math.Abs(s.Speed.V-1000./17) <= 3,
				"entry %d: speed %+v, want %v", i, s.Speed, 1000./17)
		}
		elapsed := time.Duration(v.Now - v.Began)
		want := float64(30 * v.Done)
		if len(v.Series) != int(elapsed.Seconds()) || sum > want || sum < want-300 || v.TokensReceived != want ||
			v.Done < 90 {
			t.Errorf("%d entries in %v with %v tokens of %v, which %d answers have", len(v.Series), elapsed, sum,
				v.TokensReceived, v.Done)
		}
	})
}

// Other objectives judge the same requests again: those of the window and
// those of the path, also after the load's end. No other field changes.
func TestObjectivesAreJudgedAnew(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(0, 10*time.Millisecond)
		f.wait = func(i int) time.Duration { return time.Duration(100+100*(i%4)) * time.Millisecond } // TTFT 100 to 400
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 4}}, 10)
		l.MeasureStep(context.Background(), Step{Users: 4, Min: 10 * time.Second, Max: time.Minute})
		l.MeasureStep(context.Background(), Step{Users: 8, Min: 10 * time.Second, Max: time.Minute})
		finish(l)
		end := l.View()
		time.Sleep(time.Hour)
		for limit, share := range map[float64]float64{50: 0, 250: 0.5, 350: 0.75, 500: 1} {
			objective := slo.Objective{Name: "ttft", Limit: limit}
			l.SetSLOs([]slo.Objective{objective})
			v := l.View()
			for _, p := range append(slices.Clone(v.Path), v.Live) {
				if got := p.Share(objective); !got.OK || math.Abs(got.V-share) > 0.08 || !p.GoodShare.OK ||
					math.Abs(p.GoodShare.V-got.V) > 1e-9 {
					t.Errorf("%d users, TTFT within %v ms: %+v, want %v", p.Users, limit, got, share)
				}
			}
			if v.Live.Total != end.Live.Total || v.Live.To != end.Live.To || v.Now != end.Now || len(v.Path) != len(end.Path) {
				t.Errorf("the end moved: %+v, was %+v", v.Live.Total, end.Live.Total)
			}
			largest, _, _ := loadstat.Meeting(v.Path, v.SLOs)
			testkit.That(t, (largest >= 0) == (share >= loadstat.Attainment) && (largest < 0 || v.Path[largest].Users == 8),
				"TTFT within %v ms holds up to point %d", limit, largest)
		}
	})
}

// TTFT over the length of the prompt comes out when lengths vary.
func TestFitOfALoad(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(0, time.Millisecond)
		f.wait = func(i int) time.Duration {
			f.mu.Lock()
			defer f.mu.Unlock()
			return 40*time.Millisecond + time.Duration(f.works[i].InputTokens)*50*time.Microsecond
		}
		f.prompt = true
		l := start(context.Background(), Config{
			Work: metrics.Workload{MaxTokens: 5}, Input: metrics.Lengths{Low: 100, High: 2000},
			Shape: Shape{Drive: loadstat.Drive{Users: 3}}, Seed: 5,
		}, f.deps())
		time.Sleep(15 * time.Second)
		v := l.View()
		finish(l)
		fit := v.Live.Fit
		if fit == nil || !fit.A.OK || math.Abs(fit.A.V-40) > 0.1 || math.Abs(fit.B.V-0.05) > 0.0001 || fit.N < 50 ||
			fit.R2.V < 0.999 || fit.Off.V > 0.1 {
			t.Errorf("TTFT = %+v, want 40 and 0.05 a token, which explains all", fit)
		}
	})
}
