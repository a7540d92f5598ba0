package loadgen

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
)

// shelf keeps steps by their users.
type shelf struct {
	steps map[int]loadstat.Point
	added []int
	full  error
}

func (s *shelf) Have(users int, _ float64) (loadstat.Point, metrics.Dist, bool) {
	p, ok := s.steps[users]
	return p, metrics.Dist{}, ok
}

func (s *shelf) Add(users int, _ float64, _ *loadstat.Point, _ metrics.Dist, _ time.Time) error {
	s.added = append(s.added, users)
	return s.full
}

// curveOf is a curve of short steps at the embedded endpoint.
func curveOf(t *testing.T, k *shelf, users ...int) *Curve {
	t.Helper()
	e, target := demo(t, sim.Options{}, nil)
	return &Curve{
		Config:    Config{Engine: e, Target: target, Work: metrics.Workload{Prompt: "Why?", MaxTokens: 20}, Seed: 1},
		SweepPlan: loadstat.SweepPlan{Duration: 2 * time.Second, Users: users}, Kept: k,
	}
}

func TestCurveMeasuresWhatIsNotKept(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "steps of a sweep in real time")
	k := &shelf{steps: map[int]loadstat.Point{1: goodPoint(Step{Users: 1})}}
	c := curveOf(t, k, 1, 2)
	var begun []int
	c.Begin = func(_ int, s metrics.LoadStep, view func() loadstat.View) {
		view()
		begun = append(begun, s.Users)
	}
	r, err := c.Run(t.Context())
	testkit.Given(t, err == nil && r.Stopped.Code == "" && r.Fault == nil && !r.Interrupted && len(r.Steps) == 2,
		"%d points, stopped %+v, fault %v, interrupted %v, %v", len(r.Steps), r.Stopped, r.Fault, r.Interrupted, err)
	testkit.That(t, r.Steps[0].Resumed && !r.Steps[1].Resumed && r.Steps[1].Point.Requests != 0, "points %+v", r.Steps)
	testkit.That(t, slices.Equal(begun, []int{2}) && slices.Equal(k.added, []int{2}),
		"began %v, kept %v, want only the second step", begun, k.added)
	testkit.That(t, r.View.Done != 0 && r.Endpoint.Model == c.Config.Target.Model,
		"%d requests of %+v", r.View.Done, r.Endpoint)
}

// Without a step to measure nothing is started: this test has no engine.
func TestCurveOfKeptStepsSendsNothing(t *testing.T) {
	there := endpoint.Target{Endpoint: metrics.Endpoint{Name: "there", URL: "https://there/v1"}}
	c := &Curve{
		Config: Config{Target: there}, SweepPlan: loadstat.SweepPlan{Duration: time.Hour, Users: []int{64}},
		Kept: &shelf{steps: map[int]loadstat.Point{64: goodPoint(Step{Users: 64})}},
	}
	if q, needed := c.Question(); needed {
		t.Errorf("asks %+v about steps that are kept", q)
	}
	r, err := c.Run(t.Context())
	testkit.That(t, err == nil && len(r.Steps) == 1 && r.Steps[0].Resumed && r.Endpoint.Name == "there", "%+v, %v", r, err)
	c.Kept = nil
	if _, needed := c.Question(); !needed {
		t.Error("64 users for an hour on somebody else's machine need a yes")
	}
}

// A full disk does not cost the steps that are left. The error is that of the last step.
func TestCurveGoesOnWhenAStepCannotBeKept(t *testing.T) {
	k, c := &shelf{full: errors.New("the disk is full")}, stepsAt(1, 8)
	c.Kept = k
	c.Begin = func(n int, _ metrics.LoadStep, _ func() loadstat.View) {
		if n == 3 {
			k.full = nil
		}
	}
	for _, want := range []error{k.full, nil} {
		r, err := c.sweep(t.Context(),
			&fakeMeasurer{point: func(_ context.Context, s Step) loadstat.Point { return goodPoint(s) }})
		testkit.That(t, errors.Is(err, want) && len(r.Steps) == len(c.Users) && r.Stopped.Code == "",
			"%d points, stopped %+v, %v, want %v", len(r.Steps), r.Stopped, err, want)
		c.Users = []int{1, 8, 64}
	}
}

func TestCurveInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := curveOf(t, nil, 1, 2)
	c.Kept = nil
	c.Begin = func(int, metrics.LoadStep, func() loadstat.View) { cancel() }
	r, err := c.Run(ctx)
	testkit.That(t, err == nil && r.Interrupted && len(r.Steps) == 0,
		"interrupted %v, %d points, %v", r.Interrupted, len(r.Steps), err)
}

// The reason of failed requests is kept when their users continue with the
// next.
func TestExampleOutlivesTheRequest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Millisecond, 5*time.Second)
		cut := &metrics.Fault{Kind: metrics.FaultTruncated, Message: "the stream was cut"}
		f.fault = func(i int) *metrics.Fault {
			if i < 2 {
				return cut
			}
			return nil
		}
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 1}}, 4)
		testkit.That(t, l.results().last == nil, "an example without a failure")
		time.Sleep(30 * time.Second)
		if v, example := l.View(), l.results().last; example != cut || v.Failed != 2 || v.Decoding != 1 {
			t.Errorf("example %v, %d failed, %d decoding", example, v.Failed, v.Decoding)
		}
		finish(l)
	})
}
