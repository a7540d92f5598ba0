package dialect

import (
	"cmp"
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/probe/sse"
)

// Decoder decodes the events of one response. It keeps the state of that
// stream (think tags, running counts, first finish reason), so every request
// needs its own. Create it with New: the zero value is not ready. It is not
// safe for concurrent use and starts no goroutine.
type Decoder struct {
	*Scratch               // nil until it is needed or lent
	choices  []choiceState // by index
	at       metrics.Stamp // of the current event

	usageRun, timingRun running
	from                metrics.TokenSource // source of the tokens per chunk, once known
	idLists             bool                // token_ids occurred
	manyChoices         bool                // n > 1
	usageSeen           bool                // a usage with a nonzero count occurred
	peak                int                 // the largest output count of a usage, with one choice
	choiceUsage         bool                // a usage came in an event without choices
	finishes            int                 // choices that finished since that usage
	rest                restCounts          // counts outside of usage objects
	used                metrics.Usage       // target of Out.Usage
	responses           *responsesState     // nil before an event of that API
	messages            messagesState
	thinking            int            // see Out.Thinking
	waits               []metrics.Wait // of the server's tools, never changed
	waitIDs             []string       // of waits

	told                       *API // of the latest event that is no chat chunk; nil before one
	events, decoded, malformed int
	recognized                 bool // an event belonged to a chat stream
	texted                     bool // a delta was returned
	thought                    bool // one of reasoning was
	named, nameless            bool // a delta came with id and model; the latest before had neither
	finishReason               string
	done, faulted              bool
	whole                      metrics.Stamp // see Whole
	counts                     [2]int        // prompt and output of the last usage since the answer was whole
	asked                      int           // choices, see Expect

	lagged            bool  // a line had the server's own stamp
	leastLag, mostLag int64 // from the server's stamp of a line to ours, ns

	idRank, answerRank           idRank
	id                           string // of the answer, by the best event so far
	model, provider, fingerprint string // the latest ones; equal ones are reused without allocating
	lastFinish                   string
	service                      metrics.Service // the latest
}

// Scratch is the memory that decoding one event needs, some 1.5 kB. Nothing in
// it is kept from one event to the next. The zero value is ready.
type Scratch struct {
	scan scanner
	msg  message
}

// Lend makes d decode in w until the next Lend: a thousand decoders that take
// turns then use the same memory, which stays in the processor's cache. What d
// has returned is no longer valid. nil makes d use memory of its own.
func (d *Decoder) Lend(w *Scratch) { d.Scratch = w }

// need makes sure that d has a Scratch.
func (d *Decoder) need() {
	if d.Scratch == nil {
		d.Scratch = new(Scratch)
	}
}

// New returns a Decoder for one response.
func New() *Decoder {
	return &Decoder{messages: messagesState{usage: metrics.NoUsage(), input: -1, written: -1},
		rest: restCounts{-1, -1, -1}, whole: metrics.NoStamp}
}

// Out is the decoded content of one event. Event resets it. Reuse one Out: an
// ordinary event then allocates nothing.
//
// Deltas, their Text, Server and Usage are valid until the next call of a
// method of the Decoder. Usage.Raw is valid as long as the event's Data.
// Everything else may be kept.
type Out struct {
	// Deltas are the chunks of the event: text, reasoning, tool calls,
	// refusals, audio, images. Most events have one. Role-only, usage and keep-alive events
	// have none.
	Deltas []Delta
	// Usage is set if the event had a usage object. It replaces earlier ones;
	// Anthropic's halves are already merged.
	Usage *metrics.Usage
	// LiveTokens is the output count up to this event, reported by the server
	// during the stream (usage on every chunk, timings). -1 if unknown.
	LiveTokens int
	// TokensFrom is the source of the counts in Deltas and LiveTokens. It is
	// TokensUsage for an event with only a usage object, and TokensUnknown if
	// nothing was counted.
	TokensFrom metrics.TokenSource
	// Server holds the durations in the event or header. A later value with the
	// same From replaces the earlier one.
	Server []metrics.ServerTime
	// Progress is the prefill progress in the event, or nil.
	Progress *metrics.Progress
	// Finish is the finish reason of this event, or "". The first one of a
	// stream counts, later ones are still returned.
	Finish string
	// Choices: the event had a non-empty list of choices, or is the Anthropic
	// equivalent. Role: it named the role. Done: it ended the stream ([DONE],
	// message_stop). Comment: it is a keep-alive (an SSE comment or a ping
	// event) without data.
	Choices, Role, Done, Comment bool
	// Blank: the first choice added an empty content and named no role. Some tools
	// count such an event, because a token may have no text.
	Blank bool
	// Begins: the first deltas with id and model, and those before had neither. They
	// were another sender's, such as a proxy that says that a model loads.
	Begins bool
	// Reasoned are the fields in which this event has reasoning.
	Reasoned metrics.ReasoningFields
	// AudioBytes is the sound in the event, Images and ImageBytes its images, without
	// the base64 around them.
	AudioBytes, Images, ImageBytes int
	// Thinking is the server's estimate of all tokens of thinking so far that it did not send,
	// 0 for none. An event with more of them has a delta without a text.
	Thinking int
	// Thinks: a part of the answer that is thinking has begun, with or without text.
	Thinks bool
	// Waits are all times so far in which tools of the server worked, nil where none began or
	// ended in this event. Their names are as sent by the server.
	Waits []metrics.Wait
	// Fault is an error event of the stream, or from Finish the reason why the
	// stream did not end well.
	Fault *metrics.Fault
	// Notes qualify the figures, for example malformed events.
	Notes []metrics.Note
	// RequestID, Model, Provider and Fingerprint are those of the event, as
	// sent by the server (unsanitized), or "".
	RequestID, Model, Provider, Fingerprint string
	ResponseID                              string // the answer's own id; "" for the same as before
	// Served is how the request was served, as far as the event or the header says it;
	// its strings are as sent by the server.
	Served metrics.Served
	// Fronts is set by Header: the proxies that the headers name.
	Fronts []metrics.Front
	// RateLimit is set by Header if the response had rate-limit headers.
	RateLimit *metrics.RateLimit
}

// Delta is one chunk of an event.
type Delta struct {
	Kind metrics.Kind
	// Choice is the index of the choice, at most 255.
	Choice uint8
	// Text is valid UTF-8. Invalid bytes and lone surrogates become U+FFFD. It
	// is empty for a chunk that stands for tokens without text. It is also
	// empty while its text may be the start of a think tag: that text comes
	// with the next delta of the choice.
	Text []byte
	// Held: the text is empty because it may repeat what came before. What is new of it
	// comes with a later delta of the choice.
	Held bool
	// Tokens is the number of tokens of the chunk, -1 if unknown. If an event
	// has several chunks and one count, the first has the count and the others
	// have 0.
	Tokens int16
	// Name is the name of the called tool, on the delta that names it, else "".
	Name string
}

// reset empties o and keeps its memory.
func (o *Out) reset() {
	*o = Out{Deltas: o.Deltas[:0], Server: o.Server[:0], LiveTokens: -1}
}

// add appends a delta of a choice whose tokens are not known.
func (o *Out) add(k metrics.Kind, choice uint8, text []byte) {
	o.Deltas = append(o.Deltas, Delta{Kind: k, Choice: choice, Text: text, Tokens: -1})
}

// text appends a delta of the first choice, if it has a text.
func (o *Out) text(k metrics.Kind, t []byte) {
	if len(t) > 0 {
		o.add(k, 0, t)
	}
}

// hidden adds tokens of thinking that have no text.
func (d *Decoder) hidden(tokens int, out *Out) {
	d.thinking += tokens
	out.Thinking = d.thinking
	out.Deltas = append(out.Deltas, Delta{Kind: metrics.Reasoning, Tokens: int16(min(tokens, math.MaxInt16))})
}

// mostWaits bounds the waits of a stream.
const mostWaits = 256

// wait says that the server's tool with that name works now, waited that the one with that
// id has ended: the latest that works, where id is of none.
func (d *Decoder) wait(id, name string, out *Out) {
	if len(d.waits) == mostWaits {
		return
	}
	d.waits = append(slices.Clip(d.waits), metrics.Wait{Name: name, From: d.at, To: metrics.NoStamp})
	d.waitIDs, out.Waits = append(d.waitIDs, id), d.waits
}

func (d *Decoder) waited(id string, out *Out) {
	found := -1
	for i := range d.waits {
		if !d.waits[i].To.Known() && (found < 0 || d.waitIDs[found] != id) {
			found = i
		}
	}
	if found >= 0 {
		d.waits = slices.Clone(d.waits)
		d.waits[found].To, out.Waits = d.at, d.waits
	}
}

// Event decodes one event. It resets *out first. It never fails: it counts
// undecodable events and reports them as a note. Finish reports them as a
// fault if nothing of the stream was decodable.
func (d *Decoder) Event(ev sse.Event, out *Out) {
	out.reset()
	d.need()
	d.at = ev.At
	d.event(ev, out)
	d.texted = d.texted || len(out.Deltas) > 0
	d.finishReason = cmp.Or(d.finishReason, out.Finish)
	d.settle(ev.At, out)
}
