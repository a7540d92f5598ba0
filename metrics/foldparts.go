package metrics

import (
	"bytes"
	"cmp"
	"slices"
	"time"
	"tokscope/metrics/stats"
)

// momentFold holds the first and last stamps of the chunks of all choices,
// NoStamp before they are known.
type momentFold struct {
	first, last Stamp
	visible     Stamp // first visible text (Kind.Visible)
	notBlank    Stamp // first visible text that is not only white space
	seen        Seen
}

func (m *momentFold) add(c *Chunk, text []byte) {
	visible := c.Kind.Visible()
	ink := visible && (c.Held || len(bytes.TrimSpace(text)) > 0)
	switch {
	case ink && c.Kind == Refusal:
		m.seen = max(m.seen, SeenRefusal)
	case ink, c.Kind == Audio, c.Kind == Image:
		m.seen = SeenText
	case c.Kind == ToolCall:
		m.seen = max(m.seen, SeenCall)
	}
	if !c.At.Known() { // as in files of other programs, where no later one has it
		m.last = NoStamp
		return
	}
	if !m.first.Known() {
		m.first = c.At
	}
	m.last = c.At
	if len(text) == 0 && !c.Held || !visible {
		return
	}
	if !m.visible.Known() {
		m.visible = c.At
	}
	if !m.notBlank.Known() && ink {
		m.notBlank = c.At
	}
}

// tokenFold sums the tokens that the chunks themselves state. A chunk that
// states none has tokens below 0 and adds nothing.
type tokenFold struct {
	all, measured             float64 // tokens of all choices, of the measured one
	everyChunk, everyMeasured bool    // every chunk of these stated its tokens
	first                     int16   // tokens of the measured choice's first chunk
	capacity                  float64 // tokens that all chunks can carry, see ingest.capacity
	excess                    int16   // the largest count of a chunk that cannot carry it, 0 for none
}

func (t *tokenFold) addAny(c *Chunk, text int) {
	t.all += float64(max(c.Tokens, 0))
	t.everyChunk = t.everyChunk && c.Tokens >= 0
	t.capacity += float64(c.carries(text))
}

// carries returns the largest number of tokens of a chunk with that many bytes
// of text: one a byte, of its event where that says more, and one for its end.
func (c *Chunk) carries(text int) int {
	if text == 0 || c.Kind.countsBare() { // the name of a tool and sound are in no text
		text = max(text, int(c.Bytes))
	}
	return text + 1
}

// stampFold counts the chunks of all choices by who stamped them.
type stampFold struct {
	kernel int          // by the kernel
	late   int          // of these, seen by this program more than lateMs later
	user   int          // by this program
	lag    LagHistogram // how much later this program saw those of the kernel
}

// maxLag bounds a lag in ms: a damaged recording may hold any stamp.
const maxLag = 1e6

func (k *stampFold) add(c *Chunk) {
	if !c.Kernel {
		k.user++
		return
	}
	k.kernel++
	d, ok := stampMs(c.User, c.At)
	if !ok {
		return
	}
	k.lag.Add(time.Duration(max(min(d, maxLag), 0) * 1e6))
	if d > lateMs {
		k.late++
	}
}

// readFold counts the reads that brought chunks of the measured choice.
type readFold struct {
	n         int     // reads with chunks
	inLast    int     // chunks of the last of them
	lastAfter float64 // ms before that read, since the chunk before or since it was sent
	most      int     // chunks of the fullest
	mostAfter float64 // ms before that one
	shared    int     // chunks that came in the read of the chunk before
	bursts    []Burst
}

// begin counts the first chunk, which came after ms.
func (r *readFold) begin(ms float64) { r.n, r.inLast, r.lastAfter, r.most = 1, 1, ms, 1 }

// add counts chunk i, which follows chunk prev by ms. shared is whether both came in
// one read.
func (r *readFold) add(prev, i int, ms float64, shared bool) {
	if !shared {
		r.n++
		r.inLast, r.lastAfter = 1, ms
		return
	}
	r.shared++
	if r.inLast++; r.inLast > r.most {
		r.most, r.mostAfter = r.inLast, r.lastAfter
	}
	if n := len(r.bursts); n > 0 && r.inLast > 2 {
		r.bursts[n-1].Count = i - r.bursts[n-1].First + 1
		return
	}
	r.bursts = append(r.bursts, Burst{First: prev, Count: i - prev + 1})
}

// floodFold counts the chunks shortly after a silence.
type floodFold struct {
	from      Stamp   // end of the last silence of StallFloor or more
	silence   float64 // its length, ms
	n         int     // chunks within floodFor of it
	most      int     // the most after any silence
	mostAfter float64 // the length of that silence, ms
}

// add counts a chunk. ms is the gap before it; ok is false where that is unknown.
func (l *floodFold) add(at Stamp, ms float64, ok bool) {
	if ok && ms >= StallFloor {
		l.from, l.silence, l.n = at, ms, 0
	} else if d, have := stampMs(at, l.from); !have || d > floodFor {
		return
	}
	if l.n++; l.n > l.most {
		l.most, l.mostAfter = l.n, l.silence
	}
}

// gapFold holds the gaps of the measured choice.
type gapFold struct {
	sorted    []float64  // known gaps, ms, ascending, without the fresh ones
	fresh     []float64  // known gaps since the last merge
	series    []gapPoint // known gaps in order
	unknown   int
	backwards int // chunks of another read whose stamp does not rise
	longest   float64
	longestAt int // the chunk it ends in, -1 before the first known gap

	tracker GapTracker
	open    GapBlock   // that of the last chunk
	blocks  []GapBlock // closed ones whose gaps are not known singly
	closed  gapSum     // of all closed blocks
}

// empty returns a gapFold without gaps that has the buffers of g.
func (g *gapFold) empty() gapFold {
	return gapFold{sorted: g.sorted[:0], fresh: g.fresh[:0], series: g.series[:0],
		blocks: g.blocks[:0], longestAt: -1}
}

// track puts a chunk into its block.
func (g *gapFold) track(c *Chunk, m *Marks) {
	now, was := g.tracker.Add(c, m)
	if now.Gaps == 0 {
		return
	}
	if was.Gaps == 0 {
		g.closed.add(&g.open)
		if g.open.Gaps > 1 || g.open.First && g.open.Gaps > 0 {
			g.blocks = append(g.blocks, g.open)
		}
	}
	g.open = now
}

// addTo adds all gaps to s.
func (g *gapFold) addTo(s *Sketch) {
	var part [256]stats.Weighted
	for rest := g.sorted; len(rest) > 0; {
		n := min(len(rest), len(part))
		for i, ms := range rest[:n] {
			part[i] = stats.Weighted{V: ms, W: 1}
		}
		s.of.AddSorted(part[:n], 1)
		rest = rest[n:]
	}
	s.sum.merge(g.closed)
	s.sum.add(&g.open)
	s.unknown += g.unknown
	for i := range g.blocks {
		s.hide(&g.blocks[i])
	}
	s.hide(&g.open)
}

// hide counts the gaps of b of which only the sum is known.
func (s *Sketch) hide(b *GapBlock) {
	s.first = s.first || b.First && b.Gaps > 0
	s.of.Hide(b.part(), b.known(), 1)
}

// add counts a gap. ok is false where its length is unknown.
func (g *gapFold) add(p gapPoint, ok bool) {
	if !ok {
		g.unknown++
		return
	}
	g.fresh = append(g.fresh, p.ms)
	g.series = append(g.series, p)
	if p.ms > g.longest {
		g.longest, g.longestAt = p.ms, p.chunk
	}
}

// merge sorts the fresh gaps in.
func (g *gapFold) merge() {
	slices.Sort(g.fresh)
	g.sorted = mergeSorted(g.sorted, g.fresh, cmp.Less)
	g.fresh = g.fresh[:0]
}

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
