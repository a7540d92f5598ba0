package client

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/probe/transport"
)

// TestLongStreamsArePacked: a long stream that no sink hears of shows every chunk at every
// moment, in a snapshot and to one who looks at what is new, and holds a third of the
// memory of its chunks.
func TestLongStreamsArePacked(t *testing.T) {
	const chunks = 2000
	s := bare(8)
	s.engine.clock = transport.NewClock()
	s.unobserved = true
	var all, seen []metrics.Chunk
	for i := range chunks {
		c := metrics.Chunk{At: metrics.Stamp(i) * 20_013_000, User: metrics.Stamp(i)*20_013_000 + 4321, Read: int32(i), Event: int32(i),
			Bytes: 190, TextEnd: int32(5 * i), Tokens: 1, Kernel: true}
		all = append(all, c)
		s.v.Chunks = append(s.v.Chunks, c)
		before := s.Snapshot()
		s.pack(false)
		var v metrics.Stream
		from := s.Peek(&v)
		if i%7 == 0 { // who looks now and then
			if from > len(seen) {
				t.Fatalf("chunk %d: %d are seen, and the first %d are packed", i, len(seen), from)
			}
			seen = append(seen, v.Chunks[len(seen)-from:]...)
		}
		if i%50 == 0 {
			if d := cmp.Diff(all, s.Snapshot().Chunks) + cmp.Diff(all, before.Chunks); d != "" {
				t.Fatalf("after %d chunks:\n%s", i, d)
			}
		}
	}
	if len(seen) < chunks-7 || cmp.Diff(all[:len(seen)], seen) != "" {
		t.Errorf("seen are %d of %d chunks, or others", len(seen), chunks)
	}
	s.pack(true)
	if d := cmp.Diff(all, s.Snapshot().Chunks); d != "" || cap(s.v.Chunks) != 0 {
		t.Errorf("ended, with room for %d:\n%s", cap(s.v.Chunks), d)
	}
	if bytes := s.packed.Bytes(); bytes > 16*chunks {
		t.Errorf("%d chunks take %d bytes, %.1f each", chunks, bytes, float64(bytes)/chunks)
	}
}
