package client

import (
	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Sink sees what happens to streams, as it happens. Its methods are called
// from the engine's goroutines, one call at a time for a stream, and must not
// keep the slices they are given. A slow sink delays what is shown and
// recorded, never a stamp.
type Sink interface {
	// Begin is called before the first byte of a request is sent.
	Begin(v metrics.Stream)
	// Event is called for every event and comment, after it was folded.
	Event(f *Folded)
	// Flush is called after a batch of events.
	Flush()
	// End is called once, with the final record.
	End(v metrics.Stream)
}

// Folded is one event with what became of it. It and everything it points to
// is only good until Sink.Event returns.
type Folded struct {
	ID     int           // of the stream
	Index  int           // of the event within the response; comments have that of the next event
	Sent   metrics.Stamp // when the request was sent
	Event  *sse.Event
	First  int             // index of the first of Chunks within the stream
	Chunks []metrics.Chunk // what the event carried; empty for role, usage, comments …
	Texts  [][]byte        // the text of each of Chunks
}
