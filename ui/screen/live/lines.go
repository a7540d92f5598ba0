package live

import (
	"sort"
	"strings"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// span is one row of the wrapped text: bytes [from, to) of lines.text, or the
// heading of a part.
type span struct {
	from, to int32
	part     int32
	heading  bool
}

// part is a stretch of the text of one kind: reasoning, answer, tool call.
type part struct {
	kind        metrics.Kind
	first, last int // its chunks, first to last
	from        int32
}

// A text of largeText bytes moves once more, to room for mostText: all that a body has.
const largeText, mostText = 4 << 20, 64 << 20

// lines is the sanitized, wrapped text of a stream. It only appends, so its
// cost depends on the new text alone.
type lines struct {
	id    int // of the stream
	width int

	text      strings.Builder // safe text of all chunks shown
	chunkEnds []int32         // where each chunk's text ends in text, at whole clusters
	spans     []span          // rows that are complete
	parts     []part

	dec    sanitize.Decoder
	piece  []byte
	closed bool  // the end was flushed
	calls  bool  // the parenthesis of a call is open
	choice uint8 // the shown choice: the first to send text
	hidden int   // chunks of other choices, not shown

	// The unfinished row.
	start  int32 // its first byte
	pos    int32 // the text is laid out up to here
	last   int32 // start of the last cluster
	col    int   // columns of [start, pos)
	brk    int32 // where the row can break, 0 when nowhere
	brkCol int   // columns of [start, brk)
	soft   bool  // the row began by wrapping: its leading blanks are dropped
}

// reset drops everything and begins stream id at width.
func (t *lines) reset(id, width int) {
	*t = lines{id: id, width: max(width, 1), chunkEnds: t.chunkEnds[:0],
		spans: t.spans[:0], parts: t.parts[:0], piece: t.piece[:0]}
}

// update lays out the new text of s for a panel of that width. fresh reports
// that it began from the start.
func (t *lines) update(s *metrics.Stream, width int) (fresh bool) {
	if width = max(width, 1); t.id != s.ID || t.width != width ||
		len(t.chunkEnds) > len(s.Chunks) || t.closed && !s.State.Ended() {
		t.reset(s.ID, width)
		fresh = true
	}
	for i := len(t.chunkEnds); i < len(s.Chunks); i++ {
		t.chunk(i, s)
	}
	if s.State.Ended() && !t.closed {
		t.endCall("")
		t.closed = true
		t.append(nil, true)
		if n := len(t.chunkEnds); n > 0 {
			t.chunkEnds[n-1] = t.len()
		}
	}
	return fresh
}

func (t *lines) len() int32 { return int32(t.text.Len()) }

func (t *lines) chunk(i int, s *metrics.Stream) {
	c := &s.Chunks[i]
	raw := s.ChunkText(i)
	shown := len(raw) > 0 || c.Kind == metrics.Audio || c.Kind == metrics.Image
	switch {
	case !shown:
	case len(t.parts) == 0:
		t.choice = c.Choice
		t.begin(i, c.Kind)
	case c.Choice != t.choice:
		t.hidden++
		raw, shown = nil, false
	case t.parts[len(t.parts)-1].kind != c.Kind:
		t.begin(i, c.Kind)
	}
	if shown {
		t.parts[len(t.parts)-1].last = i
	}
	if n := min(int(c.Name), len(raw)); n > 0 {
		t.endCall("\n")
		t.append(raw[:n], true)
		t.append([]byte("("), false)
		raw, t.calls = raw[n:], true
	}
	t.append(raw, false)
	t.chunkEnds = append(t.chunkEnds, t.pos)
}

// endCall closes the parenthesis of the last call, if one is open, and appends
// sep.
func (t *lines) endCall(sep string) {
	if t.calls {
		t.calls = false
		t.append(nil, true)
		t.append([]byte(")"+sep), false)
	}
}

// begin starts a part with chunk i. The first part gets a heading only if it
// is not the answer.
func (t *lines) begin(i int, k metrics.Kind) {
	if n := len(t.parts); n > 0 {
		t.endCall("")
		t.append(nil, true)
		t.chunkEnds[len(t.chunkEnds)-1] = t.len()
		if t.pos > t.start {
			t.cut(t.pos, t.pos, false)
		}
		t.start, t.brk = t.pos, 0
	}
	t.last = t.pos
	t.parts = append(t.parts, part{kind: k, first: i, last: i, from: t.pos})
	if len(t.parts) > 1 || k != metrics.Content {
		t.spans = append(t.spans, span{t.pos, t.pos, int32(len(t.parts) - 1), true})
	}
}

// append sanitizes raw and lays it out. A mark that joins the last cluster of
// the previous chunk moves that chunk's end.
func (t *lines) append(raw []byte, final bool) {
	t.piece = t.dec.Append(t.piece[:0], raw, final)
	if len(t.piece) == 0 {
		return
	}
	if have := t.text.Len(); have > largeText && have+len(t.piece) > t.text.Cap() {
		t.text.Grow(mostText)
	}
	t.text.Write(t.piece)
	s := t.text.String()
	if t.last < t.pos && t.piece[0] >= utf8.RuneSelf {
		// Does the new text extend the last cluster?
		if n, w := draw.Cluster(s[t.last:]); t.last+int32(n) > t.pos {
			old := t.pos
			t.pos = t.last + int32(n)
			t.col -= draw.Width(s[t.last:old])
			open := t.brk == old // the row could break behind it
			if open {
				t.brk = 0
			}
			t.wrap(t.last, w)
			if t.col += w; open {
				t.brk, t.brkCol = t.pos, t.col
			}
			for i := len(t.chunkEnds) - 1; i >= 0 && t.chunkEnds[i] == old; i-- {
				t.chunkEnds[i] = t.pos
			}
		}
	}
	for int(t.pos) < len(s) {
		n, w := draw.Cluster(s[t.pos:])
		t.layOut(s[t.pos], int32(n), w)
	}
}

// layOut lays out the cluster of n bytes and w columns at t.pos, which begins
// with byte b.
func (t *lines) layOut(b byte, n int32, w int) {
	at := t.pos
	t.last, t.pos = at, at+n
	switch {
	case (b == '\n' || b == ' ') && at == t.start && at == t.parts[len(t.parts)-1].from:
		// blanks before the first word of a part
		t.start, t.parts[len(t.parts)-1].from = t.pos, t.pos
		return
	case b == '\n':
		t.cut(at, t.pos, false)
		return
	case b == ' ':
		if t.soft && at == t.start {
			t.start = t.pos
			return
		}
		if t.col+1 > t.width {
			t.cut(at, t.pos, true)
			return
		}
		t.col++
		t.brk, t.brkCol = t.pos, t.col
		return
	}
	t.wrap(at, w)
	t.col += w
	if w == 2 && b >= 0xe2 { // scripts of wide characters break anywhere, those of India do not
		t.brk, t.brkCol = t.pos, t.col
	}
}

// wrap begins a new row, at a blank or else at byte at, if the w columns of the
// cluster there do not fit behind the row's.
func (t *lines) wrap(at int32, w int) {
	if t.col+w > t.width && at > t.start && t.brk > t.start {
		col := t.col - t.brkCol
		t.cut(t.brk, t.brk, true)
		t.col = col
	}
	if t.col+w > t.width && at > t.start {
		t.cut(at, at, true)
	}
}

// cut ends the row before byte to and begins the next one at next.
func (t *lines) cut(to, next int32, soft bool) {
	t.spans = append(t.spans, span{t.start, to, int32(len(t.parts) - 1), false})
	t.start, t.col, t.brk, t.brkCol, t.soft = next, 0, 0, 0, soft
}

// rows is the number of rows with the unfinished one, which may be empty: the next text goes there.
func (t *lines) rows() int {
	if t.start < t.len() || len(t.spans) == 0 || !t.closed {
		return len(t.spans) + 1
	}
	return len(t.spans)
}

func (t *lines) at(i int) span {
	if i < len(t.spans) {
		return t.spans[i]
	}
	return span{t.start, t.len(), int32(len(t.parts) - 1), false}
}

// chunkAt is the chunk whose text holds byte pos.
func (t *lines) chunkAt(pos int32) int {
	return sort.Search(len(t.chunkEnds), func(i int) bool { return t.chunkEnds[i] > pos })
}

// rowOf is the row that holds byte pos.
func (t *lines) rowOf(pos int32) int {
	return sort.Search(len(t.spans), func(i int) bool { return t.spans[i].to > pos })
}
