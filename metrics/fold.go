package metrics

import (
	"bytes"
	"slices"
)

// fold is what a Meter keeps of the chunks it has seen, so that the next look
// at the stream costs only what is new. It is a function of the chunks alone:
// folding them in one go or in pieces gives the same.
//
// Two rules decide which chunks count:
//
//   - A chunk without text, without tokens and without a tool call is none.
//   - Several choices (n > 1) are several streams through one connection. First
//     chunk, last chunk and token total are those of all; gaps, TPOT, speed,
//     bursts, words and phases are those of one of them, the choice that spoke
//     first, because the gap between chunks of different choices says nothing
//     about either.
type fold struct {
	choice  uint8 // the measured choice
	choices [4]uint64
	all     int // chunks of all choices
	chunks  int // chunks of the measured choice
	first   int // index of its first chunk
	prev    int // index of its last chunk so far

	firstAny, lastAny          Stamp // of all choices
	firstVisible, firstInk     Stamp // of all choices: text, and text that is not blank
	allTokens, sumTokens       float64
	allTold, told              bool // every chunk (of all, of the measured choice) told its tokens
	firstTokens                int16
	kernel, late, user, shared int
	reads, inRead, mostInRead  int // reads with chunks; chunks of the current and of the fullest read

	floodFrom            Stamp   // end of the last silence of StallFloor or more
	silence              float64 // its length, ms
	inFlood, mostInFlood int     // chunks within floodFor of it; the most after any
	floodSilence         float64 // the silence before that most, ms

	gaps        []float64 // known gaps, ms, ascending
	freshGaps   []float64
	series      []gapPoint // known gaps in order
	gapsUnknown int
	backwards   int // chunks of another read whose stamp does not rise
	longest     float64
	longestAt   int
	bursts      []Burst

	itl     itlFold
	trend   trendFold
	phase   [2]phaseFold // reasoning, answer
	visible wordCounter  // content and refusal
	thought wordCounter  // reasoning
	tool    wordCounter  // tool calls
	reading readingFold
}

// reset forgets everything but the buffers.
func (f *fold) reset(p Pace) {
	*f = fold{
		firstAny: NoStamp, lastAny: NoStamp, firstVisible: NoStamp, firstInk: NoStamp, floodFrom: NoStamp,
		allTold: true, told: true, longestAt: -1,
		gaps: f.gaps[:0], freshGaps: f.freshGaps[:0], series: f.series[:0], bursts: f.bursts[:0],
		itl: f.itl.empty(), trend: f.trend.empty(),
	}
	for i := range f.phase {
		f.phase[i].first, f.phase[i].last = NoStamp, NoStamp
	}
	f.reading.reset(p)
}

// extend folds the chunks from..len(s.Chunks).
func (f *fold) extend(s *Stream, from int) {
	f.itl.withdraw()
	fresh := len(s.Chunks) - from
	f.freshGaps = slices.Grow(f.freshGaps, fresh)
	f.series = slices.Grow(f.series, fresh)
	for i := from; i < len(s.Chunks); i++ {
		f.add(s, i)
	}
	slices.Sort(f.freshGaps)
	f.gaps = mergeSorted(f.gaps, f.freshGaps, lessFloat)
	f.freshGaps = f.freshGaps[:0]
	f.itl.mergeNew()
	f.trend.extend(f.series)
}

func (f *fold) add(s *Stream, i int) {
	c := &s.Chunks[i]
	text := s.ChunkText(i)
	if !countsAsChunk(c, text) {
		return
	}
	f.takeAny(c, text)
	if f.all == 1 {
		f.choice = c.Choice
	}
	if c.Choice != f.choice {
		return
	}
	f.chunks++
	f.sumTokens += float64(max(c.Tokens, 0))
	f.told = f.told && c.Tokens >= 0
	f.takeText(c, text)
	if f.chunks == 1 {
		f.first, f.prev, f.firstTokens = i, i, c.Tokens
		f.reads, f.inRead, f.mostInRead = 1, 1, 1
		f.itl.begin(c.Tokens)
		f.phase[phaseOf(c.Kind)].add(c, 0, false)
		return
	}
	prev := &s.Chunks[f.prev]
	ms, ok := c.gapAfter(prev)
	f.takeRead(i, c.Read == prev.Read)
	f.takeGap(i, ms, ok)
	f.takeFlood(c.At, ms, ok)
	raw, have := stampMs(c.At, prev.At)
	if !ok && have && c.Read != prev.Read {
		f.backwards++
	}
	f.itl.add(ms, ok, c.Read == prev.Read || have && raw == 0, c.Tokens)
	f.phase[phaseOf(c.Kind)].add(c, raw, have && phaseOf(prev.Kind) == phaseOf(c.Kind))
	f.prev = i
}

// countsAsChunk reports whether c is a chunk at all.
func countsAsChunk(c *Chunk, text []byte) bool {
	return len(text) > 0 || c.Tokens > 0 || c.Kind == ToolCall
}

// takeAny takes what is counted over all choices.
func (m *fold) takeAny(c *Chunk, text []byte) {
	m.all++
	m.choices[c.Choice/64] |= 1 << (c.Choice % 64)
	m.allTokens += float64(max(c.Tokens, 0))
	m.allTold = m.allTold && c.Tokens >= 0
	if c.Kernel {
		m.kernel++
		if d, ok := stampMs(c.User, c.At); ok && d > lateMs {
			m.late++
		}
	} else {
		m.user++
	}
	if !c.At.Known() {
		return
	}
	if !m.firstAny.Known() {
		m.firstAny = c.At
	}
	m.lastAny = c.At
	if len(text) == 0 || c.Kind != Content && c.Kind != Refusal {
		return
	}
	if !m.firstVisible.Known() {
		m.firstVisible = c.At
	}
	if !m.firstInk.Known() && len(bytes.TrimSpace(text)) > 0 {
		m.firstInk = c.At
	}
}

// takeText counts words, and lets the reader of the visible text go on.
func (f *fold) takeText(c *Chunk, text []byte) {
	switch c.Kind {
	case Reasoning:
		f.thought.add(text)
	case ToolCall:
		f.tool.add(text)
	default:
		if len(text) > 0 {
			f.visible.add(text)
			f.reading.add(c.At, f.visible.words(), c.Read)
		}
	}
}

func (r *fold) takeRead(i int, shared bool) {
	if !shared {
		r.reads++
		r.inRead = 1
		return
	}
	r.shared++
	r.inRead++
	r.mostInRead = max(r.mostInRead, r.inRead)
	if n := len(r.bursts); n > 0 && r.inRead > 2 {
		r.bursts[n-1].Count = i - r.bursts[n-1].First + 1
		return
	}
	r.bursts = append(r.bursts, Burst{First: r.prev, Count: i - r.prev + 1})
}

func (g *fold) takeGap(p int, ms float64, ok bool) {
	if !ok {
		g.gapsUnknown++
		return
	}
	g.freshGaps = append(g.freshGaps, ms)
	g.series = append(g.series, gapPoint{ms, p, g.chunks - 1})
	if ms > g.longest {
		g.longest, g.longestAt = ms, p
	}
}

// takeFlood counts what comes close behind a silence.
func (l *fold) takeFlood(at Stamp, ms float64, ok bool) {
	if ok && ms >= StallFloor {
		l.floodFrom, l.silence, l.inFlood = at, ms, 0
	} else if d, have := stampMs(at, l.floodFrom); !have || d > floodFor {
		return
	}
	if l.inFlood++; l.inFlood > l.mostInFlood {
		l.mostInFlood, l.floodSilence = l.inFlood, l.silence
	}
}
