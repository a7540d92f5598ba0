package metrics

import "slices"

// ingest holds what a Meter has derived from the chunks it has seen, so that
// the next measurement costs only the new chunks. It depends on the chunks
// alone: ingesting them at once or in pieces gives the same result.
//
// Three rules decide which chunks count:
//
//   - A chunk without text, tokens, tool call, audio and image does not count.
//   - Reasoning that the server only summarized (summarized) was made while nothing
//     came: the figures of gaps, TPOT and speed cover the answer alone.
//   - Thinking that the server only estimates (Stream.Thinking) is left out in the same way, and
//     so is the gap in which a tool of the server began to work.
//   - Several choices (n > 1) are several streams through one connection. First
//     chunk, last chunk and token total cover all choices. Gaps, TPOT, speed,
//     bursts, words and phases cover only the choice with the first chunk. A gap
//     between chunks of different choices describes neither.
type ingest struct {
	choice  uint8 // the measured choice
	choices [4]uint64
	all     int // chunks of all choices
	chunks  int // chunks of the measured choice
	media   int // of all, those of audio and images
	first   int // index of its first chunk
	prev    int // index of its last chunk so far

	answerOnly bool    // reasoning is left out of what is measured; set before the first chunk
	leftOut    int     // index of the last chunk of it
	pauses     int     // measured gaps that are left out because a tool of the server worked
	paused     float64 // their sum, ms
	textOnly   bool    // tokens were counted that were not sent: what came is estimated

	moments momentFold
	counted tokenFold
	stamps  stampFold
	reads   readFold
	flood   floodFold
	flush   flushFold
	gaps    gapFold
	peaks   peakFold

	itl     itlFold
	trend   trendFold
	phase   [2]phaseFold // reasoning, answer
	visible wordCounter  // of a Visible kind
	thought wordCounter  // reasoning
	tool    wordCounter  // tool calls
	parts   partCounter  // of all that is measured
	reading readingFold
	voice   sentenceFold
}

// reset clears everything but the buffers.
func (f *ingest) reset(p Pace, answerOnly bool) {
	*f = ingest{
		moments: momentFold{NoStamp, NoStamp, NoStamp, NoStamp, SeenNothing},
		counted: tokenFold{everyChunk: true, everyMeasured: true},
		reads:   readFold{bursts: f.reads.bursts[:0]},
		flood:   floodFold{from: NoStamp},
		flush:   f.flush.empty(),
		gaps:    f.gaps.empty(),
		itl:     f.itl.empty(), trend: f.trend.empty(), answerOnly: answerOnly,
	}
	for i := range f.phase {
		f.phase[i].first, f.phase[i].last = NoStamp, NoStamp
	}
	f.reading.reset(p)
}

// extend ingests the chunks from..len(s.Chunks).
func (f *ingest) extend(s *Stream, from int) {
	f.itl.perChunk.takeBack()
	f.itl.perToken.takeBack()
	fresh := len(s.Chunks) - from
	f.gaps.fresh, f.gaps.series = slices.Grow(f.gaps.fresh, fresh), slices.Grow(f.gaps.series, fresh)
	for i := from; i < len(s.Chunks); i++ {
		f.add(s, i)
	}
	f.gaps.merge()
	f.itl.mergeNew()
	f.trend.extend(f.gaps.series)
}

// add counts chunk i of s.
func (f *ingest) add(s *Stream, i int) {
	leftOut := f.answerOnly && s.Chunks[i].Kind == Reasoning
	if !leftOut && i >= s.Others {
		f.flush.add(&s.Chunks[i])
	}
	if !s.Counts(i) {
		return
	}
	c, text := &s.Chunks[i], s.ChunkText(i)
	if s.stated(i) != c.Tokens {
		untold := *c
		f.counted.excess = max(f.counted.excess, c.Tokens)
		untold.Tokens = -1
		c = &untold
	} else if s.unseen(i) {
		hidden := *c
		hidden.Tokens = -1
		c = &hidden
	}
	f.addAny(c, text)
	if f.all == 1 {
		f.choice = c.Choice
	}
	if c.Choice != f.choice {
		return
	}
	f.addText(c, text)
	if leftOut {
		f.phase[phaseReasoning].add(c, 0, false)
		f.leftOut, f.gaps.tracker = i, GapTracker{}
		return
	}
	f.chunks++
	f.parts.add(text)
	f.counted.measured += float64(max(c.Tokens, 0))
	f.counted.everyMeasured = f.counted.everyMeasured && c.Tokens >= 0
	waited := f.chunks > 1 && s.waits(s.Chunks[f.prev].At, c.At)
	if waited {
		f.gaps.tracker = GapTracker{}
	}
	f.gaps.track(c, &s.Marks)
	if f.chunks == 1 {
		f.first, f.prev, f.counted.first = i, i, c.Tokens
		sinceSent, _ := stampMs(c.At, s.Marks.Sent)
		f.reads.begin(sinceSent)
		f.itl.begin(c.Tokens)
		f.peaks.begin(f, s, i, c.Tokens)
		f.phase[phaseOf(c.Kind)].add(c, 0, false)
		return
	}
	f.addGap(s, i, c, waited)
	f.prev = i
}

// addGap updates what depends on the time from the measured chunk before to c, the chunk i.
// waited: a tool of the server worked meanwhile.
func (f *ingest) addGap(s *Stream, i int, c *Chunk, waited bool) {
	prev := &s.Chunks[f.prev]
	ms, ok := c.gapAfter(prev)
	raw, have := stampMs(c.At, prev.At)
	if f.leftOut > f.prev { // the time before c went into the reasoning
		ok, have = false, false
	} else if waited {
		f.pauses, f.paused = f.pauses+1, f.paused+max(raw, 0)
		ok, have = false, false
	} else if have { // without its stamps it is no gap inside a burst
		f.gaps.add(gapPoint{ms, i, f.chunks - 1}, ok)
	}
	f.reads.add(f.prev, i, raw, c.Read == prev.Read)
	f.peaks.add(f, s, i, c.Tokens)
	f.flood.add(c.At, ms, ok)
	if !ok && have && c.Read != prev.Read {
		f.gaps.backwards++
	}
	f.itl.add(ms, ok, c.Read == prev.Read || have && raw == 0, c.Tokens)
	f.phase[phaseOf(c.Kind)].add(c, raw, have && phaseOf(prev.Kind) == phaseOf(c.Kind))
}

// measures reports whether c, which counts, is one of the measured chunks.
func (f *ingest) measures(c *Chunk) bool {
	return c.Choice == f.choice && !(f.answerOnly && c.Kind == Reasoning)
}

// addAny updates the counts over all choices.
func (f *ingest) addAny(c *Chunk, text []byte) {
	f.all++
	f.choices[c.Choice/64] |= 1 << (c.Choice % 64)
	f.counted.addAny(c, len(text))
	f.stamps.add(c)
	f.moments.add(c, text)
	if c.Kind == Audio || c.Kind == Image {
		f.media++
	}
}

// addText counts words and advances the reader of the visible text.
func (f *ingest) addText(c *Chunk, text []byte) {
	switch c.Kind {
	case Reasoning:
		f.thought.add(text)
	case ToolCall:
		f.tool.add(text)
	default:
		if len(text) > 0 {
			f.visible.add(text)
			words := f.visible.words()
			f.reading.add(c.At, words, c.Read)
			f.voice.add(c, text, words)
		}
	}
}

// gapAfter returns the gap in ms between prev and c, the chunk after it. It
// is unknown when both arrived in one read, when a stamp is missing, and when
// the stamps do not rise. Two chunks cannot arrive at the same moment. Equal
// stamps mean that clock and kernel could not tell them apart.
func (c *Chunk) gapAfter(prev *Chunk) (ms float64, ok bool) {
	if c.Read == prev.Read {
		return 0, false
	}
	ms, ok = stampMs(c.At, prev.At)
	if !ok || ms <= 0 {
		return 0, false
	}
	return ms, true
}

// Counts reports whether chunk i counts: it carries text, tokens, a tool call,
// audio or an image, or its text is held back, and it is of the server that
// answers. It is the only definition of a chunk; the figures, the lanes of a
// load and the screens all use it.
func (s *Stream) Counts(i int) bool {
	c := &s.Chunks[i]
	return i >= s.Others && (c.Tokens > 0 || c.Kind.countsBare() || c.Held || len(s.ChunkText(i)) > 0)
}

// Gap returns the gap in ms before chunk i: the time since the previous
// counting chunk of the same choice. ok is false where the gap is unknown:
// for a first chunk, for one that does not count, inside a burst (both in one
// read), where a tool of the server worked in it or thinking was not sent, and where stamps are
// missing or do not rise. Figures.Gaps is the distribution of these gaps, without any where the answer came
// at once, and of the answer's alone where a summary of its reasoning came before it.
func (s *Stream) Gap(i int) (ms float64, ok bool) {
	if !s.Counts(i) {
		return 0, false
	}
	for j := i - 1; j >= 0; j-- {
		if s.Chunks[j].Choice == s.Chunks[i].Choice && s.Counts(j) {
			if s.waits(s.Chunks[j].At, s.Chunks[i].At) || s.unseen(j) {
				return 0, false
			}
			return s.Chunks[i].gapAfter(&s.Chunks[j])
		}
	}
	return 0, false
}

// unseen reports whether chunk i is an estimate of thinking that was not sent.
func (s *Stream) unseen(i int) bool {
	return s.Thinking > 0 && s.Chunks[i].Kind == Reasoning && len(s.ChunkText(i)) == 0
}

// stampMs returns a − b in ms; ok is false when either is NoStamp. It cannot
// overflow.
func stampMs(a, b Stamp) (ms float64, ok bool) {
	if a == NoStamp || b == NoStamp {
		return 0, false
	}
	if d := a - b; (d > 0) == (a > b) {
		return float64(d) / 1e6, true
	}
	return (float64(a) - float64(b)) / 1e6, true
}
