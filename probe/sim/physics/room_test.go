package physics

import (
	"testing"

	"tokscope/metrics/testkit"
)

// vLLM printed room for 41,408 tokens of Llama 3.1 8B on an RTX 4090. Decimal
// gigabytes and a fixed reserve of 2 GB gave 27,008.
func TestRoomOfACacheAgainstAPublishedOne(t *testing.T) {
	s := must(t, config(t, "llama-3.1-8b", "bf16", "rtx4090", "vllm", 1))
	near(t, "tokens", float64(s.Capacity), 41408, 0.06)
}

// A larger step needs more memory, and leaves less for the cache.
func TestTheReserveFollowsTheLargestStep(t *testing.T) {
	c := config(t, "llama-3.1-8b", "bf16", "h100", "vllm", 1)
	large := must(t, c)
	near(t, "bytes", large.reserve(), 1e9+10*1024*128256+4*8192*14336, 1e-9)
	c.Stack.Budget, c.Stack.MaxSeqs = 2048, 256
	if compact := must(t, c); compact.Capacity <= large.Capacity {
		t.Errorf("room for %d tokens with small steps, %d with large ones", compact.Capacity, large.Capacity)
	}
}

func TestAStepAllocatesNothing(t *testing.T) {
	s := must(t, config(t, "gpt-oss-20b", "mxfp4", "h100", "vllm", 2))
	l := &Load{Seqs: 64, Ctx: 64000, WinCtx: 64 * 128, Chunks: []Chunk{{New: 512, Last: true}}}
	var c Cost
	testkit.Allocates(t, 0, 100, func() { c = s.Step(l) }, "a step")
	if c.Seconds() <= 0 {
		t.Error("the step takes no time")
	}
}

func BenchmarkStep(b *testing.B) {
	s := must(b, config(b, "gpt-oss-20b", "mxfp4", "h100", "vllm", 2))
	l := &Load{Seqs: 64, Ctx: 64000, WinCtx: 64 * 128, Chunks: []Chunk{{New: 512, Last: true}}}
	b.ReportAllocs()
	for b.Loop() {
		s.Step(l)
	}
}

// Software without a pool that all windows share has room for half as many tokens
// of a model whose every second layer has a window, and reads as much of them.
func TestSoftwareThatReservesWindowsWhole(t *testing.T) {
	for _, key := range []string{"bench", "trtllm", "nim"} {
		c := config(t, "gpt-oss-120b", "mxfp4", "h100", key, 2)
		whole := must(t, c)
		c.Stack.Windowless = false
		some := must(t, c)
		near(t, key+": tokens that fit", float64(whole.Capacity)/float64(some.Capacity), .5, .01)
		if n := whole.Blocks(8192); n != 512 {
			t.Errorf("%s: %d blocks for 8,192 tokens", key, n)
		}
		l := loads{seqs: 4, ctx: 8000}.load(&c.Model)
		a, b := whole.Step(l), some.Step(l)
		if a.Terms[DecodeAttention] != b.Terms[DecodeAttention] {
			t.Errorf("%s: %+v, with a pool for windows %+v", key, a.Terms[DecodeAttention], b.Terms[DecodeAttention])
		}
	}
}
