package uitest

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// agent is an agent behind a tap. Its requests are those of a backend, whose clock it has.
type agent struct {
	*Backend
	session *turn.Session
	base    int // tells its turns and its prompt from those of others
	request turn.Request
	tokens  int // of its prompt
}

func newAgent(s *turn.Session, base int, model string, tokens int, now metrics.Stamp) *agent {
	a := &agent{Backend: core(), session: s, base: base, tokens: tokens, request: turn.Request{API: "messages",
		Kind: turn.Asks, Method: "POST", Path: "/v1/messages?beta", Model: model, Bytes: 48404, Tools: 2, Session: 7,
		Service: metrics.Service{Tier: "priority"}}}
	a.now, a.end = now, metrics.Endpoint{Name: "api.anthropic.com", URL: "https://api.anthropic.com", Model: model,
		API: "messages", Price: metrics.Price{In: 10, Out: 50, CacheRead: 1, CacheWrite: 12.5, Currency: "EUR"}}
	for _, p := range []turn.Part{turn.Tools, turn.Tools, turn.System, turn.System} {
		a.block(p)
	}
	return a
}

func (a *agent) block(p turn.Part) {
	blocks := a.request.Blocks
	a.request.Blocks = append(blocks[:len(blocks):len(blocks)],
		turn.Block{Part: p, Digest: turn.Digest(a.base + len(blocks)), Bytes: 900})
}

func (a *agent) pass(ms float64) { a.Advance(time.Duration(ms * 1e6)) }

// ask asks with another message, and again with the same; both wait so many ms.
func (a *agent) ask(answers turn.Answers, wait float64) *agent {
	a.block(turn.Messages)
	a.tokens += 1200
	a.request.Answers = answers
	a.request.Messages++
	return a.again(wait)
}

func (a *agent) again(wait float64) *agent {
	a.Begin(metrics.Workload{})
	a.pass(300)
	a.change(func(s *metrics.Stream) {
		s.Marks.GotConn, s.Marks.Sent, s.State = s.Marks.Start, a.now, metrics.Waiting
		s.Conn = metrics.Connection{Proto: "HTTP/1.1", Reused: true}
	})
	a.pass(wait)
	return a
}

// says is an answer of that kind for so many ms.
func (a *agent) says(kind metrics.Kind, ms float64) *agent {
	const gap = 40.0
	for n := int(ms / gap); n > 0; n-- {
		a.ChunkOf(kind, "xxxx ")
		a.pass(gap * (0.7 + 0.6*float64((n*7919)%13)/12))
	}
	return a
}

// ends ends the request, with an answer for which the cache had that share of the prompt, or with a
// status. The client then goes on after so many ms.
func (a *agent) ends(status int, cached, after float64) {
	if status != 0 {
		a.Fail(metrics.Fault{Kind: metrics.FaultHTTP, Status: status, Message: "Overloaded"})
	} else {
		a.Finish()
	}
	a.tell(cached)
	a.pass(after)
}

// tell gives the session the request as it is now.
func (a *agent) tell(cached float64) {
	s := a.Snapshot()
	s.ID, s.Wall = a.base+s.ID, time.Date(2026, 11, 28, 11, 42, 10, 0, time.UTC).Add(time.Duration(s.Marks.Start))
	s.Model, s.TextRemoved = a.request.Model, true
	t := turn.Turn{Request: a.request}
	if s.State == metrics.Done {
		s.Usage.Prompt, s.Usage.Cached = a.tokens, int(cached*float64(a.tokens))
		if s.Chunks[len(s.Chunks)-1].Kind == metrics.ToolCall {
			s.Finish = "tool_use"
		}
	}
	if s.State.Ended() {
		t.Passed = turn.Passed{Added: metrics.Distribution([]float64{21e3, 24e3, 61e3}),
			Up: turn.Leg{Read: 48404, Written: 48404}, Down: turn.Leg{Read: 9000, Written: 9000}}
	}
	t.Run = &metrics.Run{Stream: s, Figures: metrics.Measure(&s, metrics.Options{})}
	a.session.Add(t)
}

// Tap is a tap at a moment, as the Tap screen has it, and its session.
type Tap struct {
	turn.Session
	Client turn.Tapped
	at     metrics.Stamp
	live   bool
}

func (f *Tap) About() turn.Tapped                   { return f.Client }
func (f *Tap) Look() uint64                         { return 1 }
func (f *Tap) View() turn.View                      { return f.Session.View(f.at, f.live) }
func (f *Tap) Now() metrics.Stamp                   { return f.at }
func (f *Tap) Live() bool                           { return f.live }
func (f *Tap) Save(context.Context) (string, error) { return "turns.json", nil }

// TapStates are the names of sessions.
var TapStates = []string{"no request", "went around", "waiting", "thinking", "silent", "at tools",
	"for you", "failed", "ended"}

// TapLong is the name of a session of 500 turns.
const TapLong = "500 turns"

// NewTap returns a session with one of these names.
func NewTap(name string) *Tap {
	f := &Tap{live: name != "went around" && name != "ended", Client: turn.Tapped{
		Agent: turn.Agent{Command: "claude", Title: "Claude Code", Around: "look at ANTHROPIC_BASE_URL in your settings",
			Deadlines: turn.Deadlines{GivesUp: 180 * time.Second, Pings: true}},
		URL: "http://127.0.0.1:40404", Upstream: "https://api.anthropic.com", Stored: true}}
	a := newAgent(&f.Session, 1000, "claude-opus-4.8", 30000, 0)
	switch name {
	case "no request", "went around":
	case "waiting":
		a.ask(turn.Person, 1200).tell(0)
	case TapLong:
		for range 500 {
			a.ask(turn.Tool, 600).says(metrics.Reasoning, 400).says(metrics.ToolCall, 200).ends(0, .9, 800)
		}
	default:
		a.work(name)
	}
	f.at = a.now
	return f
}

// work plays five turns: subagents beside the second, a failure and its retry, a long wait for a
// person, and a lost cache. Then it plays the sixth up to the moment of that name.
func (a *agent) work(name string) {
	a.ask(turn.Person, 1900).says(metrics.Reasoning, 4000).says(metrics.Content, 1800).says(metrics.ToolCall, 900).
		ends(0, .94, 6000)
	a.ask(turn.Tool, 1700).says(metrics.Reasoning, 2000).says(metrics.ToolCall, 1400).ends(0, .95, 500)
	one := newAgent(a.session, 2000, "claude-haiku-4.5", 8000, a.now)
	two := newAgent(a.session, 3000, "claude-haiku-4.5", 8000, a.now+metrics.Stamp(500*time.Millisecond))
	one.ask(turn.Person, 300).says(metrics.Content, 900).says(metrics.ToolCall, 500).ends(0, 0, 1000)
	two.ask(turn.Person, 400).says(metrics.Reasoning, 800).says(metrics.Content, 2500).ends(0, 0, 1000)
	one.ask(turn.Tool, 200).says(metrics.Content, 1500).ends(0, .9, 1000)
	a.now = max(one.now, two.now)
	a.ask(turn.Tool, 100).ends(529, 0, 2000)
	a.again(1800).says(metrics.Reasoning, 5000).says(metrics.Content, 1000).ends(0, .95, 240_000)
	blocks := append([]turn.Block(nil), a.request.Blocks...)
	blocks[3].Digest = 9 // the date in the system prompt
	a.request.Blocks = blocks
	a.ask(turn.Person, 9500).says(metrics.Reasoning, 2000).says(metrics.Content, 1600).says(metrics.ToolCall, 600).
		ends(0, 0, 5000)
	switch a.ask(turn.Tool, 2800); name {
	case "thinking":
		a.says(metrics.Reasoning, 6000).tell(0)
	case "silent":
		a.says(metrics.Reasoning, 3000).pass(2600)
		a.change(func(s *metrics.Stream) { s.Comments, s.LastComment = 2, a.now })
		a.pass(400)
		a.tell(0)
	case "failed":
		a.ends(529, 0, 1000)
	case "at tools":
		a.says(metrics.Reasoning, 3000).says(metrics.ToolCall, 600).ends(0, .94, 4000)
	default:
		a.says(metrics.Reasoning, 3000).says(metrics.Content, 2600).ends(0, .94, 30_000)
	}
}
