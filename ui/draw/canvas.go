package draw

import (
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/format"
)

// Canvas draws the panels of a screen. It holds the grid, the glyphs and the
// strings of one frame: a frame full of numbers costs one allocation, not one per
// number. A screen's own writer embeds it and adds the screen's data. It is not safe
// for concurrent use.
type Canvas struct {
	Grid   *Grid
	Glyphs *themes.Glyphs
	arena  strings.Builder // the strings of the frame
	used   int             // bytes of the largest frame so far
	num    []byte
}

// Begin starts a new frame on g. nil glyphs are the Unicode ones. Strings of the
// previous frame stay valid.
func (p *Canvas) Begin(g *Grid, gl *themes.Glyphs) {
	if gl == nil {
		gl = themes.UnicodeGlyphs()
	}
	p.Grid, p.Glyphs = g, gl
	p.used = max(p.used, p.arena.Len())
	p.arena.Reset()
	p.arena.Grow(p.used + p.used/4 + 512)
}

// Open is Begin for a screen in r: it blanks r, and until end is called nothing is drawn outside of it.
func (p *Canvas) Open(g *Grid, r Rect, gl *themes.Glyphs) (end func()) {
	p.Begin(g, gl)
	g.Fill(r, ' ', themes.Text)
	return g.Clip(r)
}

// Scratch returns an empty slice for a string. The next Keep copies it.
func (p *Canvas) Scratch() []byte { return p.num[:0] }

// Keep returns b as a string. The caller may reuse b.
func (p *Canvas) Keep(b []byte) string {
	p.num = b[:0]
	from := p.arena.Len()
	p.arena.Write(b)
	return p.arena.String()[from:]
}

// Join concatenates strings.
func (p *Canvas) Join(parts ...string) string {
	b := p.num[:0]
	for _, s := range parts {
		b = append(b, s...)
	}
	return p.Keep(b)
}

// Chrome returns one of the program's own texts, in ASCII if the glyph set
// is.
func (p *Canvas) Chrome(s string) string {
	if !p.Glyphs.ASCII || format.IsASCII(s) {
		return s
	}
	return p.Keep(format.AppendASCII(p.num[:0], s))
}

// Box draws a titled frame and returns the space inside, with one blank
// column at both sides. right is a dim text at its right, if that fits.
func (p *Canvas) Box(r Rect, border themes.Role, title, right string) Rect {
	p.Grid.Box(r, p.Glyphs, border, p.Chrome(title), themes.Title, "")
	p.Caption(r, border, Width(title), right)
	return r.Inner()
}

// Caption writes a dim text at the right of a box's upper line, if all of it
// fits beside a title of that many columns.
func (p *Canvas) Caption(r Rect, border themes.Role, title int, right string) {
	p.Grid.right(r, p.Glyphs, border, title, p.Chrome(right), themes.Dim) // ASCII can be wider
}

// Wrapped writes a text over the rows of r from y on, at most most rows, and
// returns the rows used. The last row ends with an ellipsis if text is left.
func (p *Canvas) Wrapped(r Rect, y, most int, st themes.Role, text string) int {
	used := 0
	for row, rest := range Rows(p.Chrome(text), r.W) {
		if used >= most || y+used >= r.H {
			break
		}
		l := p.Row(r, y+used)
		if used++; used == most || y+used == r.H {
			row = rest
		}
		l.Raw(st, row)
	}
	return used
}

// Sentence is Wrapped with all rows of r, the first of which ends with a clause where the
// rest then fits into another. So many clauses, each up to its "; ", have the role st, and
// those behind them that of text; of a text that is only wrapped all have st.
func (p *Canvas) Sentence(r Rect, st themes.Role, clauses int, text string) int {
	text = p.Chrome(text)
	n := len(format.Clauses(text, func(s string) bool { return Width(s) < r.W }))
	n = max(n, strings.LastIndex(Head(text, r.W), ". ")) + len("; ")
	if n < len(text) && (r.H < 2 || Width(text[n:]) > r.W) || n == len("; ") {
		return p.Wrapped(r, 0, r.H, st, text)
	}
	first, second := p.Row(r, 0), p.Row(r, 1)
	for clause := range strings.SplitAfterSeq(text, "; ") {
		if clauses--; clauses < 0 {
			st = themes.Text
		}
		at := min(max(n, 0), len(clause))
		first.Write(st, clause[:at])
		second.Write(st, clause[at:])
		n -= len(clause)
	}
	return format.Either(second.X > r.X, 2, 1)
}

// Middle writes a text into r from its upper third on, each row centered, in as many
// rows as it needs.
func (p *Canvas) Middle(r Rect, st themes.Role, text string) {
	y := r.H / 3
	for row := range Rows(p.Chrome(text), r.W) {
		if y < r.H {
			p.Grid.Center(r.X, r.Y+y, r.W, row, p.Glyphs, st)
		}
		y++
	}
}

// maxTail is the largest number of lines that Tail draws.
const maxTail = 96

// Tail writes the last lines of a text into r from its first row on, and behind them a
// cursor if more will come. Lines are cut from the front of the text, so that only the
// last one grows; the text must be sanitized.
func (p *Canvas) Tail(r Rect, text string, more bool) {
	if r.Empty() {
		return
	}
	lines := 0
	var last [maxTail]string
	for row := range Rows(text, r.W) {
		last[lines%maxTail] = row
		lines++
	}
	first := max(lines-min(r.H, maxTail), 0)
	for i := first; i < lines; i++ {
		n := p.Grid.Text(r.X, r.Y+i-first, last[i%maxTail], themes.Text, r.W)
		if i == lines-1 && more && n < r.W {
			p.Grid.Set(r.X+n, r.Y+i-first, p.Glyphs.Cursor, themes.Cursor)
		}
	}
}

// Memo keeps what was made of the last key, so that a frame does not make it again.
// The zero Memo is empty. It belongs to one goroutine.
type Memo[K comparable, V any] struct {
	key  K
	made V
	full bool
}

// Of returns make(key), from memory where key is the last one.
func (m *Memo[K, V]) Of(key K, make func(K) V) V {
	if !m.full || m.key != key {
		m.key, m.made, m.full = key, make(key), true
	}
	return m.made
}

// Unknown is the text of a figure without a value.
const Unknown = format.Unknown

// The figures of a frame. Package format writes them, the Canvas keeps them.

// Known is a known figure as write appends it, or "–".
func (p *Canvas) Known(v metrics.Value, write func([]byte, float64) []byte) string {
	if !v.OK {
		return Unknown
	}
	return p.Keep(write(p.num[:0], v.V))
}

// Int is a number that names something, such as a user or a status; it has no
// commas.
func (p *Canvas) Int(n int) string { return p.Keep(strconv.AppendInt(p.num[:0], int64(n), 10)) }

// Count and those that follow are what format's functions of their names write.
// Elapsed is whole seconds with their unit.
func (p *Canvas) Count(n int) string           { return p.Keep(format.AppendCount(p.num[:0], n)) }
func (p *Canvas) Whole(v float64) string       { return p.Keep(format.AppendWhole(p.num[:0], v)) }
func (p *Canvas) Number(v float64) string      { return p.Keep(format.AppendNumber(p.num[:0], v)) }
func (p *Canvas) Exact(v float64) string       { return p.Keep(format.AppendExact(p.num[:0], v)) }
func (p *Canvas) Ms(ms float64) string         { return p.Keep(format.AppendMs(p.num[:0], ms)) }
func (p *Canvas) Percent(share float64) string { return p.Keep(format.AppendPercent(p.num[:0], share)) }
func (p *Canvas) Elapsed(seconds float64) string {
	return p.Keep(format.AppendElapsed(p.num[:0], seconds))
}
func (p *Canvas) Amount(v float64, unit string) string {
	return p.Keep(format.AppendAmount(p.num[:0], v, unit))
}

// WholeOf, NumberOf, PercentOf and Duration, of ms, write a known figure, or "–".
func (p *Canvas) WholeOf(v metrics.Value) string   { return p.Known(v, format.AppendWhole) }
func (p *Canvas) NumberOf(v metrics.Value) string  { return p.Known(v, format.AppendNumber) }
func (p *Canvas) PercentOf(v metrics.Value) string { return p.Known(v, format.AppendPercent) }
func (p *Canvas) Duration(v metrics.Value) string  { return p.Known(v, format.AppendMs) }

// Bounded is format.Bounded of a time.
func (p *Canvas) Bounded(v metrics.Value, b metrics.Bound) string {
	if v.OK && b.Wide() {
		return p.Join(format.AtMost, p.Ms(b.High))
	}
	return p.Duration(v)
}

// Waiting is format.Waiting with its unit.
func (p *Canvas) Waiting(v, atLeast metrics.Value) string {
	if atLeast.OK {
		return p.Join(format.AtLeast, p.Ms(format.DownMs(atLeast.V)))
	}
	return p.Duration(v)
}

// Failing is format.Failing of a time.
func (p *Canvas) Failing(v metrics.Value) string {
	return format.Either(v.Why == metrics.WhyFailed, format.BeyondAll, p.Duration(v))
}

// Stopwatch is a running time with its unit: format.AppendStopwatch.
func (p *Canvas) Stopwatch(ms float64) string {
	b, unit := format.AppendStopwatch(p.num[:0], ms)
	return p.Keep(append(append(b, ' '), unit...))
}

// Plural is a count with its noun: format.Plural.
func (p *Canvas) Plural(n int, one, many string) string {
	return p.Join(p.Count(n), " ", format.Either(n == 1, one, many))
}
