package loadgen

import (
	"context"
	"fmt"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// fakeMeasurer is a measurer that returns what it was given.
type fakeMeasurer struct {
	point  func(ctx context.Context, s Step) loadstat.Point
	view   loadstat.View
	asked  []Step
	onView func(v *loadstat.View)
}

func (b *fakeMeasurer) MeasureStep(ctx context.Context, s Step) loadstat.Point {
	b.asked = append(b.asked, s)
	return b.point(ctx, s)
}

func (b *fakeMeasurer) View() loadstat.View {
	v := b.view
	if b.onView != nil {
		b.onView(&v)
	}
	return v
}

func (b *fakeMeasurer) results() outcomes { return outcomes{} }

// goodPoint is a steady point at the users of s that meets everything.
func goodPoint(s Step) loadstat.Point {
	return loadstat.Point{Users: s.Users, Asked: s.Rate, Steady: true, Requests: 40, Speed: metrics.Known(100, 40),
		Total:     metrics.Known(100*float64(s.Users), 0),
		GoodShare: metrics.Known(1, 40), TTFT: metrics.Distribution([]float64{10, 20})}
}

func stepsAt(users ...int) *Curve {
	return &Curve{SweepPlan: loadstat.SweepPlan{Users: users, Duration: time.Second}}
}

func stepsOf(p loadstat.SweepPlan) []Step { return (&Curve{SweepPlan: p}).Steps() }

func TestSweepRunsItsStepsInOrder(t *testing.T) {
	b := &fakeMeasurer{point: func(_ context.Context, s Step) loadstat.Point { return goodPoint(s) }}
	var events []string
	k := &shelf{steps: map[int]loadstat.Point{8: {Users: 8, Tokens: 5}}}
	sweep := stepsAt(1, 8, 64)
	sweep.Kept = k
	sweep.Begin = func(i int, s metrics.LoadStep, _ func() loadstat.View) {
		events = append(events, fmt.Sprintf("begin %d with %d kept", s.Users, len(k.added)))
	}
	r, err := sweep.sweep(t.Context(), b)
	testkit.Given(t, err == nil && r.Stopped.Code == "" && len(r.Steps) == 3,
		"%d points, stopped %+v, %v", len(r.Steps), r.Stopped, err)
	want := []string{"begin 1 with 0 kept", "begin 64 with 1 kept"}
	testkit.That(t, slices.Equal(events, want) && len(k.added) == 2, "%q, want %q", events, want)
	testkit.That(t, len(b.asked) == 2 && b.asked[0].Users == 1 && b.asked[1].Users == 64,
		"measured %v: the finished step must not be run again", b.asked)
	p := r.Steps[1]
	testkit.That(t, p.Resumed && p.Point.Tokens == 5, "the finished step came back as %+v", p)
}

func TestSweepEndsEarly(t *testing.T) {
	slos := testkit.Must(slo.Parse("ttft=50ms"))(t)
	atEight := metrics.LoadStep{Users: 8}
	capped := metrics.Ending{Code: metrics.EndingCap, Tokens: metrics.CapUse{Max: 10}}
	broken := metrics.Ending{Code: metrics.EndingFailures, Requests: 20}
	missed := metrics.Ending{Code: metrics.EndingMissed, SLO: "ttft", Step: atEight}
	for _, x := range []struct {
		name    string
		at      func(ctx context.Context, cancel func(), b *fakeMeasurer, p *loadstat.Point) // what happens at 8 users
		until   bool
		points  int
		kept    int
		stopped metrics.Ending
	}{
		{"a person interrupts", func(_ context.Context, cancel func(), _ *fakeMeasurer, _ *loadstat.Point) { cancel() },
			false, 1, 1, metrics.Ending{Code: metrics.EndingInterrupted, Step: atEight}},
		{"the cap is reached in a step", func(_ context.Context, _ func(), b *fakeMeasurer, p *loadstat.Point) {
			b.view.Stopped, p.Steady = capped, false
		}, false, 2, 1, capped},
		{"the cap is reached at once", func(_ context.Context, _ func(), b *fakeMeasurer, p *loadstat.Point) {
			b.view.Stopped = capped
			*p = loadstat.Point{Users: 8}
		}, false, 1, 1, capped},
		{"the breaker opens behind a good step", func(_ context.Context, _ func(), b *fakeMeasurer, _ *loadstat.Point) {
			b.view.Broken = broken
		}, false, 2, 2, broken},
		{"every request of a step fails", func(_ context.Context, _ func(), _ *fakeMeasurer, p *loadstat.Point) {
			*p = loadstat.Point{Users: 8, Failed: 4}
		}, false, 2, 1, metrics.Ending{Code: metrics.EndingStepFailed, Step: atEight}},
		{"an objective breaks", func(_ context.Context, _ func(), _ *fakeMeasurer, p *loadstat.Point) {
			p.Misses = []loadstat.Miss{{SLO: slos[0], N: 20}}
		}, true, 2, 2, missed},
		{"an objective breaks where nothing is steady", func(_ context.Context, _ func(), _ *fakeMeasurer,
			p *loadstat.Point) {
			p.Misses, p.Steady = []loadstat.Miss{{SLO: slos[0], N: 20}}, false
		}, true, 2, 2, missed},
		{"an objective breaks and nobody asked", func(_ context.Context, _ func(), _ *fakeMeasurer, p *loadstat.Point) {
			p.Misses = []loadstat.Miss{{SLO: slos[0], N: 20}}
		}, false, 3, 3, metrics.Ending{}},
	} {
		t.Run(x.name, func(t *testing.T) {
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			b := &fakeMeasurer{}
			b.point = func(ctx context.Context, s Step) loadstat.Point {
				p := goodPoint(s)
				p.Misses = []loadstat.Miss{{SLO: slos[0], N: 0}}
				if s.Users == 8 {
					x.at(ctx, cancel, b, &p)
				}
				return p
			}
			k, s := &shelf{}, stepsAt(1, 8, 64)
			s.Kept, s.Config.SLOs, s.UntilBreaks = k, slos, x.until
			r, err := s.sweep(ctx, b)
			if err != nil || len(r.Steps) != x.points || r.Stopped != x.stopped || len(k.added) != x.kept {
				t.Errorf("%d points, %d kept, stopped %+v, %v; want %d, %d, %+v", len(r.Steps), len(k.added), r.Stopped, err,
					x.points, x.kept, x.stopped)
			}
		})
	}
}

// A step bounded by requests ends with them, steady or not, and eventually
// also when the window never holds them.
func TestStepBoundByRequests(t *testing.T) {
	s := Step{Users: 8, Requests: 20}
	for _, x := range []struct {
		name    string
		live    loadstat.Point
		since   int
		elapsed time.Duration
		want    bool
	}{
		{"they are measured", loadstat.Point{Users: 8, TTFT: metrics.Dist{N: 19}, Failed: 1}, 20, time.Second, true},
		{"too few", loadstat.Point{Users: 8, TTFT: metrics.Dist{N: 19}}, 71, time.Minute, false},
		{"of other users", loadstat.Point{Users: 4, TTFT: metrics.Dist{N: 20}}, 71, time.Minute, false},
		{"of the warm-up", loadstat.Point{Users: 8, TTFT: metrics.Dist{N: 20}, Warmup: true}, 71, time.Minute, false},
		{"the window never holds them", loadstat.Point{Users: 8}, 72, patience, true},
		{"too early to tell", loadstat.Point{Users: 8}, 72, patience - 1, false},
	} {
		testkit.Is(t, s.enough(&x.live, x.since, x.elapsed), x.want, x.name)
	}
}

// Few requests with short answers are measured too, and take no more than a
// few looks at the figures.
func TestStepOfFewShortAnswers(t *testing.T) {
	probetest.TakesTime(t, "thousands of requests in virtual time")
	for _, users := range []int{1, 7, 40} {
		for _, requests := range []int{1, 2, 50} {
			t.Run(fmt.Sprintf("%d of %d users", requests, users), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					f := newFake(2*time.Millisecond, time.Millisecond)
					c := Tune(&loadstat.SweepPlan{Requests: requests},
						Config{Work: metrics.Workload{Prompt: "x", MaxTokens: 3}, Seed: 3})
					l := start(context.Background(), c, f.deps())
					began := time.Now()
					p := spread(l).MeasureStep(t.Context(), Step{Users: users, Requests: requests})
					if elapsed := time.Since(began); p.TTFT.N < requests || !p.Speed.OK || p.Users != users ||
						elapsed > 3*time.Second {
						t.Errorf("%d measured at %d users in %v: %+v", p.TTFT.N, p.Users, elapsed, p.Why)
					}
					finish(l)
				})
			})
		}
	}
}

func TestSweepBounds(t *testing.T) {
	timed := loadstat.SweepPlan{Duration: 20 * time.Second, Users: []int{1, 8}}
	testkit.Same(t, stepsOf(timed), []Step{{Users: 1, Min: 10 * time.Second, Max: 20 * time.Second},
		{Users: 8, Min: 10 * time.Second, Max: 20 * time.Second}})
	testkit.Same(t, stepsOf(loadstat.SweepPlan{Requests: 9, Rates: []float64{0.5}}), []Step{{Rate: 0.5, Requests: 9}})
	for _, x := range []struct {
		plan      loadstat.SweepPlan
		window, m time.Duration
	}{
		{timed, 20 * time.Second, 3 * time.Second},
		{loadstat.SweepPlan{Duration: 300 * time.Millisecond}, 300 * time.Millisecond, 100 * time.Millisecond},
		{loadstat.SweepPlan{Duration: 24 * time.Hour}, 10 * time.Minute, 3 * time.Second},
		{loadstat.SweepPlan{Requests: 9}, 10 * time.Minute, 3 * time.Second},
	} {
		if c := Tune(&x.plan, Config{}); c.Window != x.window || c.MinWindow != x.m {
			t.Errorf("%+v: window %v, at least %v; want %v, %v", x.plan, c.Window, c.MinWindow, x.window, x.m)
		}
	}
}

// The forecast of a sweep is the sum over its steps, and asks about the
// largest.
func TestEstimateSteps(t *testing.T) {
	c := Config{Work: metrics.Workload{InputTokens: 1000, MaxTokens: 170}, Price: metrics.Price{In: 1, Out: 10,
		Currency: "USD"}}
	// 0.3 s + 170/100 s are 2 s an answer: 9 users for 20 s are 90 requests.
	f := EstimateSteps(c, stepsOf(loadstat.SweepPlan{Duration: 20 * time.Second, Users: []int{1, 8}}))
	if f.Users != 8 || f.For != 40*time.Second || f.Requests != 90 || f.Prompt != 90_000 || f.Output != 90*170 {
		t.Errorf("%+v", f)
	}
	want := (90_000*1 + 90*170*10) / 1e6
	testkit.That(t, f.Cost.OK && f.Cost.V == want, "cost %+v, want %v", f.Cost, want)
	rates := EstimateSteps(c, stepsOf(loadstat.SweepPlan{Duration: 20 * time.Second, Rates: []float64{1, 5}}))
	if rates.Users != 10 || rates.Requests != 120 { // 5 requests a second of 2 s each
		t.Errorf("%+v", rates)
	}
	fixed := EstimateSteps(c, stepsOf(loadstat.SweepPlan{Requests: 10, Users: []int{2}}))
	testkit.That(t, fixed.Requests == 14 && fixed.For >= 10*time.Second && fixed.For <= 20*time.Second, "%+v", fixed)
	c.MaxTokens = 1000
	capped := EstimateSteps(c, stepsAt(1, 8).Steps())
	testkit.That(t, capped.Tokens() <= 1001, "more than the cap: %+v", capped)
	q, needed := NeedsConsent(endpoint.Target{Endpoint: metrics.Endpoint{Name: "there", URL: "https://there/v1"}}, f)
	testkit.That(t, needed && q.Forecast.Users == 8, "asks %+v, %v", q, needed)
	none := EstimateSteps(c, nil)
	testkit.That(t, none.Requests == 0 && none.Users == 0, "nothing to run: %+v", none)
}

// New users join one by one over an answer's time. The next step uses the
// answer's time that this one measured, and the old one where it measured none:
// a short step can end when only requests from before its window have ended.
func TestSpreadLetsUsersJoin(t *testing.T) {
	const first = 40 * time.Millisecond // an answer before the step
	for _, x := range []struct {
		name            string
		wait, gap, want time.Duration
	}{
		{"requests of the window have ended", 100 * time.Millisecond, 10 * time.Millisecond, 290 * time.Millisecond},
		{"only earlier requests have ended", 900 * time.Millisecond, 50 * time.Millisecond, first},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(x.wait, x.gap)
				l := start(t.Context(), Tune(&loadstat.SweepPlan{Duration: 2 * time.Second},
					Config{Work: metrics.Workload{Prompt: "Why?", MaxTokens: 20}, Seed: 3}), f.deps())
				defer finish(l)
				s := spread(l)
				if s.answer != 500*time.Millisecond { // 0.3 s + 20/100 s
					t.Errorf("before anything is measured an answer takes %v", s.answer)
				}
				s.answer = first
				began := time.Now()
				s.join(t.Context(), 5)
				if v := l.View(); v.Target != 4 || time.Since(began) != 3*first/4 {
					t.Errorf("%d users after %v, before the step makes the fifth", v.Target, time.Since(began))
				}
				p := s.MeasureStep(t.Context(), Step{Users: 5, Min: time.Second, Max: 2 * time.Second})
				testkit.That(t, p.Users == 5 && p.Requests != 0 && p.TTFT.Mean.OK == (x.want != first),
					"measured %d requests at %d users, TTFT %+v", p.Requests, p.Users, p.TTFT.Mean)
				d := s.answer - x.want
				testkit.That(t, d.Abs() <= time.Microsecond, "an answer takes %v, want %v", s.answer, x.want)
				ctx, cancel := context.WithCancel(t.Context())
				cancel()
				s.answer = time.Hour
				s.join(ctx, 500) // returns at once
				if v := l.View(); v.Target > 6 {
					t.Errorf("%d users joined although it was called off", v.Target)
				}
			})
		})
	}
}

// TestStepCountsFailuresOutsideItsWindow checks that a step has all its failures.
// A failure ends the warm-up, and a server that asks to wait is not asked again:
// no window has it. A step with a request that is being answered has not failed.
func TestStepCountsFailuresOutsideItsWindow(t *testing.T) {
	busy := &metrics.Fault{Kind: metrics.FaultHTTP, Message: "overloaded", RetryAfter: 20 * time.Second}
	for _, x := range []struct {
		name    string
		fault   func(i int) *metrics.Fault
		failed  bool
		outside int
		stopped metrics.Ending
	}{
		{"all are asked to wait", func(int) *metrics.Fault { return busy }, true, 2,
			metrics.Ending{Code: metrics.EndingStepFailed, Step: metrics.LoadStep{Users: 2}}},
		{"one is answered", func(i int) *metrics.Fault { return [2]*metrics.Fault{busy}[min(i, 1)] }, false, 1,
			metrics.Ending{}},
	} {
		t.Run(x.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				f := newFake(10*time.Millisecond, 200*time.Millisecond) // an answer is longer than the step
				f.fault = x.fault
				s := Curve{SweepPlan: loadstat.SweepPlan{Users: []int{2, 3}, Duration: 3 * time.Second}}
				l := start(t.Context(), Tune(&s.SweepPlan,
					Config{Work: metrics.Workload{Prompt: "Why?", MaxTokens: 50}, Seed: 3}), f.deps())
				defer finish(l)
				r, err := s.sweep(t.Context(), spread(l))
				testkit.Given(t, err == nil && len(r.Steps) != 0 && r.Stopped == x.stopped,
					"%d points, stopped %+v, %v; want %+v", len(r.Steps), r.Stopped, err, x.stopped)
				p := &r.Steps[0]
				n, faults := p.Point.Failures()
				if p.Point.Failed != 0 || n != x.outside || len(faults) != 1 || faults[0].Kind != metrics.FaultHTTP ||
					p.Extra.AllFailed != x.failed {
					t.Errorf("%d failures in the window, %v of the step, all failed %t; want 0, %d, %t", p.Point.Failed, faults,
						p.Extra.AllFailed, x.outside, x.failed)
				}
			})
		})
	}
}
