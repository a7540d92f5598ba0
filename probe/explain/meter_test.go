package explain

import (
	"context"
	"math"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
)

func engineConfig(t *testing.T, change func(*serving.Knobs)) *EngineConfig {
	t.Helper()
	r := testkit.Must(NewEngineConfig(nil, with(change)))(t)
	return r
}

func near(t *testing.T, what string, got metrics.Value, want, share float64) {
	t.Helper()
	testkit.That(t, got.OK && math.Abs(got.V-want) <= share*want, "%s is %+v, want %.4g", what, got, want)
}

// The meter of a closed loop agrees with the engine's own counters.
func TestMeterAgainstTheEnginesBooks(t *testing.T) {
	for _, users := range []int{1, 8, 64} {
		r := engineConfig(t, func(k *serving.Knobs) { k.Users = users })
		o := testkit.Must(r.Measure(context.Background(), Objectives{TTFT: 1e6, TPOT: 1e6}))(t)
		f := o.Measured
		want := enginetest.Run(t, engine.Options{Config: r.Config},
			engine.Workload{Users: users, Prompt: r.Knobs.Prompt, Output: r.Knobs.Output})
		near(t, "TPOT", f.TPOT, 1e3*want.TPOT, 0.1)
		near(t, "total", f.Total, want.Throughput, 0.1)
		near(t, "speed", f.Speed, 1e3/f.TPOT.V, 1e-9)
		near(t, "users in the engine", f.Present, 1, 0.05)
		near(t, "goodput", f.Goodput, 1, 1e-9)
		near(t, "good requests a second", f.GoodRate, want.Throughput/float64(r.Knobs.Output), 0.15)
		near(t, "tokens of a chunk", f.PerStep, 1, 1e-9)
		testkit.That(t, f.TTFT.N >= users && f.Since == 0 && f.Preempted == 0 && f.Complete && f.Progress == 1,
			"%d users: %+v", users, f)
	}
}

// Two requests by hand: one begun earlier counts only for gaps after the
// moment, one begun later counts for everything.
func TestMeterByHand(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Users = 1 })
	m := newMeter(r.Setup, 1, 10, Objectives{TTFT: 900})
	if f := m.Figures(); f.TTFT.OK || f.TTFT.Why == 0 || f.Total.OK || f.KV.OK || f.MaxGap.OK || f.Progress != 0 ||
		f.Goodput.Why == 0 {
		t.Errorf("nothing was seen: %+v", f)
	}
	old := engine.Request{ID: 1, Arrive: 9, First: 9.5}
	for _, at := range []float64{9.5, 10.5, 10.75} {
		old.Last, old.Produced = at, old.Produced+1
		m.yield(&old, 1)
	}
	if f := m.Figures(); f.MaxGap.V != 250 || f.MaxGap.N != 1 || f.TTFT.OK {
		t.Errorf("gap %+v, TTFT %+v", f.MaxGap, f.TTFT)
	}
	old.Last, old.Finished = 11, true
	m.yield(&old, 1)
	for i, at := range []float64{12, 12.5, 13} {
		m.yield(&engine.Request{ID: 2, Arrive: 11, Ready: 11.25, Prefill: .5, First: 12, Last: at, Produced: i + 1,
			Finished: i == 2}, 1)
	}
	f := m.Figures()
	for what, got := range map[string][2]float64{
		"TTFT": {f.TTFT.V, 1000}, "TPOT": {f.TPOT.V, 500}, "speed": {f.Speed.V, 2}, "queue": {f.Queue.V, 250},
		"requests": {float64(f.Requests), 1}, "goodput": {f.Goodput.V, 0}, "progress": {f.Progress, 0.75},
	} {
		if math.Abs(got[0]-got[1]) > 1e-9 {
			t.Errorf("%s is %v, want %v", what, got[0], got[1])
		}
	}
	testkit.That(t, !f.TTFTP99.OK && !f.Total.OK,
		"a p99 of one request %+v, a total of half an answer %+v", f.TTFTP99, f.Total)
}

// Every prediction suffices for a figure, and takes bounded work for any
// knobs.
func TestPredictionIsBounded(t *testing.T) {
	for _, change := range []func(*serving.Knobs){
		func(k *serving.Knobs) { k.Users = 64 },
		func(k *serving.Knobs) { k.Users, k.Output = 256, 3200 },
		func(k *serving.Knobs) { k.Users, k.Prompt = 256, 32000 },
		func(k *serving.Knobs) { k.Users, k.Prompt, k.Mode = 256, 8000, "none" },
		func(k *serving.Knobs) { k.Users, k.Prompt, k.Hardware, k.Output = 64, 1000, "rtx4090", 1600 },
		func(k *serving.Knobs) { k.Output = 1 },
		func(k *serving.Knobs) { k.Mode = "static" },
	} {
		k := with(change)
		r := testkit.Must(NewEngineConfig(nil, k))(t)
		w := &enough{Meter: newMeter(r.Setup, k.Users, 0, Objectives{}), users: k.Users}
		testkit.Must(r.Play(context.Background(), w.Saw, w.Enough))(t)
		testkit.That(t, w.work <= 5*mostWork, "%+v took %d", k, w.work)
		f := w.Figures()
		testkit.That(t, f.TTFT.OK && f.TTFT.N >= 1, "%+v: TTFT %+v after %d", k, f.TTFT, w.work)
	}
	p, err := Predict(context.Background(), nil, with(func(k *serving.Knobs) { k.Users = 64 }))
	testkit.That(t, err == nil && p.TTFTP99.N >= 100 && p.TTFTP99.OK && p.Total.OK && p.MostUsers.V == 371,
		"%v, %+v", err, p)
	if p, err := Predict(context.Background(), nil, with(func(k *serving.Knobs) { k.Users = 0 })); err != nil ||
		p.Err == "" || p.TTFT.OK {
		t.Errorf("of nobody: %v, %+v", err, p)
	}
	ctx, stop := context.WithCancel(context.Background())
	stop()
	if _, err := Predict(ctx, nil, Default()); err == nil {
		t.Error("a prediction that was called off came all the same")
	}
}

// A step is not faster than the arithmetic of the config says, in any format.
func TestNothingIsFasterThanTheArithmetic(t *testing.T) {
	for _, precision := range []string{"bf16", "fp8", "int4", "nvfp4", "q4"} {
		for _, hardware := range []string{"h100", "b200", "rtx4090", "m3max"} {
			for _, prompt := range []int{16, 250, 4000} {
				k := with(func(k *serving.Knobs) {
					k.Precision, k.Hardware, k.Users, k.Prompt, k.Output = precision, hardware, 1, prompt, 20
				})
				o := testkit.Must(Play(context.Background(), k, Objectives{}))(t)
				if f := &o.Measured; f.Speed.V > o.Ceiling.V || f.TTFT.V < o.Floor.V {
					t.Errorf("%s, %d tokens: %.1f tok/s above %.1f, or %.2f ms below %.2f", o.Machine.Name, prompt, f.Speed.V,
						o.Ceiling.V, f.TTFT.V, o.Floor.V)
				}
			}
		}
	}
}

func BenchmarkPredict64(b *testing.B) {
	k := with(func(k *serving.Knobs) { k.Users = 64 })
	for b.Loop() {
		if _, err := Predict(context.Background(), nil, k); err != nil {
			b.Fatal(err)
		}
	}
}

// Preemptions by a change of a knob do not count as lack of memory.
func TestATurnThrowsOutNobodyForWantOfRoom(t *testing.T) {
	r := engineConfig(t, func(*serving.Knobs) {})
	m := newMeter(r.Setup, 1, 0, Objectives{})
	for i, s := range []engine.Step{{Preempted: 2}, {Preempted: 5, Changes: 1}, {Preempted: 1, Changes: 1}} {
		s.Start, s.End = float64(i), float64(i+1)
		m.step(&s)
	}
	f := m.Figures()
	testkit.That(t, f.Preempted == 3 && f.Evicted.V == 1, "%d preempted, %v a second", f.Preempted, f.Evicted)
}

// The first request after a change is warm-up: it may have waited for what ran before. It
// is the figure only until another one has ended.
func TestMeterLeavesTheFirstRequestOut(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Users = 1 })
	m := newMeter(r.Setup, 1, 0, Objectives{})
	at := 0.0
	for n, ttft := range []float64{0.9, 0.1, 0.1, 0.1} {
		q := engine.Request{ID: uint64(n + 1), Arrive: at, Ready: at, Admitted: at, First: at + ttft}
		for k := range 3 {
			q.Last, q.Produced, q.Finished = q.First+float64(k)/100, k+1, k == 2
			m.yield(&q, 1)
		}
		at = q.Last
		f := m.Figures()
		if want := 1e3 * ttft; math.Abs(f.TTFT.V-want) > 1e-6 || f.Requests != max(n, 1) {
			t.Errorf("after request %d TTFT is %+v of %d requests, want %g ms", n+1, f.TTFT, f.Requests, want)
		}
	}
}
