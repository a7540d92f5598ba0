package live

import (
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// Sizes of the text panel that shows a failure.
const (
	failureH   = 10 // from here on: how far the request came, and an answer that scrolls
	failure2W  = 92 // from here on: the answer beside the fault
	scopeLeast = 12 // rows of a scope below a failure, at least
	faultLeft  = 48 // columns of the fault there, at least
	faultMost  = 7  // rows that a fault may take of a small panel with text
)

// failedEarly reports whether the request failed before its first chunk. The
// panels of the figures then have nothing to show: the failure gets their room.
func failedEarly(s *metrics.Stream) bool {
	return (s.State == metrics.Failed || s.State == metrics.Truncated) && s.Fault != nil && len(s.Chunks) == 0
}

// failed gives the room of the panels of figures to the text panel. r is the
// place of all of them. The rows of the session stay, and with past so does the
// scope if the text panel needs only need rows: it shows earlier runs.
func (p plan) failed(r draw.Rect, need int, past bool) plan {
	if p.compact {
		return p
	}
	q := plan{said: p.said, runsLine: p.runsLine}
	if !p.said.Empty() {
		_, r = r.SplitV(1)
	}
	foot := min(max(p.runs.H, 1), r.H/4)
	if scope := min(r.H-foot-need-2, p.scope.H); past && scope >= scopeLeast {
		q.text, q.scope = r.SplitV(r.H - foot - scope)
		q.scope, q.runs = q.scope.SplitV(scope)
		return q
	}
	q.text, q.runs = r.SplitV(r.H - foot)
	return q
}

// answerOf are the rows of the server's answer.
func (s *textPanel) answerOf(st *metrics.Stream, width int, brief bool) []answerRow {
	return s.answer.Of(answerKey{st.Head, st.Fault.Body, noAnswer(st), width, brief}, answerRows)
}

// besideFault divides a panel of w columns between the fault and the answer beside it;
// ok is false where there is no room for both, or no answer.
func besideFault(st *metrics.Stream, w int) (fault, answer int, ok bool) {
	if w < failure2W || !answered(st) {
		return w, w, false
	}
	fault = max(w*2/5, faultLeft)
	return fault - 1, w - fault - 2, true
}

// failureRows is how many rows the whole failure needs in a panel of w columns.
func (s *textPanel) failureRows(st *metrics.Stream, w int) int {
	left, right, beside := besideFault(st, w)
	f, answer := s.faults.Of(fitted[*metrics.Fault]{st.Fault, left}, faultRows), s.answerOf(st, right, false)
	n := len(f.head) + len(f.next) + 7 + steps
	if beside {
		return max(n, len(answer))
	}
	return n + 1 + len(answer)
}

// faultHeight is how many rows of most the fault needs in small.
func (s *textPanel) faultHeight(st *metrics.Stream, w, most int) int {
	f := s.faults.Of(fitted[*metrics.Fault]{st.Fault, w}, faultRows)
	n := len(f.head) + len(f.next) + min(len(f.facts), 1)
	if answered(st) {
		n += len(s.answerOf(st, w, true))
	}
	return min(n, most)
}

// failure shows what happened, the next step and how far the request came, and
// the whole answer of the server: beside it, or below it where it is narrow.
// The answer scrolls.
func (s *textPanel) failure(p *canvas, in draw.Rect) {
	st := &p.v.Stream
	if left, right, ok := besideFault(st, in.W); ok {
		fault, answer := in.SplitH(left + 1)
		for y := range in.H {
			p.Grid.Set(answer.X, answer.Y+y, p.Glyphs.V, themes.Border)
		}
		fault.W, answer.X, answer.W = left, answer.X+2, right
		s.came(p, fault, s.fault(p, fault))
		s.scrolled(p, answer, false)
		return
	}
	used := s.fault(p, in)
	if s.failureRows(st, in.W) <= in.H { // the server's own words matter more than how far the request came
		used = s.came(p, in, used)
	}
	if !answered(st) && used+1 >= in.H {
		s.at.rows, s.at.room = 0, 0
		return
	}
	_, below := in.SplitV(min(used, in.H))
	if below.H > 4 {
		rule := p.Row(below, 0)
		rule.Ruler()
		_, below = below.SplitV(1)
	}
	s.scrolled(p, below, in.H < 24)
}

// smallFault shows the fault where there is little room: what fits of it, and of the
// answer.
func (s *textPanel) smallFault(p *canvas, in draw.Rect) {
	y := s.fault(p, in)
	if !answered(&p.v.Stream) || y >= in.H {
		return
	}
	rows := s.answerOf(&p.v.Stream, in.W, true)
	if in.H-y > len(rows) {
		y++
	}
	_, in = in.SplitV(y)
	drawRows(p, in, rows)
}

// fault writes what happened, the next step, the wait that the server asked for and
// the facts, what fits of them. The next step matters most and always has a row.
// It returns the rows used.
func (s *textPanel) fault(p *canvas, in draw.Rect) int {
	st := &p.v.Stream
	f := s.faults.Of(fitted[*metrics.Fault]{st.Fault, in.W}, faultRows)
	role, sign := themes.Bad, "✗ "
	switch st.State {
	case metrics.Truncated:
		role, sign = themes.Warn, "▲ "
	case metrics.Cancelled:
		role, sign = themes.Text, "· "
	}
	y := hanging(p, in, 0, max(in.H-min(len(f.next), 1), 1), role, role, sign, f.head)
	y = hanging(p, in, y, in.H, themes.Dim, themes.Text, "next  ", f.next)
	if left, ok := retryLeft(p.v); ok && y < in.H {
		l := p.Row(in, y)
		l.Write(themes.Dim, "wait  ")
		if left > 0 {
			l.Write(themes.Warn, p.Elapsed(left.Seconds()))
			l.Whole(themes.Dim, " left of the server's Retry-After")
		} else {
			l.Write(themes.Good, "over")
			l.Whole(themes.Dim, ": space sends the request again")
		}
		y++
	}
	if len(f.facts) > 0 && y < in.H {
		l := p.Row(in, y)
		l.Skip(2)
		l.List(themes.Dim, " · ", f.facts...)
		y++
	}
	return y
}

// hanging writes rows from row y of in on, up to row end: the first behind sign, the
// others below its text. A row that is the last before others shows that it is cut.
// It returns the row after them.
func hanging(p *canvas, in draw.Rect, y, end int, first, role themes.Role, sign string, rows []string) int {
	for i, text := range rows {
		if y >= end {
			break
		}
		l := p.Row(in, y)
		if i == 0 {
			l.Write(first, sign)
		} else {
			l.Skip(draw.Width(sign))
		}
		if y == end-1 && i+1 < len(rows) {
			text = p.Join(strings.TrimRight(text, " "), " ", rows[i+1])
		}
		l.Cut(role, text)
		y++
	}
	return y
}

// came writes how far the request came, below row y and a blank one. It returns the
// rows used.
func (s *textPanel) came(p *canvas, in draw.Rect, y int) int {
	st := &p.v.Stream
	y++
	for i, row := range wrap("request to "+sanitize.Line(st.Endpoint.URL, 200), in.W) {
		l := p.Row(in, y)
		if rest, ok := strings.CutPrefix(row, "request to "); ok && i == 0 {
			l.Write(themes.Dim, "request to ")
			row = rest
		}
		l.Raw(themes.Text, row)
		y++
	}
	if c := &st.Conn; c.Remote != "" {
		l := p.Row(in, y)
		l.Skip(2)
		l.Write(themes.Dim, "address ")
		l.Raw(themes.Text, sanitize.Line(c.Remote, 60))
		if c.Proxy != "" {
			l.Whole(themes.Warn, " via proxy")
		}
		y++
	}
	if st.Asking {
		l := p.Row(in, y)
		l.Skip(2)
		l.Cut(themes.Dim, "not sent: the server was asked first what it is")
		y++
	}
	return s.sent(p, in, s.steps(p, in, y))
}

// sent shows the request as a command for a shell below row y, where there is
// room for the whole of it. It returns the rows used.
func (s *textPanel) sent(p *canvas, in draw.Rect, y int) int {
	if p.v.Curl == "" {
		return y
	}
	rows := s.curl.Of(text{p.v.Curl, in.W - 2}, commandRows)
	if y+2+len(rows) > in.H {
		return y
	}
	y++
	l := p.Row(in, y)
	l.Write(themes.Text, "as curl")
	l.Whole(themes.Dim, "; Y copies it, with the key as a variable")
	for _, row := range rows {
		y++
		l := p.Row(in, y)
		l.Skip(2)
		l.Raw(themes.Dim, row)
	}
	return y + 1
}

// scrolled shows the answer from the scroll position on.
func (s *textPanel) scrolled(p *canvas, in draw.Rect, brief bool) {
	rows := s.answerOf(&p.v.Stream, in.W, brief)
	s.area = in
	s.at.fit(len(rows), in.H)
	p.Grid.Target(in, onText)
	drawRows(p, in, rows[s.at.top:])
}

// response shows the head of the response of a stream in a panel of its own.
func (s *textPanel) response(p *canvas, r draw.Rect) {
	st := &p.v.Stream
	right := ""
	if st.Head != nil {
		right = p.took("headers after ", st.Marks.Sent, st.Marks.Headers)
	}
	in := p.Box(r, themes.Border, "response", right)
	if st.Head == nil {
		l := p.Row(in, 0)
		l.Cut(themes.Dim, draw.Either(st.State.Ended(), "no response", "no response yet"))
		return
	}
	drawRows(p, in, s.head.Of(fitted[*metrics.ResponseHead]{st.Head, in.W}, headRows))
}

// drawRows draws the rows that fit.
func drawRows(p *canvas, in draw.Rect, rows []answerRow) {
	for i := range max(min(in.H, len(rows)), 0) {
		row, l := &rows[i], p.Row(in, i)
		if row.body {
			p.Grid.Set(l.X, l.Y, p.Glyphs.V, themes.Faint)
			l.Skip(2)
		}
		name, text := row.name, row.text
		if row.own {
			name, text = p.Chrome(name), p.Chrome(text)
		}
		l.Raw(row.lead, name)
		l.Raw(row.role, text)
	}
}

// counting reports whether a wait that the server asked for runs, or has ended since
// the last frame.
func (s *picture) counting(v *View) bool {
	left, ok := retryLeft(v)
	return ok && (left > 0 || s.retry > 0)
}

// retryLeft is how much is left of the wait that the server asked for, counted from
// the head of its response; 0 when it is over. ok is false if it asked for none.
func retryLeft(v *View) (left time.Duration, ok bool) {
	st := &v.Stream
	if !st.State.Ended() || st.Fault == nil || st.Fault.RetryAfter <= 0 {
		return 0, false
	}
	from := st.Marks.Headers
	if !from.Known() {
		from = st.Marks.End
	}
	elapsed, known := v.Now.Sub(from)
	if !known {
		return 0, false
	}
	// Whole seconds, rounded up: 0 is shown only when it is over.
	left = max(st.Fault.RetryAfter-elapsed, 0)
	return (left + time.Second - 1).Truncate(time.Second), true
}
