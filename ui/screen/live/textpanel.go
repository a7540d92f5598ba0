package live

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// textPanel is the arriving text, and the texts before and instead of it. It
// keeps the wrapped lines and the scroll position.
type textPanel struct {
	text      lines
	textWidth int       // columns of the text
	follow    bool      // the end of the text stays visible
	at        scroll    // of the text
	area      draw.Rect // where they were drawn last

	head   draw.Memo[headSpace, []textRow]
	list   []textRow // in the place of a text, of the last frame
	prompt draw.Memo[metrics.Workload, string]
	low    draw.Memo[noteSpace, []string] // the rows of the note
}

// textPanel draws the text as it arrives, or what there is to say before and
// instead of it.
func (s *textPanel) textPanel(p *canvas, r draw.Rect) {
	in := p.box(r, "", "")
	if p.boxless {
		in = draw.Rect{X: r.X + 1, Y: r.Y + 1, W: r.W - 2, H: r.H - 1}
	}
	s.textBody(p, in)
	s.textTitle(p, r)
}

// requestFrom is the width from which the title has the whole name of a request:
// "request 35", not "#35".
const requestFrom = 44

// textTitle is "stream 3 ─ decoding ─ 212/400 tokens". Of a recording, and of what
// another screen lends, it begins with the name that the header has: "request 35
// ─ …", "user 3 ─ …".
func (s *textPanel) textTitle(p *canvas, r draw.Rect) {
	st := &p.v.Stream
	if r.W < 6 {
		return
	}
	l := format.Either(p.boxless, p.Row(r, 0), p.Line(r.X+1, r.Y, r.W-3))
	rule := func() {
		l.Write(themes.Border, " ")
		p.Grid.Set(l.X, l.Y, p.Glyphs.H, themes.Border)
		l.Skip(1)
		l.Write(themes.Border, " ")
	}
	l.Write(themes.Border, " ")
	switch {
	case p.boxless && p.v.Other != "":
		l.Write(themes.Dim, p.Join("last run: ", p.v.Other))
	case p.v.Request != "":
		name := p.v.Request
		if number, ok := strings.CutPrefix(name, "request "); ok && r.W < requestFrom {
			name = p.Join("#", number)
		}
		l.Write(themes.Title, name)
	case p.boxless:
	case st.State == metrics.Idle:
		l.Write(themes.Title, "stream")
	default:
		l.Write(themes.Title, p.Join("stream ", p.Int(st.ID)))
	}
	if l.X > r.X+2 {
		rule()
	}
	s.state(p, &l)
	if n := p.produced(); n != "" && draw.Width(n)+4 <= l.Left() {
		rule()
		l.Write(themes.Dim, n)
	}
	l.Write(themes.Border, " ")
	right := ""
	switch {
	case p.v.Frozen:
		right = "frozen"
	case !s.follow || st.Fault != nil && len(s.text.parts) == 0:
		right = s.at.where(p, "line")
	}
	p.Caption(r, themes.Border, l.X-r.X, right)
}

// state writes the state of the request. The word and a sign carry the meaning;
// the color only helps.
func (s *textPanel) state(p *canvas, l *line) {
	st := &p.v.Stream
	switch st.State {
	case metrics.Idle:
		l.Write(themes.Dim, "ready")
	case metrics.Connecting:
		l.Write(themes.Network, format.Either(st.Asking, "asking", "connecting"))
	case metrics.Waiting, metrics.Decoding:
		switch n := len(st.Chunks); {
		case st.Working() != nil:
			l.Write(themes.Text, p.Join("waiting for ", safeName(st.Working().Name)))
		case st.State == metrics.Waiting:
			l.Write(p.v.waitRole(), "waiting")
		case p.stalling():
			l.Write(themes.Stall, "▲ stalled")
		case n > 0 && st.Chunks[n-1].Kind == metrics.Reasoning:
			l.Write(themes.Decode, "reasoning")
		default:
			l.Write(themes.Decode, "decoding")
		}
	case metrics.Done, metrics.Failed, metrics.Truncated, metrics.Cancelled:
		sign, role := outcome(p.Glyphs, st.State, &p.v.Figures)
		if f := p.v.Findings; st.State == metrics.Done && len(f) > 0 && f[0].Grade == verdict.Bad {
			role = themes.Text // it ended as it should, and was not good
		}
		l.Write(role, p.Join(string(sign), " ", say.Outcome(st.State)))
		if st.State == metrics.Done && metrics.FinishKindOf(st.Finish) != metrics.FinishStop {
			l.Write(themes.Dim, p.Join(" (", say.FinishReason(st.Finish), ")"))
		}
	}
}

// produced returns how much has arrived: "212/400 tokens", or chunks where tokens
// are not counted. It runs with the text, and so do all counts of the screen.
func (p *canvas) produced() string {
	st, v := &p.v.Stream, &p.v.Figures
	most, tokens := st.Work.MaxTokens, p.tokensNow()
	switch {
	case tokens.OK && v.TokenSource != metrics.TokensEstimated && v.TokenSource != metrics.TokensUnknown:
		return p.Join(p.WholeOf(tokens), format.If(most > 0, p.Join("/", p.Count(most))), " tokens")
	case len(st.Chunks) > 0:
		return p.Plural(p.chunksNow(), "chunk", "chunks")
	case most > 0 && !st.State.Ended():
		return p.Join("at most ", p.Count(most), " tokens")
	}
	return ""
}

// chunksNow is the number of chunks that came, those after the last look at the figures
// included. A trimmed stream has fewer than the figures know.
func (p *canvas) chunksNow() int { return max(p.v.Figures.Chunks, len(p.v.Stream.Chunks)) }

// tokensNow are the tokens that came, as far as they are counted as they come; an
// estimate is that of the figures.
func (p *canvas) tokensNow() metrics.Value {
	st, n := &p.v.Stream, p.v.Figures.Tokens
	if !n.OK || st.State.Ended() || p.v.Figures.TokenSource == metrics.TokensEstimated {
		return n
	}
	for _, c := range st.Chunks[min(p.v.Figures.Chunks, len(st.Chunks)):] {
		n.V += float64(max(c.Tokens, 0))
	}
	n.V = max(n.V, float64(st.LiveTokens), float64(st.Usage.Completion))
	return n
}

// textBody shares the inside between text, fault and reader.
func (s *textPanel) textBody(p *canvas, in draw.Rect) {
	st := &p.v.Stream
	has := len(s.text.parts) > 0
	if p.v.Message != "" && !p.messaged && in.H >= 5 && (!has && !st.State.Ended() || st.Fault != nil) {
		var below draw.Rect
		n, rows := s.noteLines(p, in)
		in, below = in.SplitV(in.H - len(rows))
		s.note(p, below, n, rows)
	}
	switch {
	case st.Fault != nil && !has:
		s.failure(p, in)
		return
	case !has && !st.State.Ended():
		s.waiting(p, in)
		s.at.rows, s.at.room = 0, 0
		return
	case st.Fault != nil && in.H > 3:
		// One row of text stays; the fault and its next step matter more.
		var below draw.Rect
		most := min(max(faultMost, in.H/2), in.H-2)
		if s.list = s.fault(p, s.list[:0], in.W, most); answered(st) {
			s.list = s.broken(p, s.list[:0], in, most)
		}
		in, below = in.SplitV(in.H - min(most, len(s.list)) - 1)
		rule := p.Row(below, 0)
		rule.Ruler()
		_, below = below.SplitV(1)
		drawRows(p, below, s.list)
	case in.H >= 5:
		var below draw.Rect
		n, rows := s.noteLines(p, in)
		in, below = in.SplitV(in.H - 1 - len(rows))
		note, reader := below.SplitV(below.H - 1)
		s.note(p, note, n, rows)
		p.Grid.Target(reader, onReading)
		s.readerLine(p, reader)
	}
	s.rows(p, in)
}

func (s *textPanel) rows(p *canvas, in draw.Rect) {
	t := &s.text
	p.Grid.Target(in, onText)
	s.area = in
	if s.at.fit(t.rows(), in.H); s.follow {
		s.at.top = s.at.last()
	}
	s.follow = s.at.top == s.at.last()
	ghost := -1
	if p.ghost.Begun && p.ghost.to > p.ghost.from {
		ghost = t.rowOf(p.ghost.from)
	}
	for i := range min(in.H, s.at.rows-s.at.top) {
		n := s.at.top + i
		row := t.at(n)
		if row.heading {
			s.heading(p, p.Row(in, i), row.part)
			continue
		}
		end := s.row(p, p.Row(in, i), row)
		if n == ghost {
			s.underline(p, in, i, row)
		}
		if n == s.at.rows-1 && p.v.Stream.State == metrics.Decoding && p.blink() {
			p.Grid.Set(end, in.Y+i, p.Glyphs.Cursor, themes.Cursor)
		}
	}
}

// blink reports whether the cursor is shown now: half a second of each.
func (p *canvas) blink() bool {
	return p.v.ReducedMotion || p.v.Frozen || time.Duration(p.v.Now)%(1060*time.Millisecond) < 530*time.Millisecond ||
		p.v.Now-p.v.Stream.LastData < metrics.Stamp(silentAfter)
}

// row draws one row of text, each chunk in its tint, and returns the column
// after it. Chunks that came late or together are marked in the margin too.
func (s *textPanel) row(p *canvas, l line, row span) int {
	t := &s.text
	str := t.text.String()
	mark := 0 // 1 burst, 2 stall
	for i := t.chunkAt(row.from); i < len(t.chunkEnds) && row.from < row.to; i++ {
		to := min(t.chunkEnds[i], row.to)
		if to <= row.from {
			continue
		}
		st, m := s.chunkRole(p, i)
		mark = max(mark, m)
		l.X += p.Grid.Text(l.X, l.Y, str[row.from:to], st, l.Left())
		row.from = to
	}
	switch mark {
	case 1:
		p.Grid.Set(l.End-s.textWidth-1, l.Y, p.Glyphs.Burst, themes.Burst)
	case 2:
		p.Grid.Set(l.End-s.textWidth-1, l.Y, p.Glyphs.Stall, themes.Stall)
	}
	return l.X
}

// chunkRole is the look of chunk i's text, and the mark of its row.
func (s *textPanel) chunkRole(p *canvas, i int) (themes.Role, int) {
	st := &p.v.Stream
	c := &st.Chunks[i]
	rest := themes.Text
	switch c.Kind {
	case metrics.Reasoning:
		rest = themes.Reasoning
	case metrics.ToolCall:
		rest = themes.Accent
	case metrics.Refusal:
		rest = themes.Warn
	}
	fade := themes.Fades
	if age := p.v.Now - c.At; !p.v.ReducedMotion && age < themes.Fades*fadeStep {
		fade = int(max(age, 0) / fadeStep)
	}
	fresh := fade < themes.Fades-1 && (c.Kind != metrics.Reasoning || fade < themes.Fades/2)
	gap, burst := gapBefore(st, i)
	_, stalled := slices.BinarySearchFunc(p.v.Figures.Stalls, i, func(s metrics.Stall, i int) int { return s.Chunk - i })
	switch {
	case i == p.cursor:
		return themes.Badge, 0
	case stalled:
		return themes.Stall, 2
	case burst && fresh:
		return themes.Burst, 1
	case burst:
		return rest, 1
	case fresh && gap >= 0:
		return themes.Tint(draw.Heat(gap), fade), 0
	}
	return rest, 0
}

// gapBefore is the time in ms between chunk i and the one before, -1 when
// unknown. burst reports that both came in one read.
func gapBefore(s *metrics.Stream, i int) (ms float64, burst bool) {
	if ms, ok := s.Gap(i); ok {
		return ms, false
	}
	if i < 1 || s.Chunks[i].Choice != s.Chunks[i-1].Choice {
		return -1, false
	}
	return -1, s.Chunks[i].Read == s.Chunks[i-1].Read
}

// underline marks the word that the reader reads now.
func (s *textPanel) underline(p *canvas, in draw.Rect, i int, row span) {
	str := s.text.text.String()
	from, to := max(p.ghost.from, row.from), min(p.ghost.to, row.to)
	if from >= to || p.cursor >= 0 && p.cursor >= s.text.chunkAt(from) && p.cursor <= s.text.chunkAt(to-1) {
		return // the cursor's word is marked already
	}
	x := draw.Width(str[row.from:from])
	p.Grid.Style(draw.Rect{X: in.X + x, Y: in.Y + i, W: min(draw.Width(str[from:to]), in.W-x), H: 1}, themes.Ghost)
}

// partNames are the headings of the parts; "" is the answer's.
var partNames = map[metrics.Kind]string{metrics.Reasoning: "reasoning", metrics.ToolCall: "tool call",
	metrics.Refusal: "refusal", metrics.Audio: "audio", metrics.Image: "image"}

// heading draws the rule above a part: its kind and its own times.
func (s *textPanel) heading(p *canvas, l line, part int32) {
	st := &p.v.Stream
	at := s.text.parts[part]
	p.Grid.Set(l.X, l.Y, p.Glyphs.H, themes.Border)
	l.Skip(1)
	l.Write(themes.Border, " ")
	l.Write(themes.Title, cmp.Or(partNames[at.kind], "answer"))
	first, last := &st.Chunks[at.first], &st.Chunks[at.last]
	l.Write(themes.Dim, p.took("  from ", st.Marks.Sent, first.At))
	l.Write(themes.Dim, format.If(at.last > at.first, p.took(" for ", first.At, last.At)))
	l.Write(themes.Dim, p.Join(" · ", p.Plural(at.last-at.first+1, "chunk", "chunks"), " "))
	l.Ruler()
}
