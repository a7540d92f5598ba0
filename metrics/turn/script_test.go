package turn

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"time"

	"tokscope/metrics"
)

// tick is the unit of a script's times.
const tick = metrics.Stamp(time.Millisecond)

// played is a turn of a script, with what the script knows of it.
type played struct {
	turn    Turn
	of      *speaker
	retries *played
	number  int
	start   int
	doing   []Activity // of each tick from start
	tools   []string   // the name of the server's tool in each tick
	goesOn  bool       // doing reaches to the next turn of the conversation
}

// pass lets n ticks go by.
func (p *played) pass(doing Activity, n int) metrics.Stamp {
	for range n {
		p.doing, p.tools = append(p.doing, doing), append(p.tools, "")
	}
	return p.end()
}

func (p *played) now() int           { return p.start + len(p.doing) }
func (p *played) end() metrics.Stamp { return metrics.Stamp(p.now()) * tick }

// rest fills the time until the conversation goes on.
func (p *played) rest(doing Activity, next int) {
	p.pass(doing, next-p.now())
	p.goesOn = true
}

// speaker is an agent of a script, the main one or a subagent.
type speaker struct {
	*script
	main   *speaker // nil for the main one
	beside *played
	blocks []Block // of tools, system and messages so far
	turns  []*played
	sent   int // blocks that the server has, over a WebSocket
}

// script is a random session with known times.
type script struct {
	*rand.Rand
	id      int  // of the last turn
	socket  bool // over a WebSocket: only new blocks, and the id of the response before
	session Digest
	all     []*played
}

func (s *script) block(p Part, role string) Block {
	return Block{Part: p, Role: role, Digest: Digest(s.Uint64() | 1), Bytes: 1 + s.IntN(5000)}
}

func (s *script) speaker(main *speaker, beside *played) *speaker {
	a := &speaker{script: s, main: main, beside: beside}
	if main != nil && s.IntN(2) == 0 { // of the same kind
		a.blocks = slices.Clone(main.blocks[:main.head()])
		return a
	}
	for range s.IntN(4) {
		a.blocks = append(a.blocks, s.block(Tools, ""))
	}
	for range 1 + s.IntN(3) {
		a.blocks = append(a.blocks, s.block(System, ""))
	}
	return a
}

func (a *speaker) head() int { return count(a.blocks, Tools) + count(a.blocks, System) }

// say adds a block to the conversation.
func (a *speaker) say(role string) { a.blocks = append(slices.Clip(a.blocks), a.block(Messages, role)) }

// request returns what the next request says.
func (a *speaker) request(answers Answers) Request {
	q := Request{API: "messages", Kind: Asks, Model: "m", Session: a.session, Answers: answers,
		Tools: count(a.blocks, Tools), Blocks: a.blocks}
	if a.socket && a.sent == 0 {
		q.Previous = Digest(a.Uint64() | 1) // of a warm-up
	} else if a.socket && a.sent <= len(a.blocks) {
		q.Previous = a.turns[len(a.turns)-1].turn.Response
		q.Blocks = append(a.blocks[:a.head():a.head()], a.blocks[a.sent:]...)
	}
	return q
}

// ending says how an answer ends.
type ending uint8

const (
	inText ending = iota
	inCall
	inFailure
)

// ask plays a request from a tick on.
func (a *speaker) ask(start int, q Request, end ending) *played {
	a.id++
	p := &played{of: a, start: start, number: len(a.turns) + 1}
	a.turns, a.all = append(a.turns, p), append(a.all, p)
	s := metrics.NoStream(0)
	s.ID, s.State, s.Marks.Start = a.id, metrics.Done, p.end()
	if a.IntN(2) == 0 {
		s.Marks.ConnectStart = p.end()
		s.Marks.GotConn = p.pass(Connect, 1+a.IntN(9))
	} else if a.IntN(2) == 0 {
		s.Marks.GotConn = p.end()
	}
	s.Marks.Sent = p.pass(Upload, a.IntN(5))
	last := Wait
	chunk := func(kind metrics.Kind, n int) {
		doing := map[metrics.Kind]Activity{metrics.Reasoning: Thinking, metrics.ToolCall: Call}[kind]
		if doing == Connect {
			doing = Text
		}
		before := last
		if last = doing; before == Wait || before == Thinking && doing == Text {
			doing = before
		}
		c := metrics.Chunk{Kind: kind, At: p.pass(doing, n)}
		if kind == metrics.ToolCall {
			c.Name = 4
		}
		s.Chunks = append(s.Chunks, c)
	}
	chunks := 1 + a.IntN(12)
	if end == inFailure {
		chunks = a.IntN(4)
	}
	for i := range chunks {
		kind := []metrics.Kind{metrics.Reasoning, metrics.Content, metrics.Refusal}[a.IntN(3)]
		if i == chunks-1 && end == inCall {
			kind = metrics.ToolCall
		}
		if chunk(kind, 1+a.IntN(9)); i == chunks-1 || a.IntN(6) > 0 {
			continue
		}
		if a.IntN(2) == 0 { // the model calls a tool of the server
			chunk(metrics.ToolCall, 1+a.IntN(3))
		}
		w := metrics.Wait{Name: fmt.Sprint("tool", i), From: p.end()}
		w.To = p.pass(ServerTool, 1+a.IntN(9))
		for j := int(w.From/tick) - start; j < len(p.tools); j++ {
			p.tools[j] = w.Name
		}
		if s.Waits = append(s.Waits, w); a.IntN(4) == 0 { // another in its last tick: counted once
			s.Waits = append(s.Waits, metrics.Wait{Name: "beside", From: w.To - tick, To: w.To})
		}
	}
	s.Marks.End = p.pass(last, a.IntN(4))
	switch {
	case end == inFailure:
		s.State, s.Fault = metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Status: 529}
	case a.IntN(2) == 0:
		s.Marks.DoneMarker = s.Marks.End
		s.Marks.End += tick * metrics.Stamp(a.IntN(3)) // the body stays open
	}
	s.Now = s.Marks.End
	p.turn = Turn{Request: q, Run: &metrics.Run{Stream: s}, Passed: Passed{Response: Digest(a.Uint64() | 1)}}
	if end != inFailure {
		a.say("assistant")
		a.sent = len(a.blocks)
	}
	return p
}

// work plays the loop of an agent from a tick on, until it calls no tool or fails for good, and
// returns its last turn. Subagents work in the time of the main one's tools.
func (a *speaker) work(start, turns int) *played {
	a.say("user")
	for i := range turns {
		q := a.request(Tool)
		if i == 0 {
			q.Answers = Person
		}
		var failed *played
		for a.IntN(6) == 0 {
			p := a.ask(start, q, inFailure)
			p.retries, failed = failed, p
			start = p.now() + 1 + a.IntN(50)
			p.rest(Client, start)
		}
		end := inCall
		if i == turns-1 {
			end = []ending{inText, inText, inText, inFailure}[a.IntN(4)]
		}
		p := a.ask(start, q, end)
		if p.retries = failed; end != inCall {
			return p
		}
		start = p.now() + 1 + a.IntN(60)
		for n := a.IntN(4); a.main == nil && n > 0 && a.IntN(2) == 0; n-- {
			sub := a.speaker(a, p).work(p.now()+1+a.IntN(20), 1+a.IntN(3))
			start = max(start, sub.now()+1+a.IntN(9))
		}
		p.rest(Client, start)
		a.say("user")
		if n := a.head() + 1; !a.socket && a.IntN(8) == 0 && n < len(a.blocks)-1 { // an edited history
			a.blocks = slices.Clone(a.blocks)
			a.blocks[n] = a.block(Messages, "assistant")
		}
	}
	panic("no turns")
}

// play plays a session in which a person gives tasks to an agent.
func play(r *rand.Rand, session Digest, id int) *script {
	s := &script{Rand: r, socket: r.IntN(3) == 0, session: session, id: id}
	a := s.speaker(nil, nil)
	for tasks, start := 1+r.IntN(4), 10; tasks > 0; tasks-- {
		last := a.work(start, 1+r.IntN(6))
		if tasks == 1 {
			break
		}
		start = last.now() + 1 + r.IntN(200)
		if r.IntN(3) == 0 && len(a.turns) > 1 && len(last.doing) > 2 { // a subagent stays in the background
			sub := s.speaker(a, last).work(last.now()-1, 1+r.IntN(3))
			last.pass(Client, sub.now()-last.now())
			start = max(start, sub.now()+1)
		}
		last.rest(You, start)
		if r.IntN(4) == 0 { // a compaction
			a.blocks, a.sent = a.blocks[:a.head():a.head()], len(a.blocks)+1
		}
	}
	return s
}
