package client

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
)

// TestPeek: what a glance brings is what a snapshot has, in every state, and it
// leaves the rest alone.
func TestPeek(t *testing.T) {
	s := bare(4)
	s.engine.clock = transport.NewClock()
	s.id, s.v.ID = 7, 7
	s.v.Text, s.v.Queue = append(s.v.Text, "ab"...), metrics.QueueAdmitted
	for state := metrics.Connecting; state <= metrics.Cancelled; state++ {
		s.v.State = state
		s.v.Chunks = append(s.v.Chunks, metrics.Chunk{At: metrics.Stamp(state), TextEnd: 1})
		got := metrics.Stream{Finish: "of the caller", Notes: []metrics.Note{{}}, Reads: 3, Chunks: make([]metrics.Chunk, 99)}
		s.Peek(&got, 0)
		want := s.Snapshot()
		if got.ID != want.ID || got.State != state || got.Queue != want.Queue || got.Now > want.Now ||
			got.Now < want.Now-1e9 ||
			string(got.Text) != string(want.Text) || len(got.Chunks) != len(want.Chunks) ||
			got.Chunks[len(got.Chunks)-1] != want.Chunks[len(want.Chunks)-1] {
			t.Errorf("%v: %+v, want %+v", state, got, want)
		}
		testkit.That(t, got.Finish == "of the caller" && len(got.Notes) == 1 && got.Reads == 3,
			"%v: a glance has changed more than it says: %+v", state, got)
		testkit.That(t, &got.Chunks[0] != &s.v.Chunks[0] && cap(got.Text) == len(got.Text),
			"%v: who appends to a glance writes into the stream", state)
	}
}
