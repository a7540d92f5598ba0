package physics

import "testing"

// DeepSeek V4 keeps entries of 4 and of 128 tokens, and a window of 128 in every
// layer. Behind a long context a token reads the entries that the indexer chooses,
// all of the coarse ones, and the window.
func TestEntriesOfSeveralTokens(t *testing.T) {
	m, _ := ModelOf("deepseek-v4-flash")
	near(t, "bytes a token", m.KVBytes(1), 21*(512+132)/4.+20*512/128., 1e-9)
	s := must(t, config(t, "deepseek-v4-flash", "mxfp4", "b200", "vllm", 2))
	near(t, "its window", s.UserBytes(5000), 43*128*512, 1e-9)
	const ctx = 100_000.
	c := s.Step(loads{seqs: 2, ctx: ctx}.load(&m))
	read := 21*512*512 + 20*ctx/128*512 + 43*128*512
	scored := 21 * ctx / 4 * (132 + scoreBytes)
	near(t, "bytes of a step", c.Terms[DecodeAttention].Bytes, 2*2*(read+scored), 0.01)
	a := s.Step(&Load{Chunks: []Chunk{{New: 1000, Cached: ctx}}}).Terms[PrefillAttention]
	b := s.Step(&Load{Chunks: []Chunk{{New: 1000, Cached: 2 * ctx}}}).Terms[PrefillAttention]
	if b.FLOPs > 2*a.FLOPs {
		t.Errorf("a prompt behind twice the context costs %.2f times the FLOPs", b.FLOPs/a.FLOPs)
	}
}

// What all tokens use is wider than the routed experts: 16 bits in Kimi K3, 8 in
// DeepSeek V4. The weights are those of the files.
func TestSharedExpertsKeepTheirFormat(t *testing.T) {
	for _, c := range []struct {
		model  string
		shared float64
	}{{"kimi-k3", 2}, {"deepseek-v4-flash", 1}} {
		s := must(t, config(t, c.model, "mxfp4", "gb200", "vllm", 16))
		near(t, c.model, s.Precision.shared(), c.shared, 1e-9)
		near(t, c.model+" routed", s.Precision.Expert, .53125, 1e-9)
	}
}
