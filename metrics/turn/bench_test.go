package turn

import (
	"slices"
	"testing"

	"tokscope/metrics"
)

// longSession is a session of n turns that have ended, each with 50 blocks of which the last
// two are new, and of one whose answer goes on and has so many chunks.
func longSession(n, chunks int) (s *Session, live Turn) {
	s = &Session{}
	var blocks []Block
	for i := range 50 {
		blocks = append(blocks, Block{Part: Messages, Digest: Digest(i + 1), Bytes: 10})
	}
	for i := range n + 1 {
		v := metrics.NoStream(0)
		v.ID, v.State, v.Marks.Start = i+1, metrics.Done, metrics.Stamp(i)*1000*tick
		v.Marks.GotConn, v.Marks.Sent = v.Marks.Start+tick, v.Marks.Start+2*tick
		v.Usage.Prompt, v.Usage.Cached, v.Usage.Completion = 1000, 900, 50
		of := 50
		if i == n {
			of = chunks
		}
		for j := range of {
			v.Chunks = append(v.Chunks, metrics.Chunk{Kind: metrics.Content, At: v.Marks.Sent + metrics.Stamp(j+1)*tick/100})
		}
		v.Now = v.Marks.Sent + 900*tick
		if v.Marks.End = v.Now; i == n {
			v.State, v.Marks.End = metrics.Decoding, metrics.NoStamp
		}
		blocks = append(slices.Clip(blocks), Block{Part: Messages, Digest: Digest(1000 + 2*i)},
			Block{Part: Messages, Digest: Digest(1001 + 2*i)})
		live = Turn{Request: Request{Kind: Asks, Model: "m", Blocks: blocks}, Run: &metrics.Run{Stream: v}}
		s.Add(live)
	}
	return s, live
}

// TestALookCostsWhatIsNew holds that a look at a long session allocates no more than at a short
// one but for the lists that grow, however long the answer is that goes on.
func TestALookCostsWhatIsNew(t *testing.T) {
	allocs := func(turns, chunks int) float64 {
		s, live := longSession(turns, chunks)
		_ = s.View(0, true)
		return testing.AllocsPerRun(20, func() {
			s.Add(live)
			_ = s.View(live.Stream().Now, true)
		})
	}
	few, long, many := allocs(20, 100), allocs(20, 10_000), allocs(500, 100)
	if long > few || many > 2*few {
		t.Errorf("%v allocations; %v behind 10,000 chunks, %v of 500 turns", few, long, many)
	}
}
