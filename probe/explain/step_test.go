package explain

import (
	"context"
	"math"
	"testing"

	"tokscope/metrics/serving"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// each calls f with the steps of a config, until there were n.
func each(r *EngineConfig, n int, f func(*engine.Step)) error {
	_, err := r.Play(context.Background(), func(s *engine.Step) { n--; f(s) }, func() bool { return n <= 0 })
	return err
}

// The screen's step equals the engine's: every term with its bytes, its FLOPs
// and its limit, and each count in its place.
func TestAStepAsTheScreenShowsIt(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) {
		k.Hardware, k.Users, k.Prompt, k.Output = "rtx4090", 120, 300, 80 // more than fit: some wait, some are preempted
	})
	limits := map[string]int{}
	waited, differ := 0, 0
	err := each(r, 3000, func(s *engine.Step) {
		m := stepOf(s)
		if m.Number != s.Number || m.Start != s.Start || m.End != s.End || m.Decodes != s.Decodes ||
			m.Prefilled != s.Prefilled ||
			m.Running != s.Running || m.Waiting != s.Waiting || m.Preempted != s.Preempted || m.Tokens != s.Tokens ||
			m.KV != s.KV {
			t.Fatalf("%+v is shown as %+v", s, m)
		}
		if bandwidth, compute := r.Setup.Used(&s.Cost); m.Bandwidth != bandwidth || m.Compute != compute ||
			m.Binds != s.Cost.Binds().String() {
			t.Fatalf("step %d uses %g of the bandwidth and %g of the peak, shown are %g and %g", s.Number, bandwidth, compute,
				m.Bandwidth, m.Compute)
		}
		by := map[string]serving.StepTerm{}
		for _, c := range m.Cost() {
			by[c.Name] = c
			limits[c.Limit]++
			if c.Limit != m.Binds {
				differ++
			}
		}
		for c := range physics.NumCauses {
			term := &s.Cost.Terms[c]
			got, ok := by[c.String()]
			if !ok && (term.Seconds > 0 || term.Bytes > 0) || got.Seconds != term.Seconds && ok || ok &&
				(got.Bytes != term.Bytes || got.FLOPs != term.FLOPs || got.Limit != term.Limit.String()) {
				t.Fatalf("step %d, %s: %+v is shown as %+v", s.Number, c, term, got)
			}
		}
		if s.Waiting > 0 && s.Waiting != s.Running {
			waited++
		}
	})
	testkit.OK(t, err)
	if waited == 0 || differ == 0 || len(limits) < 3 {
		t.Errorf("nothing was looked at: %d steps with a queue, limits %v", waited, limits)
	}
}

// The cache's share is one of the steps without prompt tokens, and of their time
// alone.
func TestTheCachesShareIsOfDecodeSteps(t *testing.T) {
	r := engineConfig(t, func(k *serving.Knobs) { k.Prompt, k.Users = 4000, 8 })
	m := newMeter(r.Setup, 8, 0, Objectives{})
	kv, time, prefills := 0.0, 0.0, 0
	err := each(r, 2000, func(s *engine.Step) {
		m.step(s)
		if s.Prefilled > 0 {
			prefills++
			return
		}
		kv += s.Cost.Terms[physics.DecodeAttention].Seconds
		time += s.End - s.Start
	})
	testkit.OK(t, err)
	if got := m.Figures().KVRead; prefills < 20 || math.Abs(got.V-kv/time) > 1e-9 {
		t.Errorf("the cache takes %v of a decode step, want %v; %d steps of prompts", got, kv/time, prefills)
	}
}
