package physics

import (
	"math/rand/v2"
	"testing"

	"tokscope/metrics/testkit"
)

// long: make 100,000 random comparisons for each group of laws, not 3,000; a short test makes 500.
var long = testkit.Long()

func comparisons() int {
	if long {
		return 100_000
	}
	if testing.Short() {
		return 500
	}
	return 3_000
}

// randomSetup draws a setup that fits. Dataflow machines are left out: their
// step takes the same time for any batch.
func randomSetup(r *rand.Rand) *Setup {
	for {
		c := Config{
			Model: Models[r.IntN(len(Models))], Hardware: Machines[r.IntN(len(Machines))],
			Precision: Precisions[r.IntN(len(Precisions))], Stack: Stacks[r.IntN(len(Stacks))],
		}
		if r.IntN(4) == 0 {
			c.TP, c.Sharing = 2<<r.IntN(3), Sharing(1+r.IntN(2))
		}
		if c.Stack.GGUF && c.Model.Experts > 0 && r.IntN(2) == 0 {
			c.TP, c.Sharing, c.CPULayers = 1, Tensor, 1+r.IntN(c.Model.MoELayers())
		}
		c.Stack.Async = c.Stack.Async || r.IntN(8) == 0
		if r.IntN(4) == 0 {
			c.KV = KVFormats[r.IntN(len(KVFormats))].Key
		}
		if c.Hardware.Flow != nil || c.Stack.Key == "flow" {
			continue
		}
		if s, err := New(c); err == nil {
			return s
		}
	}
}

// loads is a batch and what grows it.
type loads struct {
	seqs, ctx, prompt, cached int
}

func (l loads) load(m *Model) *Load {
	x := &Load{Seqs: l.seqs, Ctx: int64(l.seqs * l.ctx), WinCtx: int64(l.seqs * min(l.ctx, m.Reach()))}
	if l.prompt > 0 {
		x.Chunks = []Chunk{{New: l.prompt, Cached: l.cached, Last: true}}
	}
	return x
}

// A step never gets shorter with more users, more context or a longer prompt.
func TestAStepGrowsWithItsLoad(t *testing.T) {
	r := testkit.Rand(t, 1)
	for range comparisons() {
		s := randomSetup(r)
		base := loads{1 + r.IntN(300), 1 + r.IntN(20000), r.IntN(8192), r.IntN(10000)}
		more := base
		what := []string{"users", "context", "prompt"}[r.IntN(3)]
		switch what {
		case "users":
			more.seqs += 1 + r.IntN(100)
		case "context":
			more.ctx += 1 + r.IntN(5000)
		case "prompt":
			more.prompt += 1 + r.IntN(4000)
		}
		a, b := s.Step(base.load(&s.Model)), s.Step(more.load(&s.Model))
		if b.Seconds() < a.Seconds()*0.9999 {
			t.Fatalf("%s %s on %d x %s, %s: %+v takes %.4g s, %+v %.4g s", s.Model.Key, s.Precision.Key, s.TP, s.Hardware.Key,
				s.Stack.Key, base, a.Seconds(), more, b.Seconds())
		}
	}
}

// A step never gets longer on a device with more bandwidth, arithmetic or a
// faster link. What half the bytes do is checkHalf's. More memory never leaves
// less room.
func TestABetterMachineIsNeverSlower(t *testing.T) {
	r := testkit.Rand(t, 2)
	for range comparisons() {
		s := randomSetup(r)
		c := s.Config
		l := loads{1 + r.IntN(300), 1 + r.IntN(20000), r.IntN(8192), r.IntN(10000)}.load(&s.Model)
		by := 1 + 3*r.Float64()
		what := []string{"bandwidth", "arithmetic", "link", "memory", "precision"}[r.IntN(5)]
		switch h := &c.Hardware; what {
		case "bandwidth":
			h.BW *= by
		case "arithmetic":
			h.BF16, h.FP16, h.FP8, h.FP4 = h.BF16*by, h.FP16*by, h.FP8*by, h.FP4*by
		case "link":
			h.Link = Link{A1: h.Link.A1 / by, B1: h.Link.B1 * by, A2: h.Link.A2 / by, B2: h.Link.B2 * by, Hop: h.Link.Hop / by,
				Bus: h.Link.Bus * by}
		case "memory":
			h.Mem *= by
		case "precision":
			q := &c.Precision
			q.Attn, q.FFN, q.Expert, q.Head, q.Embed = q.Attn/2, q.FFN/2, q.Expert/2, q.Head/2, q.Embed/2
		}
		better, err := New(c)
		testkit.OK(t, err, "more", what, "no longer fits")
		if better.Capacity < s.Capacity {
			t.Fatalf("%s on %s: more %s leaves room for %d tokens, not %d", s.Model.Key, s.Hardware.Key, what, better.Capacity,
				s.Capacity)
		}
		if what == "precision" {
			checkHalf(t, s, l)
			continue
		}
		a, b := s.Step(l), better.Step(l)
		if b.Seconds() > a.Seconds()*1.0001 {
			t.Fatalf("%s %s on %d x %s, %s: %.2f times the %s takes %.4g s, not %.4g s", s.Model.Key, s.Precision.Key, s.TP,
				s.Hardware.Key, s.Stack.Key, by, what, b.Seconds(), a.Seconds())
		}
	}
}

// A tile costs at most a fixed part of reading its weights, on any machine and
// in any format, and it is 64 rows for 16 bits on an H100.
func TestATileFollowsTheMachine(t *testing.T) {
	s := must(t, config(t, "qwen3-30b-a3b", "bf16", "h100", "bench", 1))
	near(t, "rows that reach half of the rate", groupedMatrix/s.grouped(1, 2)-1, 64, 0.03)
	r := testkit.Rand(t, 3)
	for range 300 {
		s := randomSetup(r)
		b := s.Precision.Expert
		cmp := 2 / (s.rate(b) * s.grouped(1e-9, b) / 1e-9) // seconds of arithmetic per parameter, at almost no rows
		if mem := b / s.Hardware.stream(b); cmp > 1.01*0.24*mem/groupedMarlin {
			t.Errorf("%s on %s, %s: a tile takes %.2f times its read", s.Precision.Key, s.Hardware.Key, s.Stack.Key, cmp/mem)
		}
	}
}

// Over PCIe a reduction takes what nccl-tests measured. Twice the devices never
// make a long prompt of a dense model slower but for what they reduce or pass on more:
// every byte goes over the same bus, however many they are. That is at most 1.7 times
// on cards that compute more than 500 TFLOP/s, 1.1 times on others.
func TestALongPromptOnALargerGroup(t *testing.T) {
	near(t, "8 bytes over two RTX 4090", pcie4.AllReduce(8, 2), 11.5e-6, 0.02)
	near(t, "8 bytes over eight RTX 4090", pcie4.AllReduce(8, 8), 42e-6, 0.04)
	near(t, "32 MiB over five RTX 4090", pcie4.AllReduce(1<<25, 5), 2175e-6, 0.03)
	r := testkit.Rand(t, 6)
	for range comparisons() {
		s := randomSetup(r)
		c := s.Config
		c.TP = 2 * s.TP
		wide, err := New(c)
		if err != nil || s.Model.Experts > 0 || s.Model.Hidden < 4096 || s.Hardware.Link.Bus == 0 {
			continue // experts and small models have little arithmetic to share
		}
		l := loads{prompt: 2000 + r.IntN(6000)}
		one, two := s.Step(l.load(&s.Model)), wide.Step(l.load(&s.Model))
		most := 1.1
		if max(s.Hardware.BF16, s.Hardware.FP8, s.Hardware.FP4) > 500 {
			most = 1.7
		}
		if two.Seconds() > one.Seconds()*most {
			t.Fatalf("%s %s on %s, %s: a prompt of %d tokens takes %.4g s on %d devices, %.4g s on %d", s.Model.Key,
				s.Precision.Key, s.Hardware.Key, s.Stack.Key,
				l.prompt, two.Seconds(), wide.TP, one.Seconds(), s.TP)
		}
		more := two.Terms[AllReduce].Seconds +
			two.Terms[Exchange].Seconds - one.Terms[AllReduce].Seconds - one.Terms[Exchange].Seconds
		if two.Seconds() > (one.Seconds()+more)*1.0001 {
			t.Fatalf("%s %s on %s, %s: a prompt of %d tokens takes %.4g s on %d devices, %.4g s on %d, of which %.4g s "+
				"between devices",
				s.Model.Key, s.Precision.Key, s.Hardware.Key, s.Stack.Key, l.prompt, two.Seconds(), wide.TP, one.Seconds(), s.TP,
				more)
		}
	}
}

// NCCL's ring has a hop to and from every device; one-shot kernels do not.
func TestARingCostsAHopPerDevice(t *testing.T) {
	near(t, "eight A100, one token", nvlinkAmpere.Ring(16384, 8), 46.2e-6, 0.01)
	near(t, "two H100", nvlinkHopper.Ring(0, 2), 6.6e-6, 0.01)
}

// Checkpoints weigh what is published, in each software that serves them.
func TestRecipes(t *testing.T) {
	for _, c := range []struct {
		model, precision, machine, stack string
		gb                               float64 // of weights
	}{
		{"llama-3.3-70b", "nvfp4", "b200", "bench", 42.6}, // NVIDIA's checkpoint: about 40 GB
		{"deepseek-r1", "nvfp4", "b200", "bench", 396},    // attention in 16 bits
		{"gpt-oss-20b", "mxfp4", "h100", "vllm", 13.8},
		{"gpt-oss-20b", "mxfp4", "h100", "llama.cpp", 12.1},     // 11.27 GiB
		{"gpt-oss-120b", "mxfp4", "m3ultra", "llama.cpp", 63.4}, // 59.02 GiB
	} {
		near(t, c.model+" in "+c.precision+" with "+c.stack, must(t, config(t, c.model, c.precision, c.machine, c.stack,
			0)).Weights/1e9, c.gb, 0.02)
	}
}

// A user of a model in fp8 never waits longer than in bf16, but for the kernels
// that convert activations and apply scales for blocks. These are an exception that was
// timed: on a small shard they cost more than half of the reads saves. A module of latent
// attention with one head takes 41 µs in 8 bits and 27 in 16 (TensorRT-LLM 1.3 on a
// B200), a product with few rows 4 to 7 µs in 16 bits and 15 to 23 with such scales
// (SGLang, there).
func TestFP8IsNotSlowerThanBF16(t *testing.T) {
	r := testkit.Rand(t, 7)
	for range comparisons() {
		s := randomSetup(r)
		c := s.Config
		if s.Hardware.FP8 == 0 || s.Stack.GGUF || s.Draft != nil || s.Model.Active() < 6e9 {
			continue
		}
		c.KV = "bf16"
		step := func(precision string) (Cost, *Setup) {
			c.Precision, _ = PrecisionOf(precision)
			x, err := New(c)
			if err != nil {
				return Cost{}, nil
			}
			return x.Step(loads{seqs: 1, ctx: 1000}.load(&c.Model)), x
		}
		wide, a := step("bf16")
		narrow, b := step("fp8")
		if a == nil || b == nil {
			continue
		}
		convert := float64(b.Model.Layers) * b.Precision.quantized() * b.converting()
		if narrow.Seconds() > wide.Seconds()*1.0001+convert {
			t.Fatalf("%s on %d x %s, %s: %.4g s in fp8, %.4g s in bf16, %.4g s of conversions",
				s.Model.Key, s.TP, s.Hardware.Key, s.Stack.Key, narrow.Seconds(), wide.Seconds(), convert)
		}
	}
}

// A long prompt with experts spread is an exception to what more devices do: it
// stays on one, with all of its attention. Twice the devices shorten the experts
// only, and that one device sends each token to as many of them as it has experts,
// which is at most 7/3 of the bytes for four devices and eight experts. So a prompt
// takes at most longer by what is exchanged more.
func TestALongPromptWithExpertsSpread(t *testing.T) {
	r := testkit.Rand(t, 8)
	for range comparisons() {
		s := randomSetup(r)
		c := s.Config
		if s.Model.Experts == 0 || s.Hardware.MaxTP < 2 || s.CPULayers > 0 {
			continue
		}
		c.Sharing = Expert
		c.TP = 2 << r.IntN(2)
		one, err := New(c)
		c.TP *= 2
		two, err2 := New(c)
		if err != nil || err2 != nil {
			continue
		}
		l := loads{prompt: 2000 + r.IntN(6000)}
		a, b := one.Step(l.load(&s.Model)), two.Step(l.load(&s.Model))
		copies := func(n int) float64 { return float64(min(s.Model.TopK, n)*(n-1)) / float64(n) }
		hops := 2 * float64(s.Model.MoELayers()*(two.TP-one.TP)) * max(s.Hardware.Link.Hop, s.Hardware.Link.A1)
		most := a.Terms[Exchange].Seconds*copies(two.TP)/copies(one.TP) + hops
		if b.Seconds() > (a.Seconds()-a.Terms[Exchange].Seconds+most)*1.001 {
			t.Fatalf("%s %s on %s, %s: a prompt of %d tokens takes %.4g s on %d devices, %.4g s on %d", s.Model.Key,
				s.Precision.Key, s.Hardware.Key, s.Stack.Key, l.prompt, b.Seconds(), two.TP, a.Seconds(), one.TP)
		}
	}
}
