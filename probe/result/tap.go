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
	Schema string `json:"schema"`
	Tool   Tool   `json:"tool"`
	turn.Tapped
	turn.Totals
	turn.Limits
	Requests map[string]int `json:"requests"` // by kind, also those that are no turns
	Turns    []TapTurn      `json:"turns"`
}

// TapTurn is a request of an agent that asks for an answer, and what its client did until the
// next one. As a line of --ndjson it stands when the answer has ended: what follows is unknown.
type TapTurn struct {
	Type   string `json:"type"`
	Schema string `json:"schema"`
	// Event says why --exec runs: "failed", "silent", "waiting" (for a person).
	Event string `json:"event,omitempty"`
	Of    int    `json:"of,omitempty"` // the conversation that a subagent works for
	*turn.Turn
	Times TapTimes     `json:"times"`
	Cost  metrics.Bill `json:"cost,omitzero"` // at the prices of the configuration; absent without
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

// TapOf returns the document of a session.
func TapOf(version string, about turn.Tapped, v *turn.View) Tap {
	d := Tap{TapSchema, ToolOf(version), about, v.Totals, v.Limits, map[string]int{}, nil}
	for k, n := range v.Counts {
		if n > 0 {
			d.Requests[turn.Kind(k).String()] = n
		}
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
	d := TapTurn{Type: "turn", Schema: TapSchema, Event: event, Turn: t, Cost: t.Bill(),
		Of: v.Conversations[t.Conversation-1].Of, Request: RequestOf(&s, &t.Run.Figures),
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
	return d
}
