package metrics

// gapPoint is a known gap and the chunk at its end: its index in the stream
// and its ordinal within the measured choice.
type gapPoint struct {
	ms             float64
	chunk, ordinal int
}

// phaseFold gathers one part of the output. Its time is the sum between
// consecutive chunks of the same part. Reasoning that interrupts an answer is
// not charged to the answer.
type phaseFold struct {
	first, last Stamp
	chunks      int
	runs        int     // uninterrupted runs of chunks
	span        float64 // ms within the runs
	tokens      float64 // sum of the chunks' token counts
}

const (
	phaseReasoning = 0
	phaseAnswer    = 1
)

func phaseOf(k Kind) int {
	if k == Reasoning {
		return phaseReasoning
	}
	return phaseAnswer
}

func (p *phaseFold) add(c *Chunk, ms float64, goesOn bool) {
	p.chunks++
	p.tokens += float64(max(c.Tokens, 0))
	if goesOn {
		p.span += ms
	} else {
		p.runs++
	}
	if c.At.Known() {
		if !p.first.Known() {
			p.first = c.At
		}
		p.last = c.At
	}
}
