package turn

import (
	"cmp"
	"slices"

	"tokscope/metrics"
)

// entry is a turn of a session with what follows from it alone.
type entry struct {
	Turn
	answer []Span        // see answerSpans
	calls  bool          // see callsTool
	start  metrics.Stamp // Marks.Start
	end    metrics.Stamp // see answerEnd
	// done is when a client may go on: some do as soon as the model has finished, before end.
	// NoStamp as end.
	done metrics.Stamp
	head int // blocks before the messages
	at   int // in View.Turns
	// spans are answer up to until and the activity after, as divide made them; nil: it has not.
	spans []Span
	until metrics.Stamp
	after Activity
}

// update takes the newest state of the turn. A trimmed one keeps what its chunks told.
func (e *entry) update(t Turn) {
	t.Request = e.Request // it shares its blocks with others
	e.Turn = t
	s := e.Stream()
	e.start, e.end, e.spans = s.Marks.Start, answerEnd(s), nil
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

// talk is a conversation in the making.
type talk struct {
	turns  []*entry
	of     *talk  // that a subagent works for
	beside *entry // see Conversation
}

func (t *talk) last() *entry { return t.turns[len(t.turns)-1] }

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
func converse(turns []*entry) (talks []*talk) {
	responses := map[Digest]*talk{}
	for _, t := range turns {
		c := goesOn(t, talks, responses[t.Previous])
		if c == nil {
			c = &talk{}
			c.join(t, talks)
			talks = append(talks, c)
		}
		c.turns = append(c.turns, t)
		if t.Response != 0 {
			responses[t.Response] = c
		}
	}
	return talks
}

// goesOn returns the conversation with which t goes on, nil for a new one. named is that of
// the response that t names, nil without one.
func goesOn(t *entry, talks []*talk, named *talk) *talk {
	at := t.start
	if named != nil {
		if named.last().over(at) {
			return named
		}
		return nil
	}
	var longest, due, like *talk
	open, length := false, 0
	liker := func(a, b *talk) *talk {
		if a == nil || cmp.Or(
			cmp.Compare(common(b.last().Blocks, t.Blocks), common(a.last().Blocks, t.Blocks)),
			cmp.Compare(b.last().start, a.last().start)) > 0 {
			return b
		}
		return a
	}
	for _, c := range talks {
		last := c.last()
		if last.Session != t.Session {
			continue
		}
		open = open || last.open(at)
		if !last.over(at) {
			continue
		}
		m := last.messages()
		if n := len(m); n > 0 && n >= length && common(m, t.messages()) == n {
			longest, length = c, n
		}
		if last.calls {
			due = liker(due, c)
		}
		if c.of == nil {
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

// join makes c, which begins with t, a subagent of the first conversation of its session that
// is open, or of that for which that one works, or with none open of the main one of a session
// that has an id: there every other agent is a helper. But a title that a client asks for may
// come before its first turn: then the one with more tools is the main one.
func (c *talk) join(t *entry, talks []*talk) {
	find := func(is func(*talk) bool) int {
		return slices.IndexFunc(talks, func(o *talk) bool { return o.last().Session == t.Session && is(o) })
	}
	i := find(func(o *talk) bool { return o.last().open(t.start) })
	if i < 0 && t.Session != 0 {
		i = find(func(o *talk) bool { return o.of == nil })
	}
	if i < 0 {
		return
	}
	main := cmp.Or(talks[i].of, talks[i])
	if last := main.last(); len(main.turns) > 1 || last.calls || t.Tools <= last.Tools {
		c.of, c.beside = main, last
		return
	}
	for _, o := range talks {
		if o == main || o.of == main {
			o.of, o.beside = c, t
		}
	}
}
