package client

import (
	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Sink receives the events of streams as they happen. The engine's goroutines
// call its methods, one call at a time per stream and without a lock of the
// stream. A Sink must not keep the slices it receives.
//
// One goroutine serves all streams, so a method must return at once. Slow
// work, such as a disk or a pipe, belongs on a goroutine of the sink. A panic
// in a sink ends the stream as a failure.
type Sink interface {
	// Begin is called before the first byte of a request is sent.
	Begin(v metrics.Stream)
	// Event is called for every event and comment, after its ingestion.
	Event(f *Folded)
	// Flush is called after a batch of events.
	Flush()
	// End is called once, with the final record.
	End(v metrics.Stream)
}

// Folded is one event with its results. It and everything it points to is
// valid only until Sink.Event returns.
type Folded struct {
	ID     int           // of the stream
	Index  int           // of the event within the response; a comment has the index of the next event
	Sent   metrics.Stamp // when the request was sent
	Event  *sse.Event
	First  int             // index of the first of Chunks within the stream
	Chunks []metrics.Chunk // chunks of the event; empty for role, usage, comments …
	Texts  [][]byte        // the text of each of Chunks
}
