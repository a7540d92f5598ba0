package result

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// TapSchema names the format of the lines of `tokscope tap --ndjson`, of what --exec gets, and
// of the document of --json.
const TapSchema = "tokscope/tap/v1"

// Tap is the document of a session behind a tap.
type Tap struct {
	Schema   string `json:"schema"`
	Tool     Tool   `json:"tool"`
	Client   string `json:"client,omitempty"` // the command; absent for one that a person started
	Upstream string `json:"upstream"`
	// Elsewhere: the client held a connection to port 443 while no request had come through the
	// tap, on Linux. It may be that of its telemetry.
	Elsewhere bool `json:"held_port_443,omitempty"`
	// Clock is the time in which the session did something; the four behind it sum to it. The
	// work of subagents is the client's.
	Clock    time.Duration  `json:"clock_ms"`
	Model    time.Duration  `json:"model_ms"`   // waiting, thinking, text and tool calls
	Network  time.Duration  `json:"network_ms"` // connecting and uploading
	Tools    time.Duration  `json:"client_ms"`  // tools and client
	You      time.Duration  `json:"you_ms"`     // waiting for a person
	Requests map[string]int `json:"requests"`   // by kind, also those that are no turns
	Retries  int            `json:"retries"`
	Failures []TapFailure   `json:"failures"`
	In       metrics.Value  `json:"prompt_tokens"`
	Cached   metrics.Value  `json:"cached_share"`
	Out      metrics.Value  `json:"output_tokens"`
	Cost     *TapCost       `json:"cost,omitempty"` // absent without prices of one's own
	Services []TapService   `json:"services"`
	// Limits are the rate limits of the last answer that told them, and LimitTurns for how many
	// turns like the last ones they are enough at least.
	Limits     metrics.LimitForecasts `json:"rate_limit,omitzero"`
	LimitTurns metrics.Value          `json:"rate_limit_turns"`
	// Patience is that of the client in its version Tried; absent where nobody knows it.
	Patience turn.Deadlines `json:"patience,omitzero"`
	Tried    string         `json:"client_tried,omitempty"`
	Turns    []TapTurn      `json:"turns"`
}

// TapFailure counts turns that failed alike.
type TapFailure struct {
	Kind   metrics.FaultKind `json:"kind"`
	Status int               `json:"status,omitempty"` // of HTTP
	N      int               `json:"n"`
}

// TapCost is what turns cost at the prices of the configuration, and what of it for which tokens.
type TapCost struct {
	Total        float64 `json:"total"`
	metrics.Bill `json:"" form:"inline"`
}

// costOf returns the form of a bill, nil where nothing is known.
func costOf(b metrics.Bill) *TapCost {
	if b.N == 0 {
		return nil
	}
	return &TapCost{b.Total(), b}
}

// TapService counts turns for which the same model and class were asked, and the same served.
type TapService struct {
	AskedModel string          `json:"asked_model,omitempty"`
	Model      string          `json:"model,omitempty"`
	Asked      metrics.Service `json:"asked,omitzero"`
	Served     metrics.Service `json:"served,omitzero"`
	N          int             `json:"n"`
	Other      bool            `json:"other"` // another model, or another class, than asked for
}

// TapTurn is a request of an agent that asks for an answer, and what its client did until the
// next one. As a line of --ndjson it stands when the answer has ended: what follows is unknown.
type TapTurn struct {
	Type   string `json:"type"`
	Schema string `json:"schema"`
	// Event says why --exec runs: "failed", "silent", "waiting" (for a person).
	Event        string        `json:"event,omitempty"`
	Turn         int           `json:"turn"`            // its number, from 1
	Conversation int           `json:"conversation"`    // the first is 1
	Of           int           `json:"of,omitempty"`    // the conversation that a subagent works for
	Retry        int           `json:"retry,omitempty"` // id of the request that failed and is sent again
	Method       string        `json:"method"`
	Path         string        `json:"path"` // without the values of its query
	Model        string        `json:"model"`
	Bytes        int           `json:"request_bytes"`
	Tools        int           `json:"tools"`
	Messages     int           `json:"messages"`
	Times        TapTimes      `json:"times"`
	Cached       metrics.Value `json:"cached_share"`
	Lost         *TapLost      `json:"cache_lost,omitempty"`
	Cost         *TapCost      `json:"cost,omitempty"`
	Added        TapAdded      `json:"added"`
	// Unchanged: as many bytes with the same sum went out as came in, of the request and of the
	// answer. Absent where nothing was counted for this turn alone: over a WebSocket.
	Unchanged *bool   `json:"unchanged,omitempty"`
	Request   Request `json:"request"`
}

// TapTimes are the parts of a turn, which sum to its time. Client and You are behind the
// answer, null while nothing follows it.
type TapTimes struct {
	Connect    time.Duration `json:"connect_ms"`
	Upload     time.Duration `json:"upload_ms"`
	Wait       time.Duration `json:"wait_ms"`
	Thinking   time.Duration `json:"thinking_ms"`
	Text       time.Duration `json:"text_ms"`
	Call       time.Duration `json:"tool_call_ms"`
	ServerTool time.Duration `json:"server_tool_ms"`
	Client     *float64      `json:"client_ms"`
	You        *float64      `json:"you_ms"`
}

// TapAdded is what the tap added to the pieces that it passed on, in ns.
type TapAdded struct {
	N   int           `json:"n"`
	P50 metrics.Value `json:"p50_ns" form:"bare"`
	P99 metrics.Value `json:"p99_ns" form:"bare"`
	Max metrics.Value `json:"max_ns" form:"bare"`
}

// TapAddedOf returns the JSON form of d.
func TapAddedOf(d *metrics.Dist) TapAdded { return TapAdded{d.N, d.P50, d.P99, d.Max} }

// TapLost says that the prompt cache was lost since an earlier turn. Block is the number of the
// first block of a part of the prompt that differs, null where it is not known.
type TapLost struct {
	Before int           `json:"before"` // id of the request of that turn
	Share  float64       `json:"share_before"`
	Part   string        `json:"part,omitempty"`
	Block  int           `json:"block,omitempty"`
	Blocks int           `json:"blocks,omitempty"`
	Tokens int           `json:"tokens_read_again"`
	Cost   metrics.Value `json:"cost_ms"` // an estimate
}

// TapOf returns the document of a session.
func TapOf(version string, about turn.Tapped, v *turn.View) Tap {
	t := &v.Totals
	d := Tap{Schema: TapSchema, Tool: ToolOf(version), Client: about.Agent.Command, Upstream: about.Upstream,
		Elsewhere: about.Elsewhere,
		Clock:     t.Clock, Model: t.Model, Network: t.Network, Tools: t.Client, You: t.You, Requests: map[string]int{},
		Retries: t.Retries, In: t.In, Cached: t.Cached, Out: t.Out, Cost: costOf(t.Bill), Limits: v.Limits.LimitForecasts,
		LimitTurns: v.Limits.Turns, Patience: about.Agent.Deadlines, Tried: about.Agent.Version}
	for _, s := range t.Services {
		d.Services = append(d.Services, TapService(s))
	}
	for k, n := range v.Counts {
		if n > 0 {
			d.Requests[turn.Kind(k).String()] = n
		}
	}
	for _, f := range t.Failures {
		d.Failures = append(d.Failures, TapFailure(f))
	}
	for i := range v.Turns {
		d.Turns = append(d.Turns, TapTurnOf(v, i, ""))
	}
	return d
}

// TapTurnOf returns turn i, from 0, of a session.
func TapTurnOf(v *turn.View, i int, event string) TapTurn {
	t := &v.Turns[i]
	s := *t.Stream()
	if s.Fault != nil { // what the server says of a request may quote it
		f := *s.Fault
		f.Body, s.Fault = "", &f
	}
	d := TapTurn{Type: "turn", Schema: TapSchema, Event: event, Turn: t.Number, Conversation: t.Conversation,
		Of: v.Conversations[t.Conversation-1].Of, Retry: t.Retry, Method: t.Method, Path: t.Path, Model: t.Model,
		Bytes: t.Bytes, Tools: t.Tools, Messages: t.Messages, Cached: t.Cache.Share, Cost: costOf(t.Bill()),
		Added:   TapAddedOf(&t.Added),
		Request: RequestOf(&s, &t.Run.Figures),
		Times: TapTimes{t.Time(turn.Connect), t.Time(turn.Upload), t.Time(turn.Wait), t.Time(turn.Thinking),
			t.Time(turn.Text), t.Time(turn.Call), t.Time(turn.ServerTool), nil, nil}}
	if t.Until.Known() {
		client, you := float64(t.Time(turn.Client))/1e6, float64(t.Time(turn.You))/1e6
		d.Times.Client, d.Times.You = &client, &you
	}
	if t.Up.Read+t.Down.Read > 0 {
		same := t.Up.Unchanged() && t.Down.Unchanged()
		d.Unchanged = &same
	}
	if l := t.Cache.Lost; l != nil {
		d.Lost = &TapLost{Before: l.Before, Share: l.Share, Tokens: l.Tokens, Cost: l.Cost}
		if l.Known && l.Block > 0 {
			d.Lost.Part, d.Lost.Block, d.Lost.Blocks = l.Part.String(), l.Block, l.Of
		}
	}
	return d
}
