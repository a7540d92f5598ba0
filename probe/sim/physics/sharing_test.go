package physics

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

func shared(t *testing.T, model, precision, machine, stack string, tp int, how Sharing) *Setup {
	c := config(t, model, precision, machine, stack, tp)
	c.Sharing = how
	return must(t, c)
}

// With data-parallel attention the latent cache is on one device, not on all:
// eight devices hold nearly eight times the tokens. One user does not gain from
// it, since one device does all of its attention.
func TestExpertParallelismHoldsMore(t *testing.T) {
	tensor, expert := shared(t, "deepseek-r1", "fp8", "h200", "sglang", 8, Tensor), shared(t, "deepseek-r1", "fp8",
		"h200", "sglang", 8, Expert)
	if r := float64(expert.Capacity) / float64(tensor.Capacity); r < 5 || r > 8 {
		t.Errorf("%d tokens with expert parallelism, %d with tensor parallelism", expert.Capacity, tensor.Capacity)
	}
	one, many := &Load{Seqs: 1, Ctx: 2000}, &Load{Seqs: 1024, Ctx: 1024 * 4000}
	a, b := tensor.Step(one), expert.Step(one)
	testkit.That(t, b.Seconds() >= a.Seconds(),
		"one user: %v s with expert parallelism, %v s with tensor parallelism", b.Seconds(), a.Seconds())
	a, b = tensor.Step(many), expert.Step(many)
	testkit.That(t, b.Seconds() <= a.Seconds(),
		"1024 users: %v s with expert parallelism, %v s with tensor parallelism", b.Seconds(), a.Seconds())
	if b.Terms[AllReduce].Seconds > 0 || b.Terms[Exchange].Seconds <= 0 || a.Terms[Exchange].Seconds > 0 {
		t.Errorf("all-reduce %v, exchange %v", b.Terms[AllReduce].Seconds, b.Terms[Exchange].Seconds)
	}
}

// A pipeline of n devices serves one user as fast as one device would, and
// nearly n times as many at that speed. Nothing is summed up over its links.
func TestAPipelineServesMoreAtTheSameSpeed(t *testing.T) {
	one := must(t, config(t, "llama-3.1-8b", "bf16", "rtx4090", "vllm", 1))
	four := shared(t, "llama-3.1-8b", "bf16", "rtx4090", "vllm", 4, Pipeline)
	a, b := one.Step(&Load{Seqs: 1, Ctx: 1000}), four.Step(&Load{Seqs: 1, Ctx: 1000})
	near(t, "one user", b.Seconds(), a.Seconds()+3*pcie4.A1, 0.001)
	a, b = one.Step(&Load{Seqs: 8, Ctx: 8000}), four.Step(&Load{Seqs: 32, Ctx: 32000})
	near(t, "four times the users", b.Seconds(), a.Seconds(), 0.02)
	testkit.That(t, four.Capacity >= 6*one.Capacity, "%d tokens on four devices, %d on one", four.Capacity, one.Capacity)
	bandwidth, _ := four.Used(&b)
	alone, _ := one.Used(&a)
	testkit.That(t, bandwidth >= 0.9*alone, "four stages use %.2f of the bandwidth, one device %.2f", bandwidth, alone)
}

// Every sequence and every prompt is in one part. The largest has its share of
// the tokens, and no part gets all prompts.
func TestParts(t *testing.T) {
	r := testkit.Rand(t, 10)
	for range comparisons() {
		n, k := 2+r.IntN(15), r.IntN(4)
		l := &Load{Seqs: r.IntN(100)}
		total, longest := l.Seqs*(1+k), 1+k
		for range r.IntN(20) {
			c := Chunk{New: 1 + r.IntN(4000)}
			l.Chunks = append(l.Chunks, c)
			total += c.New
			longest = max(longest, c.New)
		}
		owner := make([]uint8, len(l.Chunks))
		list := l.parts(n, k, owner)
		seqs, tokens, largest := 0, 0, 0
		for i, p := range list {
			one := p.seqs * (1 + k)
			for j, c := range l.Chunks {
				if int(owner[j]) == i {
					one += c.New
				}
			}
			testkit.Given(t, one == p.tokens && p.prompts == (one > p.seqs*(1+k)) && (i < n || one <= 0),
				"%+v in %d parts: part %d has %d tokens: %+v", l, n, i, one, p)
			seqs, tokens, largest = seqs+p.seqs, tokens+one, max(largest, one)
		}
		testkit.Given(t, seqs == l.Seqs && tokens == total && largest >= total/n && largest <= total/n+longest+1+k,
			"%+v in %d parts: %d sequences, %d tokens, the largest has %d of %d", l, n, seqs, tokens, largest, total)
	}
}

// Bytes and FLOPs of a divided step are sums over the devices. Each token is
// computed once, wherever it is, and every device that works reads the weights
// of its attention once.
func TestADividedStepSumsItsDevices(t *testing.T) {
	r := testkit.Rand(t, 12)
	for range comparisons() {
		how, tp := []Sharing{Expert, Pipeline}[r.IntN(2)], 2<<r.IntN(3)
		s := shared(t, "gpt-oss-120b", "mxfp4", "h200", "vllm", tp, how)
		l := &Load{Seqs: r.IntN(40)}
		l.Ctx, l.WinCtx = int64(l.Seqs*tp)*500, int64(l.Seqs*tp)*128
		for range 1 + r.IntN(3) {
			l.Chunks = append(l.Chunks, Chunk{New: 1 + r.IntN(16000), Cached: r.IntN(2) * 3000, Last: r.IntN(2) == 0})
		}
		group := s.Step(l)
		alone := Cost{Tokens: group.Tokens, Rows: group.Rows}
		s.one.device(&alone, l, 0)
		for _, cause := range []Cause{Projections, FeedForward, Experts, PrefillAttention, DecodeAttention, Head} {
			near(t, fmt.Sprint(how, " ", tp, " FLOPs of ", cause), group.Terms[cause].FLOPs+1, alone.Terms[cause].FLOPs+1, 1e-3)
		}
		used := 0
		for _, p := range l.parts(tp, 0, make([]uint8, len(l.Chunks))) {
			if p.tokens > 0 {
				used++
			}
		}
		near(t, "bytes of the projections", group.Terms[Projections].Bytes, float64(used)*alone.Terms[Projections].Bytes,
			1e-9)
	}
}

// A prompt of one token costs a device with linear attention more than a
// sequence more: the device that has the prompt decides the step, not the one
// with the most tokens. So one more sequence never makes the step shorter,
// wherever the prompt goes. The first beside a prompt in a pipeline is an exception:
// a prompt alone has nothing to overlap with.
func TestTheSlowestPartDecides(t *testing.T) {
	for _, sharing := range []Sharing{Expert, Pipeline} {
		s := shared(t, "qwen3.5-35b-a3b", "q8", "h20", "mlx", 4, sharing)
		before := 0.0
		for seqs := 1; seqs <= 230; seqs++ {
			c := s.Step(loads{seqs, 775, 1, 5954}.load(&s.Model))
			testkit.That(t, c.Seconds() >= before*0.9999,
				"%v: %d sequences and a prompt take %.4g s, one less %.4g s", sharing, seqs, c.Seconds(), before)
			before = c.Seconds()
		}
	}
}

func TestWhatCannotBeShared(t *testing.T) {
	m, _ := ModelOf("llama-3.1-8b")
	for _, c := range []struct {
		change func(*Config)
		words  string
	}{
		{func(c *Config) { c.Model, c.Sharing = m, Expert }, "expert parallelism needs experts, Llama 3.1 8B has none"},
		{func(c *Config) { c.Sharing, c.Draft = Expert, &Draft{Model: &m, Precision: c.Precision, K: 2} },
			"a draft model needs tensor parallelism"},
		{func(c *Config) { c.TP, c.CPULayers = 1, 9 }, "experts on the CPU need a card in a desktop computer, not H200"},
		{func(c *Config) { c.KV = "fp3" }, `no format "fp3"`},
	} {
		x := config(t, "qwen3-30b-a3b", "bf16", "h200", "llama.cpp", 4)
		c.change(&x)
		_, err := New(x)
		testkit.That(t, err != nil && err.Error()[:len(c.words)] == c.words, "%v, want %q", err, c.words)
	}
}

// gpt-oss-120b with all experts on the CPU (llama.cpp --n-cpu-moe 36, i9-14900K):
// 25.6 tok/s, and the prompt that hostCopy is derived from.
func TestExpertsOnTheCPUAgainstAPublishedRun(t *testing.T) {
	c := config(t, "gpt-oss-120b", "mxfp4", "rtx4090", "llama.cpp", 1)
	_, err := New(c)
	testkit.That(t, err != nil, "it fits without the CPU")
	c.CPULayers = 36
	s := must(t, c)
	step := s.Step(&Load{Seqs: 1, Ctx: 14000, WinCtx: 128})
	near(t, "tok/s of one user", 1/step.Seconds(), 25.6, 0.15)
	prompt := s.Step(&Load{Chunks: []Chunk{{New: 12717, Last: true}}})
	near(t, "tok/s of the prompt", 12717/prompt.Seconds(), 134, 0.05)
	if step.Terms[Experts].Bytes != 0 || step.Terms[CPUExperts].Bytes <= 0 {
		t.Errorf("experts read %v on the card, %v on the CPU", step.Terms[Experts].Bytes, step.Terms[CPUExperts].Bytes)
	}
}

// A scheduler that works while the devices do never makes a step longer, and
// saves at most the time of the host.
func TestAsyncSchedulingHidesTheHost(t *testing.T) {
	r := testkit.Rand(t, 11)
	hidden := 0
	for range comparisons() {
		s := randomSetup(r)
		c := s.Config
		c.Stack.Async = false
		plain := must(t, c)
		c.Stack.Async = true
		async := must(t, c)
		l := loads{1 + r.IntN(300), 1 + r.IntN(20000), r.IntN(3) * 500, 0}.load(&s.Model)
		a, b := plain.Step(l), async.Step(l)
		if saved := a.Seconds() - b.Seconds(); saved < -1e-9 || saved > a.Terms[Engine].Seconds+1e-9 {
			t.Fatalf("%s on %s, %s: %v s, %v s asynchronous", s.Model.Key, s.Hardware.Key, s.Stack.Key, a.Seconds(), b.Seconds())
		}
		if b.Terms[Engine].Seconds == 0 {
			hidden++
		}
	}
	if hidden < comparisons()/2 {
		t.Errorf("the host is hidden in %d of %d steps", hidden, comparisons())
	}
}

// A step of a divided group allocates nothing.
func TestADividedStepAllocatesNothing(t *testing.T) {
	for _, how := range []Sharing{Expert, Pipeline} {
		s := shared(t, "gpt-oss-120b", "mxfp4", "h100", "vllm", 4, how)
		l := &Load{Seqs: 64, Ctx: 64000, WinCtx: 64 * 128, Chunks: []Chunk{{New: 512, Last: true}, {New: 300}}}
		testkit.Allocates(t, 0, 100, func() { s.Step(l) }, "a step", how)
	}
}

// An EAGLE-3 head is a twentieth of an 8B model, less of a larger one, and gives
// the published tokens a step. With 2.79 tokens a step, three guesses took vLLM
// from 7.07 to 4.09 ms a token.
func TestEAGLE3Head(t *testing.T) {
	short, large := config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 1), config(t, "llama-3.3-70b", "bf16", "h100",
		"vllm", 4)
	near(t, "head of an 8B model", EAGLE3Head(&short), 0.057, 0.1)
	near(t, "head of a 70B model", EAGLE3Head(&large), 0.0195, 0.1)
	near(t, "tokens a step with 7 guesses", (&Draft{K: 7, Accept: []float64{UsualAccept}}).Expected(), 3.2, 0.1)
	short.Draft = &Draft{K: 3, Head: EAGLE3Head(&short), Accept: []float64{.763}}
	plain, with := config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 1), must(t, short)
	a, b := must(t, plain).Step(&Load{Seqs: 1, Ctx: 1000}), with.Step(&Load{Seqs: 1, Ctx: 1000})
	gain := a.Seconds() * short.Draft.Expected() / b.Seconds()
	testkit.That(t, math.Abs(gain/1.73-1) <= 0.05, "one user gains %.2f times from three guesses, want 1.73", gain)
}

// A gather takes what NCCL took on eight H100.
func TestAGatherAgainstKernels(t *testing.T) {
	for n, us := range map[int]float64{2: 5.2, 4: 7.1, 8: 10.2} {
		near(t, fmt.Sprintf("some bytes over %d, µs", n), nvlinkHopper.gather(256, n)*1e6, us, 0.11)
	}
	for mb, us := range map[float64]float64{2.1: 22, 8.4: 45, 16.8: 69, 33.6: 125, 67.1: 208} {
		near(t, fmt.Sprintf("%v MB, µs", mb), nvlinkHopper.gather(mb*1e6*7/8, 8)*1e6, us, 0.22)
	}
}

// The device with the most tokens has as many as timings of expert layers with
// tokens that share experts show: 1.36 times the mean with DeepSeek's experts over
// eight devices, 1.58 and 1.30 with Qwen3's over eight and four (TensorRT-LLM 1.2 in
// aiconfigurator). Of 32 devices it had 2.56 times the mean (DeepSeek R1).
func TestTheFullestDevice(t *testing.T) {
	for _, c := range []struct {
		model string
		tp    int
		times float64
	}{{"deepseek-r1", 8, 1.36}, {"qwen3-235b-a22b", 8, 1.58}, {"qwen3-235b-a22b", 4, 1.30}} {
		m, _ := ModelOf(c.model)
		near(t, c.model, m.fullest(c.tp), c.times, 0.11)
	}
	r1, _ := ModelOf("deepseek-r1")
	near(t, "32 devices", r1.fullest(32), 2.56, 0.12)
}

// Expert parallelism never makes the experts of a step faster than devices that
// share them evenly, and never slower than one device with all tokens. More
// tokens never take less time, on their way too.
func TestExpertsAreNeverFasterThanEven(t *testing.T) {
	r := testkit.Rand(t, 16)
	for range comparisons() {
		m := []string{"deepseek-r1", "qwen3-235b-a22b", "gpt-oss-120b", "qwen3-30b-a3b", "glm-4.5-air"}[r.IntN(5)]
		s := shared(t, m, "fp8", "h200", "sglang", 8, Expert)
		tokens := float64(1 + r.IntN(20000))
		var even Cost
		even.Tokens = int(tokens)
		s.one.linear(&even)
		x := s.spread(tokens)
		if x.Seconds < even.Terms[Experts].Seconds/8*0.9999 || x.Seconds > even.Terms[Experts].Seconds*1.0001 {
			t.Fatalf("%s, %v tokens: %v s on eight devices, %v on one", m, tokens, x.Seconds, even.Terms[Experts].Seconds)
		}
		if more := s.spread(tokens + float64(1+r.IntN(500))); more.Seconds < x.Seconds*0.999 {
			t.Fatalf("%s, %v tokens: %v s, %v with more", m, tokens, x.Seconds, more.Seconds)
		}
		if e := s.exchange(tokens); e < 2*nvlinkHopper.A1 || s.exchange(tokens+1) < e {
			t.Fatalf("%s, %v tokens: an exchange of %v s", m, tokens, e)
		}
	}
}

// The experts of one more layer on the CPU never make a step faster, and never
// leave less room on the card.
func TestMoreExpertsOnTheCPUAreSlowerAndSmaller(t *testing.T) {
	r := testkit.Rand(t, 18)
	compared := 0
	for range comparisons() {
		model, precision := []string{"gpt-oss-120b", "gpt-oss-20b", "qwen3-30b-a3b", "mixtral-8x7b", "glm-4.5-air",
			"qwen3-next-80b-a3b"}[r.IntN(6)], "q4"
		if strings.HasPrefix(model, "gpt-oss") {
			precision = "mxfp4"
		}
		c := config(t, model, precision, []string{"rtx4090", "rtx5090", "rtx3090", "l40s", "rtx4080", "a10",
			"l4"}[r.IntN(7)], "llama.cpp", 1)
		c.CPULayers = r.IntN(c.Model.MoELayers())
		fewer, err := New(c)
		c.CPULayers++
		more, err2 := New(c)
		if err != nil || err2 != nil {
			continue
		}
		compared++
		l := loads{r.IntN(9), 1 + r.IntN(8000), r.IntN(2) * r.IntN(4000), 0}.load(&c.Model)
		a, b := fewer.Step(l), more.Step(l)
		if b.Seconds() < a.Seconds()*0.9999 || more.Capacity < fewer.Capacity || more.Weights >= fewer.Weights {
			t.Fatalf("%s on %s, %+v: %v s and room for %d with %d layers on the CPU, %v s and %d with one more", model,
				c.Hardware.Key, l,
				a.Seconds(), fewer.Capacity, c.CPULayers-1, b.Seconds(), more.Capacity)
		}
	}
	testkit.That(t, compared >= comparisons()/10, "%d comparisons", compared)
}

// One prompt does not stop the other parts of a pipeline: a round costs the mean.
// Alone it takes its way through all stages.
func TestAPromptDoesNotStopAPipeline(t *testing.T) {
	c := config(t, "llama-3.3-70b", "fp8", "h100", "vllm", 4)
	c.Sharing = Pipeline
	s := must(t, c)
	device := func(l loads) float64 {
		x := s.Step(l.load(&s.Model))
		return x.Device() - x.Terms[Exchange].Seconds
	}
	prompt, both, decodes := device(loads{prompt: 4000}), device(loads{seqs: 4, ctx: 1000, prompt: 4000}),
		device(loads{seqs: 4, ctx: 1000})
	near(t, "a round with a prompt", both, (prompt+3*decodes)/4, .1)
	testkit.That(t, both >= decodes && prompt >= 3*both,
		"%.3g s with a prompt, %.3g s without, the prompt alone %.3g s", both, decodes, prompt)
}
