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
	v := View{Counts: s.Counts, Turns: make([]Turn, 0, len(s.turns))}
	v.Counts[Asks] += len(s.turns)
	talks := converse(s.turns)
	number := map[*talk]int{}
	for i, c := range talks {
		number[c] = i + 1
	}
	var newest *entry
	for _, c := range talks {
		if t := c.last(); c.of == nil && (newest == nil || t.start >= newest.start) {
			newest = t
		}
	}
	for i, e := range s.turns {
		e.at = i
		v.Turns = append(v.Turns, e.Turn)
	}
	agents := 0
	for i, c := range talks {
		said := Conversation{Number: i + 1, Of: number[c.of]}
		if c.of != nil {
			agents++
			said.Agent = agents
		}
		if c.beside != nil {
			said.Beside = c.beside.Stream().ID
		}
		for j := len(c.turns) - 2; j >= 0; j-- { // so that all have the memory of the last one
			share(c.turns[j], c.turns[j+1])
		}
		for j, e := range c.turns {
			var next *entry
			if j+1 < len(c.turns) {
				next = c.turns[j+1]
			}
			t := &v.Turns[e.at]
			t.Number, t.Conversation, t.Blocks = j+1, i+1, e.Blocks
			t.Open = open && e == newest && e.end.Known()
			t.divide(e, next, now)
			if next != nil && next.again(e) {
				v.Turns[next.at].Retry = e.Stream().ID
			}
			said.Turns = append(said.Turns, e.Stream().ID)
		}
		v.Conversations = append(v.Conversations, said)
	}
	mains := 0
	for i := range v.Turns {
		if t := &v.Turns[i]; v.Conversations[t.Conversation-1].Of == 0 {
			mains++
			t.Number = mains
		}
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

// divide sets Until and Spans of a turn behind which next begins, nil for none.
func (t *Turn) divide(e, next *entry, now metrics.Stamp) {
	t.Until, t.Spans = metrics.NoStamp, e.answer
	switch {
	case next != nil:
		t.Until = next.start
	case t.Open:
		t.Until = max(now, e.end)
	default:
		return
	}
	after := You
	if e.calls || next == nil && e.failed() || next != nil && (next.Answers == Tool || next.again(e)) {
		after = Client
	}
	if e.spans == nil || e.until != t.Until || e.after != after {
		spans, from := until(e.answer, t.Until), e.start
		if n := len(spans); n > 0 {
			from = spans[n-1].To
		}
		e.spans, e.until, e.after = extend(spans, Span{Activity: after, From: from, To: t.Until}), t.Until, after
	}
	t.Spans = e.spans
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
