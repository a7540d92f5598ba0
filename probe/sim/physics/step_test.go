package physics

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
)

func config(t interface{ Fatalf(string, ...any) }, model, precision, machine, stack string, tp int) Config {
	m, ok1 := ModelOf(model)
	p, ok2 := PrecisionOf(precision)
	h, ok3 := Machine(machine)
	s, ok4 := StackOf(stack)
	if !(ok1 && ok2 && ok3 && ok4) {
		t.Fatalf("%s %s %s %s: %v %v %v %v", model, precision, machine, stack, ok1, ok2, ok3, ok4)
	}
	return Config{Hardware: h, Model: m, Precision: p, Stack: s, TP: tp}
}

func must(t interface{ Fatalf(string, ...any) }, c Config) *Setup {
	s, err := New(c)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// A 7B model in 16 bits on a device that reaches 1 TB/s and has no other
// costs. 14 GB take 14 ms; the embedding table is not read.
func TestTheIdealDeviceIsBytesOverBandwidth(t *testing.T) {
	s := must(t, config(t, "llama-2-7b", "bf16", "1tb", "ideal", 1))
	c := s.Step(&Load{Seqs: 1, Ctx: 1})
	near(t, "step", c.Seconds(), s.ActiveBytes()/1e12, 0.01)
	near(t, "active bytes", s.ActiveBytes(), 13.2e9, 0.01)
	testkit.Is(t, c.Binds(), Bandwidth, "decode is bound by")
	p := s.Step(&Load{Chunks: []Chunk{{New: 8000, Last: true}}})
	testkit.Is(t, p.Binds(), Compute, "a long prompt is bound by")
}

// Kernel timings of one expert layer on an H100 (aiconfigurator). The first
// table has Mixtral's shape at 1, 2, 4, 8 tokens. The second has 8 of 128
// experts at 1 to 64 tokens, with skewed routing. The uniform formula reads
// up to a fifth more there at 16 to 64 tokens.
func TestExpertLayersAgainstKernels(t *testing.T) {
	for _, c := range []struct {
		model     string
		us        map[int]float64
		tolerance float64
	}{
		{"mixtral-8x7b", map[int]float64{1: 256, 2: 441, 4: 582, 8: 957}, 0.22},
		{"qwen3-30b-a3b", map[int]float64{1: 49, 2: 75, 4: 123, 8: 182, 16: 230, 32: 364, 64: 444}, 0.35},
	} {
		s := must(t, config(t, c.model, "bf16", "h100", "bench", 2))
		for tokens, want := range c.us {
			cost := s.Step(&Load{Seqs: tokens, Ctx: int64(tokens)})
			// Two devices share the layer; the fixed times of routing are added.
			got := cost.Terms[Experts].Seconds*2/float64(s.Model.Layers) + 20e-6
			near(t, fmt.Sprintf("%s, %d tokens, µs", c.model, tokens), got*1e6, want, c.tolerance)
		}
	}
}

func TestPrefillAttentionReachesTheMeasuredShare(t *testing.T) {
	lengths := []int{512, 1024, 2048, 4096, 8192, 16384}
	for stack, shares := range map[string][]float64{
		"vllm":   {.21, .31, .42, .51, .57, .61},
		"trtllm": {.114, .198, .296, .394, .456, .474},
	} {
		for i, want := range shares {
			s := must(t, config(t, "llama-3.1-8b", "bf16", "h100", stack, 1))
			c := s.Step(&Load{Chunks: []Chunk{{New: lengths[i]}}})
			a := c.Terms[PrefillAttention]
			near(t, fmt.Sprintf("%s, share at %d", stack, lengths[i]), a.FLOPs/a.Seconds/989e12, want, 0.12)
		}
	}
}

func TestWhatDoesNotFitSaysWhy(t *testing.T) {
	for _, c := range []struct {
		model, precision, machine string
		tp                        int
		words                     string
	}{
		{"llama-3.3-70b", "bf16", "h100", 1, "131 GiB of weights, 80 GiB of memory"},
		{"deepseek-r1", "fp8", "h100", 8, "no room for the KV cache"},
		{"llama-3.1-8b", "bf16", "rtx5070", 1, "15 GiB of weights, 12 GiB of memory"},
		{"llama-3.1-8b", "bf16", "h100", 16, "groups of at most 8"},
		{"qwen3-14b", "bf16", "h100", 3, "do not divide"},
		{"llama-3.1-405b", "bf16", "h100", 0, "do not fit"},
	} {
		_, err := New(config(t, c.model, c.precision, c.machine, "vllm", c.tp))
		var fit *FitError
		if !errors.As(err, &fit) {
			t.Errorf("%s on %d %s: %v", c.model, c.tp, c.machine, err)
			continue
		}
		if c.words != "do not fit" && !strings.Contains(err.Error(), c.words) {
			t.Errorf("%s on %d %s: %q lacks %q", c.model, c.tp, c.machine, err, c.words)
		}
	}
}

func TestTheSmallestGroupIsFound(t *testing.T) {
	for key, want := range map[string]int{"llama-3.3-70b": 2, "llama-3.1-8b": 1, "deepseek-r1": 0} {
		c := config(t, key, "bf16", "h100", "vllm", 0)
		if want == 0 {
			if s, err := New(c); err == nil {
				t.Errorf("%s in bf16 on %d H100, want none", key, s.TP)
			}
			continue
		}
		testkit.Is(t, must(t, c).TP, want, key, "in bf16 on … H100")
	}
}

func TestExpectedTokensOfADraft(t *testing.T) {
	d := &Draft{K: 3, Accept: []float64{.8}}
	near(t, "a=0.8 k=3", d.Expected(), (1-.8*.8*.8*.8)/(1-.8), 1e-9)
	testkit.Is(t, (&Draft{K: 3}).Expected(), 1, "a draft that is never right still yields one token a step")
}

// anySetup draws a pair that fits.
func anySetup(t *rapid.T) *Setup {
	for {
		c := Config{
			Model:     rapid.SampledFrom(Models).Draw(t, "model"),
			Hardware:  rapid.SampledFrom(Machines).Draw(t, "hardware"),
			Precision: rapid.SampledFrom(Precisions).Draw(t, "precision"),
			Stack:     rapid.SampledFrom(Stacks).Draw(t, "stack"),
		}
		if s, err := New(c); err == nil {
			return s
		}
		t.Log("does not fit")
	}
}

func loadOf(n, ctx, prompt int) *Load {
	l := &Load{Seqs: n, Ctx: int64(n * ctx), WinCtx: int64(n * min(ctx, 128))}
	if prompt > 0 {
		l.Chunks = []Chunk{{New: prompt, Last: true}}
	}
	return l
}

func TestEveryStepIsFiniteAndGrows(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		s := anySetup(t)
		n := rapid.IntRange(1, 300).Draw(t, "sequences")
		ctx := rapid.IntRange(1, 20000).Draw(t, "context")
		prompt := rapid.IntRange(0, 8192).Draw(t, "prompt")
		base := s.Step(loadOf(n, ctx, prompt))
		if !(base.Seconds() > 0 && base.Seconds() < 1e6) {
			t.Fatalf("a step of %v s", base.Seconds())
		}
		for i, x := range base.Terms {
			if !(x.Seconds >= 0 && x.Bytes >= 0 && x.FLOPs >= 0) {
				t.Fatalf("%v: %+v", Cause(i), x)
			}
		}
		for name, l := range map[string]*Load{
			"more sequences": loadOf(n+1, ctx, prompt), "more context": loadOf(n, ctx+500, prompt),
			"more prompt": loadOf(n, ctx, prompt+500),
		} {
			// A grouped product can gain from more rows per expert: a thousandth is
			// tolerated.
			if c := s.Step(l); c.Seconds() < base.Seconds()*0.999 {
				t.Fatalf("%s make the step shorter: %v s after %v s", name, c.Seconds(), base.Seconds())
			}
		}
	})
}

// halved returns the setup of s with half the bytes per parameter, in the same
// class of operands, and why that is another kernel ("": it is the same one).
func halved(t interface{ Fatalf(string, ...any) }, s *Setup) (h *Setup, other string) {
	c, was := s.Config, s.Precision
	q := &c.Precision
	q.Attn, q.FFN, q.Expert, q.Head, q.Embed = q.Attn/2, q.FFN/2, q.Expert/2, q.Head/2, q.Embed/2
	h = must(t, c)
	switch {
	case s.Stack.Kernel16 > 0 && !s.Hardware.NoMatrix && max(was.Attn, was.FFN, was.Expert, was.Head) >= 2:
		other = "llama.cpp has other kernels for narrow weights"
	case s.Model.Experts > 0 && s.widens(c.Precision.Expert) && !s.widens(was.Expert):
		other = "4-bit experts are widened in the kernel"
	}
	return h, other
}

// checkHalf holds what half the bytes of the weights do to a step. With the same
// kernels it never takes longer. Experts that become 4 bits wide are widened to
// 16 bits by their kernel, which costs arithmetic: a grouped product can take
// longer, by the shares of the two kernels at most, and only where arithmetic
// bounds it. Products that become narrower than 16 bits convert their
// activations. All else is never slower.
func checkHalf(t interface {
	Fatalf(string, ...any)
	Helper()
}, s *Setup, l *Load) {
	t.Helper()
	h, other := halved(t, s)
	if s.Stack.Kernel16 > 0 && other != "" {
		return
	}
	was, is := s.Step(l), h.Step(l)
	name := func() string {
		return fmt.Sprintf("%s %s on %d x %s, %s", s.Model.Key, s.Precision.Key, s.TP, s.Hardware.Key, s.Stack.Key)
	}
	a, b := was.Terms[Experts].Seconds, is.Terms[Experts].Seconds
	longest := 1.0
	if other != "" && is.Terms[Experts].Limit == Compute {
		longest = max(groupedMatrix/groupedWidened, groupedOld/groupedMarlin)
	}
	if b > a*longest*1.0001 {
		t.Fatalf("%s: the experts take %v s, %v s with half the bytes; at most %.3f times", name(), a, b, longest)
	}
	more := max(0, b-a)
	if h.Precision.quantized() > s.Precision.quantized() {
		for _, i := range []Cause{Kernels, Activations} {
			more += max(0, is.Terms[i].Seconds-was.Terms[i].Seconds)
		}
	}
	if most := was.Seconds() + more; is.Seconds() > most*1.0001 {
		t.Fatalf("%s: a step takes %v s, %v s with half the bytes; at most %v s", name(), was.Seconds(), is.Seconds(), most)
	}
}

func TestHalfTheWeightsAreNeverSlower(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		checkHalf(t, anySetup(t), loadOf(rapid.IntRange(1, 64).Draw(t, "sequences"), 500, 0))
	})
}

// Mixtral in Q8_0 on an H20 with 50 sequences: an H20 has little arithmetic for
// its bandwidth, so widening experts of 4 bits takes longer than reading those
// of 8. A device with units for fp4 widens nothing, and half the bytes are
// faster there. With one sequence they are faster on both.
func TestWidenedExpertsCostArithmetic(t *testing.T) {
	s := must(t, config(t, "mixtral-8x7b", "q8", "h20", "vllm", 0))
	h, other := halved(t, s)
	if other == "" {
		t.Error("the experts of 4 bits are not widened")
	}
	many, one := loadOf(50, 500, 0), loadOf(1, 500, 0)
	a, b := s.Step(many), h.Step(many)
	if x := b.Terms[Experts]; x.Limit != Compute || x.Seconds <= a.Terms[Experts].Seconds {
		t.Errorf("50 sequences: the experts take %v s, %v s with half the bytes, bound by %v", a.Terms[Experts].Seconds,
			x.Seconds, x.Limit)
	}
	if a, b := s.Step(one), h.Step(one); b.Seconds() > 0.8*a.Seconds() {
		t.Errorf("one sequence: %v s, %v s with half the bytes", a.Seconds(), b.Seconds())
	}
	checkHalf(t, s, many)
	s.Hardware.FP4 = s.Hardware.BF16
	s = must(t, s.Config)
	h, other = halved(t, s)
	testkit.Is(t, other, "", "with fp4 units")
	if a, b := s.Step(many), h.Step(many); b.Seconds() > 0.9*a.Seconds() {
		t.Errorf("with fp4 units: %v s, %v s with half the bytes", a.Seconds(), b.Seconds())
	}
	checkHalf(t, s, many)
}
