package loadgen

import (
	"context"
	"fmt"
	"math"
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// BenchmarkSweepAgainstModel sweeps the embedded llama-3.1-8b@h100 at about
// 1000 prompt and 200 output tokens, over its sockets and in real time. It
// compares each step with the same engine run in virtual time:
//
//	go test ./probe/loadgen -run '^$' -bench SweepAgainstModel -benchtime 1x
//
// The table shows the measurements, the model's values, and the error; the
// metrics are the largest errors. The lag is that of this process: server,
// client and measurement share it, so a busy machine shows there first.
func BenchmarkSweepAgainstModel(b *testing.B) {
	for range b.N {
		sweepAgainstModel(b, []int{1, 8, 32, 64, 128})
	}
}

func sweepAgainstModel(b *testing.B, users []int) {
	setup := setupOf(b, sim.DefaultModel)
	e, target := demo(b, sim.Options{Model: sim.DefaultModel}, nil)
	work := metrics.Workload{Name: "1k in", Prompt: "What do these notes have in common?", InputTokens: 1000,
		MaxTokens: 200}
	// The line that makes prompts differ costs tokens: one request with it
	// measures the length of the load's prompts.
	probed := work
	probed.Nonce = "[request 00000000]"
	first := e.Start(b.Context(), target, probed)
	<-first.Done()
	one := first.Snapshot()
	if one.State != metrics.Done || one.Usage.Prompt < 500 || one.Usage.Completion != 200 {
		b.Fatalf("the first request: %v, %d tokens in, %d out, %v", one.State, one.Usage.Prompt, one.Usage.Completion,
			one.Fault)
	}
	sweep := Curve{SweepPlan: loadstat.SweepPlan{Users: users, Duration: 30 * time.Second}}
	l := Start(b.Context(), Tune(&sweep.SweepPlan, Config{Engine: e, Target: target, Work: work}))
	r, err := sweep.sweep(b.Context(), spread(l))
	v := finish(l)
	if err != nil || len(r.Steps) != len(users) || v.Failed > 0 {
		b.Fatalf("%d points, %d requests failed, stopped %+v, %v", len(r.Steps), v.Failed, r.Stopped, err)
	}
	worst := map[string]float64{}
	table := fmt.Sprintf("%d prompt tokens\nusers  each: measured  model  err     all: measured  model  err     TTFT "+
		"ms: mean  model  err     steady\n", one.Usage.Prompt)
	for i := range r.Steps {
		p := &r.Steps[i].Point
		m := predict(setup, one.Usage.Prompt, p.Users)
		err := func(name string, have, want float64) float64 {
			e := 100 * (have - want) / want
			worst[name] = max(worst[name], math.Abs(e))
			return e
		}
		table += fmt.Sprintf("%5d %15.1f %6.1f %+5.1f %% %14.0f %6.0f %+5.1f %% %14.1f %6.1f %+5.1f %%   %v %+v\n", p.Users,
			p.Speed.V, m.each, err("each", p.Speed.V, m.each), p.Total.V, m.all, err("all", p.Total.V, m.all),
			p.TTFT.Mean.V, m.ttft, err("ttft", p.TTFT.Mean.V, m.ttft), p.Steady, p.Why)
	}
	b.Log(table)
	for name, e := range worst {
		b.ReportMetric(e, name+"-err-%")
	}
	b.ReportMetric(float64(v.Observer.LateP99)/1e6, "late-p99-ms")
	b.ReportMetric(0, "ns/op")
}

// The sweep without sockets and real time is within 10 % of the model at each
// step, TTFT within 40 % (it depends on how prompts happen to meet). The
// benchmark includes the pacing of a machine.
func TestSweepAgainstModelInVirtualTime(t *testing.T) {
	probetest.TakesTime(t, "minutes of virtual time")
	setup := setupOf(t, sim.DefaultModel)
	synctest.Test(t, func(t *testing.T) {
		users := []int{1, 8, 32, 64, 128}
		f := serve(t, sim.DefaultModel)
		sweep := Curve{SweepPlan: loadstat.SweepPlan{Users: users, Duration: 30 * time.Second}}
		l := modelLoad(f, Tune(&sweep.SweepPlan, Config{Seed: 5}), 1010, output)
		r, err := sweep.sweep(t.Context(), spread(l))
		testkit.Given(t, err == nil && len(r.Steps) == len(users), "%d points, stopped %+v, %v", len(r.Steps), r.Stopped, err)
		for i := range r.Steps {
			p := &r.Steps[i].Point
			m := predict(setup, 1010, p.Users)
			off := func(have, want float64) float64 { return 100 * (have - want) / want }
			each, all, ttft := off(p.Speed.V, m.each), off(p.Total.V, m.all), off(p.TTFT.Mean.V, m.ttft)
			t.Logf("%3d users  each %6.1f (%+.1f %%)  aggregate %6.0f (%+.1f %%)  TTFT %6.1f ms (%+.1f %%)  steady %v %+v",
				p.Users, p.Speed.V, each, p.Total.V, all, p.TTFT.Mean.V, ttft, p.Steady, p.Why)
			testkit.That(t, p.Steady && math.Abs(each) <= 10 && math.Abs(all) <= 10 && math.Abs(ttft) <= 40,
				"%d users: each %+.1f %%, aggregate %+.1f %%, TTFT %+.1f %%, steady %v", p.Users, each, all, ttft, p.Steady)
		}
		stopAll(l, f)
	})
}

// prediction holds the model's values of a closed loop: tok/s per user and
// aggregate, and the mean TTFT in ms. (Prompts that meet are answered in few
// groups: their median jumps from one to the next.)
type prediction struct{ each, all, ttft float64 }

// predict runs the loop in virtual time, its users spread evenly over the
// time of one answer. It leaves out the first and the last request of every
// user, when not all are present. By Little's law the aggregate is users ·
// output / (mean time of an answer).
func predict(setup *physics.Setup, prompt, users int) prediction {
	apart := 0.0
	var m prediction
	for range 3 { // the spread depends on its result
		m = play(setup, prompt, users, apart)
		apart = float64(output) / m.all
	}
	return m
}

// output is the length of every answer.
const output = 200

// play is predict with users that begin apart seconds after each other.
func play(setup *physics.Setup, prompt, users int, apart float64) prediction {
	const each = 12 // requests of a user, on average
	var done []*engine.Request
	p := engine.Player{
		Options: engine.Options{Config: engine.Config{Setup: setup}},
		Workload: engine.Workload{Prompt: prompt, Output: output, Users: users, Requests: each * users, Apart: apart,
			LockStep: apart == 0},
		Yield: func(y engine.Emission) {
			if y.Request.Finished {
				done = append(done, y.Request)
			}
		},
	}
	if _, err := p.Play(context.Background()); err != nil {
		panic(err)
	}
	middle := done[users : len(done)-users]
	var speed, e2e float64
	var ttft float64
	for _, q := range middle {
		speed += 1 / q.TPOT()
		e2e += q.Last - q.Arrive
		ttft += q.TTFT() * 1000
	}
	n := float64(len(middle))
	return prediction{speed / n, float64(users*output) / (e2e / n), ttft / n}
}

func setupOf(tb testing.TB, id string) *physics.Setup {
	tb.Helper()
	c, _, err := sim.ParseID(nil, id)
	testkit.OK(tb, err)
	s := testkit.Must(physics.New(c))(tb)
	return s
}

// The sweep of the model in virtual time has the expected shape: the speed
// per user falls, the aggregate rises, and the knee lies between.
func TestModelSeesaw(t *testing.T) {
	setup := setupOf(t, sim.DefaultModel)
	var points []loadstat.Point
	for _, users := range []int{1, 8, 32, 64, 128, 256} {
		m := predict(setup, 1000, users)
		points = append(points, loadstat.Point{Users: users, Steady: true, Speed: metrics.Known(m.each, 8*users),
			Total: metrics.Known(m.all, 8*users)})
	}
	for i := 1; i < len(points); i++ {
		a, b := &points[i-1], &points[i]
		testkit.That(t, b.Speed.V < a.Speed.V && b.Total.V > a.Total.V,
			"%d → %d users: each %.1f → %.1f, all %.0f → %.0f", a.Users, b.Users, a.Speed.V, b.Speed.V, a.Total.V, b.Total.V)
	}
	one := points[0]
	testkit.That(t, math.Abs(one.Speed.V-149) <= 5, "one user alone has %.1f tok/s", one.Speed.V)
	if i := loadstat.Knee(points); i < 0 || points[i].Users < 8 || points[i].Users > 128 {
		t.Errorf("knee at point %d", i)
	}
}
