package edit

import (
	"strings"
	"unicode/utf8"

	"tokscope/ui/draw"
)

// MaxBytes bounds the text. It is far above any prompt and far below what
// would slow down the editor.
const MaxBytes = 1 << 20

// Pos is a position between two clusters: Col clusters into line Line.
type Pos struct{ Line, Col int }

// Buffer is a text with a caret. Create it with New.
type Buffer struct {
	lines [][]string // clusters of each line; never empty
	at    Pos
	want  int // the column in cells for vertical moves, -1 when unset
	bytes int

	width int // width in cells at which rows wrap
	rows  []Row
	stale bool

	undo []state
	last kind // kind of the last change, to join changes of one kind
}

// New returns a buffer that holds s, with the caret at the end.
func New(s string) *Buffer {
	b := &Buffer{lines: [][]string{nil}, want: -1, width: 80, stale: true}
	b.insert(s)
	return b
}

// String returns the text.
func (b *Buffer) String() string {
	var sb strings.Builder
	sb.Grow(b.bytes)
	for i, l := range b.lines {
		if i > 0 {
			sb.WriteByte('\n')
		}
		for _, c := range l {
			sb.WriteString(c)
		}
	}
	return sb.String()
}

// Set replaces the text and clears the undo history.
func (b *Buffer) Set(s string) {
	b.lines, b.at, b.want, b.bytes, b.stale = [][]string{nil}, Pos{}, -1, 0, true
	b.undo, b.last = nil, none
	b.insert(s)
}

// Caret returns the position of the caret.
func (b *Buffer) Caret() Pos { return b.at }

// Len returns the number of characters, line ends included.
func (b *Buffer) Len() int {
	n := len(b.lines) - 1
	for _, l := range b.lines {
		n += len(l)
	}
	return n
}

// Clean prepares pasted or typed text for the buffer. Line ends become LF and
// invalid bytes U+FFFD. Control characters other than LF and TAB are removed.
func Clean(s string) string {
	s = strings.ToValidUTF8(s, "\uFFFD")
	s = strings.ReplaceAll(s, "\r\n", "\n")
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\r':
			return '\n'
		case r == '\n' || r == '\t':
			return r
		case r < 0x20 || r >= 0x7f && r < 0xa0:
			return -1
		}
		return r
	}, s)
}

// insert inserts the cleaned s at the caret, cut at MaxBytes.
func (b *Buffer) insert(s string) {
	s = Clean(s)
	if room := MaxBytes - b.bytes; len(s) > room {
		for room > 0 && !utf8.RuneStart(s[room]) {
			room--
		}
		s = s[:max(room, 0)]
	}
	if s == "" {
		return
	}
	b.replace(b.at, b.at, s)
}

// replace puts s in the place of the text from p to q, with p before q, and moves the
// caret behind it.
func (b *Buffer) replace(p, q Pos, s string) {
	head, tail := strings.Join(b.lines[p.Line][:p.Col], ""), strings.Join(b.lines[q.Line][q.Col:], "")
	b.bytes += len(head) + len(s) + len(tail) - (q.Line - p.Line)
	for _, l := range b.lines[p.Line : q.Line+1] {
		for _, c := range l {
			b.bytes -= len(c)
		}
	}
	parts := strings.Split(head+s, "\n")
	last := len(parts) - 1
	behind := len(parts[last])
	parts[last] += tail
	fresh := make([][]string, len(parts))
	for i, part := range parts {
		fresh[i] = clusters(part)
	}
	b.lines = append(b.lines[:p.Line:p.Line], append(fresh, b.lines[q.Line+1:]...)...)
	b.at = Pos{p.Line + last, colAt(fresh[last], behind)}
	b.want, b.stale = -1, true
}

// clusters splits a line into grapheme clusters.
func clusters(s string) []string {
	if s == "" {
		return nil
	}
	out := make([]string, 0, len(s))
	for s != "" {
		n, _ := draw.Cluster(s)
		out = append(out, s[:n])
		s = s[n:]
	}
	return out
}

// colAt returns the first cluster boundary at or after byte n.
func colAt(line []string, n int) int {
	for i, c := range line {
		if n <= 0 {
			return i
		}
		n -= len(c)
	}
	return len(line)
}
