package turn

import (
	"cmp"
	"slices"

	"tokscope/metrics"
)

// entry is a turn of a session with what follows from it alone, and from the last view.
type entry struct {
	Turn
	answer []Span        // see answerSpans
	calls  bool          // see callsTool
	start  metrics.Stamp // Marks.Start
	end    metrics.Stamp // see answerEnd
	// done is when a client may go on: some do as soon as the model has finished, before end.
	// NoStamp as end.
	done metrics.Stamp
	head int    // blocks before the messages
	next *entry // of its conversation
}

// update takes the newest state of the turn. A trimmed one keeps what its chunks told.
func (e *entry) update(t Turn) {
	t.Request = e.Request // it shares its blocks with others
	e.Turn = t
	s := e.Stream()
	e.start, e.end = s.Marks.Start, answerEnd(s)
	if e.done = e.end; s.Ending() && (!e.end.Known() || s.Marks.FinishReason < e.end) {
		e.done = s.Marks.FinishReason
	}
	if e.Run.Trimmed == nil || e.answer == nil {
		e.answer, e.calls = answerSpans(s), e.done.Known() && callsTool(s)
	}
}

// messages returns the blocks of the messages.
func (e *entry) messages() []Block { return e.Blocks[e.head:] }

// over reports whether the client could go on at that time.
func (e *entry) over(at metrics.Stamp) bool { return e.done.Known() && e.done <= at }

// open reports whether the conversation whose last turn e is goes on at that time: the
// answer is not over, or a tool's result is due.
func (e *entry) open(at metrics.Stamp) bool {
	return !e.over(at) || e.calls && e.Stream().State == metrics.Done
}

// failed reports whether the turn ended without a whole answer.
func (e *entry) failed() bool { s := e.Stream(); return s.State.Ended() && s.State != metrics.Done }

// again reports whether e is the same request as one before it that failed.
func (e *entry) again(before *entry) bool {
	return before.failed() && len(e.Blocks) > 0 && e.Model == before.Model && e.Previous == before.Previous &&
		slices.Equal(e.Blocks, before.Blocks)
}

// common returns how many blocks a and b begin with that are the same.
func common(a, b []Block) int {
	n := min(len(a), len(b))
	if n > 0 && &a[0] == &b[0] {
		return n
	}
	for i := range n {
		if a[i] != b[i] {
			return i
		}
	}
	return n
}

// converse divides turns, in order of their start, into conversations, in order of theirs. A
// turn goes on with
//
//   - the conversation of the response that it names, else
//   - of the client's session, the one all of whose messages it begins with, the longest, else
//   - with a tool's result, the one that is most like it of those to which one is due: its
//     history was edited.
//
// Else, while a conversation of the session is open, it begins a subagent of it (see join);
// and with none open it goes on with the main one that is most like it, with an edited or shorter
// history, unless its very first tool, or without tools its system prompt, is another.
// Only a conversation whose last answer is over goes on.
func converse(turns []*entry) (all []Conversation) {
	responses := map[Digest]int{} // numbers of their conversations
	for _, t := range turns {
		c := goesOn(t, all, responses[t.Previous])
		if c == nil {
			all = append(all, Conversation{Number: len(all) + 1})
			c = &all[len(all)-1]
			c.join(t, all[:len(all)-1])
		}
		c.turns, c.Turns = append(c.turns, t), append(c.Turns, t.Stream().ID)
		if t.Response != 0 {
			responses[t.Response] = c.Number
		}
	}
	return all
}

func (c *Conversation) last() *entry { return c.turns[len(c.turns)-1] }

// goesOn returns the conversation with which t goes on, nil for a new one. named is the number of
// that of the response that t names, 0 without one.
func goesOn(t *entry, all []Conversation, named int) *Conversation {
	if named > 0 {
		if c := &all[named-1]; c.last().over(t.start) {
			return c
		}
		return nil
	}
	var longest, due, like *Conversation
	open, length := false, 0
	liker := func(a, b *Conversation) *Conversation {
		if a == nil || cmp.Or(
			cmp.Compare(common(b.last().Blocks, t.Blocks), common(a.last().Blocks, t.Blocks)),
			cmp.Compare(b.last().start, a.last().start)) > 0 {
			return b
		}
		return a
	}
	for i := range all {
		c := &all[i]
		last := c.last()
		if last.Session != t.Session {
			continue
		}
		open = open || last.open(t.start)
		if !last.over(t.start) {
			continue
		}
		m := last.messages()
		if n := len(m); n > 0 && n >= length && common(m, t.messages()) == n {
			longest, length = c, n
		}
		if last.calls {
			due = liker(due, c)
		}
		if c.Of == 0 {
			like = liker(like, c)
		}
	}
	switch {
	case longest != nil:
		return longest
	case t.Answers == Tool && due != nil:
		return due
	case open || like == nil || !sameAgent(like.last(), t):
		return nil
	}
	return like
}

// sameAgent reports whether two requests begin with the same tool, or system prompt, or have
// neither.
func sameAgent(a, b *entry) bool {
	if a.head == 0 || b.head == 0 {
		return a.head == b.head
	}
	return a.Blocks[0] == b.Blocks[0]
}

// join makes c, which begins with t, a subagent of the first of the others of its session that is
// open, or of that for which that one works, or with none open of the main one of a session that
// has an id: there every other agent is a helper. But a title that a client asks for may come
// before its first turn: then the one with more tools is the main one.
func (c *Conversation) join(t *entry, others []Conversation) {
	find := func(is func(o *Conversation) bool) int {
		return slices.IndexFunc(others, func(o Conversation) bool { return o.last().Session == t.Session && is(&o) })
	}
	i := find(func(o *Conversation) bool { return o.last().open(t.start) })
	if i < 0 && t.Session != 0 {
		i = find(func(o *Conversation) bool { return o.Of == 0 })
	}
	if i < 0 {
		return
	}
	main := &others[cmp.Or(others[i].Of, i+1)-1]
	if last := main.last(); len(main.turns) > 1 || last.calls || t.Tools <= last.Tools {
		c.Of, c.Beside = main.Number, last.Stream().ID
		return
	}
	for i := range others {
		if o := &others[i]; o == main || o.Of == main.Number {
			o.Of, o.Beside = c.Number, t.Stream().ID
		}
	}
}
