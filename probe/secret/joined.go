package secret

import (
	"bytes"
	"unsafe"
)

// minHeld is how much of a key at the end of a piece is held back, in bytes.
// Less than that is no key, and ordinary words begin that way.
const minHeld = minPrefix

// Joined removes known keys that are split over the pieces of one text, as a
// model streams it. The end of a piece is held back while it may be the
// beginning of a key, and comes with a later piece or at the end. At most a key's
// first three bytes are let through before it. The zero value is not ready: see Joined
// of Scrubber. It is not safe for concurrent use.
type Joined struct {
	scrub *Scrubber
	// tail is the end of the text so far. tail[:out] was returned, the rest is
	// held back.
	tail []byte
	out  int
	// removed is the number of keys removed so far.
	removed int

	list   *[]needle // that starts is made of
	starts [256]bool // first bytes of the needles
}

// Joined returns a Joined for a new text.
func (s *Scrubber) Joined() Joined { return Joined{scrub: s} }

// Holds reports whether a part of the text is held back.
func (j *Joined) Holds() bool { return len(j.tail) > j.out }

// Removed returns the number of keys removed so far, those cut by the end
// included.
func (j *Joined) Removed() int { return j.removed }

// Append appends to dst what is decided with piece, and returns it. It
// allocates only when dst or the held part must grow.
func (j *Joined) Append(dst, piece []byte) []byte {
	if j.scrub == nil {
		return append(dst, piece...)
	}
	list := j.scrub.needles.Load()
	if list == nil {
		return append(dst, piece...)
	}
	if j.list != list {
		j.list = list
		for _, n := range *list {
			j.starts[n.text[0]] = true
		}
	}
	if j.Holds() && bytes.HasPrefix(piece, []byte(Redacted)) {
		j.removed++
		j.tail, j.out = j.tail[:0], 0 // the rest of the key was removed from the piece already
	}
	j.tail = append(j.tail, piece...)
	w := unsafe.String(unsafe.SliceData(j.tail), len(j.tail)) // read only, until tail changes
	done := j.out                                             // w[:done] is in dst
	removedEnd := 0                                           // where the last removed key ended: it begins no other one
	for i := 0; i < len(w); i++ {
		if !j.starts[w[i]] {
			continue
		}
		end, open := begins(w[i:], *list)
		if open {
			dst = append(dst, w[done:max(i, done)]...)
			j.out = max(done-i, 0)
			j.tail = j.tail[:copy(j.tail, j.tail[i:])]
			return dst
		}
		if end > 0 && i+end > done {
			dst = append(dst, w[done:max(i, done)]...)
			dst = append(dst, Redacted...)
			j.removed++
			done, removedEnd = i+end, i+end
			i = done - 1
		}
	}
	dst = append(dst, w[done:]...)
	j.out = min(minHeld-1, len(j.tail)-removedEnd)
	j.tail = j.tail[:copy(j.tail, j.tail[len(j.tail)-j.out:])]
	return dst
}

// End appends to dst the marker for what is still held back, and returns it. A
// text that ends with the beginning of a key was cut there.
func (j *Joined) End(dst []byte) []byte {
	if j.Holds() {
		dst = append(dst, Redacted...)
		j.removed++
	}
	j.tail, j.out = j.tail[:0], 0
	return dst
}

// begins reports how text begins: with a whole needle of end bytes, or, if
// open, it is the beginning of one.
func begins(text string, list []needle) (end int, open bool) {
	for i := range list {
		n := &list[i]
		most := min(len(text), len(n.text))
		if most < minHeld || text[:most] != n.text[:most] {
			continue
		}
		if most < len(n.text) {
			return 0, true
		}
		end = max(end, most)
	}
	return end, false
}
