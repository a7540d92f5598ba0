package metrics

import "time"

// peakWindow is the second of Peak.
const peakWindow = Stamp(time.Second)

// peakFold finds the second with the most chunks, and the one with the most
// tokens that the chunks state. It looks at each chunk twice: when it enters
// the second that ends with the newest chunk, and when it leaves that second.
type peakFold struct {
	newest peakEnd // of that second
	oldest peakEnd
	chunks int     // in it
	tokens float64 // stated by them
	most   peakSecond
	stated peakSecond
}

// peakEnd is a chunk at an end of the second, and when it counts: at its own
// stamp, or at the latest stamp before it where that is later or the only one.
type peakEnd struct {
	chunk int
	at    Stamp
}

// move makes chunk i of s the end.
func (e *peakEnd) move(s *Stream, i int) { e.chunk, e.at = i, max(e.at, s.Chunks[i].At) }

// peakSecond is the best second so far: its first chunk, and how much is in it.
type peakSecond struct {
	first int
	n     float64
}

// raise replaces b by a second that begins at chunk first and has more.
func (b *peakSecond) raise(first int, n float64) {
	if n > b.n {
		*b = peakSecond{first, n}
	}
}

// begin counts chunk i of s, the first of its choice.
func (p *peakFold) begin(f *ingest, s *Stream, i int, tokens int16) {
	*p = peakFold{newest: peakEnd{at: NoStamp}, oldest: peakEnd{at: NoStamp}}
	p.oldest.move(s, i)
	p.add(f, s, i, tokens)
}

// add counts chunk i of s. tokens are those that it states, below 0 for none.
func (p *peakFold) add(f *ingest, s *Stream, i int, tokens int16) {
	p.newest.move(s, i)
	p.chunks++
	p.tokens += float64(max(tokens, 0))
	for p.oldest.chunk < i {
		// A difference below 0 is too large for a Stamp.
		if age := p.newest.at - p.oldest.at; age >= 0 && age < peakWindow {
			break
		}
		at := p.oldest.chunk
		p.chunks--
		p.tokens -= float64(max(s.stated(at), 0))
		p.oldest.move(s, f.next(s, at))
	}
	p.most.raise(p.oldest.chunk, float64(p.chunks))
	p.stated.raise(p.oldest.chunk, p.tokens)
}

// stated returns the tokens that chunk i states, -1 for none and for a count
// that it cannot carry.
func (s *Stream) stated(i int) int16 {
	c := &s.Chunks[i]
	if int(c.Tokens) > c.carries(len(s.ChunkText(i)))+countSlack && !s.TextRemoved {
		return -1
	}
	return c.Tokens
}

// next returns the next measured chunk of s after chunk i, which must exist.
func (f *ingest) next(s *Stream, i int) int {
	i++
	for !f.measures(&s.Chunks[i]) || !s.Counts(i) {
		i++
	}
	return i
}

// peak computes Peak, the largest speed over a second:
//
//	Peak = max(tokens of [t, t + 1 s) over all t, Speed)
//
// of the measured choice. Tokens arrive with their read, so only the begins of
// reads matter as t. Tokens are those that the chunks state where all do, else
// chunks times TokensPerChunk. Speed is a bound from below: a stream of 1.5 s
// that stands still in its middle has a larger mean than any second of it.
// Unknown as Speed, and when the chunks cover less than a second.
//
// PeakRead is how much Peak may be too large: the tokens of the first read of
// that second, when it brought several chunks. They may have arrived before it.
func (f *ingest) peak(out *Figures, s *Stream) {
	if out.Peak = out.Speed; !out.Speed.OK {
		return
	}
	if span, ok := stampMs(s.Chunks[f.prev].At, s.Chunks[f.first].At); !ok || span < float64(peakWindow)/1e6 {
		out.Peak = Unknown(WhyUnderSecond)
		return
	}
	best, scale := f.peaks.stated, 1.0
	if !f.counted.everyMeasured {
		best, scale = f.peaks.most, out.TokensPerChunk.V
	}
	if n := best.n * scale; n > out.Speed.V {
		out.Peak = Finite(n, round(n))
		out.PeakRead = f.peakRead(s, best.first) * scale
	}
}

// peakRead returns what the read of chunk first brought from there on, in
// tokens where all chunks state them, else in chunks; 0 for a single chunk.
func (f *ingest) peakRead(s *Stream, first int) float64 {
	n, tokens := 0, 0.0
	for i := first; i <= f.prev && s.Chunks[i].Read == s.Chunks[first].Read; i++ {
		if f.measures(&s.Chunks[i]) && s.Counts(i) {
			n++
			tokens += float64(max(s.stated(i), 0))
		}
	}
	switch {
	case n < 2:
		return 0
	case f.counted.everyMeasured:
		return tokens
	}
	return float64(n)
}
