package validation

import (
	"math"
	"testing"

	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
)

// The demo's batching curve: Llama 3.1 8B in bf16 on one H100, 1000 tokens
// in, 200 out. The Load screen shows it for the default endpoint. The numbers
// are a reference computation of the same model, not measurements.
func TestTheDemoCurve(t *testing.T) {
	s := setup(t, &row{id: "llama-3.1-8b@h100"})
	for _, c := range []struct {
		users     int
		each, all float64
	}{
		{1, 149, 146}, {8, 132, 1023}, {32, 93, 2906}, {64, 65, 4114}, {128, 40, 5062}, {256, 22, 5641},
	} {
		r := enginetest.Run(t, engine.Options{Config: engine.Config{Setup: s}}, users(c.users, 1000, 200))
		each := 1 / r.TPOT
		t.Logf("%3d users: %5.1f tok/s per user (%v), %5.0f aggregate (%v), TTFT %.0f ms", c.users, each, c.each,
			r.Throughput, c.all, r.TTFT*1e3)
		if math.Abs(each/c.each-1) > 0.12 || math.Abs(r.Throughput/c.all-1) > 0.12 {
			t.Errorf("%d users: %.1f tok/s per user, want about %v; %.0f aggregate, want about %v", c.users, each, c.each,
				r.Throughput, c.all)
		}
	}
}
