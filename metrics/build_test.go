package metrics

import (
	"math"
	"testing"
)

// play builds a stream by hand: the request is sent at 0, chunks come at the
// times given, each in a read of its own unless it is added with together.
type play struct{ Stream }

func newPlay() *play {
	s := &play{Stream{ID: 1, State: Decoding, Marks: NewMarks(), Usage: NoUsage(), LiveTokens: -1}}
	s.Marks.Start, s.Marks.GotConn, s.Marks.Sent = 0, 0, 0
	s.Conn.Reused = true
	return s
}

// stamp turns ms into a Stamp.
func stamp(ms float64) Stamp { return Stamp(math.Round(ms * 1e6)) }

func (s *play) add(ms float64, kind Kind, text string, tokens int16, read int32) *play {
	at := stamp(ms)
	s.Text = append(s.Text, text...)
	s.Chunks = append(s.Chunks, Chunk{At: at, User: at, Read: read, Event: int32(len(s.Chunks)),
		TextEnd: int32(len(s.Text)), Tokens: tokens, Kind: kind})
	s.Now, s.LastData = at, at
	if !s.Marks.FirstByte.Known() {
		s.Marks.FirstByte, s.Marks.FirstEvent = at, at
	}
	return s
}

func (s *play) nextRead() int32 {
	if n := len(s.Chunks); n > 0 {
		return s.Chunks[n-1].Read + 1
	}
	return 0
}

// chunk adds content in a read of its own.
func (s *play) chunk(ms float64, text string) *play {
	return s.add(ms, Content, text, -1, s.nextRead())
}

// counted adds content for which the server told the tokens.
func (s *play) counted(ms float64, text string, tokens int16) *play {
	return s.add(ms, Content, text, tokens, s.nextRead())
}

// kind adds a chunk of another kind.
func (s *play) kind(ms float64, k Kind, text string) *play {
	return s.add(ms, k, text, -1, s.nextRead())
}

// together adds content to the read of the previous chunk.
func (s *play) together(text string) *play {
	last := s.Chunks[len(s.Chunks)-1]
	return s.add(float64(last.At)/1e6, Content, text, -1, last.Read)
}

// every adds n chunks of text, the first at from, the others gap ms apart.
func (s *play) every(from, gap float64, n int, text string) *play {
	for i := range n {
		s.chunk(from+float64(i)*gap, text)
	}
	return s
}

// now sets the moment of the view.
func (s *play) now(ms float64) *play { s.Now = stamp(ms); return s }

// usage lets the server count n output tokens.
func (s *play) usage(n int) *play {
	s.Usage.Completion, s.TokensFrom = n, TokensUsage
	return s
}

// done ends the stream well.
func (s *play) done() *play { s.State, s.Finish, s.Marks.End = Done, "stop", s.Now; return s }

func (s *play) measure() Figures { return Measure(&s.Stream, Options{}) }

// near fails unless v is known and want.
func near(t *testing.T, name string, v Value, want float64) {
	t.Helper()
	if !v.OK {
		t.Errorf("%s is unknown (%s), want %v", name, v.Why, want)
	} else if math.Abs(v.V-want) > 1e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", name, v.V, want)
	}
}

// unknown fails unless v is unknown for that reason.
func unknown(t *testing.T, name string, v Value, why Why) {
	t.Helper()
	if v.OK || v.Why != why {
		t.Errorf("%s = %+v, want unknown: %s", name, v, why)
	}
}

// suspects returns the codes of the notes.
func suspects(f *Figures) []SuspectCode {
	codes := []SuspectCode{}
	for _, n := range f.Suspect {
		codes = append(codes, n.Code)
	}
	return codes
}
