package physics

import (
	"fmt"
	"testing"

	"tokscope/metrics/testkit"
)

// Kernel timings of Gated DeltaNet in a prompt: TensorRT-LLM 1.3 on an H100
// (aiconfigurator 095f58a, gdn_perf), the convolution and the delta rule of one layer
// with 32 and 64 value heads, in µs.
func TestLinearAttentionAgainstKernels(t *testing.T) {
	for _, c := range []struct {
		model  string
		tokens int
		us     float64
	}{
		{"qwen3.5-35b-a3b", 8192, 681}, {"qwen3.5-35b-a3b", 32768, 2772},
		{"qwen3.5-122b-a10b", 8192, 1115}, {"qwen3.5-122b-a10b", 32768, 4735},
	} {
		conf := config(t, c.model, "fp8", "h100", "bench", 1)
		conf.Hardware.Mem = 4000 // one layer was timed, not the model
		s := must(t, conf)
		cost := s.Step(&Load{Chunks: []Chunk{{New: c.tokens}}})
		near(t, fmt.Sprintf("%s, %d tokens, µs", c.model, c.tokens),
			cost.Terms[States].Seconds*1e6/float64(s.Model.Linear.Layers), c.us, 0.05)
	}
}

// Timings of a module of sparse attention in decode, projections included: vLLM
// 0.20 on an H200 (aiconfigurator, dsa_generation_module), DeepSeek V3.2 with
// 128 heads, in µs.
func TestSparseAttentionAgainstKernels(t *testing.T) {
	c := config(t, "deepseek-v3.2", "bf16", "h200", "bench", 1)
	c.Hardware.Mem = 4000 // one layer was timed, not the model
	s := must(t, c)
	for _, k := range []struct {
		seqs, ctx int
		us        float64
	}{{512, 128, 1126}, {1024, 16384, 2863}, {1, 2048, 280}} {
		cost := s.Step(&Load{Seqs: k.seqs, Ctx: int64(k.seqs * k.ctx), WinCtx: int64(k.seqs * min(k.ctx, 2048))})
		fixed := 4*gemmFixed + attnFixed + mlaFixed + dsaFixed
		got := (cost.Terms[Projections].Seconds+cost.Terms[DecodeAttention].Seconds)/float64(s.Model.Layers) + fixed
		near(t, fmt.Sprintf("%d sequences of %d tokens, µs", k.seqs, k.ctx), got*1e6, k.us, 0.35)
	}
}

// The cache grows on the layers with full attention only, and every user keeps
// a state besides.
func TestHybridModelsKeepStates(t *testing.T) {
	s := must(t, config(t, "qwen3-next-80b-a3b", "fp8", "h200", "vllm", 1))
	near(t, "bytes per token: 12 of 48 layers", s.KVToken, 12*2*2*256*2, 1e-9)
	near(t, "bytes per user", s.UserBytes(1), 36*(4*32*128*128+2*3*8192), 1e-9)
	if got, want := s.Blocks(1600), 100+197; got != want { // 77.3 MB in blocks of 393 kB, rounded up
		t.Errorf("a sequence of 1600 tokens holds %d blocks, want %d", got, want)
	}
	short, long := s.Step(&Load{Seqs: 1, Ctx: 1000}), s.Step(&Load{Seqs: 1, Ctx: 100_000})
	if short.Terms[States] != long.Terms[States] || short.Terms[States].Seconds <= 0 {
		t.Errorf("the states cost %v and %v", short.Terms[States], long.Terms[States])
	}
	near(t, "KV read of 99,000 tokens", long.Terms[DecodeAttention].Bytes-short.Terms[DecodeAttention].Bytes,
		99_000*24576, 1e-9)
}

// Gemma 3 keeps the whole context on one layer of six, gpt-oss on one of two.
func TestWindowsFollowThePattern(t *testing.T) {
	for key, full := range map[string]int{"gemma-3-4b": 5, "gemma-3-12b": 8, "gemma-3-27b": 10, "gpt-oss-20b": 12,
		"gpt-oss-120b": 18, "llama-4-scout": 12} {
		m, _ := ModelOf(key)
		if m.full() != full || m.full()+m.windowed() != m.Layers {
			t.Errorf("%s: %d of %d layers keep the whole context, want %d", key, m.full(), m.Layers, full)
		}
	}
	s := must(t, config(t, "gemma-3-27b", "bf16", "h100", "vllm", 1))
	near(t, "bytes in full windows", s.UserBytes(5000), 52*1024*2*16*128*2, 1e-9)
	near(t, "bytes in begun windows", s.UserBytes(100), 52*100*2*16*128*2, 1e-9)
	a, b := s.Step(&Load{Seqs: 1, Ctx: 2000, WinCtx: 1024}), s.Step(&Load{Seqs: 1, Ctx: 3000, WinCtx: 1024})
	near(t, "1000 more tokens", b.Terms[DecodeAttention].Bytes-a.Terms[DecodeAttention].Bytes, 10*1000*2*16*128*2, 1e-9)
}

// Beyond the top k, a token of context costs its index key only.
func TestSparseAttentionReadsTheChosenTokens(t *testing.T) {
	s := must(t, config(t, "deepseek-v3.2", "fp8", "h200", "vllm", 8))
	dense := must(t, config(t, "deepseek-v3.1", "fp8", "h200", "vllm", 8))
	load := func(ctx int64) *Load { return &Load{Seqs: 1, Ctx: ctx, WinCtx: min(ctx, 2048)} }
	a, b := s.Step(load(50_000)), s.Step(load(60_000))
	near(t, "10,000 more tokens, on eight devices", (b.Terms[DecodeAttention].Bytes-a.Terms[DecodeAttention].Bytes)/8,
		10_000*61*(132+scoreBytes), 1e-9)
	d := dense.Step(load(60_000))
	if b.Terms[DecodeAttention].Bytes > d.Terms[DecodeAttention].Bytes/4 {
		t.Errorf("sparse attention reads %v, dense %v", b.Terms[DecodeAttention].Bytes, d.Terms[DecodeAttention].Bytes)
	}
	near(t, "bytes per token", s.KVToken-dense.KVToken, 61*132, 1e-9)
	long := []Chunk{{New: 8000, Cached: 60_000}}
	x, y := s.Step(&Load{Chunks: long}), dense.Step(&Load{Chunks: long})
	if x.Terms[PrefillAttention].Seconds > y.Terms[PrefillAttention].Seconds {
		t.Errorf("a long prompt: sparse %v s, dense %v s", x.Terms[PrefillAttention].Seconds,
			y.Terms[PrefillAttention].Seconds)
	}
}

// Half the bytes per cached value hold twice the tokens, and are never read in
// more time.
func TestANarrowerCacheHoldsMore(t *testing.T) {
	r := testkit.Rand(t, 8)
	for range comparisons() / 10 {
		s := randomSetup(r)
		c := s.Config
		c.KV = "bf16"
		wide, err := New(c)
		if err != nil {
			continue // no room with so wide a cache
		}
		c.KV = "fp8"
		narrow := must(t, c)
		if s.Model.Sparse == nil && wide.Capacity > 2000 {
			near(t, s.Model.Key+" tokens", float64(narrow.Capacity), 2*float64(wide.Capacity), 0.03)
		}
		l := loads{1 + r.IntN(300), 1 + r.IntN(20000), 0, 0}.load(&s.Model)
		a, b := wide.Step(l), narrow.Step(l)
		if b.Seconds() > a.Seconds()*1.0001 {
			t.Fatalf("%s on %s: %v s with a bf16 cache, %v s with fp8", s.Model.Key, s.Hardware.Key, a.Seconds(), b.Seconds())
		}
		if narrow.Longest() < wide.Longest() {
			t.Fatalf("%s on %s: room for a sequence of %d tokens with a bf16 cache, %d with fp8", s.Model.Key, s.Hardware.Key,
				wide.Longest(), narrow.Longest())
		}
	}
}

// A longer sequence holds at least as many blocks, and the longest one fits.
func TestBlocksGrowWithTheSequence(t *testing.T) {
	r := testkit.Rand(t, 9)
	for range comparisons() {
		s := randomSetup(r)
		n := r.IntN(100_000)
		more := n + 16*(1+r.IntN(500))
		if a, b := s.Blocks(n), s.Blocks(more); b < a+(more-n)/16 || a < (n+15)/16 {
			t.Fatalf("%s on %s: %d tokens hold %d blocks, %d tokens %d", s.Model.Key, s.Hardware.Key, n, a, more, b)
		}
		if have := s.Capacity / Block; s.Blocks(s.Longest()) > have {
			t.Fatalf("%s on %s: the longest sequence of %d tokens holds %d of %d blocks", s.Model.Key, s.Hardware.Key,
				s.Longest(), s.Blocks(s.Longest()), have)
		}
	}
}
