package turn

import "tokscope/metrics"

// Session is what one tap has seen. The zero Session is ready. It is not safe for concurrent
// use; a View shares nothing with it that changes.
type Session struct {
	turns  []*Turn
	counts [Kinds]int
}

// Add takes a turn, or its newest state if it has that Stream.ID already. The order does not
// matter. A turn that was trimmed (Run.Trimmed) keeps the spans that it had before.
func (s *Session) Add(t Turn) {
	s.turns = append(s.turns, &t)
}

// Count counts a request that is no turn.
func (s *Session) Count(k Kind) { s.counts[k]++ }

// Conversation is a sequence of turns of one agent, each with the messages of the one before.
type Conversation struct {
	Number int // from 1, in the order in which they began
	// Of is the number of the conversation that a subagent works for, 0 for a main one, and
	// Beside the Stream.ID of the turn of it beside which the subagent began.
	Of, Beside int
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
// for a person, behind the last turn of the main conversation.
func (s *Session) View(now metrics.Stamp, open bool) View {
	v := View{Counts: s.counts}
	for _, t := range s.turns {
		v.Turns = append(v.Turns, *t)
	}
	v.Counts[Asks] = len(v.Turns)
	return v
}
