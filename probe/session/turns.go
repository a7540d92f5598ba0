package session

import (
	"net/url"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/result"
)

// TapHead is in the first line of the session file of a tap: what that stands between.
// The model's name stands in each request's endpoint, where it looks like one. Without texts
// nothing else in the file is the client's, the server's or the person's.
type TapHead struct {
	Client   string `json:"client,omitempty"` // the command; absent for one that a person started
	Upstream string `json:"upstream"`         // base URL to which requests are passed on, without a user and a query
}

// HeadOf returns the head of the file of a tap.
func HeadOf(about turn.Tapped) *TapHead {
	h := &TapHead{Client: about.Agent.Command}
	if u, err := url.Parse(about.Upstream); err == nil {
		h.Upstream = (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: u.Path}).String()
	}
	return h
}

// TurnAsks is what the request of a turn says, beside its model. Equal things have equal
// numbers, from 1, within the file.
type TurnAsks struct {
	API      string          `json:"api"`
	Method   string          `json:"method"`
	Path     string          `json:"path"`
	Service  metrics.Service `json:"service"`
	Bytes    int             `json:"bytes"`
	Tools    int             `json:"tools"` // that it offers
	Messages int             `json:"messages"`
	Answers  string          `json:"answers,omitempty"`  // what its last message is: person (a text) or tool (a result)
	Session  int             `json:"session,omitempty"`  // number of the client's session; absent: it names none
	Previous int             `json:"previous,omitempty"` // number of the response that it goes on from
	New      []TurnBlock     `json:"new_blocks,omitempty"`
	// Blocks are the numbers of the blocks of the prompt, in its order.
	Blocks []TurnRange `json:"blocks"`
}

// TurnRange stands for all numbers from From to To.
type TurnRange struct {
	From int `json:"from"`
	To   int `json:"to"`
}

// answers are the words of turn.Answers.
var answers = []string{turn.Unknown: "", turn.Person: "person", turn.Tool: "tool"}

// TurnBlock is a block of a prompt that no earlier line of the file has: a tool, a block of the
// system prompt or of a message.
type TurnBlock struct {
	Number int    `json:"number"`
	Part   string `json:"part"`           // tools, system or messages
	Role   string `json:"role,omitempty"` // of its message
	Bytes  int    `json:"bytes"`
}

// TurnPassed is what has passed of a turn.
type TurnPassed struct {
	Response int             `json:"response,omitempty"` // number of the answer's id, which a later request may name
	Added    result.TapAdded `json:"added"`
	Up       TurnLeg         `json:"up"`   // the request
	Down     TurnLeg         `json:"down"` // the answer
}

// TurnLeg is one direction through the tap. Same: the sums of what came in and what went out
// are equal.
type TurnLeg struct {
	Read    int64 `json:"read_bytes"`
	Written int64 `json:"written_bytes"`
	Same    bool  `json:"same_sum"`
}

func legOf(l turn.Leg) TurnLeg { return TurnLeg{l.Read, l.Written, l.ReadDigest == l.WrittenDigest} }

func (l TurnLeg) leg() turn.Leg {
	out := turn.Leg{Read: l.Read, Written: l.Written}
	if !l.Same {
		out.WrittenDigest = 1
	}
	return out
}

// numbering gives equal things of a file equal numbers.
type numbering struct {
	blocks  map[turn.Block]int
	digests map[turn.Digest]int // of sessions and responses
}

func newNumbering() numbering { return numbering{map[turn.Block]int{}, map[turn.Digest]int{0: 0}} }

// of returns the number of d, 0 for nothing.
func (n *numbering) of(d turn.Digest) int {
	if _, known := n.digests[d]; !known {
		n.digests[d] = len(n.digests)
	}
	return n.digests[d]
}

// asks returns what the request of t says.
func (n *numbering) asks(t *turn.Turn) *TurnAsks {
	a := &TurnAsks{API: t.API, Method: t.Method, Path: t.Path, Service: t.Service, Bytes: t.Bytes, Tools: t.Tools,
		Messages: t.Messages, Answers: answers[t.Answers], Session: n.of(t.Session), Previous: n.of(t.Previous),
		Blocks: []TurnRange{}}
	for _, b := range t.Blocks {
		at, known := n.blocks[b]
		if !known {
			at = len(n.blocks) + 1
			n.blocks[b] = at
			a.New = append(a.New, TurnBlock{at, b.Part.String(), b.Role, b.Bytes})
		}
		if k := len(a.Blocks) - 1; k >= 0 && a.Blocks[k].To == at-1 {
			a.Blocks[k].To = at
		} else {
			a.Blocks = append(a.Blocks, TurnRange{at, at})
		}
	}
	return a
}

// passed returns what has passed of t.
func (n *numbering) passed(t *turn.Turn) TurnPassed {
	return TurnPassed{n.of(t.Response), result.TapAddedOf(&t.Added), legOf(t.Up), legOf(t.Down)}
}

// Turns writes what a tap knows of its turns beside their answers. Only one goroutine at a
// time may use it.
type Turns struct {
	file  *File
	wrote map[int]TurnPassed // of turns whose first line is written
	numbering
}

// Turns returns the writer of the turns of a tap's file; nil of nil, which writes nothing.
func (s *File) Turns() *Turns {
	if s == nil {
		return nil
	}
	return &Turns{s, map[int]TurnPassed{}, newNumbering()}
}

// Add writes what t asks, and again what has passed of it since.
func (w *Turns) Add(t turn.Turn) {
	if w == nil {
		return
	}
	id, now := t.Stream().ID, w.passed(&t)
	wrote, begun := w.wrote[id]
	switch {
	case !begun && !w.file.begins(id):
		return
	case !begun:
		w.file.turn(id, "asks", w.asks(&t))
	case now != wrote:
		w.file.turn(id, "passed", now)
	}
	w.wrote[id] = now
}

// Count writes that there was a request that is no turn.
func (w *Turns) Count(k turn.Kind) {
	if w != nil {
		w.file.other(k)
	}
}

// begins reports whether the first line of request id, which runs, is recorded.
func (s *File) begins(id int) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.begun[id]
}

// turn writes a line of a turn.
func (s *File) turn(id int, key string, v any) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.of("turn", id)
	s.journal.any(key, s.shown(v))
	s.journal.firm()
}

// other writes a line of a request that is no turn.
func (s *File) other(k turn.Kind) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.journal.begin("other")
	s.journal.str("kind", k.String())
	s.journal.firm()
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
	var p TurnPassed
	if readField(l.Asks, &a) != nil || readField(l.Passed, &p) != nil {
		return errLine
	}
	if len(l.Asks) > 0 {
		q.Turn = &turn.Turn{Request: turn.Request{Kind: turn.Asks, API: a.API, Method: a.Method, Path: a.Path,
			Model: q.Endpoint.Model, Service: a.Service, Bytes: a.Bytes, Tools: a.Tools, Messages: a.Messages,
			Session: turn.Digest(a.Session), Previous: turn.Digest(a.Previous),
			Answers: turn.Answers(max(slices.Index(answers, a.Answers), 0))}}
		for _, b := range a.New {
			if rec.blocks == nil {
				rec.blocks = map[int]turn.Block{}
			}
			part := turn.Messages
			for part > turn.Tools && part.String() != b.Part {
				part--
			}
			rec.blocks[b.Number] = turn.Block{Part: part, Role: b.Role, Digest: turn.Digest(b.Number), Bytes: b.Bytes}
		}
		for _, r := range a.Blocks {
			for at := r.From; at <= r.To; at++ {
				b, known := rec.blocks[at]
				if rec.items++; !known || rec.items > result.MaxItems {
					return errLine
				}
				q.Turn.Blocks = append(q.Turn.Blocks, b)
			}
		}
	}
	if len(l.Passed) > 0 && q.Turn != nil {
		q.Turn.Response = turn.Digest(p.Response)
		q.Turn.Added = metrics.Dist{N: p.Added.N, P50: p.Added.P50, P99: p.Added.P99, Max: p.Added.Max}
		q.Turn.Up, q.Turn.Down = p.Up.leg(), p.Down.leg()
	}
	return nil
}

// takeOther counts a request that is no turn.
func (rec *Recording) takeOther(l *fileLine) {
	for k := range turn.Kinds {
		if k.String() == l.Kind {
			rec.Others[k]++
		}
	}
}

// View returns the turns of the file of a tap, as they were at its end.
func (rec *Recording) View() turn.View {
	var s turn.Session
	now := rec.Ended
	for _, q := range rec.Requests {
		if q.Turn != nil {
			stream, t := StreamOf(q), *q.Turn
			t.Run = runOf(stream)
			s.Add(t)
			now = max(now, stream.Last())
		}
	}
	for k, n := range rec.Others {
		for range n {
			s.Count(turn.Kind(k))
		}
	}
	return s.View(now, false)
}

// runOf returns the run of a recorded request, as far as it is known.
func runOf(s *Stream) *metrics.Run {
	v := s.Final()
	return &metrics.Run{Stream: v, Figures: metrics.Measure(&v, metrics.Options{})}
}
