package metrics

import (
	"math"
	"runtime"
)

// Options selects how a stream is measured.
type Options struct {
	// Pace is the reader to compare with; a Pace without a speed means
	// Paces[0].
	Pace Pace
}

// Measure computes every figure of s, running (as of s.Now) or ended. It does
// not modify s, and the caller owns the result.
func Measure(s *Stream, o Options) Figures {
	m := takeMeter()
	defer putMeter(m)
	m.n = 0 // another stream may look like the last one
	return m.Measure(s, o).Clone()
}

// Clone returns f with lists of its own.
func (f Figures) Clone() Figures {
	f.Wait, f.Stalls = append([]Share(nil), f.Wait...), append([]Stall(nil), f.Stalls...)
	f.Bursts, f.Suspect = append([]Burst(nil), f.Bursts...), append([]Suspicion(nil), f.Suspect...)
	return f
}

// meters holds the Meters of Measure, one for each processor. Their lists of
// gaps are ten times as large as its results, and a thousand streams may end
// within a second. More of them at once would take memory and no less time.
var meters = newMeters(runtime.GOMAXPROCS(0))

func newMeters(n int) chan *Meter {
	c := make(chan *Meter, n)
	for range n {
		c <- new(Meter)
	}
	return c
}

// keptChunks is the number of chunks beyond which a Meter of Measure is not
// used again: its lists take some 100 bytes a chunk.
const keptChunks = 20_000

// takeMeter returns a Meter for one measurement, and waits while all are in
// use.
func takeMeter() *Meter { return <-meters }

// putMeter gives back m.
func putMeter(m *Meter) {
	if m.n > keptChunks {
		m = new(Meter)
	}
	meters <- m
}

// Meter measures one growing stream repeatedly, at the cost of its new
// chunks, with exactly the results of Measure. It restarts when it receives
// another stream or another pace. The zero Meter is ready; only one goroutine
// at a time may use a Meter.
type Meter struct {
	ingest ingest
	pace   Pace
	id     int
	others int // Stream.Others of it
	n      int // chunks ingested
	// The first and the last chunk ingested, to notice another stream.
	head, tail Chunk

	wait    []Share
	stalls  []Stall
	suspect []Suspicion
	hidden  *gapPool // scratch of missing, nil until a gap is hidden

	held       Suspicion   // why the answer came at once; its code is "" where it did not
	withheld   Suspicion   // the longest silence that was no lost time, see stallsOf
	incredible []Suspicion // about counts that cannot be
	mended     Stream      // the last stream that had some, without them
	promptCut  bool        // the server cut the prompt
	// The words of the last prompt, see promptWords.
	prompt, system string
	messages       Raw
	words          int
}

// Measure returns the figures of s. Its slices (Wait, Stalls, Bursts,
// Suspect) belong to the Meter and are valid until its next call.
func (m *Meter) Measure(s *Stream, o Options) Figures {
	if s.Told != nil {
		return *s.Told
	}
	o.Pace = o.Pace.orDefault()
	if s.State == Idle {
		s = &idle // the zero Stream's stamps are 0, not unknown
	}
	m.follow(s, o.Pace)
	s = m.credible(s)
	f := &m.ingest
	out := Figures{LongestChunk: -1, StallFactor: StallFactor, StallFloor: StallFloor}
	f.times(&out, s)
	f.connection(&out, s)
	f.tokens(&out, s)
	f.speed(&out, s)
	f.phases(&out, s)
	m.gaps(&out, s)
	f.live(&out, s)
	f.peak(&out, s)
	f.readingFigures(&out, s, o)
	f.sentence(&out, s)
	f.server(&out, s)
	if m.promptCut {
		out.PrefillSpeed = Unknown(WhyPromptCut)
	}
	for i := range m.incredible {
		if m.incredible[i].Code == SuspectPromptOver {
			out.PromptTokens, out.CachedTokens, out.PrefillSpeed = Unknown(WhyImpossible),
				Unknown(WhyImpossible), Unknown(WhyImpossible)
		}
	}
	if m.held = f.heldBack(&out, s); m.held.Code != "" {
		out.withhold(WhyAtOnce)
	}
	if m.withheld.Code == SuspectWithheld { // not made within one second
		out.Peak, out.PeakRead = Unknown(WhyAtOnce), 0
	}
	m.split(&out, s)
	m.doubts(&out, s)
	return out
}

var idle = Stream{Marks: NewMarks(), Usage: NoUsage(), LiveTokens: -1}

// follow ingests the new chunks of s.
func (m *Meter) follow(s *Stream, p Pace) {
	same := m.id == s.ID && m.pace == p && m.others == s.Others && m.n > 0 && m.n <= len(s.Chunks) &&
		s.Chunks[0] == m.head && s.Chunks[m.n-1] == m.tail
	if !same {
		m.ingest.reset(p, false)
		m.id, m.pace, m.others, m.n = s.ID, p, s.Others, 0
	}
	if len(s.Chunks) > m.n {
		m.ingest.extend(s, m.n)
		m.n = len(s.Chunks)
		m.head, m.tail = s.Chunks[0], s.Chunks[m.n-1]
	}
	if answerOnly := m.ingest.summarized(s); answerOnly != m.ingest.answerOnly {
		m.ingest.reset(p, answerOnly)
		m.ingest.extend(s, 0)
	}
}

func round(v float64) int {
	if !(math.Abs(v) < math.MaxInt32) {
		return math.MaxInt32
	}
	return int(math.Round(v))
}
