package metrics

import "time"

// Reuse says what connection a request should go over.
type Reuse uint8

const (
	// ReuseAuto takes an idle connection if there is one, else a new one.
	ReuseAuto Reuse = iota
	// ReuseCold always opens a new connection.
	ReuseCold
	// ReuseWarm makes sure that an idle connection stands before the request.
	ReuseWarm
)

// String returns the word used on screen and in JSON.
func (r Reuse) String() string { return [...]string{"auto", "cold", "warm"}[r] }

// Workload is what was asked of the endpoint. A speed without its workload
// says little, so it travels with every figure.
type Workload struct {
	// Name is the preset's name ("chat", "1k in", …) or "custom".
	Name   string
	System string
	Prompt string
	// InputTokens, when > 0, asks for a synthetic prompt of about so many
	// tokens built around Prompt; what the server counted is in Usage.Prompt.
	InputTokens int
	// MaxTokens bounds the output; 0 leaves it to the server.
	MaxTokens   int
	Temperature *float64
	Seed        *int
	Connection  Reuse
	// Concurrency is how many requests ran at the same time.
	Concurrency int
	// Nonce is put before the prompt so that a prefix cache cannot flatter; ""
	// sends the prompt as it is.
	Nonce string
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

// Endpoint names what a figure was measured on. It never holds a key.
type Endpoint struct {
	Kind  EndpointKind
	Name  string // "demo", a profile, "groq", or the host
	URL   string // base URL without userinfo
	Model string // "" = the server's first
	Note  string // what a person should know: "llama-3.1-8b bf16 on H100", "vLLM 0.11", "needs a key: GROQ_API_KEY"
	Ready bool   // can be used now (a key is there if one is needed)
	Badge string // warning to keep on screen: "http with a key", "via proxy"; "" when none
}

// Observer is this program looking at itself while it measured.
type Observer struct {
	// LateP50, LateP99 and LateMax are how late a heartbeat goroutine woke
	// during the request, in ns. N is how often it beat.
	LateP50, LateP99, LateMax time.Duration
	N                         int
	// GCPauses and GCTotal are the stop-the-world pauses in the same time.
	GCPauses int
	GCTotal  time.Duration
	// KernelStamps and UserStamps count the events by the source of their stamp.
	KernelStamps, UserStamps int
	// LateEvents is how many events our own clock saw more than 1 ms after the
	// kernel had them; SharedReads how many came in a read with another event.
	LateEvents, SharedReads int
	// LagP50 and LagP99 are the distances between kernel and own stamps.
	LagP50, LagP99 time.Duration
	// ClockStep is the largest change seen between wall and monotonic clock.
	ClockStep time.Duration
}
