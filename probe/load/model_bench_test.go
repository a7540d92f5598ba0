package load

import (
	"fmt"
	"math"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// BenchmarkSweepAgainstModel measures the embedded llama-3.1-8b@h100 at about
// 1000 prompt and 200 output tokens, over its sockets and in real time, and
// compares each point with the same engine run in virtual time:
//
//	go test ./probe/load -run '^$' -bench SweepAgainstModel -benchtime 1x
//
// Each row tells what was measured (each, all: tok/s; ttft: ms), what the model
// says (…-model) and the error of the measured one in percent (…-err-%). What
// the model says of users that are spread evenly over an answer's time stands
// beside it (…-spread-model). steady is 1 when the window was. late-p99-ms is
// this process's own lateness: server, client and measurement share it.
func BenchmarkSweepAgainstModel(b *testing.B) {
	setup := setupOf(b, sim.DefaultModel)
	for _, users := range []int{1, 8, 32, 64, 128} {
		b.Run(fmt.Sprintf("users=%d", users), func(b *testing.B) {
			for range b.N {
				againstModel(b, setup, users)
			}
		})
	}
}

// againstModel measures one point and reports it beside the model's.
func againstModel(b *testing.B, setup *physics.Setup, users int) {
	e, target := demo(b, sim.Options{Model: sim.DefaultModel}, nil)
	work := metrics.Workload{Name: "1k in", Prompt: "What do these notes have in common?", InputTokens: 1000, MaxTokens: 200}
	first := e.Start(b.Context(), target, work)
	<-first.Done()
	one := first.Snapshot()
	if one.State != metrics.Done || one.Usage.Prompt < 500 || one.Usage.Completion != 200 {
		b.Fatalf("the first request: %v, %d tokens in, %d out, %v", one.State, one.Usage.Prompt, one.Usage.Completion, one.Fault)
	}
	// The line that makes prompts differ costs tokens as well: one request
	// with it tells how long the load's prompts are.
	work.Nonce = "[request 00000000]"
	second := e.Start(b.Context(), target, work)
	<-second.Done()
	prompt := second.Snapshot().Usage.Prompt
	work.Nonce = ""

	l := Start(b.Context(), Bounds{Most: 40 * time.Second}.Tune(Config{Engine: e, Target: target, Work: work, Shape: Shape{Users: users}}))
	p := l.MeasureStep(b.Context(), Step{Users: users, Min: 15 * time.Second, Max: 40 * time.Second})
	v := finish(l)
	if p.Requests == 0 || p.Failed > 0 {
		b.Fatalf("%d requests ended well, %d failed: %v", p.Requests, p.Failed, p.Faults)
	}
	// The users of a load start 2 ms apart and all answers have the same length,
	// so that they stay together; the model's users do the same.
	model, spread := predict(setup, prompt, users, true), predict(setup, prompt, users, false)
	report := func(name string, have, want, spread float64) {
		b.ReportMetric(have, name)
		b.ReportMetric(want, name+"-model")
		b.ReportMetric(100*(have-want)/want, name+"-err-%")
		b.ReportMetric(spread, name+"-spread-model")
	}
	report("each", p.Speed.V, model.each, spread.each)
	report("all", p.Total.V, model.all, spread.all)
	report("ttft-p50", p.TTFT.P50.V, model.ttft, spread.ttft)
	steady := 0.0
	if p.Steady {
		steady = 1
	}
	b.ReportMetric(steady, "steady")
	b.ReportMetric(float64(v.Observer.LateP99)/1e6, "late-p99-ms")
	b.ReportMetric(0, "ns/op")
}

// prediction is what the model says of a closed loop: tok/s of each user and
// of all, the median TTFT in ms.
type prediction struct{ each, all, ttft float64 }

// predict runs the loop in virtual time and leaves out the first and the last
// request of every user, when not all are there. By Little's law all users
// together have users · output / (mean time of an answer).
func predict(setup *physics.Setup, prompt, users int, together bool) prediction {
	const output = 200
	r := engine.Run(engine.Options{Setup: setup}, engine.Workload{Prompt: prompt, Output: output, Users: users, LockStep: together})
	middle := r.Done[users : len(r.Done)-users]
	var speed, e2e float64
	var ttft []float64
	for _, q := range middle {
		speed += 1 / q.TPOT()
		e2e += q.Last - q.Arrive
		ttft = append(ttft, q.TTFT()*1000)
	}
	n := float64(len(middle))
	return prediction{speed / n, float64(users) * output / (e2e / n), metrics.Distribution(ttft).P50.V}
}

func setupOf(tb testing.TB, id string) *physics.Setup {
	tb.Helper()
	c, _, err := sim.ParseID(id)
	if err != nil {
		tb.Fatal(err)
	}
	s, err := physics.New(c)
	if err != nil {
		tb.Fatal(err)
	}
	return s
}

// The sweep of the model in virtual time has the shape that the screen tells
// of: what each has falls, what all have rises, and the knee lies between.
func TestModelSeesaw(t *testing.T) {
	setup := setupOf(t, sim.DefaultModel)
	var points []metrics.LoadPoint
	for _, users := range []int{1, 8, 32, 64, 128, 256} {
		m := predict(setup, 1000, users, false)
		points = append(points, metrics.LoadPoint{Users: users, Steady: true, Speed: metrics.Known(m.each, 8*users), Total: metrics.Known(m.all, 8*users)})
	}
	for i := 1; i < len(points); i++ {
		a, b := &points[i-1], &points[i]
		if !(b.Speed.V < a.Speed.V) || !(b.Total.V > a.Total.V) {
			t.Errorf("%d → %d users: each %.1f → %.1f, all %.0f → %.0f", a.Users, b.Users, a.Speed.V, b.Speed.V, a.Total.V, b.Total.V)
		}
	}
	if one := points[0]; math.Abs(one.Speed.V-149) > 5 {
		t.Errorf("one user alone has %.1f tok/s", one.Speed.V)
	}
	if i, ok := metrics.Knee(points); !ok || points[i].Users < 8 || points[i].Users > 128 {
		t.Errorf("knee at point %d, %v", i, ok)
	}
}
