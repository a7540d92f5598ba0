package physics

import "testing"

// seconds returns the time of a prompt of n tokens behind old ones, in pieces.
func (s *Setup) seconds(n, old, piece int) float64 {
	sum := 0.0
	for at := 0; at < n; at += piece {
		c := s.Step(&Load{Chunks: []Chunk{{New: min(piece, n-at), Cached: old + at, Last: at+piece >= n}}})
		sum += c.Seconds()
	}
	return sum
}

// A step of 2,048 tokens of llama.cpp reads the weights four times, as four steps
// of 512 do. Decodes go with the first piece.
func TestEveryPieceOfAPromptReadsTheWeights(t *testing.T) {
	s := must(t, config(t, "llama-3.1-8b", "q4", "rtx4090", "llama.cpp", 1))
	whole := s.Step(&Load{Chunks: []Chunk{{New: 1500, Last: true}, {New: 548, Cached: 100}}})
	piece := s.Step(&Load{Chunks: []Chunk{{New: 512}}})
	near(t, "bytes of the feed-forward weights", whole.Terms[FeedForward].Bytes, 4*piece.Terms[FeedForward].Bytes, 1e-9)
	near(t, "FLOPs of the feed-forward weights", whole.Terms[FeedForward].FLOPs, 4*piece.Terms[FeedForward].FLOPs, 1e-9)
	if whole.Rows != 1 || whole.Tokens != 2048 {
		t.Errorf("%d rows and %d tokens", whole.Rows, whole.Tokens)
	}
	both := s.Step(&Load{Seqs: 4, Ctx: 400, Chunks: []Chunk{{New: 508}}})
	near(t, "decodes in the first piece", both.Terms[FeedForward].Bytes, piece.Terms[FeedForward].Bytes, 1e-9)
	if alone := s.Step(&Load{Seqs: 4, Ctx: 400,
		Chunks: []Chunk{{New: 1000}}}); alone.Terms[DecodeAttention].Bytes != both.Terms[DecodeAttention].Bytes {
		t.Error("the cache of decodes is read more than once")
	}
	s.Stack.Pass = 0
	if once := s.Step(&Load{Chunks: []Chunk{{New: 1500, Last: true},
		{New: 548, Cached: 100}}}); once.Seconds() >= whole.Seconds() {
		t.Error("reading the weights once is not faster")
	}
}

// Attention of llama.cpp, timed as what a prompt takes longer behind many tokens.
// The sources stand beside Hardware.OwnAttn.
func TestAttentionOfLlamaCpp(t *testing.T) {
	for _, c := range []struct {
		model, precision, machine string
		tokens, old, piece        int
		want, within              float64 // seconds
	}{
		{"gpt-oss-120b", "mxfp4", "strixhalo", 2048, 16384, 2048, 2048/507.39 - 2048/998.24, 0.05},
		{"gpt-oss-20b", "mxfp4", "dgx-spark", 2048, 16384, 2048, 2048/2685.54 - 2048/3610.56, 0.15},
	} {
		s := must(t, config(t, c.model, c.precision, c.machine, "llama.cpp", 1))
		near(t, c.machine+", seconds", s.seconds(c.tokens, c.old, c.piece)-s.seconds(c.tokens, 0, c.piece), c.want, c.within)
	}
	s := must(t, config(t, "llama-3.1-8b", "q4", "rtx3090", "llama.cpp", 1))
	near(t, "512 tokens behind 32,768, tok/s", 512/s.seconds(512, 32768, 512), 1470.93, 0.12)
}

// Without attention in one kernel, twice the prompt writes four times the scores.
func TestScoresInMemory(t *testing.T) {
	c := config(t, "llama-3.1-8b", "bf16", "rtx4090", "llama.cpp", 1)
	c.Stack.Scores = 20
	s := must(t, c)
	at := func(n int) Term { return s.Step(&Load{Chunks: []Chunk{{New: n}}}).Terms[PrefillAttention] }
	near(t, "bytes of 512 tokens", at(512).Bytes, 20*32*32*512*512, 1e-9)
	c.Stack.Pass = 0
	s = must(t, c)
	near(t, "bytes of 8,192 tokens", at(8192).Bytes/at(4096).Bytes, 4, 1e-9)
	near(t, "seconds of 8,192 tokens", at(8192).Seconds/at(4096).Seconds, 4, 1e-9)
	c.Stack.Scores = 0
	if fused := must(t, c).Step(&Load{Chunks: []Chunk{{New: 8192}}}); fused.Terms[PrefillAttention].Seconds >= at(8192).Seconds {
		t.Error("attention in one kernel is not faster")
	}
}
