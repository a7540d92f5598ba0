package metrics

import (
	"math"
	"slices"
	"sync"
)

// Options selects how a stream is measured.
type Options struct {
	// Pace is the reader to compare with; a Pace without a speed means
	// Paces[0].
	Pace Pace
	// PerChunk requests Figures.ChunkGaps, one entry per chunk.
	PerChunk bool
}

// Measure computes every figure of s, running (as of s.Now) or ended. It does
// not modify s, and what it returns is the caller's.
func Measure(s *Stream, o Options) Figures {
	m := meters.Get().(*Meter)
	defer meters.Put(m)
	m.n = 0 // another stream may look like the last one
	f := m.Measure(s, o)
	f.Wait, f.Stalls, f.Bursts = cloned(f.Wait), cloned(f.Stalls), cloned(f.Bursts)
	f.Suspect, f.ChunkGaps = cloned(f.Suspect), cloned(f.ChunkGaps)
	return f
}

// meters are those that Measure takes: their lists of gaps are ten times as
// large as what it returns, and a thousand streams may end within a second.
var meters = sync.Pool{New: func() any { return new(Meter) }}

// cloned returns a copy of x, nil when it is empty.
func cloned[T any](x []T) []T {
	if len(x) == 0 {
		return nil
	}
	return slices.Clone(x)
}

// Meter measures one stream again and again while it grows, at the cost of
// what is new since the last time, and gives exactly what Measure gives. It
// begins anew by itself when it is given another stream or another pace. The
// zero Meter is ready; a Meter must not be used by two goroutines at once.
type Meter struct {
	ingest fold
	pace   Pace
	id     int
	n      int // chunks folded
	// Of the first and the last chunk folded, to notice another stream.
	head, tail Chunk

	wait    []Share
	stalls  []Stall
	suspect []Note
	perGap  []ChunkGap
}

// Measure returns the figures of s. Its slices (Wait, Stalls, Bursts, Suspect,
// ChunkGaps) belong to the Meter and hold until its next call.
func (m *Meter) Measure(s *Stream, o Options) Figures {
	o.Pace = o.Pace.orDefault()
	if s.State == Idle {
		s = &idle // the zero Stream's stamps are 0, not unknown
	}
	m.follow(s, o.Pace)
	f := &m.ingest
	out := Figures{LongestChunk: -1, StallFactor: StallFactor, StallFloor: StallFloor}
	f.times(&out, s)
	f.connection(&out, s)
	f.tokens(&out, s)
	f.speed(&out, s)
	f.phases(&out, s)
	m.gaps(&out, s)
	f.live(&out, s)
	f.readingFigures(&out, s, o)
	f.server(&out, s)
	m.split(&out, s)
	m.doubts(&out, s)
	if o.PerChunk {
		m.chunkGaps(&out, s)
	}
	return out
}

var idle = Stream{Marks: NewMarks(), Usage: NoUsage(), LiveTokens: -1}

// follow ingests the new chunks of s.
func (m *Meter) follow(s *Stream, p Pace) {
	same := m.id == s.ID && m.pace == p && m.n > 0 && m.n <= len(s.Chunks) &&
		s.Chunks[0] == m.head && s.Chunks[m.n-1] == m.tail
	if !same {
		m.ingest.reset(p)
		m.id, m.pace, m.n = s.ID, p, 0
	}
	if len(s.Chunks) > m.n {
		m.ingest.extend(s, m.n)
		m.n = len(s.Chunks)
		m.head, m.tail = s.Chunks[0], s.Chunks[m.n-1]
	}
}

func round(v float64) int {
	if !(math.Abs(v) < math.MaxInt32) {
		return math.MaxInt32
	}
	return int(math.Round(v))
}
