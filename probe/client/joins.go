package client

import (
	"bytes"
	"math"
	"slices"

	"tokscope/probe/dialect"
	"tokscope/probe/secret"
)

// joins finds keys that are split over the chunks of a stream. Its owner is the
// ingest goroutine.
type joins struct {
	lanes []lane
	found []piece // of the event being decoded: texts with a part of a key
	// joined reports that a text of the event being decoded differs from that of
	// its delta: a part was held back, came from an earlier one, or was a key.
	joined bool
}

// lane is the text of one choice.
type lane struct {
	choice uint8
	text   secret.Joined
	held   []piece // the texts with the held part
}

// piece is the text of a delta that may hold a part of a key, and where its
// event stands among the audience's pending ones.
type piece struct {
	event int
	text  []byte
}

// holds reports whether a part of the text is held back.
func (k *joins) holds() bool {
	return slices.ContainsFunc(k.lanes, func(l lane) bool { return l.text.Holds() })
}

// shown forgets the events that hold parts of keys: the sinks have seen them.
func (k *joins) shown() {
	for i := range k.lanes {
		k.lanes[i].held = nil
	}
}

// of returns the lane of a choice.
func (k *joins) of(choice uint8, scrub *secret.Scrubber) *lane {
	i := slices.IndexFunc(k.lanes, func(l lane) bool { return l.choice == choice })
	if i < 0 {
		i = len(k.lanes)
		k.lanes = append(k.lanes, lane{choice: choice, text: scrub.Joined()})
	}
	return &k.lanes[i]
}

// addText appends the text of d, without the part that may be the beginning of
// a key: that comes with a later chunk of the same choice. It returns the length
// of a function's name at the beginning, and whether all text is held back. s.mu
// is held.
func (s *Stream) addText(d *dialect.Delta) (name uint16, held bool) {
	l, begin := s.joins.of(d.Choice, s.engine.scrub), len(s.v.Text)
	removed := l.text.Removed()
	if d.Name != "" {
		s.addPiece(l, []byte(d.Name))
		name = uint16(min(len(s.v.Text)-begin, math.MaxUint16))
	}
	if len(d.Text) > 0 {
		s.addPiece(l, d.Text)
	}
	if len(s.v.Text)-begin != len(d.Name)+len(d.Text) || l.text.Removed() > removed {
		s.joins.joined = true
	}
	return name, len(s.v.Text) == begin && len(d.Name)+len(d.Text) > 0
}

// addPiece appends text to l: s.mu is held.
func (s *Stream) addPiece(l *lane, text []byte) {
	removed := l.text.Removed()
	s.v.Text = l.text.Append(withRoom(s.v.Text, len(text)), text)
	if event := len(s.audience.pending); l.text.Removed() > removed {
		s.joins.found = append(append(s.joins.found, l.held...), piece{event, bytes.Clone(text)})
		l.held = nil
	}
	switch {
	case !l.text.Holds():
		l.held = nil
	case s.audience.events:
		l.held = append(l.held, piece{len(s.audience.pending), bytes.Clone(text)})
	}
}

// From largeText bytes on a text grows fourfold, by textStep at the most or by a quarter: see withRoom.
const largeText, textStep = 4 << 20, 48 << 20

// withRoom returns text with room for n bytes more. While a text moves, both memories
// are there. So a large one moves only at 4 and at 16 MB: 64 MB are what a body may have
// (transport.Bounds).
func withRoom(text []byte, n int) []byte {
	have := len(text)
	if have+n <= cap(text) || have+n < largeText {
		return text
	}
	room := max(min(3*have, textStep), have/4, n, largeText)
	return append(make([]byte, 0, have+room), text...)
}

// endText ends the text. What was held back as the beginning of a key becomes
// its marker, in the last chunk: s.mu is held.
func (s *Stream) endText() {
	v, begin := &s.v, len(s.v.Text)
	for i := range s.joins.lanes {
		l := &s.joins.lanes[i]
		if l.text.Holds() {
			s.joins.found = append(s.joins.found, l.held...)
		}
		v.Text = l.text.End(v.Text)
	}
	if n := len(v.Chunks); n > 0 && len(v.Text) > begin {
		v.Chunks = slices.Clone(v.Chunks) // a snapshot may share the last chunk
		v.Chunks[n-1].TextEnd = int32(len(v.Text))
	}
	s.maskFound()
	s.joins = joins{}
}

// maskFound removes the parts of keys that were found from the pending events.
func (s *Stream) maskFound() {
	for _, p := range s.joins.found {
		s.audience.maskEvent(p.event, p.text)
	}
	s.joins.found = s.joins.found[:0]
}
