package live

import (
	"sort"
	"unicode"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// ghost is the human reader who reads the answer as it arrives, as
// metrics.Reader computes it, with a position in the sanitized text.
type ghost struct {
	reader metrics.Reader
	metrics.Reading
	from, to int32   // the present word, in lines.text
	arrived  float64 // words that came

	raw  int // Offset that from and to belong to
	rows int // length of the sanitized text then
}

// advance moves the reader to now. After the end of the stream the reader
// stays where it was when the last chunk came.
func (h *ghost) advance(t *lines, s *metrics.Stream, now metrics.Stamp, pace metrics.Pace) {
	at := *s
	at.Now = now
	if n := len(s.Chunks); n > 0 && s.State.Ended() {
		at.Now = min(now, s.Chunks[n-1].At)
	}
	was := h.Reading
	if h.Reading = h.reader.Follow(&at, pace); s.TextRemoved {
		h.Reading = metrics.Reading{} // others stand for the words
	}
	h.arrived = h.Words + h.Lead
	if !h.Begun {
		h.from, h.to = 0, 0
		return
	}
	if h.Offset == was.Offset && h.WordEnd == was.WordEnd && h.raw == h.Offset && h.rows == t.text.Len() {
		return
	}
	h.raw, h.rows = h.Offset, t.text.Len()
	h.from = t.place(s, h.Offset)
	if h.to = max(t.place(s, h.WordEnd), h.from); h.to > h.from {
		h.to = t.wordEnd(h.to)
	}
}

// Limits of a word that continues in the next chunk. Scripts from noBlanks on
// have no blanks between words, and no word is endless.
const (
	noBlanks    = 0x2e80
	longestWord = 64
)

// wordEnd is the end of the letters that continue at byte at. The chunks of a
// word are one word to its reader.
func (t *lines) wordEnd(at int32) int32 {
	str := t.text.String()
	for end := min(at+longestWord, t.len()); at < end; {
		r, n := utf8.DecodeRuneInString(str[at:])
		if r >= noBlanks || !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r) {
			break
		}
		at += int32(n)
	}
	return at
}

// longChunk is the size in bytes from which a chunk is not sanitized again
// just to find a place in it.
const longChunk = 1 << 16

// place is the place of byte at of s.Text in the sanitized text.
func (t *lines) place(s *metrics.Stream, at int) int32 {
	n := min(len(t.chunkEnds), len(s.Chunks))
	i := sort.Search(n, func(i int) bool { return int(s.Chunks[i].TextEnd) > at })
	if i == n {
		if n == 0 {
			return 0
		}
		return t.chunkEnds[n-1]
	}
	from := int32(0)
	if i > 0 {
		from = t.chunkEnds[i-1]
	}
	raw := s.ChunkText(i)
	rel := min(max(at-(int(s.Chunks[i].TextEnd)-len(raw)), 0), len(raw))
	if len(raw) != int(t.chunkEnds[i]-from) && len(raw) <= longChunk {
		t.piece = new(sanitize.Decoder).Append(t.piece[:0], raw[:rel], true)
		rel = len(t.piece)
	}
	end := min(from+int32(rel), t.chunkEnds[i])
	for str := t.text.String(); from < end && len(raw) <= longChunk; {
		n, _ := draw.Cluster(str[from:])
		if from+int32(n) > end {
			return from // a word does not begin within a cluster
		}
		from += int32(n)
	}
	return end
}
