package uitest

import (
	"context"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
)

// agent plays an agent, by its own clock.
type agent struct {
	now    metrics.Stamp
	id     int
	blocks []turn.Block
	digest turn.Digest
	model  string
	in     int // tokens of the prompt so far
}

var tapBegan = time.Date(2026, 11, 28, 11, 42, 10, 0, time.UTC)

const second = metrics.Stamp(time.Second)

func (a *agent) block(p turn.Part) {
	a.digest++
	a.blocks = append(a.blocks[:len(a.blocks):len(a.blocks)], turn.Block{Part: p, Digest: a.digest, Bytes: 900})
}

func newAgent(model string, in int, base turn.Digest) *agent {
	a := &agent{model: model, in: in, digest: base}
	for _, p := range []turn.Part{turn.Tools, turn.Tools, turn.System, turn.System} {
		a.block(p)
	}
	return a
}

// asks is what a turn of a scene is: how long its parts take, in ms, and how it ends.
type asks struct {
	wait, think, text, call float64
	cached                  float64 // share
	status                  int     // of a failure, 0 for none
	person                  bool    // it answers a person
	cut                     float64 // ms behind its start at which the scene is; 0: it ends
	silent                  bool    // nothing comes behind its thinking
}

// ask plays a turn that begins now, and adds it to s.
func (a *agent) ask(s *turn.Session, q asks) *turn.Turn {
	a.id++
	id := int(a.digest)*100 + a.id
	a.block(turn.Messages)
	a.in += 1200
	st := metrics.NoStream(a.now)
	st.ID, st.Wall, st.State = id, tapBegan.Add(time.Duration(a.now)), metrics.Decoding
	st.Endpoint = metrics.Endpoint{Name: "api.anthropic.com", URL: "https://api.anthropic.com", Model: a.model,
		API: "messages"}
	st.Model, st.Conn = a.model, metrics.Connection{Proto: "HTTP/1.1", Reused: true}
	st.Stamps, st.TextRemoved = metrics.SourceKernel, true
	start, end := a.now, metrics.Stamp(1<<62)
	if q.cut > 0 {
		end = start + metrics.Stamp(q.cut*1e6)
	}
	m := &st.Marks
	at := start
	reach := func(ms float64) bool {
		if at += metrics.Stamp(ms * 1e6); at > end {
			at = end
			return false
		}
		return true
	}
	m.Start, m.GotConn = start, start
	st.State = metrics.Connecting
	if reach(300) {
		m.Sent, st.State = at, metrics.Waiting
	}
	chunks := func(kind metrics.Kind, ms float64) {
		const gap = 40.0
		for n := int(ms / gap); n > 0; n-- {
			d := gap * (0.7 + 0.6*float64((n*7919)%13)/12)
			if !reach(d) {
				return
			}
			n := int32(len(st.Chunks))
			c := metrics.Chunk{Kind: kind, At: at, Tokens: 1, Read: n, Event: n, Kernel: true}
			if kind == metrics.ToolCall && (len(st.Chunks) == 0 || st.Chunks[len(st.Chunks)-1].Kind != kind) {
				c.Name = 4
			}
			st.Text = append(st.Text, "xxxx "...)
			c.TextEnd = int32(len(st.Text))
			st.Chunks, st.State, st.LastData = append(st.Chunks, c), metrics.Decoding, at
			st.Events++
		}
	}
	t := turn.Turn{Request: turn.Request{API: "messages", Kind: turn.Asks, Method: "POST", Path: "/v1/messages?beta",
		Model: a.model, Bytes: 48404, Tools: 9, Messages: len(a.blocks) - 4, Blocks: a.blocks, Session: 7,
		Answers: turn.Tool}}
	if q.person {
		t.Answers = turn.Person
	}
	switch {
	case q.status != 0:
		reach(q.wait)
		m.FirstByte, m.Headers, m.End = at, at, at
		st.State, st.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: q.status, Message: "Overloaded"}
		st.Head = &metrics.ResponseHead{Status: q.status}
	default:
		if reach(q.wait) {
			m.FirstByte, m.Headers, m.FirstEvent, m.FirstRole = at, at, at, at
			chunks(metrics.Reasoning, q.think)
			if q.silent && end < 1<<62 {
				at = end
				break
			}
			chunks(metrics.Content, q.text)
			chunks(metrics.ToolCall, q.call)
		}
	}
	st.Usage = metrics.NoUsage()
	if at < end {
		if q.status == 0 {
			m.FinishReason, m.DoneMarker, m.End = at, at, at
			st.State, st.Finish = metrics.Done, "end_turn"
			if q.call > 0 {
				st.Finish = "tool_use"
			}
			st.Usage.Prompt, st.Usage.Cached, st.Usage.Completion = a.in, int(q.cached*float64(a.in)), len(st.Chunks)
			st.TokensFrom = metrics.TokensUsage
		}
		t.Added = metrics.Distribution([]float64{21e3, 24e3, 61e3})
		t.Up, t.Down = turn.Leg{Read: 48404, Written: 48404}, turn.Leg{Read: 9000, Written: 9000}
	}
	st.Now = at
	t.Run = &metrics.Run{Stream: st, Figures: metrics.Measure(&st, metrics.Options{})}
	s.Add(t)
	a.now = at
	return &t
}

// Tap is the session of a tap at a moment, as the Tap screen has it.
type Tap struct {
	Client  turn.Tapped
	Session turn.View
	At      metrics.Stamp
	Runs    bool
}

func (f *Tap) About() turn.Tapped                   { return f.Client }
func (f *Tap) Look() uint64                         { return 1 }
func (f *Tap) View() turn.View                      { return f.Session }
func (f *Tap) Now() metrics.Stamp                   { return f.At }
func (f *Tap) Live() bool                           { return f.Runs }
func (f *Tap) Save(context.Context) (string, error) { return "turns.json", nil }

// TapStates are the names of sessions.
var TapStates = []string{"no request", "went around", "waiting", "thinking", "silent", "at tools",
	"for you", "failed", "ended"}

// NewTap returns a session in one of TapStates.
func NewTap(name string) *Tap {
	v := &Tap{Runs: true, Client: turn.Tapped{
		Agent: turn.Agent{Command: "claude", Title: "Claude Code", Around: "look at ANTHROPIC_BASE_URL in your settings",
			Deadlines: turn.Deadlines{GivesUp: 180 * time.Second, Pings: true}},
		URL: "http://127.0.0.1:40404", Upstream: "https://api.anthropic.com", Stored: true}}
	var s turn.Session
	a := newAgent("claude-opus-4.8", 30000, 1000)
	switch name {
	case "no request":
	case "went around":
		v.Runs = false
	case "waiting":
		a.ask(&s, asks{wait: 2100, person: true, cut: 1500})
	case "thinking", "silent", "at tools", "for you", "ended", "failed":
		a.ask(&s, asks{wait: 2200, think: 4000, text: 1800, call: 900, cached: .94, person: true})
		a.now += 6 * second
		a.ask(&s, asks{wait: 2000, think: 2000, call: 1400, cached: .95})
		one, two := newAgent("claude-haiku-4.5", 8000, 2000), newAgent("claude-haiku-4.5", 8000, 3000)
		one.now, two.now = a.now+second/2, a.now+second
		one.ask(&s, asks{wait: 600, text: 900, call: 500, cached: 0, person: true})
		two.ask(&s, asks{wait: 700, think: 800, text: 2500, cached: 0, person: true})
		one.now += second
		one.ask(&s, asks{wait: 500, text: 1500, cached: .9})
		a.now = max(one.now, two.now) + second
		a.ask(&s, asks{wait: 400, status: 529})
		a.now += 2 * second
		a.blocks, a.in = a.blocks[:len(a.blocks)-1], a.in-1200
		a.digest--
		a.ask(&s, asks{wait: 2100, think: 5000, text: 1000, cached: .95})
		a.now += 240 * second
		a.blocks = append([]turn.Block(nil), a.blocks...)
		a.blocks[3].Digest = 9 // the date in the system prompt
		a.ask(&s, asks{wait: 9800, think: 2000, text: 1600, call: 600, cached: 0, person: true})
		a.now += 5 * second
		switch name {
		case "thinking":
			a.ask(&s, asks{wait: 3100, think: 9000, cached: .94, cut: 9400})
		case "silent":
			t := a.ask(&s, asks{wait: 3100, think: 3000, cached: .94, cut: 9400, silent: true})
			t.Run.Stream.Comments, t.Run.Stream.LastComment = 2, a.now-4*second/10
		case "failed":
			a.ask(&s, asks{wait: 3100, status: 529})
			a.now += second
		case "at tools":
			a.ask(&s, asks{wait: 3100, think: 3000, call: 600, cached: .94})
			a.now += 4 * second
		default:
			a.ask(&s, asks{wait: 3100, think: 3000, text: 2600, cached: .94})
			a.now += 30 * second
			v.Runs = name != "ended"
		}
	}
	v.At = a.now
	v.Session = s.View(v.At, v.Runs)
	return v
}
