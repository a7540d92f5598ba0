package client

import (
	"net/http"

	"tokscope/metrics"
	"tokscope/probe/path"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
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
	// End is called once, with the final record and its figures at the default pace.
	// Nobody may change them: they are computed once for all sinks.
	End(v metrics.Stream, f *metrics.Figures)
}

// Chooser is a Sink that does not always receive all events.
type Chooser interface {
	Sink
	// Detail is called once per stream, after Begin.
	Detail(id int) Detail
}

// Recorder is a Sink that also receives the transport's side of a request.
type Recorder interface {
	Chooser
	// Sent is called after the kernel took the request's last byte, before the
	// response. A request that is repeated, because the server refused one of
	// its fields, has a Sent and a Head for each attempt.
	Sent(id int, at metrics.Stamp)
	// Head is called after the response's headers have arrived.
	Head(id int, h *Head)
	// Read is called for every read with a part of the body, after the events
	// that it completed. The bytes themselves follow through Body.
	Read(id int, r *transport.Read)
	// Body is called with the bytes of the body in order, after each complete
	// line, without keys. Their sum is that of the reads.
	Body(id int, data []byte)
	// PathEvent is called between Detail and End with what becomes known of the network
	// beneath a request. sent is when that was sent, NoStamp before.
	PathEvent(id int, sent metrics.Stamp, e *path.Event)
}

// Lossy is a Sink that may drop events for lack of room.
type Lossy interface {
	// Lost is called before End. It returns a note if the sink dropped a part
	// of the stream; the stream keeps the note.
	Lost(id int) (n metrics.Note, some bool)
}

// Detail is the amount that a Chooser receives. Each level includes the
// lower ones.
type Detail uint8

// Details.
const (
	DetailEnds   Detail = iota // its begin, sent, head and end
	DetailEvents               // also events and reads
	DetailBytes                // also the body's bytes
)

// Head is the head of a response.
type Head struct {
	At      metrics.Stamp // its last byte
	Status  int           // of HTTP
	Proto   string        // as in "HTTP/1.1"
	Headers http.Header   // without cookies, credentials and keys
	// Withheld are the names of omitted headers, sorted.
	Withheld []string
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
	// Joined reports that Texts are not what the event alone decodes to: a part
	// that may begin a key came later, or a key was removed.
	Joined bool
	// Usage and Finish are those of the stream, as of this event or of one behind it.
	Usage  metrics.Usage
	Finish string
}
