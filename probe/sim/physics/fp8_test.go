package physics

import "testing"

// Where little is read, converting the activations costs more than fp8 saves:
// in tiny models, and in larger ones over a group. Elsewhere fp8 is faster.
func TestWhereFP8IsSlower(t *testing.T) {
	one := &Load{Seqs: 1, Ctx: 500}
	for _, c := range []struct {
		model, machine string
		tp             int
		slower         bool
	}{
		{"qwen3-0.6b", "h100", 1, true},
		{"llama-3.1-8b", "b200", 8, true},
		{"llama-3.1-8b", "h100", 1, false},
		{"llama-3.3-70b", "h100", 4, false},
	} {
		wide := must(t, config(t, c.model, "bf16", c.machine, "vllm", c.tp)).Step(one)
		narrow := must(t, config(t, c.model, "fp8", c.machine, "vllm", c.tp)).Step(one)
		if slower := narrow.Seconds() > wide.Seconds(); slower != c.slower {
			t.Errorf("%s on %d x %s: %.2f ms in fp8, %.2f ms in bf16", c.model, c.tp, c.machine, 1e3*narrow.Seconds(),
				1e3*wide.Seconds())
		}
	}
}
