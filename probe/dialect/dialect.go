package dialect

import (
	"net/http"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Decoder turns the events of one response into what they say. It keeps the
// state of that one stream (think tags, running counts, first finish reason),
// so every request needs its own. It is not safe for concurrent use and owns
// no goroutine; the zero value is not ready, use New.
type Decoder struct {
	scan    scanner
	msg     message
	choices []choiceState // by index

	usageRun, timingRun running
	from                metrics.TokenSource // of the tokens per chunk, once known
	idLists             bool                // token_ids were seen
	manyChoices         bool                // n > 1
	usageSeen           bool                // a usage with more than zeros
	used                metrics.Usage       // what Out.Usage points to
	anthropic           metrics.Usage       // message_start and message_delta together

	events, decoded, malformed int
	recognized                 bool // something of a chat stream was among them
	texted                     bool // a delta was handed out
	finishReason               string
	done, faulted              bool

	idRank                       idRank
	model, provider, fingerprint string // the last ones, so that equal ones need no memory
	lastFinish                   string
}

// New returns a Decoder for one response.
func New() *Decoder {
	return &Decoder{anthropic: metrics.NoUsage()}
}

// Out is what one event said. Event resets it; a caller keeps one Out and
// reuses it, which makes an ordinary event free of allocations.
//
// Deltas, their Text, Server and Usage are only valid until the next call of a
// method of the Decoder, and Usage.Raw as long as the event's Data; everything
// else may be kept.
type Out struct {
	// Deltas are the chunks of the event: text, reasoning, tool calls, refusals.
	// Usually one, none for role-only, usage and keep-alive events.
	Deltas []Delta
	// Usage is set when the event carried a usage object. It replaces what
	// came before it (Anthropic's halves are already merged).
	Usage *metrics.Usage
	// LiveTokens is the output count that the server had told by this event
	// while it streams (continuous usage, timings); -1 when it did not.
	LiveTokens int
	// TokensFrom is the source of the counts in Deltas and LiveTokens; when
	// the event has only a usage object it is TokensUsage, and TokensUnknown
	// when nothing was counted.
	TokensFrom metrics.TokenSource
	// Server holds the durations that the event (or header) told. A later
	// value with the same From replaces the earlier one.
	Server []metrics.ServerTime
	// Progress is the prefill progress, if the event told it.
	Progress *metrics.Progress
	// Finish is the finish reason of this event, "" when it has none. The
	// first one of a stream is the one that counts; later ones are told as
	// they come.
	Finish string
	// Choices says that the event had a non-empty list of choices (or is the
	// Anthropic equivalent); Role that it named the role; Done that it ended
	// the stream ([DONE], message_stop); Comment that it is a keep-alive (an
	// SSE comment or a ping event) and no data.
	Choices, Role, Done, Comment bool
	// Fault is an error that the server sent inside the stream, or why the
	// stream did not end well (Finish).
	Fault *metrics.Fault
	// Notes qualify the figures: malformed events and the like.
	Notes []metrics.Note
	// RequestID, Model, Provider and Fingerprint are set when the event told
	// them, as the server wrote them (unsanitised).
	RequestID, Model, Provider, Fingerprint string
	// RateLimit is set by Header when there were rate-limit headers.
	RateLimit *metrics.RateLimit
}

// Delta is one chunk of an event.
type Delta struct {
	Kind metrics.Kind
	// Choice is the index of the choice, at most 255.
	Choice uint8
	// Text is valid UTF-8; invalid bytes and lone surrogates have become
	// U+FFFD. It is empty when the server said that the chunk stands for tokens
	// without text, or when the text is held back until it is clear whether it
	// begins a think tag: it then comes with the next delta of the choice.
	Text []byte
	// Tokens is how many tokens the chunk stands for, -1 when the server did
	// not say. When an event has several chunks and one count, the first has
	// the count and the others have 0.
	Tokens int16
	// Name is the name of the called tool, "" but on the delta that names it.
	Name string
}

// reset empties o and keeps its memory.
func (o *Out) reset() {
	*o = Out{Deltas: o.Deltas[:0], Server: o.Server[:0], LiveTokens: -1}
}

// Header reads server times, rate limits and the request id from the
// response's headers. It resets *out first. Call it before the first Event:
// an id in the headers takes precedence over those in the events.
func (d *Decoder) Header(h http.Header, out *Out) {
	out.reset()
	d.header(h, out)
}

// Event decodes one event. It resets *out first. It never fails: what cannot be
// decoded is counted and told as a note, and as a fault by Finish if nothing
// of the stream could be decoded.
func (d *Decoder) Event(ev sse.Event, out *Out) {
	out.reset()
	d.event(ev, out)
}

// Finish is called once, when no more events come. It resets *out, hands out
// text that was still held back, and tells why the stream did not end well:
// truncated (sawEOF, but neither finish reason nor [DONE]), nothing decodable,
// or the finish reason "error" without any error event. With sawEOF false the
// caller already knows why the stream ended; then only held text and notes come.
func (d *Decoder) Finish(sawEOF bool, out *Out) {
	out.reset()
	d.finish(sawEOF, out)
}
