package live

import (
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// Sizes of the text panel that shows a failure.
const (
	failureH   = 10 // from here on: the answer of the server; below, what fits of the fault
	failure2W  = 92 // from here on: the answer beside the fault
	scopeLeast = 12 // rows of a scope below a failure, at least
	faultLeft  = 48 // columns of the fault there, at least
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

// failureRows is how many rows the failure needs in a panel of w columns.
func (s *textPanel) failureRows(p *canvas, w int) int {
	st := &p.v.Stream
	left, right := w, w
	if w >= failure2W && answered(st) {
		left = max(w*2/5, faultLeft)
		right = w - left - 2
		left--
	}
	s.faults.update(st.Fault, left)
	s.answer.update(st, right, false)
	n := len(s.faults.head) + len(s.faults.next) + 7 + len(steps)
	if left < w {
		return max(n, len(s.answer.rows))
	}
	return n + 1 + len(s.answer.rows)
}

// answered reports whether the server sent anything.
func answered(st *metrics.Stream) bool { return st.Head != nil || st.Fault.Body != "" }

// answerText is the sanitized answer of a server that refused a request: status
// line, headers, body. It is kept while the fault is shown.
type answerText struct {
	of    *metrics.Fault
	width int
	brief bool // the body first: there is little room
	rows  []answerRow
}

// answerRow is one row: a name, and text behind it.
type answerRow struct {
	name, text string
	role       themes.Role
	body       bool
}

func (a *answerText) update(st *metrics.Stream, width int, brief bool) {
	if a.of == st.Fault && a.width == width && a.brief == brief {
		return
	}
	*a = answerText{of: st.Fault, width: width, brief: brief}
	var head, body []answerRow
	if h := st.Head; h != nil {
		head = headRows(h, width)
	}
	for _, row := range bodyRows(st.Fault.Body, width-2) {
		body = append(body, answerRow{text: row, role: themes.Text, body: true})
	}
	switch {
	case len(head) == 0 && len(body) == 0:
		a.rows = []answerRow{{text: noAnswer(st), role: themes.Dim}}
	case len(head) == 0:
		a.rows = body
	case len(body) == 0:
		a.rows = append(head, answerRow{}, answerRow{text: "no body", role: themes.Dim})
	case brief:
		a.rows = append(append(body, answerRow{}), head...)
	default:
		a.rows = append(append(head, answerRow{}), body...)
	}
}

// response shows the head of the response of a stream in a panel of its own.
func (s *textPanel) response(p *canvas, r draw.Rect) {
	st := &p.v.Stream
	right := ""
	if st.Head != nil && st.Marks.Headers.Known() {
		if d, ok := st.Marks.Headers.Sub(st.Marks.Sent); ok {
			right = p.Join("headers after ", p.Ms(float64(d)/1e6))
		}
	}
	in := p.Box(r, themes.Border, "response", right)
	if st.Head == nil {
		l := p.Row(in, 0)
		l.Cut(themes.Dim, draw.Either(st.State.Ended(), "no response", "no response yet"))
		return
	}
	if s.head.of != st.Head || s.head.width != in.W {
		s.head.of, s.head.width, s.head.rows = st.Head, in.W, headRows(st.Head, in.W)
	}
	for i := range min(in.H, len(s.head.rows)) {
		s.head.rows[i].draw(p, p.Row(in, i))
	}
}

// headText is the sanitized head of a response.
type headText struct {
	of    *metrics.ResponseHead
	width int
	rows  []answerRow
}

// noAnswer says why there is no answer to show.
func noAnswer(st *metrics.Stream) string {
	switch {
	case !st.Marks.GotConn.Known():
		return "no answer: there was no connection to send on"
	case !st.Marks.Sent.Known():
		return "no answer: the request was not sent completely"
	}
	return "no answer: no complete response header arrived"
}

// headRows are the status line and the fields of a head.
func headRows(h *metrics.ResponseHead, width int) []answerRow {
	status := sanitize.Line(h.Proto, 20) + " " + strconv.Itoa(h.Status)
	if h.Reason != "" {
		status += " " + sanitize.Line(h.Reason, 60)
	}
	rows := []answerRow{{text: status, role: themes.Text}}
	for _, f := range h.Fields {
		name := sanitize.Line(f.Name, 60) + ": "
		for i, part := range wrap(name+sanitize.Line(f.Value, 512), width) {
			if i == 0 && len(part) >= len(name) {
				rows = append(rows, answerRow{name: name, text: part[len(name):], role: themes.Text})
				continue
			}
			rows = append(rows, answerRow{text: part, role: themes.Text})
		}
	}
	if h.More > 0 {
		rows = append(rows, answerRow{text: strconv.Itoa(h.More) + " more headers", role: themes.Dim})
	}
	if len(h.Withheld) > 0 {
		text := "not shown:"
		for _, n := range h.Withheld {
			text += " " + sanitize.Line(n, 60)
		}
		for _, part := range wrap(text, width) {
			rows = append(rows, answerRow{text: part, role: themes.Dim})
		}
	}
	return rows
}

// failure shows what happened, the next step and how far the request came, and
// the whole answer of the server: beside it, or below it where it is narrow.
// The answer scrolls.
func (s *textPanel) failure(p *canvas, in draw.Rect) {
	st := &p.v.Stream
	if in.W >= failure2W && answered(st) {
		left, right := in.SplitH(max(in.W*2/5, faultLeft))
		for y := range in.H {
			p.Grid.Set(right.X, right.Y+y, p.Glyphs.V, themes.Border)
		}
		right.X, right.W = right.X+2, right.W-2
		left.W--
		s.answer.update(st, right.W, false)
		s.faultColumn(p, left, true)
		s.answerRows(p, right)
		return
	}
	// The server's own words matter more than how far the request came.
	used := s.faultColumn(p, in, s.failureRows(p, in.W) <= in.H)
	s.answer.update(st, in.W, in.H < 24)
	if !answered(st) && used+1 >= in.H {
		s.total, s.shown = 0, 0
		return
	}
	_, below := in.SplitV(min(used, in.H))
	if below.H > 4 {
		rule := p.Row(below, 0)
		rule.Ruler()
		_, below = below.SplitV(1)
	}
	s.answerRows(p, below)
}

// faultColumn writes what happened, the next step, the wait that the server
// asked for, the facts, and how far the request came if steps is set. It
// returns the rows used.
func (s *textPanel) faultColumn(p *canvas, in draw.Rect, steps bool) int {
	st, f := &p.v.Stream, &s.faults
	f.update(st.Fault, in.W)
	y := 0
	write := func(first, role themes.Role, sign string, skip int, rows []string) {
		for i, text := range rows {
			l := p.Row(in, y)
			if i == 0 {
				l.Write(first, sign)
			} else {
				l.Skip(skip)
			}
			l.Cut(role, text)
			y++
		}
	}
	if st.State == metrics.Truncated {
		write(themes.Warn, themes.Warn, "▲ ", 2, f.head)
	} else {
		write(themes.Bad, themes.Bad, "✗ ", 2, f.head)
	}
	write(themes.Dim, themes.Text, "next  ", 6, f.next)
	if left, ok := p.retry(); ok {
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
	y += s.factsRow(p, p.Row(in, y))
	if !steps {
		return y
	}
	y++
	for i, row := range wrap("request to "+sanitize.Line(st.Endpoint.URL, 200), in.W) {
		l := p.Row(in, y)
		if rest, ok := strings.CutPrefix(row, "request to "); ok && i == 0 {
			l.Write(themes.Dim, "request")
			l.Write(themes.Dim, " to ")
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
	if s.curl.of != p.v.Curl || s.curl.width != in.W {
		s.curl.of, s.curl.width, s.curl.rows = p.v.Curl, in.W, nil
		for line := range strings.SplitSeq(sanitize.Block(strings.TrimSpace(p.v.Curl)), "\n") {
			s.curl.rows = append(s.curl.rows, wrap(line, in.W-2)...)
		}
	}
	if y+2+len(s.curl.rows) > in.H {
		return y
	}
	y++
	l := p.Row(in, y)
	l.Write(themes.Text, "as curl")
	l.Whole(themes.Dim, "; Y copies it, with the key as a variable")
	for _, row := range s.curl.rows {
		y++
		l := p.Row(in, y)
		l.Skip(2)
		l.Raw(themes.Dim, row)
	}
	return y + 1
}

// curlText is the wrapped request.
type curlText struct {
	of    string
	width int
	rows  []string
}

// answerRows shows the answer from the scroll position on.
func (s *textPanel) answerRows(p *canvas, in draw.Rect) {
	rows := s.answer.rows
	s.total, s.shown, s.area = len(rows), in.H, in
	s.top = max(min(s.top, len(rows)-in.H), 0)
	p.Grid.Target(in, onText)
	s.drawAnswer(p, in, s.top)
}

// drawAnswer draws the rows of the answer from row top on.
func (s *textPanel) drawAnswer(p *canvas, in draw.Rect, top int) {
	rows := s.answer.rows
	for i := range max(min(in.H, len(rows)-top), 0) {
		rows[top+i].draw(p, p.Row(in, i))
	}
}

func (row *answerRow) draw(p *canvas, l line) {
	if row.body {
		p.Grid.Set(l.X, l.Y, p.Glyphs.V, themes.Faint)
		l.Skip(2)
	}
	l.Raw(themes.Dim, row.name)
	l.Raw(row.role, row.text)
}

// retry is how much is left of the wait that the server asked for, counted
// from the head of its response; 0 when it is over. ok is false if it asked
// for none.
func (p *canvas) retry() (left time.Duration, ok bool) { return retryLeft(p.v) }

// counting reports whether such a wait runs, or has ended since the last frame.
func (s *picture) counting(v *View) bool {
	left, ok := retryLeft(v)
	return ok && (left > 0 || s.retry > 0)
}

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
