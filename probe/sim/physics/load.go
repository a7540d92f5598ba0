package physics

import "tokscope/metrics/pick"

// Load describes the batch of one step.
type Load struct {
	Seqs   int   // sequences that decode
	Ctx    int64 // sum of their context lengths, tokens
	WinCtx int64 // sum of min(context, Model.Reach()); used by models with a reach only
	Chunks []Chunk
}

// Chunk is a piece of a prompt that is prefilled in the step.
type Chunk struct {
	New    int  // tokens computed now
	Cached int  // tokens of the same sequence already in the cache
	Last   bool // completes the prompt: the step yields its first token
}

// Prefilled returns the tokens of prompts that are computed in the step.
func (l *Load) Prefilled() (n int) {
	for _, c := range l.Chunks {
		n += c.New
	}
	return n
}

// tokens returns T, the new tokens of the step. Decodes count 1 + k.
func (l *Load) tokens(k int) int { return l.Seqs*(1+k) + l.Prefilled() }

// rows returns the number of rows that need the output head.
func (l *Load) rows(k int) int {
	return l.Seqs*(1+k) + pick.Count(l.Chunks, func(c *Chunk) bool { return c.Last })
}
