package enginetest

import (
	"math"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Users in lock-step get their answers in rounds. The throughput of such a loop
// is that of a whole round, for any number of users.
func TestThroughputOfUsersInLockStep(t *testing.T) {
	c := physics.Config{TP: 1}
	c.Hardware, _ = physics.Machine("h100")
	c.Model, _ = physics.ModelOf("llama-3.1-8b")
	c.Precision, _ = physics.PrecisionOf("bf16")
	c.Stack, _ = physics.StackOf("vllm")
	s := testkit.Must(physics.New(c))(t)
	for _, users := range []int{1, 7, 20} {
		r := Run(t, engine.Options{Config: engine.Config{Setup: s}},
			engine.Workload{Users: users, Prompt: 20, Output: 100, LockStep: true})
		round := r.Done[len(r.Done)-1].Last - r.Done[len(r.Done)-1-users].Last
		if want := float64(users*100) / round; math.Abs(r.Throughput/want-1) > 0.01 {
			t.Errorf("%d users: %.0f tok/s, a round of %.3f s has %.0f", users, r.Throughput, round, want)
		}
	}
}
