package session

import (
	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/result"
)

// TurnAsks is what the request of a turn says.
type TurnAsks struct {
	turn.Request
	// Digests stand for the blocks of the prompt, in its order. New are those that no earlier line
	// of the file has: tools, blocks of the system prompt and of messages.
	Digests []turn.Digest `json:"blocks"`
	New     []turn.Block  `json:"new_blocks,omitempty"`
}

// Turns writes what a tap knows of its turns beside their answers. Only one goroutine at a
// time may use it.
type Turns struct {
	file   *File
	wrote  map[int]turn.Passed // of turns whose first line is written
	blocks map[turn.Digest]bool
}

// Turns returns the writer of the turns of a tap's file.
func (s *File) Turns() *Turns {
	return &Turns{s, map[int]turn.Passed{}, map[turn.Digest]bool{}}
}

// Add writes what t asks, and again what has passed of it since.
func (w *Turns) Add(t turn.Turn) {
	s, id := w.file, t.Stream().ID
	s.mu.Lock()
	defer s.mu.Unlock()
	wrote, begun := w.wrote[id]
	switch {
	case !begun && s.begun[id]:
		a := TurnAsks{Request: t.Request}
		for _, b := range t.Blocks {
			if a.Digests = append(a.Digests, b.Digest); !w.blocks[b.Digest] {
				w.blocks[b.Digest] = true
				a.New = append(a.New, b)
			}
		}
		s.journal.of("turn", id)
		s.journal.any("asks", s.shown(&a))
	case begun && wrote != t.Passed:
		s.journal.of("turn", id)
		s.journal.any("passed", s.shown(&t.Passed))
	default:
		return
	}
	s.journal.firm()
	w.wrote[id] = t.Passed
}

// Count writes that there was a request that is no turn.
func (w *Turns) Count(k turn.Kind) {
	w.file.mu.Lock()
	defer w.file.mu.Unlock()
	w.file.journal.begin("other")
	w.file.journal.any("kind", k)
	w.file.journal.firm()
}

// TapEnds writes that the tap has ended: no other line of a turn comes.
func (s *File) TapEnds(at metrics.Stamp) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.begin("tap_end")
	s.journal.stamp("at_ns", at)
	s.journal.firm()
}

// takeTurn adds a line of a turn to the request.
func (rec *Recording) takeTurn(q *Recorded, l *fileLine) error {
	var a TurnAsks
	var p turn.Passed
	if readField(l.Asks, &a) != nil || readField(l.Passed, &p) != nil {
		return errLine
	}
	if len(l.Asks) > 0 {
		a.Kind, a.Model = turn.Asks, q.Endpoint.Model
		if q.Turn = (&turn.Turn{Request: a.Request}); rec.blocks == nil {
			rec.blocks = map[turn.Digest]turn.Block{}
		}
		for _, b := range a.New {
			rec.blocks[b.Digest] = b
		}
		for _, d := range a.Digests {
			b, known := rec.blocks[d]
			if rec.items++; !known || rec.items > result.MaxItems {
				return errLine
			}
			q.Turn.Blocks = append(q.Turn.Blocks, b)
		}
	}
	if len(l.Passed) > 0 && q.Turn != nil {
		q.Turn.Passed = p
	}
	return nil
}
