package record

import (
	"time"

	"tokscope/metrics"
)

// ResultSchema names the format of the document of `tokscope probe --json`.
const ResultSchema = "tokscope/probe/v1"

// Request is one ended request with its figures.
type Request struct {
	ID          int        `json:"id"`
	State       string     `json:"state"`
	Wall        string     `json:"started"`
	Endpoint    Endpoint   `json:"endpoint"`
	Model       string     `json:"model_reported,omitempty"`
	Provider    string     `json:"provider,omitempty"`
	Fingerprint string     `json:"system_fingerprint,omitempty"`
	RequestID   string     `json:"request_id,omitempty"`
	Finish      string     `json:"finish_reason,omitempty"`
	Workload    Workload   `json:"workload"`
	Connection  Connection `json:"connection"`
	// sendings repeated on a new connection; an earlier one may be billed too
	Retried     int          `json:"retried,omitempty"`
	Stamps      string       `json:"stamps"`
	Reads       int          `json:"reads"`
	Events      int          `json:"events"`
	Comments    int          `json:"comments"`
	BodyBytes   int64        `json:"body_bytes"`
	Usage       Usage        `json:"usage"`
	Server      []ServerTime `json:"server_times,omitempty"`
	Fault       *Fault       `json:"fault,omitempty"`
	Limits      *RateLimit   `json:"rate_limit,omitempty"` // of the answer's headers; absent without any
	Notes       []Note       `json:"notes,omitempty"`
	Conclusion  string       `json:"conclusion,omitempty"` // of a document: what the request shows, as a sentence
	Findings    []Finding    `json:"findings,omitempty"`   // its evidence, the most important first
	Figures     Figures      `json:"figures"`
	Lag         Lag          `json:"lag"`
	Path        *Path        `json:"path,omitempty"` // absent: the network was not looked at
	Marks       Marks        `json:"marks"`
	Text        *string      `json:"text,omitempty"`      // the answer alone, with --with-text
	Reasoning   string       `json:"reasoning,omitempty"` // absent without one, as the next two
	Refusal     string       `json:"refusal,omitempty"`
	Calls       []ToolCall   `json:"tool_calls,omitempty"`
	TextLeftOut int          `json:"text_left_out_bytes,omitempty"` // with --with-text: dropped, too large for memory
}

// RequestOf returns the JSON form of an ended stream and its figures, without
// its text.
func RequestOf(v *metrics.Stream, f *metrics.Figures, say Sentences) Request {
	return Request{
		ID: v.ID, State: v.State.String(), Wall: v.Wall.UTC().Format(time.RFC3339Nano),
		Endpoint: endpointOf(v.Endpoint), Workload: workloadOf(v.Work),
		Model: v.Model, Provider: v.Provider, Fingerprint: v.Fingerprint, RequestID: v.RequestID, Finish: v.Finish,
		Connection: Connection{v.Conn.Reused, v.Conn.Proto, v.Conn.TLS, v.Conn.Remote, v.Conn.Proxy, v.Fronts},
		Retried:    v.Retried,
		Stamps:     stampsOf(v), Reads: v.Reads, Events: v.Events, Comments: v.Comments, BodyBytes: v.BodyBytes,
		Usage: usageOf(v.Usage), Server: serverOf(v.Server), Fault: faultOf(v.Fault),
		Limits: rateLimitOf(v.RateLimit), Notes: notesOf(v.Notes),
		Figures: FiguresOf(f, say), Lag: LagOf(v.Observer, f.Delay, say),
		Marks: marksOf(v.Marks), Path: pathOf(v.Path, v.Marks.Sent),
	}
}

// stampsOf names the source of the stamps of v; "none" without stamps.
func stampsOf(v *metrics.Stream) string {
	if v.Observer.KernelStamps+v.Observer.UserStamps == 0 {
		return "none"
	}
	return v.Stamps.String()
}
