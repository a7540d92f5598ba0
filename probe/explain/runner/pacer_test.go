package runner

import (
	"math"
	"runtime"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/explain"
	"tokscope/probe/probetest"
)

// spin keeps the processor busy until the returned function is called.
func spin(n int) (stop func()) {
	var done atomic.Bool
	var wg sync.WaitGroup
	for range n {
		wg.Go(func() {
			for !done.Load() {
			}
		})
	}
	return func() { done.Store(true); wg.Wait() }
}

// TestAnOverloadedMachineSlowsTheClock shares one processor with busy loops, so
// that users ask late. The clock slows down until they do not, the figures are
// then those of the model, and the view says what the speed is.
func TestAnOverloadedMachineSlowsTheClock(t *testing.T) {
	probetest.TakesTime(t, "an engine that runs in real time")
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(1))
	stop := sync.OnceFunc(spin(3))
	defer stop()
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 16, 100, 12, 1 })
	v := until(t, b, "a clock that is slowed down", func(v *serving.View) bool { return v.Speed < v.Knobs.Time })
	testkit.That(t, v.Speed >= leastFactor, "speed %v", v.Speed)
	v = until(t, b, "figures at a speed that the machine keeps up with", func(v *serving.View) bool {
		return v.Figures.Total.OK && v.Present.Total.OK &&
			math.Abs(v.Figures.Total.V-v.Present.Total.V) < 0.15*v.Present.Total.V
	})
	t.Logf("speed %.3g: aggregate %.0f tok/s, predicted %.0f", v.Speed, v.Figures.Total.V, v.Present.Total.V)

	stop()
	k := v.Knobs
	k.Users = 1
	testkit.OK(t, b.ExplainTurn(k))
	v = b.ExplainView()
	testkit.Is(t, v.Speed, v.Knobs.Time, "other knobs begin at a speed of")
}

// TestASlowedClockIsNotAnotherSetting: the knobs, and with them the tour's
// stage, stay what a person chose; what was measured too late is measured anew.
func TestASlowedClockIsNotAnotherSetting(t *testing.T) {
	b := opened(t, func(k *serving.Knobs) { k.Users, k.Time = 2, 0.5 })
	b.mu.Lock()
	r, marks, epoch := b.run, len(b.run.rec.Look().Marks), b.run.epoch
	slow := func(progress float64) {
		for range 20 {
			r.pacer.last.wall = r.pacer.last.wall.Add(-time.Second)
			r.pacer.last.pace.Slipped -= time.Second
			r.keepUp(b.config, progress, explain.Objectives{})
		}
	}
	slow(0.3)
	if got := r.steered.Speed(); got != 0.5*leastFactor || r.epoch != epoch {
		t.Errorf("while users join: speed %v, %d new measurements", got, r.epoch-epoch)
	}
	r.pacer.begin(r.done())
	slow(0.8)
	if r.epoch == epoch || len(r.rec.Look().Marks) != marks {
		t.Errorf("%d new measurements, %d marks", r.epoch-epoch, len(r.rec.Look().Marks)-marks)
	}
	b.mu.Unlock()
	v := b.ExplainView()
	testkit.That(t, v.Knobs.Time == 0.5 && v.Speed == 0.5*leastFactor && v.Overloaded,
		"time %v, speed %v, overloaded %v", v.Knobs.Time, v.Speed, v.Overloaded)
}

// TestUsersThatJoinAreNotLate: while users join and a step lasts for seconds,
// each of them counts from the moment on at which it should ask. A user that
// asks late counts as missing for exactly as long.
func TestUsersThatJoinAreNotLate(t *testing.T) {
	for _, late := range []float64{0, 0.4} { // seconds of engine time
		var p pacer
		p.begin(progress{})
		var got lateness
		clock, at, area := 0.0, 0.0, 0.0
		present := func(from, to float64) (sum float64) { // a user joins each second
			for u := range 8 {
				sum += max(0, to-max(from, float64(u)+late))
			}
			return sum
		}
		for i := range 60 {
			clock = float64(i) * 0.25
			if clock-at >= 3 { // a step has ended
				area, at = area+present(at, clock), clock
			}
			before := p.last
			was := p.counted
			w := progress{seen: seen{at: at, area: area}, clock: clock, due: min(int(clock)+1, 8)}
			p.look(w)
			got.add(lateness{due: p.counted - was, present: w.seen.area - before.seen.area})
		}
		missing := got.due - got.present
		if want := 8 * late; math.Abs(missing-want) > 1.1 { // looks are a quarter of a second apart
			t.Errorf("late by %v s: %v of %v user seconds are missing, want %v", late, missing, got.due, want)
		}
		testkit.That(t, len(p.expected) <= 20, "%d moments are kept", len(p.expected))
	}
}
