package dialect

import (
	"bytes"
	"unicode/utf8"

	"tokscope/metrics"
)

// nestedDeltas in a row that begin with all text before them show that a server repeats
// it. An answer may begin so by chance, above all with a repeated word or character, so
// those that only repeat their beginning (periodic) show nothing.
const nestedDeltas = 3

// mostHeld bounds the bytes that growing holds back.
const mostHeld = 64 << 10

// growing finds the new text of a server that repeats all earlier text in every delta.
// The second delta and those after it are held back while they begin with all before.
// The zero value is ready.
type growing struct {
	plain  bool   // deltas are what is new
	seen   []byte // all text so far, nil where plain
	held   []byte // texts held back, one after the other
	first  int    // length of the first delta
	nested int    // deltas in a row that began with all before
}

// repeats reports whether the server has turned out to repeat its text.
func (g *growing) repeats() bool { return g.nested >= nestedDeltas }

// add takes the text of a delta. It returns what is new of it, with what was held back,
// or that it is held back. t may be the result.
func (g *growing) add(t []byte) (fresh []byte, held bool) {
	switch {
	case g.plain:
		return t, false
	case g.repeats():
		return g.whole(t), false
	case len(g.seen) == 0:
		g.seen, g.first = append(g.seen, t...), len(t)
		return t, false
	case !bytes.HasPrefix(t, g.seen) || len(g.held)+len(t) > mostHeld || periodic(t, g.first):
		fresh = append(g.held, t...)
		*g = growing{plain: true}
		return fresh, false
	case len(t) > len(g.seen):
		g.nested++
	}
	g.seen = append(g.seen[:0], t...)
	if g.repeats() {
		g.held = nil
		return t[g.first:], false
	}
	g.held = append(g.held, t...)
	return nil, true
}

// whole returns what t adds to all text before. A server may correct its last characters.
func (g *growing) whole(t []byte) []byte {
	same := 0
	for same < min(len(t), len(g.seen)) && t[same] == g.seen[same] {
		same++
	}
	for same < len(t) && same > 0 && !utf8.RuneStart(t[same]) {
		same--
	}
	if 2*same < len(g.seen) { // it repeats nothing
		g.seen = append(g.seen, t...)
		return t
	}
	if len(t) >= len(g.seen) {
		g.seen = append(g.seen[:0], t...)
	}
	return t[same:]
}

// end returns what was held back: of a whole answer of nested deltas, what the last adds.
func (g *growing) end() []byte {
	held := g.held
	g.held = nil
	if len(held) > 0 && g.nested == nestedDeltas-1 {
		g.nested = nestedDeltas
		return g.seen[g.first:]
	}
	return held
}

// periodic reports whether t is its first n bytes again and again.
func periodic(t []byte, n int) bool { return bytes.HasPrefix(t, t[n:]) }

// fresh returns what is new in the text t of a choice. Where that is held back it adds
// an empty delta, whose stamp is that of its chunk.
func (g *growing) fresh(k metrics.Kind, index uint8, t []byte, out *Out) []byte {
	text, held := g.add(t)
	if held {
		out.Deltas = append(out.Deltas, Delta{Kind: k, Choice: index, Tokens: -1, Held: true})
	}
	return text
}

// endGrowing adds the texts that the choice holds back, at the end of the stream, and
// reports whether the server repeated text of it.
func (d *Decoder) endGrowing(st *choiceState, index uint8, out *Out) bool {
	if t := st.thinking.end(); len(t) > 0 {
		out.add(metrics.Reasoning, index, t)
	}
	if t := st.saying.end(); len(t) > 0 {
		st.content(&d.scan, index, t, false, out)
	}
	return st.thinking.repeats() || st.saying.repeats()
}
