package record

import (
	"encoding/json"
	"time"

	"tokscope/metrics"
)

// The types of this file are the JSON forms of the types of metrics: units in
// the names, null for unknown figures, and their reasons under "unknown".

// Endpoint is the JSON form of metrics.Endpoint.
type Endpoint struct {
	Kind  string `json:"kind"`
	Name  string `json:"name"`
	URL   string `json:"url"`
	Model string `json:"model"`
	Note  string `json:"note,omitempty"`
}

func endpointOf(e metrics.Endpoint) Endpoint {
	return Endpoint{Kind: string(e.Kind), Name: e.Name, URL: e.URL, Model: e.Model, Note: e.Note}
}

// Workload is the JSON form of metrics.Workload.
type Workload struct {
	Name        string   `json:"name"`
	System      string   `json:"system,omitempty"`
	Prompt      string   `json:"prompt"`
	InputTokens int      `json:"input_tokens_asked,omitempty"`
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
	Connection  string   `json:"connection"`
	Concurrency int      `json:"concurrency"`
	Nonce       string   `json:"nonce,omitempty"`
}

func workloadOf(w metrics.Workload) Workload {
	return Workload{
		Name: w.Name, System: w.System, Prompt: w.Prompt, InputTokens: w.InputTokens, MaxTokens: w.MaxTokens,
		Temperature: w.Temperature, Seed: w.Seed, Connection: w.Connection.String(),
		Concurrency: w.Concurrency, Nonce: w.Nonce,
	}
}

// Of returns what w was made from.
func (w *Workload) Of() metrics.Workload {
	out := metrics.Workload{
		Name: w.Name, System: w.System, Prompt: w.Prompt, InputTokens: w.InputTokens, MaxTokens: w.MaxTokens,
		Temperature: w.Temperature, Seed: w.Seed, Concurrency: w.Concurrency, Nonce: w.Nonce,
	}
	for _, c := range []metrics.Reuse{metrics.ReuseCold, metrics.ReuseWarm} {
		if w.Connection == c.String() {
			out.Connection = c
		}
	}
	return out
}

// Connection is the JSON form of metrics.Connection.
type Connection struct {
	Reused   bool   `json:"reused"`
	Protocol string `json:"protocol"`
	TLS      string `json:"tls,omitempty"`
	Remote   string `json:"remote,omitempty"`
	Proxy    string `json:"proxy,omitempty"`
	// Fronts are the proxies, gateways and CDNs that the response's headers name.
	Fronts []metrics.Front `json:"fronts,omitempty"`
}

// Fault is the JSON form of metrics.Fault.
type Fault struct {
	Kind         string  `json:"kind"`
	Message      string  `json:"message"`
	Next         string  `json:"next,omitempty"`
	Status       int     `json:"status,omitempty"`
	Code         string  `json:"code,omitempty"`
	Body         string  `json:"body,omitempty"`
	Bound        string  `json:"bound,omitempty"`
	RetryAfterMs float64 `json:"retry_after_ms,omitempty"`
	Location     string  `json:"location,omitempty"`
}

func faultOf(f *metrics.Fault) *Fault {
	if f == nil {
		return nil
	}
	return &Fault{
		Kind: string(f.Kind), Message: f.Message, Next: f.Next, Status: f.Status, Code: f.Code, Body: f.Body,
		Bound: f.Bound, RetryAfterMs: msOf(f.RetryAfter), Location: f.Location,
	}
}

// Note is the JSON form of metrics.Note.
type Note struct {
	Code string `json:"code"`
	Text string `json:"text"`
}

func notesOf(ns []metrics.Note) []Note {
	var out []Note
	for _, n := range ns {
		out = append(out, Note{n.Code, n.Text})
	}
	return out
}

// Usage is the JSON form of metrics.Usage; null for counts that the server
// did not give.
type Usage struct {
	Prompt     *int            `json:"prompt_tokens"`
	Completion *int            `json:"completion_tokens"`
	Reasoning  *int            `json:"reasoning_tokens"`
	Cached     *int            `json:"cached_tokens"`
	Total      *int            `json:"total_tokens"`
	Mended     string          `json:"mended,omitempty"`
	Raw        json.RawMessage `json:"raw,omitempty"`
}

func usageOf(u metrics.Usage) Usage {
	said := func(n int) *int {
		if n < 0 {
			return nil
		}
		return &n
	}
	raw := u.Raw
	if !json.Valid(raw) {
		raw = nil
	}
	return Usage{said(u.Prompt), said(u.Completion), said(u.Reasoning), said(u.Cached), said(u.Total), u.Mended, raw}
}

// ServerTime is the JSON form of metrics.ServerTime.
type ServerTime struct {
	Name string  `json:"name"`
	Ms   float64 `json:"ms"`
	From string  `json:"from"`
}

func serverOf(ts []metrics.ServerTime) []ServerTime {
	var out []ServerTime
	for _, t := range ts {
		out = append(out, ServerTime{t.Name, msOf(t.D), t.From})
	}
	return out
}

// Lag is the JSON form of metrics.Observer: the program's own lag.
type Lag struct {
	LateP50Ms    float64 `json:"late_p50_ms"`
	LateP99Ms    float64 `json:"late_p99_ms"`
	LateMaxMs    float64 `json:"late_max_ms"`
	Samples      int     `json:"samples"`
	GCPauses     int     `json:"gc_pauses"`
	GCTotalMs    float64 `json:"gc_total_ms"`
	KernelStamps int     `json:"kernel_stamps"`
	UserStamps   int     `json:"user_stamps"`
	LateEvents   int     `json:"late_events"`
	SharedReads  int     `json:"shared_reads"`
	LagP50Ms     float64 `json:"stamp_lag_p50_ms"`
	LagP99Ms     float64 `json:"stamp_lag_p99_ms"`
	LagMaxMs     float64 `json:"stamp_lag_max_ms"`
	ClockStepMs  float64 `json:"clock_step_ms"`
	// What tokscope took of the machine, the embedded endpoint included.
	// cores in use on average; null when measured for less than 2 s
	CPU *float64 `json:"cpu_cores"`
	// the time of that average: of a probe all of it, but at most its last five minutes
	CPUSeconds      int    `json:"cpu_seconds,omitempty"`
	Cores           int    `json:"cores,omitempty"`
	Descriptors     *int   `json:"descriptors"` // open ones; null where the system does not list them
	DescriptorLimit int    `json:"descriptor_limit,omitempty"`
	Delay           *Delay `json:"delay,omitempty"` // absent where the lag does not show in the figures
}

// Delay is the JSON form of metrics.Delay: what lateness of tokscope does to
// the figures beside it.
type Delay struct {
	// "shared_reads": gaps inside reads; "all_times": TTFT and all gaps; "some_times": those without kernel stamps
	Affects string  `json:"affects"`
	P99Ms   float64 `json:"p99_ms"`
	MaxMs   float64 `json:"max_ms"`
	Share   float64 `json:"gaps_in_reads_share"`         // 0..1, of gaps of which only the sum is known
	First   bool    `json:"first_read_shared,omitempty"` // with "shared_reads": TTFT may be shorter as well
	Text    string  `json:"text,omitempty"`
	Next    string  `json:"next,omitempty"` // what to do
}

// delayOf returns the JSON form of d, nil for none.
func delayOf(d metrics.Delay, say Sentences) *Delay {
	if d.Code == "" {
		return nil
	}
	out := &Delay{Affects: string(d.Code), P99Ms: d.P99, MaxMs: d.Max, Share: d.Shared, First: d.First}
	if say.Delay != nil {
		out.Text, out.Next = say.Delay(&d)
	}
	return out
}

// delay returns what d was made from.
func (d *Delay) delay() metrics.Delay {
	if d == nil {
		return metrics.Delay{}
	}
	return metrics.Delay{Code: metrics.DelayCode(d.Affects), P99: d.P99Ms, Max: d.MaxMs, Shared: d.Share, First: d.First}
}

// LagOf returns the JSON form of o, and of what it does to the figures.
func LagOf(o metrics.Observer, d metrics.Delay, say Sentences) Lag {
	var open *int
	if o.Use.Descriptors > 0 {
		open = &o.Use.Descriptors
	}
	return Lag{
		CPU: value(o.Use.CPUUsed()), CPUSeconds: o.Use.Seconds, Cores: o.Use.Cores,
		Descriptors: open, DescriptorLimit: o.Use.DescriptorLimit,
		LateP50Ms: msOf(o.LateP50), LateP99Ms: msOf(o.LateP99), LateMaxMs: msOf(o.LateMax), Samples: o.N,
		GCPauses: o.GCPauses, GCTotalMs: msOf(o.GCTotal), KernelStamps: o.KernelStamps, UserStamps: o.UserStamps,
		LateEvents: o.LateEvents, SharedReads: o.SharedReads, LagP50Ms: msOf(o.LagP50), LagP99Ms: msOf(o.LagP99),
		LagMaxMs: msOf(o.LagMax), ClockStepMs: msOf(o.ClockStep), Delay: delayOf(d, say),
	}
}

// Marks holds the moments of a request in ns since the origin of the session.
type Marks struct {
	Start        *int64 `json:"start_ns"`
	DNSStart     *int64 `json:"dns_start_ns"`
	DNSDone      *int64 `json:"dns_done_ns"`
	ConnectStart *int64 `json:"connect_start_ns"`
	ConnectDone  *int64 `json:"connect_done_ns"`
	TLSStart     *int64 `json:"tls_start_ns"`
	TLSDone      *int64 `json:"tls_done_ns"`
	GotConn      *int64 `json:"got_connection_ns"`
	Sent         *int64 `json:"sent_ns"`
	FirstByte    *int64 `json:"first_byte_ns"`
	Headers      *int64 `json:"headers_ns"`
	FirstComment *int64 `json:"first_comment_ns"`
	FirstEvent   *int64 `json:"first_event_ns"`
	FirstRole    *int64 `json:"first_choices_ns"`
	FinishReason *int64 `json:"finish_reason_ns"`
	LastUsage    *int64 `json:"last_usage_ns"`
	DoneMarker   *int64 `json:"done_marker_ns"`
	End          *int64 `json:"end_ns"`
}

func marksOf(m metrics.Marks) Marks {
	ns := func(s metrics.Stamp) *int64 {
		if !s.Known() {
			return nil
		}
		v := int64(s)
		return &v
	}
	return Marks{
		ns(m.Start), ns(m.DNSStart), ns(m.DNSDone), ns(m.ConnectStart), ns(m.ConnectDone), ns(m.TLSStart), ns(m.TLSDone),
		ns(m.GotConn), ns(m.Sent), ns(m.FirstByte), ns(m.Headers), ns(m.FirstComment), ns(m.FirstEvent), ns(m.FirstRole),
		ns(m.FinishReason), ns(m.LastUsage), ns(m.DoneMarker), ns(m.End),
	}
}

// msOf returns d in milliseconds.
func msOf(d time.Duration) float64 { return float64(d) / 1e6 }
