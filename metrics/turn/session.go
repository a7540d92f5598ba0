package turn

import (
	"cmp"
	"slices"

	"tokscope/metrics"
)

// Session is what one tap has seen. The zero Session is ready. It is not safe for concurrent
// use; a View shares nothing with it that changes.
type Session struct {
	Counts [Kinds]int // of the requests that are no turns
	turns  []*entry   // in order of their start
}

// Add takes a turn, or its newest state if it has that Stream.ID already. The order does not
// matter. A turn that was trimmed (Run.Trimmed) keeps the spans that it had before.
func (s *Session) Add(t Turn) {
	i := slices.IndexFunc(s.turns, func(e *entry) bool { return e.Stream().ID == t.Stream().ID })
	if i < 0 {
		i = len(s.turns)
		s.turns = append(s.turns, &entry{Turn: t, head: len(t.Blocks) - count(t.Blocks, Messages)})
	}
	s.turns[i].update(t)
	slices.SortFunc(s.turns, func(a, b *entry) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(a.Stream().ID, b.Stream().ID))
	})
}

// Count counts a request that is no turn.
func (s *Session) Count(k Kind) { s.Counts[k]++ }

// Conversation is a sequence of turns of one agent, each with the messages of the one before,
// or with a history that the client has edited or shortened.
type Conversation struct {
	Number int // from 1, in the order in which they began
	// Of is the number of the conversation that a subagent works for, 0 for a main one, and
	// Beside the Stream.ID of the turn of it beside which the subagent began.
	Of, Beside int
	Agent      int   // of a subagent, its number among them, from 1
	Turns      []int // Stream.IDs, in order of their start

	turns []*entry // while a view is made
}

// View is a session at a moment. Nothing in it changes later.
type View struct {
	Turns         []Turn // in order of their start
	Conversations []Conversation
	Counts        [Kinds]int // requests by their kind, turns among them
	Totals        Totals
	Limits        Limits
}

// View returns the session at now. open: it goes on, so that the client is at work, or waits
// for a person, behind the last turn of the main conversations.
func (s *Session) View(now metrics.Stamp, open bool) View {
	v := View{Counts: s.Counts, Turns: make([]Turn, 0, len(s.turns)), Conversations: converse(s.turns)}
	v.Counts[Asks] += len(s.turns)
	var newest *entry // the last of main conversations
	agents, mains, spans := 0, 0, 0
	for i := range v.Conversations {
		c := &v.Conversations[i]
		if last := c.last(); c.Of != 0 {
			agents++
			c.Agent = agents
		} else if newest == nil || last.start >= newest.start {
			newest = last
		}
		var next *entry
		for j := len(c.turns) - 1; j >= 0; j-- { // so that all have the memory of the last one
			e := c.turns[j]
			e.Number, e.Conversation, e.Retry, e.next = j+1, c.Number, 0, next
			if next != nil {
				if share(e, next); next.again(e) {
					next.Retry = e.Stream().ID
				}
			}
			next = e
			spans += len(e.answer) + 1
		}
		c.turns = nil
	}
	room := make([]Span, 0, spans)
	for _, e := range s.turns {
		if v.Conversations[e.Conversation-1].Of == 0 {
			mains++
			e.Number = mains
		}
		e.Open = open && e == newest && e.end.Known()
		room = e.divide(room, now)
		v.Turns = append(v.Turns, e.Turn)
	}
	v.agents()
	v.caches()
	v.Totals = v.totals()
	v.Limits = v.limits(now)
	return v
}

// share lets a turn have its blocks in the memory of the next one, which begins with them.
func share(before, e *entry) {
	if n := len(before.Blocks); n > 0 && common(before.Blocks, e.Blocks) == n {
		before.Blocks = e.Blocks[:n:n]
	}
}

// divide sets Until and Spans, which lie in room. It returns room with them.
func (e *entry) divide(room []Span, now metrics.Stamp) []Span {
	e.Until, e.Spans = metrics.NoStamp, e.answer
	switch {
	case e.next != nil:
		e.Until = e.next.start
	case e.Open:
		e.Until = max(now, e.end)
	default:
		return room
	}
	after, from, spans := You, e.start, room[len(room):]
	if e.calls || e.next == nil && e.failed() || e.next != nil && (e.next.Answers == Tool || e.next.again(e)) {
		after = Client
	}
	for _, s := range e.answer {
		s.To = min(s.To, e.Until)
		spans = extend(spans, s)
	}
	if n := len(spans); n > 0 {
		from = spans[n-1].To
	}
	e.Spans = extend(spans, Span{Activity: after, From: from, To: e.Until})
	return room[:len(room)+len(e.Spans)]
}

// agents gives the client the time in which subagents worked while it seemed to wait for a
// person.
func (v *View) agents() {
	var idle []*Turn
	for i := range v.Turns {
		if t := &v.Turns[i]; t.Time(You) > 0 {
			idle = append(idle, t)
		}
	}
	for i := range v.Turns {
		work := v.Turns[i].working()
		for _, t := range idle {
			if t.Conversation == v.Conversations[v.Turns[i].Conversation-1].Of {
				t.Spans = overlay(t.Spans, work, func(a Activity) bool { return a == You })
			}
		}
	}
}

// working returns the time in which the turn of a subagent ran, with the tools behind it.
func (t *Turn) working() Span {
	w := Span{Activity: Client, From: t.Stream().Marks.Start, To: t.Stream().Marks.Start}
	for _, s := range t.Spans {
		if s.Activity != You {
			w.To = s.To
		}
	}
	return w
}
