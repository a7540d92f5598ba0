package result

import (
	"math"
	"time"

	"tokscope/metrics"
)

// ResultSchema names the format of the document of `tokscope probe --json`.
const ResultSchema = "tokscope/probe/v1"

// Request is one ended request with its figures.
type Request struct {
	*metrics.Stream
	Connection  Connection      `json:"connection"`
	Stamps      string          `json:"stamps"`
	Conclusion  string          `json:"conclusion,omitempty"` // of a document: what the request shows, as a sentence
	Findings    []Finding       `json:"findings,omitempty"`   // its evidence, the most important first
	Figures     metrics.Figures `json:"figures"`
	Lag         Lag             `json:"lag"`
	Path        *Path           `json:"path,omitempty"`      // absent: the network was not looked at
	Text        *string         `json:"text,omitempty"`      // the answer alone, with --with-text
	Reasoning   string          `json:"reasoning,omitempty"` // absent without one, as the next three
	Refusal     string          `json:"refusal,omitempty"`
	Transcript  string          `json:"transcript,omitempty"` // of spoken audio
	Calls       []ToolCall      `json:"tool_calls,omitempty"`
	TextLeftOut int             `json:"text_left_out_bytes,omitempty"` // with --with-text: dropped, too large for memory
}

// RequestOf returns the JSON form of an ended stream and its figures, without
// its text.
func RequestOf(v *metrics.Stream, f *metrics.Figures) Request {
	return Request{Stream: v, Connection: Connection{v.Conn, v.Fronts}, Stamps: StampsOf(v),
		Figures: *f, Lag: Lag{v.Observer, f.Delay}, Path: pathOf(v.Path, v.Marks.Sent)}
}

// StampsOf names the source of the stamps of v; "none" without stamps.
func StampsOf(v *metrics.Stream) string {
	if v.Observer.KernelStamps+v.Observer.UserStamps == 0 && v.Stamps != metrics.SourceTool {
		return "none"
	}
	return v.Stamps.String()
}

// Restore writes into v, the stream of the request's events, what its end line
// says of the rest: marks, connection, counts, usage, server times, fault, notes,
// lag and path.
func (r *Request) Restore(v *metrics.Stream) {
	end, before := r.Stream, *v
	if end.State != metrics.Idle { // a state of a later version
		v.State = end.State
	}
	if !end.Wall.IsZero() {
		v.Wall = end.Wall
	}
	v.Model, v.Provider, v.Fingerprint, v.RequestID = end.Model, end.Provider, end.Fingerprint, end.RequestID
	v.Asked, v.Served = end.Asked, end.Served
	v.Finish, v.Conn, v.Fronts, v.Retried = end.Finish, r.Connection.Connection, r.Connection.Fronts, end.Retried
	v.Conn.Encoding, v.Stamps = before.Conn.Encoding, metrics.SourceUser
	for _, s := range []metrics.Source{metrics.SourceKernel, metrics.SourceBody, metrics.SourceMixed,
		metrics.SourceTool} {
		if s.String() == r.Stamps {
			v.Stamps = s
		}
	}
	v.Reads, v.Events, v.Comments, v.BodyBytes = end.Reads, end.Events, end.Comments, end.BodyBytes
	v.Thinking, v.Waits = end.Thinking, end.Waits
	v.AudioBytes, v.Images, v.ImageBytes = end.AudioBytes, end.Images, end.ImageBytes
	v.Usage, v.Usage.Peak = end.Usage, before.Usage.Peak
	v.Server, v.Fault, v.Notes, v.Observer = end.Server, end.Fault, end.Notes, r.Lag.Observer
	if end.RateLimit != nil {
		v.RateLimit = end.RateLimit
	}
	v.Marks = end.Marks
	if v.Marks.End.Known() {
		v.Now = v.Marks.End
	}
	v.Path = r.Path.Restore(v)
	if v.TextRemoved {
		r.restoreCount(v)
		v.Paced = !r.Figures.AtOnce()
	}
}

// restoreCount takes the output tokens of v from the figures: the text that they
// were counted or estimated in is no longer there. Of a single choice it takes those that
// arrived: the server may have counted more.
func (r *Request) restoreCount(v *metrics.Stream) {
	f := &r.Figures
	v.LiveTokens, v.TokensFrom = -1, f.TokenSource
	n := f.Tokens
	if f.Choices == 1 {
		n = f.DecodeTokens
	}
	unsent := f.Suspects(metrics.SuspectUnsent) && v.Usage.Completion > 0
	if n.OK && (unsent || v.Usage.Completion <= 0) && n.V > 0 && n.V < math.MaxInt32 {
		v.LiveTokens, v.Unsent = int(math.Round(n.V)), unsent
	}
}

// durationOf returns ms milliseconds, to the ns. Values out of range are clamped.
func durationOf(ms float64) time.Duration {
	ns := math.Round(ms * 1e6)
	if !(math.Abs(ns) < 1<<62) {
		return 0
	}
	return time.Duration(ns)
}
