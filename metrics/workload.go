package metrics

import "time"

// Reuse selects the connection for a request.
type Reuse uint8

const (
	// ReuseAuto takes an idle connection if there is one, else a new one.
	ReuseAuto Reuse = iota
	// ReuseCold always opens a new connection.
	ReuseCold
	// ReuseWarm makes sure that an idle connection exists before the request.
	ReuseWarm
)

// String returns the word used on screen and in JSON.
func (r Reuse) String() string { return [...]string{"auto", "cold", "warm"}[r] }

// Workload is what was asked of the endpoint. A speed without its workload
// means little, so every figure carries it.
type Workload struct {
	// Name is the preset's name ("chat", "1k in", …) or "custom".
	Name   string `json:"name"`
	System string `json:"system,omitempty"`
	Prompt string `json:"prompt"`
	// Messages, when not "", are sent in place of System and Prompt: a conversation as
	// the API writes it. Tools are those that it may call; "" for none.
	Messages Raw `json:"messages,omitempty"`
	Tools    Raw `json:"tools,omitempty"`
	// InputTokens, when > 0, requests a synthetic prompt of about this many
	// tokens around Prompt; the server's count is in Usage.Prompt.
	InputTokens int `json:"input_tokens_asked,omitempty"`
	// MaxTokens bounds the output; 0 leaves it to the server.
	MaxTokens   int      `json:"max_tokens,omitempty"`
	Temperature *float64 `json:"temperature,omitempty"`
	Seed        *int     `json:"seed,omitempty"`
	Connection  Reuse    `json:"connection"`
	// Concurrency is how many requests ran at the same time.
	Concurrency int `json:"concurrency"`
	// Nonce is put before the prompt so that a prefix cache cannot help; ""
	// sends the prompt unchanged.
	Nonce string `json:"nonce,omitempty"`
	// Lane is the setting of the server that a race restarted for the request; else "".
	Lane string `json:"lane,omitempty"`
}

// EndpointKind says where an endpoint was found.
type EndpointKind string

const (
	EndpointEmbedded EndpointKind = "embedded"
	EndpointProfile  EndpointKind = "profile"
	EndpointProvider EndpointKind = "provider"
	EndpointLoopback EndpointKind = "loopback"
	EndpointURL      EndpointKind = "url"
)

// Endpoint describes the measured endpoint. It never holds a key.
type Endpoint struct {
	Kind  EndpointKind `json:"kind"`
	Name  string       `json:"name"`  // "demo", a profile, "groq", or the host
	URL   string       `json:"url"`   // base URL without userinfo
	Model string       `json:"model"` // "" = the server's first
	// API is the name of the API that it speaks, "" for chat completions: "messages".
	API string `json:"api,omitempty"`
	// Settings are the API, and the headers and fields of the body that requests to it have beyond
	// the workload, without secrets: "X-Team: blue, extra.top_k=40"; "" for none.
	Settings string `json:"settings,omitempty"`
	// Note is a remark for the user: "llama-3.1-8b bf16 on H100", "vLLM 0.11", "needs
	// a key: GROQ_API_KEY".
	Note  string `json:"note,omitempty"`
	Ready bool   // can be used now (a key is there if one is needed)
	Price Price  // of Model, as configured
	Badge string // warning to keep on screen: "http with a key", "via proxy"; "" when none
	Claim *Claim `json:"claim,omitempty"` // what it is said to run on; nil: nobody says
}

// Same reports whether o is the same endpoint, perhaps by another name: one address in two
// APIs is two endpoints.
func (e *Endpoint) Same(o *Endpoint) bool { return e.URL == o.URL && e.API == o.API }

// Observer is the program's own lag during a measurement.
type Observer struct {
	// LateP50, LateP99 and LateMax are how late the jitter monitor woke during
	// the request, in ns. N is the number of its beats.
	LateP50 time.Duration `json:"late_p50_ms"`
	LateP99 time.Duration `json:"late_p99_ms"`
	LateMax time.Duration `json:"late_max_ms"`
	N       int           `json:"samples"`
	// GCPauses and GCTotal are the number and the sum of the stop-the-world
	// pauses in that time.
	GCPauses int           `json:"gc_pauses"`
	GCTotal  time.Duration `json:"gc_total_ms"`
	// KernelStamps and UserStamps count the events by the source of their stamp.
	KernelStamps int `json:"kernel_stamps"`
	UserStamps   int `json:"user_stamps"`
	// LateEvents counts events that the program's own clock saw more than 1 ms
	// after the kernel. SharedReads counts events that arrived in a read with
	// another event.
	LateEvents  int `json:"late_events"`
	SharedReads int `json:"shared_reads"`
	// LagP50, LagP99 and LagMax are the distances between kernel and own stamps.
	LagP50 time.Duration `json:"stamp_lag_p50_ms"`
	LagP99 time.Duration `json:"stamp_lag_p99_ms"`
	LagMax time.Duration `json:"stamp_lag_max_ms"`
	// ClockStep is the largest change seen between wall and monotonic clock.
	ClockStep time.Duration `json:"clock_step_ms"`
	// Use is what the program took of the machine in that time.
	Use Use `json:"" form:"inline"`
}
