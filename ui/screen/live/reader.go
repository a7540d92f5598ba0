package live

import (
	"slices"
	"sort"
	"strings"
	"unicode"
	"unicode/utf8"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
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

// readerLine is the last row of the text panel: where a human reader is by
// now. A long silence of the stream takes its place.
func (s *textPanel) readerLine(p *canvas, r draw.Rect) {
	l := p.Row(r, 0)
	if ms, ok := p.silence(); ok {
		l.Write(themes.Stall, "▲")
		l.Write(themes.Warn, p.Join(" nothing for ", p.Stopwatch(ms)))
		if st := &p.v.Stream; len(st.Path.ConnectsSince(st.LastData)) > 0 {
			if !l.Whole(themes.Dim, p.connects("; a connect each second: ", st.Path)) {
				l.Whole(themes.Dim, p.connects("; connects: ", st.Path))
			}
		}
		if left, bound, ok := p.countdown(); ok && l.Whole(themes.Warn, p.Join("; ", left)) {
			l.Whole(themes.Dim, bound)
		}
		return
	}
	h := p.ghost
	if !h.Begun {
		if len(s.text.parts) > 0 && s.text.parts[0].kind == metrics.Reasoning && !p.v.Stream.TextRemoved {
			l.Cut(themes.Dim, "the reader starts with the answer")
		}
		return
	}
	l.Write(themes.Dim, p.Join("reader, ", p.Int(int(p.pace().WPM)), " wpm"))
	switch {
	case h.Done:
		l.Write(themes.Dim, ", kept up to the end")
	case h.Waiting:
		l.Write(themes.Warn, ", waits")
	}
	if h.Done || h.to <= h.from {
		return
	}
	l.Write(themes.Ghost, " ▸ ")
	ahead := ""
	if n := int(h.arrived) - int(h.Words); n > 0 { // whole words, the difference of the two shown counts
		words := format.Either(n == 1, " word behind", " words behind")
		ahead = p.Join("  ", p.wide(p.Count(n), 3), format.Either(l.Left() < 36, " behind", words))
	}
	room := l.Left() - draw.Width(ahead) - 2
	if room < 6 {
		ahead, room = "", l.Left()-2
	}
	l.Write(themes.Dim, "“")
	end := l.End
	l.End = l.X + max(min(room, 36), 0)
	row := s.text.at(s.text.rowOf(h.from)) // the word under the reader's eyes, with what follows it there
	l.Raw(themes.Ghost, strings.TrimRight(s.text.text.String()[h.from:max(min(row.to, s.text.len()), h.from)], " "))
	l.End = end
	l.Write(themes.Dim, "”")
	if ahead != "" {
		l.To(l.End - draw.Width(ahead))
		l.Write(themes.Dim, ahead)
	}
}

// note is the weightiest of what the figures must be read with.
type note struct {
	text, brief string // "" without any
	more        int    // how many more there are
	plain       bool   // it is not a warning
}

// noteOf is the note of the panel.
func (s *textPanel) noteOf(p *canvas) note {
	st := &p.v.Stream
	if p.v.Message != "" && !p.messaged {
		return note{text: p.v.Message, plain: !p.v.Warn}
	}
	n := note{more: len(st.Notes) - 1}
	for i := range p.v.Figures.Suspect { // the first that the conclusion on the screen does not name
		if d := &p.v.Figures.Suspect[i]; !slices.Contains(p.said, verdict.Code(d.Code)) {
			if n.more++; n.text == "" {
				n.text, n.brief = say.Suspicion(d), say.SuspicionBrief(d)
			}
		}
	}
	switch {
	case n.text != "":
	case len(st.Notes) > 0:
		at := len(st.Notes) - 1
		for at > 0 && st.Notes[at].Code == metrics.NoteModelAlias { // it says the least
			at--
		}
		n.text, n.brief = st.Notes[at].Text, say.NoteBrief(&st.Notes[at])
		n.plain = st.Notes[at].Code == metrics.NoteModelAlias
	case s.text.hidden > 0:
		n.text, n.brief = "chunks of other choices are not shown", "other choices are hidden"
	}
	if s.text.hidden > 0 {
		n.more++
	}
	return n
}

// noteLines is the note of the panel laid out in a panel of that size, "" alone where
// there is none: the place of one row is always kept, so that the text does not jump when
// a note comes.
func (s *textPanel) noteLines(p *canvas, in draw.Rect) (note, []string) {
	n := s.noteOf(p)
	return n, s.low.Of(noteSpace{n, in.W - 2, format.Either(in.H >= roomForNotes, 2, 1)}, linesOf)
}

// roomForNotes is the height of the text panel from which a note may take two
// rows.
const roomForNotes = 9

// noteSpace is a note and its room: rows of w columns.
type noteSpace struct {
	note
	w, rows int
}

// linesOf lays a note out in its room; in brief where that is too small.
func linesOf(n noteSpace) []string {
	s := say.Sentence{{Text: sanitize.Line(n.text, 200), Brief: n.brief}}
	if n.brief != "" && strings.HasSuffix(s[0].Text, "…") { // cut already
		s[0].Text = n.brief
	}
	if n.more > 0 {
		more := format.Count(n.more)
		s = append(s, say.Clause{Text: " (" + more + " more)", Brief: " +" + more})
	}
	rows := format.Wrap(s.FitRows(n.w, n.rows), n.w)
	return rows[:min(len(rows), n.rows)]
}

// note shows a note in r, a row of it each.
func (s *textPanel) note(p *canvas, r draw.Rect, n note, rows []string) {
	if n.text == "" {
		return
	}
	role, sign := themes.Warn, "! "
	switch {
	case n.plain && p.v.Message != "" && !p.messaged:
		role, sign = themes.Strong, "▸ "
	case n.plain:
		role, sign = themes.Dim, "  "
	}
	for i, row := range rows {
		l := p.Row(r, i)
		l.Write(role, format.Either(i == 0, sign, "  "))
		l.Raw(role, row)
	}
}
