package client

import (
	"slices"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// BenchmarkIngestOfMany is framing, decoding and folding an event of each of a
// thousand streams in turn, in figures: what one stream has of its own is out of
// the processor's cache when it is its turn again.
func BenchmarkIngestOfMany(b *testing.B) {
	const streams = 1000
	list := make([]*Stream, streams)
	e := New(Options{})
	defer e.Close()
	for i := range list {
		s := bare(1 << 10)
		s.engine, s.emit = e, s.addEvent
		s.begins(newAttempt(e), s.dec)
		list[i] = s
	}
	batch := transport.Batch{Lines: []sse.Line{{Data: benchLine, Bytes: int32(len(benchLine) + 1)}, {Bytes: 1}}}
	var space showing
	b.ReportAllocs()
	for n := 0; b.Loop(); n++ {
		s := list[n%streams]
		if len(s.v.Chunks) == cap(s.v.Chunks) {
			s.v.Chunks, s.v.Text = s.v.Chunks[:0], s.v.Text[:0]
		}
		s.foldBatch(&batch, &space)
	}
}

// A stream's first events allocate little that it keeps: what framing and decoding
// need is lent to it; where it has to be made, an event allocates 2.7 kB. The race
// detector makes a pool forget a quarter of it, so the median of the streams is judged.
func TestStreamsShareTheMemoryOfDecoding(t *testing.T) {
	const streams, most = 100, 700 // it is 592, and 608 under the race detector
	e := New(Options{})
	defer e.Close()
	batch := transport.Batch{Lines: []sse.Line{{Data: benchLine, Bytes: int32(len(benchLine) + 1)}, {Bytes: 1}}}
	var space showing
	var allocated []uint64
	for range streams {
		s := bare(8)
		s.engine, s.emit = e, s.addEvent
		s.begins(newAttempt(e), s.dec)
		allocated = append(allocated, testkit.Allocated(func() { s.foldBatch(&batch, &space) }))
		if s.out != nil || s.dec.Scratch != nil || len(s.v.Chunks) != 1 {
			t.Fatalf("after a batch a stream keeps the lent memory, or has %d chunks", len(s.v.Chunks))
		}
	}
	slices.Sort(allocated)
	if median := allocated[streams/2]; median > most {
		t.Errorf("a stream's first event allocates %d bytes, more than %d", median, most)
	}
}

// An event whose blank line comes with a later batch survives the batches of other
// streams in between.
func TestUnfinishedEventOutlivesTheSharedMemory(t *testing.T) {
	e := New(Options{})
	defer e.Close()
	var space showing
	list := [2]*Stream{}
	for i := range list {
		s := bare(8)
		s.engine, s.emit = e, s.addEvent
		s.begins(newAttempt(e), s.dec)
		list[i] = s
	}
	text := func(word string) sse.Line {
		return sse.Line{Data: []byte(`data: {"choices":[{"index":0,"delta":{"content":"` + word + `"}}]}`)}
	}
	for range 2 { // the second time with memory of its own
		list[0].foldBatch(&transport.Batch{Lines: []sse.Line{text("first")}}, &space)
		list[1].foldBatch(&transport.Batch{Lines: []sse.Line{text("OTHER"), {}}}, &space)
		list[0].foldBatch(&transport.Batch{Lines: []sse.Line{{}}}, &space)
	}
	a, b := string(list[0].v.Text), string(list[1].v.Text)
	testkit.That(t, a == "firstfirst" && b == "OTHEROTHER", "the texts are %q and %q", a, b)
}
