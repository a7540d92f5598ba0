package slo

import (
	"math"
	"testing"

	"tokscope/metrics"
)

// play builds a stream by hand: the request is sent at 0, chunks come at the
// times given, each in a read of its own unless it is added with together.
type play struct{ metrics.Stream }

func (s *play) add(ms float64, kind metrics.Kind, text string, tokens int16, read int32) *play {
	at := stamp(ms)
	s.Text = append(s.Text, text...)
	s.Chunks = append(s.Chunks, metrics.Chunk{At: at, User: at, Read: read, Event: int32(len(s.Chunks)),
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
	return s.add(ms, metrics.Content, text, -1, s.nextRead())
}

// every adds n chunks of text, the first at from, the others gap ms apart.
func (s *play) every(from, gap float64, n int, text string) *play {
	for i := range n {
		s.chunk(from+float64(i)*gap, text)
	}
	return s
}

// usage lets the server count n output tokens.
func (s *play) usage(n int) *play {
	s.Usage.Completion, s.TokensFrom = n, metrics.TokensUsage
	return s
}

// done ends the stream well.
func (s *play) done() *play { s.State, s.Finish, s.Marks.End = metrics.Done, "stop", s.Now; return s }

func (s *play) measure() metrics.Figures { return metrics.Measure(&s.Stream, metrics.Options{}) }

func newPlay() *play {
	s := &play{metrics.Stream{ID: 1, State: metrics.Decoding, Marks: metrics.NewMarks(), Usage: metrics.NoUsage(), LiveTokens: -1}}
	s.Marks.Start, s.Marks.GotConn, s.Marks.Sent = 0, 0, 0
	s.Conn.Reused = true
	return s
}

// stamp turns ms into a Stamp.
func stamp(ms float64) metrics.Stamp { return metrics.Stamp(math.Round(ms * 1e6)) }

// near fails unless v is known and want.
func near(t *testing.T, name string, v metrics.Value, want float64) {
	t.Helper()
	if !v.OK {
		t.Errorf("%s is unknown (%s), want %v", name, v.Why, want)
	} else if math.Abs(v.V-want) > 1e-6*math.Max(1, math.Abs(want)) {
		t.Errorf("%s = %v, want %v", name, v.V, want)
	}
}
