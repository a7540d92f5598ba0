package live

import (
	"time"
	"unicode"
	"unicode/utf8"

	"tokscope/metrics"
)

// Words a character is worth in scripts without blanks between words; the same
// rule as metrics.CountWords.
const (
	wordHan = 1 / 1.6
	wordSEA = 1 / 4.0
)

// cursor walks along the words of the answer.
type cursor struct {
	pos  int32
	part int
}

// word is a word of the text: bytes [from, to) of lines.text.
type word struct {
	from, to int32
	weight   float64 // in words
	whole    bool    // nothing more can be added to it
}

// next finds the word at or after c, in parts of visible text only. It leaves
// c before the word; ok is false when nothing but blanks is left.
func (t *lines) next(c *cursor) (w word, ok bool) {
	for c.part < len(t.parts) {
		p := t.parts[c.part]
		end := t.len()
		if c.part+1 < len(t.parts) {
			end = t.parts[c.part+1].from
		}
		if p.kind == metrics.Content || p.kind == metrics.Refusal {
			c.pos = max(c.pos, p.from)
			last := c.part+1 == len(t.parts) && !t.closed
			if w, ok = scan(t.text.String()[:end], &c.pos); ok {
				w.whole = w.whole || !last
				return w, true
			}
		}
		if c.part+1 == len(t.parts) {
			return word{}, false
		}
		c.part++
		c.pos = t.parts[c.part].from
	}
	return word{}, false
}

// scan finds the first word of s at or after pos and moves pos before it. A
// word is a run without blanks that holds a letter or a digit, or one
// character of a script without blanks.
func scan(s string, pos *int32) (w word, ok bool) {
	i := int(*pos)
	from, counted := i, false
	for i < len(s) {
		r, n := rune(s[i]), 1
		if r >= utf8.RuneSelf {
			r, n = utf8.DecodeRuneInString(s[i:])
		}
		alone := unspaced(r)
		if r == ' ' || r == '\n' || r >= 0x80 && unicode.IsSpace(r) || alone > 0 {
			if counted {
				return word{int32(from), int32(i), 1, true}, true
			}
			if alone > 0 {
				*pos = int32(i)
				return word{int32(i), int32(i + n), alone, true}, true
			}
			from = i + n
			*pos = int32(from)
		} else if !counted {
			counted = r|0x20 >= 'a' && r|0x20 <= 'z' || r >= '0' && r <= '9' ||
				r >= 0x80 && (unicode.IsLetter(r) || unicode.IsNumber(r))
		}
		i += n
	}
	return word{int32(from), int32(i), 1, false}, counted
}

// unspaced is what a character counts that is a word or a part of one for
// itself, 0 for all others.
func unspaced(r rune) float64 {
	switch {
	case r < 0x0E00:
		return 0
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return wordHan
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r):
		return wordSEA
	}
	return 0
}

// ghost is a human reader who reads the answer as it arrives: no word before
// it is there, and none faster than the pace.
type ghost struct {
	at    cursor
	now   metrics.Stamp // up to here it has read
	wpm   float64
	free  metrics.Stamp // when the last word was done
	begun bool
	here  word    // the word under the eyes, or the last one
	read  float64 // words done
	waits bool    // everything that arrived is read

	tail    cursor  // up to here words are counted
	arrived float64 // whole words that arrived
}

func (h *ghost) reset(wpm float64) { *h = ghost{wpm: wpm, now: metrics.NoStamp} }

// advance lets the reader read until now.
func (h *ghost) advance(t *lines, s *metrics.Stream, now metrics.Stamp, wpm float64) {
	if wpm <= 0 {
		wpm = metrics.Paces[0].WPM
	}
	if s.State.Ended() && len(s.Chunks) > 0 {
		// The picture after the end: where the reader was when all was there.
		now = min(now, s.Chunks[len(s.Chunks)-1].At)
	}
	if h.wpm != wpm || now < h.now {
		h.reset(wpm)
	}
	h.now = now
	for {
		w, ok := t.next(&h.tail)
		if !ok || !w.whole {
			break
		}
		h.arrived += w.weight
		h.tail.pos = w.to
	}
	h.waits = true
	for {
		w, ok := t.next(&h.at)
		if !ok {
			return
		}
		i := t.chunkAt(w.from)
		if i >= len(s.Chunks) {
			return
		}
		came := s.Chunks[i].At
		if !h.begun {
			h.begun, h.free = true, came
		}
		h.here = w
		done := max(h.free, came) + metrics.Stamp(w.weight*float64(time.Minute)/wpm)
		if done > now {
			h.waits = false
			return
		}
		if !w.whole {
			return
		}
		h.free = done
		h.read += w.weight
		h.at.pos = w.to
	}
}
