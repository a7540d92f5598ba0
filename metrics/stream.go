package metrics

import (
	"cmp"
	"encoding/json"
	"slices"
	"time"
)

// State is the stage of a request.
type State uint8

const (
	// Idle: no request yet.
	Idle State = iota
	// Connecting: name look-up, TCP, TLS; the request is not yet sent.
	Connecting
	// Waiting: the request is sent and no chunk has arrived: the prefill as a
	// client sees it.
	Waiting
	// Decoding: chunks are arriving.
	Decoding
	// Done: the stream ended normally.
	Done
	// Failed: ended by an error (Stream.Fault); arrived chunks are kept.
	Failed
	// Truncated: the stream ended without a finish reason and without what ends it.
	Truncated
	// Cancelled: ended by the person.
	Cancelled
)

// String returns the word used on screen and in JSON.
func (s State) String() string {
	return [...]string{"idle", "connecting", "waiting", "decoding", "done", "failed", "truncated", "canceled"}[s]
}

// Ended reports whether the stream has ended.
func (s State) Ended() bool { return s >= Done }

// Marks are the moments of one request other than its chunks. A moment that
// did not happen is NoStamp; a reused connection, for example, has no DNS.
type Marks struct {
	Start Stamp `json:"start_ns"` // when the request started, after any model discovery it needed
	RequestMarks
	FirstEvent   Stamp `json:"first_event_ns"`   // first server-sent event (comments do not count)
	FirstComment Stamp `json:"first_comment_ns"` // first SSE comment (keep-alive)
	FirstRole    Stamp `json:"first_choices_ns"` // first event with choices, even if it carries nothing
	FirstAudio   Stamp `json:"first_audio_ns"`   // first event with sound
	FinishReason Stamp `json:"finish_reason_ns"` // the event that carried the first finish reason
	LastUsage    Stamp `json:"last_usage_ns"`    // the last event with a usage object
	DoneMarker   Stamp `json:"done_marker_ns"`   // of the answer's end marker: [DONE], or message_stop
	End          Stamp `json:"end_ns"`           // end of the body, or of the answer if left open, or the failure
}

// RequestMarks are the marks that the transport owns: from the name lookup to
// the response's headers. A repeated request begins them anew.
type RequestMarks struct {
	DNSStart     Stamp `json:"dns_start_ns"`
	DNSDone      Stamp `json:"dns_done_ns"`
	ConnectStart Stamp `json:"connect_start_ns"` // TCP
	ConnectDone  Stamp `json:"connect_done_ns"`
	TLSStart     Stamp `json:"tls_start_ns"`
	TLSDone      Stamp `json:"tls_done_ns"`
	GotConn      Stamp `json:"got_connection_ns"` // a connection was ready for the request
	// Upgraded: the connection became a WebSocket, for this request. It was opened, if this
	// is known, between GotConn and here.
	Upgraded Stamp `json:"upgraded_ns,omitempty"`
	// Sent: the last byte of the request was handed to the kernel. It is the zero of
	// TTFB, TTFE, TTFT and TTFC.
	Sent      Stamp `json:"sent_ns"`
	FirstByte Stamp `json:"first_byte_ns"` // first byte of the response arrived
	// Headers: the last byte of the response's header block arrived. Over a WebSocket there
	// is none, and it is FirstByte.
	Headers Stamp `json:"headers_ns"`
}

// NewMarks returns Marks in which nothing has happened.
func NewMarks() Marks {
	n := NoStamp
	return Marks{n, NewRequestMarks(), n, n, n, n, n, n, n, n}
}

// NewRequestMarks returns RequestMarks in which nothing has happened.
func NewRequestMarks() RequestMarks {
	n := NoStamp
	return RequestMarks{n, n, n, n, n, n, n, n, n, n, n}
}

// Connection describes the connection of a stream.
type Connection struct {
	Reused bool   `json:"reused"`           // the request used an existing connection
	Proto  string `json:"protocol"`         // "HTTP/1.1", "HTTP/2.0", "WebSocket"; "" before the headers
	TLS    string `json:"tls,omitempty"`    // "TLS 1.3", "" for plain
	Remote string `json:"remote,omitempty"` // address of the other side (the proxy's when Proxy is set)
	Proxy  string `json:"proxy,omitempty"`  // the proxy's host:port, "" when direct
	// LeftOpen: the server sent a whole answer without an end marker and left the body
	// open, so tokscope closed it.
	LeftOpen bool `json:"left_open,omitempty"`
	// CutOff: the connection broke behind a whole answer, before an end marker.
	CutOff   bool   `json:"cut_off,omitempty"`
	Encoding string // Content-Encoding of the response if it was compressed although none was offered
}

// Unended returns the doubt about a whole answer whose end marker never came:
// SuspectLeftOpen or SuspectCutOff; "" for others.
func (c *Connection) Unended() SuspectCode {
	switch {
	case c.LeftOpen:
		return SuspectLeftOpen
	case c.CutOff:
		return SuspectCutOff
	}
	return ""
}

// TokenSource says where a token count comes from, best first.
type TokenSource uint8

const (
	TokensUnknown    TokenSource = iota
	TokensUsage                  // the server's final usage
	TokensContinuous             // usage on every chunk (continuous_usage_stats)
	TokensIDs                    // token_ids of each chunk
	TokensTimings                // llama.cpp's timings.predicted_n
	TokensLogprobs               // entries of logprobs
	TokensEstimated              // estimated from the text: always labeled
)

// String returns the words used on screen and in JSON.
func (t TokenSource) String() string {
	return [...]string{"unknown", "server usage", "counted by the server",
		"token ids", "server timings", "logprobs", "estimated"}[t]
}

// Usage holds the server's counts. -1 means that the server gave none.
type Usage struct {
	Prompt int `json:"prompt_tokens" form:"null=neg"`
	// Completion is output tokens, reasoning included (corrected where a server omits
	// it), Reasoning those of them.
	Completion int `json:"completion_tokens" form:"null=neg"`
	Reasoning  int `json:"reasoning_tokens" form:"null=neg"`
	Cached     int `json:"cached_tokens" form:"null=neg"` // prompt tokens from the server's prefix cache
	Total      int `json:"total_tokens" form:"null=neg"`
	// CacheWritten are prompt tokens that the server put into its cache; 0: none, or not
	// told.
	CacheWritten int `json:"cache_write_tokens,omitempty"`
	// Peak is the largest Completion that the server reported during the stream,
	// 0 for none. A Completion far below it is wrong.
	Peak int
	// Mended says why Completion differs from the wire; "" when it does not.
	Mended string `json:"mended,omitempty"`
	// Raw is the server's own object, the last one seen; nil while the stream runs.
	Raw json.RawMessage `json:"raw,omitempty"`
}

// NoUsage returns a Usage without counts.
func NoUsage() Usage { return Usage{Prompt: -1, Completion: -1, Reasoning: -1, Cached: -1, Total: -1} }

// Wait is a time in which a tool that the server runs itself worked, and the model waited.
type Wait struct {
	Name string `json:"name"` // of the tool, as the server sent it
	From Stamp  `json:"from_ns"`
	To   Stamp  `json:"to_ns"` // NoStamp while it works, and where its end never came
}

// ServerTime is one duration that the server reported about itself. Screens
// show it beside the client's times and never mix the two.
type ServerTime struct {
	// Name is one of the words Queue, Prefill, Decode, TTFT, Total, Processing,
	// Load, or the server's own word when none fits.
	Name string `json:"name"`
	// D is the duration.
	D time.Duration `json:"ms"`
	// From names the field or header it was read from, such as "timings.prompt_ms".
	From string `json:"from"`
}

// Names of server times known to the screens.
const (
	ServerQueue      = "queue"
	ServerPrefill    = "prefill"
	ServerDecode     = "decode"
	ServerTTFT       = "ttft"
	ServerTotal      = "total"
	ServerProcessing = "processing"
	ServerLoad       = "load"
	ServerSpread     = "delivery spread" // of the times from the server's stamp of a line to ours
)

// FaultKind classifies failures. The words are part of the JSON schema.
type FaultKind string

const (
	FaultNone       FaultKind = ""
	FaultConfig     FaultKind = "config"       // bad URL, key missing, refused for safety
	FaultDNS        FaultKind = "dns"          // name not found
	FaultConnect    FaultKind = "connect"      // refused, unreachable
	FaultTLS        FaultKind = "tls"          // handshake, certificate
	FaultTimeout    FaultKind = "timeout"      // one of the bounds; Fault.Bound names it
	FaultHTTP       FaultKind = "http"         // a status other than 2xx
	FaultAuth       FaultKind = "auth"         // 401, 403
	FaultRateLimit  FaultKind = "rate_limit"   // 429
	FaultRedirect   FaultKind = "redirect"     // 3xx, refused; Fault.Location
	FaultNotStream  FaultKind = "not_a_stream" // 200 with JSON, HTML, …
	FaultInStream   FaultKind = "in_stream"    // an error event inside a 200
	FaultProtocol   FaultKind = "protocol"     // malformed HTTP, SSE or JSON
	FaultTooLarge   FaultKind = "too_large"    // an event, the headers or the body passed its bound
	FaultReset      FaultKind = "reset"        // the connection broke in the middle
	FaultTruncated  FaultKind = "truncated"    // ended without finish reason and [DONE]
	FaultEmpty      FaultKind = "empty_answer" // ended as it should, without a token
	FaultCompressed FaultKind = "compressed"   // gzip although none was offered
	FaultCancelled  FaultKind = "canceled"
	FaultLocal      FaultKind = "local"    // this machine ran out of descriptors or memory, or tokscope fell behind
	FaultInternal   FaultKind = "internal" // a bug of ours, recovered
	FaultForeign    FaultKind = "foreign"  // as the file of another program says
)

// CodeUnknownTarget is the Code of a fault of FaultConfig: a name that is no target.
const CodeUnknownTarget = "unknown_target"

// Fault is why a stream did not end well. All strings are already redacted,
// but may hold control characters of the server: sanitize them before a
// terminal.
type Fault struct {
	Kind    FaultKind `json:"kind"`
	Message string    `json:"message"`          // one sentence for a person: what happened
	Next    string    `json:"next,omitempty"`   // what to do next; "" without sensible advice
	Status  int       `json:"status,omitempty"` // HTTP status, 0 without one
	Code    string    `json:"code,omitempty"`   // the server's own error code or type; or CodeUnknownTarget
	Body    string    `json:"body,omitempty"`   // the start of the server's answer (at most 4 KiB)
	// Bound is which bound was passed ("first byte 120 s"), for timeout and too_large.
	Bound string `json:"bound,omitempty"`
	// RetryAfter is the wait the server asked for, or until its limit is full again; 0
	// without one.
	RetryAfter time.Duration `json:"retry_after_ms,omitempty"`
	Location   string        `json:"location,omitempty"` // where a refused redirect points
}

// Error makes Fault an error.
func (f *Fault) Error() string {
	if f.Next == "" {
		return f.Message
	}
	return f.Message + ": " + f.Next
}

// Progress is prefill progress that a server reported (llama.cpp).
type Progress struct {
	At                       Stamp
	Total, Cached, Processed int           // prompt tokens; Processed includes Cached
	Took                     time.Duration // of the server for those processed, 0 where it gives none
}

// PrefillLeft estimates the time from now on until the prompt is read, ms, at the pace of
// what the server has read so far without its cache:
//
//	(total − processed) · took/(processed − cached) − (now − report)
//
// and at least 0. Without the server's own time, took is that from the sending to the
// report. Unknown before a report of progress.
func (s *Stream) PrefillLeft(now Stamp) Value {
	p := &s.Progress
	took := float64(p.Took) / 1e6
	since, known := stampMs(now, p.At)
	if sent, ok := stampMs(p.At, s.Marks.Sent); took <= 0 && ok {
		took = sent
	}
	if read := p.Processed - p.Cached; known && read > 0 && took > 0 {
		return Finite(max(float64(p.Total-p.Processed)*took/float64(read)-max(since, 0), 0), 0)
	}
	return Unknown(WhyNotReported)
}

// ResponseHead is the head of a response, without cookies, credentials and
// keys. Its strings come from the server: sanitize them before a terminal.
type ResponseHead struct {
	Status int    // of HTTP
	Reason string // what the status is called; "" for an unknown one
	Proto  string // as in "HTTP/1.1"
	Fields []HeaderField
	// More is how many fields Fields lacks, because there were too many.
	More int
	// Withheld are the names of omitted fields, sorted.
	Withheld []string
}

// HeaderField is one field of a head.
type HeaderField struct{ Name, Value string }

// Stream is an immutable view of one request at one moment. Slices are shared
// with the live record, which only appends beyond their length: never write
// to them. The zero Stream is Idle.
type Stream struct {
	ID       int       `json:"id"` // 1, 2, 3 … within the session
	Load     int       // number of the recorded load with this request; 0 outside a load
	Recorded int       // its number in the file that it was read from; 0 for none
	Tool     *ToolFile // the file of another program that it was read from; nil: it is none's
	Told     *Figures  // what a file has of it in place of its events; nil: figures are measured
	State    State     `json:"state"`
	Now      Stamp     // the moment of the view
	Wall     time.Time `json:"started"`
	Work     Workload  `json:"workload"`
	Endpoint Endpoint  `json:"endpoint"`
	Marks    Marks     `json:"marks"`
	Conn     Connection
	Chunks   []Chunk
	Others   int    // so many of the first chunks are another sender's: they do not count
	Text     []byte // texts of all chunks, one after the other; raw, unsanitized UTF-8
	// TextRemoved reports that Text and the prompt stand for others, of another
	// length: nothing is counted in them or judged by them.
	TextRemoved bool
	// Unsent reports, where the texts were removed, that the server counted far more output
	// tokens than they had (SuspectUnsent): LiveTokens are then those that they had.
	Unsent bool
	// Paced reports, where the texts were removed, that with them the answer was not
	// taken for one that was held back: how much of a count was sent shows in them alone.
	Paced bool
	Usage Usage `json:"usage"`
	// LiveTokens is the server's running output count (continuous usage,
	// timings), -1 when the server reports none while it streams.
	LiveTokens int
	// Thinking is the server's estimate of the tokens of thinking that it did not send, so
	// far; 0 for none. Its chunks have no text.
	Thinking   int          `json:"thinking_tokens_estimated,omitempty"`
	Thinks     bool         `json:"-"`                      // a part of the answer that is thinking has begun
	Waits      []Wait       `json:"server_tools,omitempty"` // replaced, never written to
	TokensFrom TokenSource  // source of Usage.Completion or of the chunks' Tokens
	Server     []ServerTime `json:"server_times,omitempty"`
	Progress   Progress
	Finish     string `json:"finish_reason,omitempty"` // first finish reason; "" without one
	Fault      *Fault `json:"fault,omitempty"`         // nil unless Failed, Truncated or Cancelled
	Notes      []Note `json:"notes,omitempty"`         // facts that qualify the figures
	// Head is the head of the response; nil before it, without one, and in a
	// stream that was read from a file. It never changes.
	Head *ResponseHead
	// Retried counts repeated sendings: a kept connection ended before one byte
	// of an answer, and the request was sent again on a new one. The server may
	// have seen, and billed, the first. Marks are those of the last sending.
	Retried int `json:"retried,omitempty"`
	// Asking is true while discovery runs: the server is asked for its models
	// or its type, once, before the request. Until then Marks.Start is the
	// start of discovery.
	Asking      bool
	RequestID   string     `json:"request_id,omitempty"`     // the server's id of the request
	ResponseID  string     `json:"response_id,omitempty"`    // the answer's own id, which a later request may name
	Model       string     `json:"model_reported,omitempty"` // model as the server named it
	Provider    string     `json:"provider,omitempty"`       // upstream provider, fingerprint
	Fingerprint string     `json:"system_fingerprint,omitempty"`
	Asked       Service    `json:"asked,omitzero"`  // what the request names
	Served      Served     `json:"served,omitzero"` // what the answer says
	Fronts      []Front    // proxies that headers name, the likeliest to buffer first; replaced, never written to
	RateLimit   *RateLimit `json:"rate_limit,omitempty"`  // of the answer's headers; absent without any
	Reads       int        `json:"reads" form:"null=neg"` // of the connection that carried body bytes
	Events      int        `json:"events"`                // server-sent events
	WithChoices int        // of these, events with choices
	// Blanks are the first events of the first choice with an empty content and no
	// role, at most MostBlanks; they may have other parts. Read only.
	Blanks    []Blank
	Reasoned  ReasoningFields
	Comments  int   `json:"comments"` // SSE comments (keep-alives)
	Queue     Queue // stage of the request in the server's queue, as the server reports it
	BodyBytes int64 `json:"body_bytes" form:"null=neg"` // bytes of the body, after de-chunking
	// What came beside text, in bytes without the base64 around them; 0 for an image
	// that is only linked.
	AudioBytes   int64 `json:"audio_bytes,omitempty"`
	Images       int   `json:"images,omitempty"`
	ImageBytes   int64 `json:"image_bytes,omitempty"`
	Stamps       Source
	Observer     Observer
	Path         *Path  // nil: the network was not looked at
	LastData     Stamp  // arrival of the last event (not comment)
	LastComment  Stamp  // arrival of the last comment; means nothing without Comments
	DataDeadline Stamp  // when the current wait times out; NoStamp when none runs
	DataBound    string // the name of that bound
	Usual        *Usual // of requests like this one; nil: the history was not asked. Read only
}

// Number is what a person knows the request by: its number in its file, else ID.
func (s *Stream) Number() int { return cmp.Or(s.Recorded, s.ID) }

// waits reports whether a tool of the server began to work between two moments.
func (s *Stream) waits(from, to Stamp) bool {
	return slices.ContainsFunc(s.Waits, func(w Wait) bool { return w.From >= from && w.From < to })
}

// Working returns the tool of the server that works now, nil where none does.
func (s *Stream) Working() *Wait {
	for i := range s.Waits {
		if !s.Waits[i].To.Known() && !s.State.Ended() {
			return &s.Waits[i]
		}
	}
	return nil
}

// Worked returns how long tools of the server worked between two moments, ms, which of them
// worked longest, nil for none, and how many did. What worked at once counts once.
func (s *Stream) Worked(from, to Stamp) (ms float64, longest *Wait, n int) {
	most := Stamp(0)
	for i := range s.Waits { // in the order of their beginning
		w := &s.Waits[i]
		begin, end := max(w.From, from), to
		if w.To.Known() {
			end = min(w.To, to)
		}
		if end <= begin {
			continue
		}
		if n++; end-begin > most {
			most, longest = end-begin, w
		}
		if end > from {
			ms += float64(end-max(begin, from)) / 1e6
			from = end
		}
	}
	return ms, longest, n
}

// Ending reports whether the finish reason has come, and no chunk behind it: a silence
// is then no stall. Of several choices others may still go on.
func (s *Stream) Ending() bool {
	n, at := len(s.Chunks), s.Marks.FinishReason
	return at.Known() && (n == 0 || at >= s.Chunks[n-1].At)
}

// NoStream returns the view at now of a request that has not begun: nothing is known
// of it.
func NoStream(now Stamp) Stream {
	return Stream{Marks: NewMarks(), Usage: NoUsage(), LiveTokens: -1, LastData: NoStamp, DataDeadline: NoStamp, Now: now}
}

// Queue is a server's report about a request before its first chunk. Only the
// embedded endpoint is asked (X-Sim-Truth); all others are QueueUntold.
type Queue uint8

const (
	// QueueUntold: the server has not reported anything, which has no meaning.
	QueueUntold Queue = iota
	// QueueWaiting: the request waits, and the current step excludes it.
	QueueWaiting
	// QueueAdmitted: the server reads the prompt, or has read it.
	QueueAdmitted
)

// Note is a short sentence that qualifies the figures: "usage refused by the
// server; asked again without it", "suspended for 3 s".
type Note struct {
	At Stamp
	// Code is a stable word: "usage_refused", "max_completion_tokens", "suspended",
	// "mixed_stamps", …
	Code string `json:"code"`
	Text string `json:"text"`
}

// ChunkText returns the raw text of chunk i. Ends outside of Text, possible
// in a damaged recording, are clamped.
func (s *Stream) ChunkText(i int) []byte {
	begin := 0
	if i > 0 {
		begin = min(max(int(s.Chunks[i-1].TextEnd), 0), len(s.Text))
	}
	end := min(max(int(s.Chunks[i].TextEnd), begin), len(s.Text))
	return s.Text[begin:end:end]
}

// MostBlanks bounds the blank events that a stream keeps.
const MostBlanks = 4096

// Blank is an event with an empty content. Event is its number.
type Blank struct {
	At    Stamp
	Event int32
}
