package live

import (
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Sizes of the text panel that shows a failure.
const (
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

// failed gives the room of the panels of figures to the text panel, as far as its whole
// rows need it. r is the place of all of them. The rows of the session stay, and with past
// so does the scope if the text panel can do with need rows: it shows earlier runs.
func (p plan) failed(r draw.Rect, need, whole int, past bool) plan {
	if p.compact {
		return plan{compact: true, text: r, runsLine: true}
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
	if whole+2 > r.H-foot && r.W >= failure2W { // the command has no room beside the answer
		whole = need
	}
	q.text, q.runs = r.SplitV(min(r.H-foot, whole+2))
	q.runs.H = foot
	return q
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

// failureRows is how many rows a failure needs in a panel of w columns, without the request
// as a command and with it.
func (s *textPanel) failureRows(p *canvas, w int) (need, whole int) {
	st := &p.v.Stream
	left, right, beside := besideFault(st, w)
	s.list = s.came(p, s.fault(p, s.list[:0], left, allRows), left)
	n, answer := len(s.list), len(answerRows(st, right, false))
	all := len(s.sent(p, s.list, left))
	if beside {
		return max(n, answer), max(all, answer)
	}
	return n + 1 + answer, all + 1 + answer
}

// allRows is a number of rows that does not bound a text.
const allRows = 1 << 10

// failure shows what happened, the next step and how far the request came, and the
// whole answer of the server: beside it, or where it is narrow below what happened.
// What does not fit scrolls.
func (s *textPanel) failure(p *canvas, in draw.Rect) {
	st := &p.v.Stream
	left, right, beside := besideFault(st, in.W)
	switch {
	case st.State == metrics.Cancelled && !answered(st) && !st.Asking: // there is nothing to explain
		s.list = s.steps(p, s.fault(p, s.list[:0], in.W, in.H), in.W)
	case beside:
		fault, answer := in.SplitH(left + 1)
		p.Grid.Down(answer.X, answer.Y, in.H, p.Glyphs.V, themes.Border)
		s.list = s.came(p, s.fault(p, s.list[:0], left, in.H), left)
		if rows := s.sent(p, s.list, left); len(rows) <= in.H {
			s.list = rows
		}
		drawRows(p, fault, s.list)
		in = draw.Rect{X: answer.X + 2, Y: in.Y, W: right, H: in.H}
		s.list = append(s.list[:0], answerRows(st, right, false)...)
	default:
		s.list = s.sent(p, s.came(p, s.broken(p, s.list[:0], in, in.H), in.W), in.W)
	}
	s.area = in
	s.at.fit(len(s.list), in.H)
	p.Grid.Target(in, onText)
	drawRows(p, in, s.list[s.at.top:])
}

// broken appends what happened, in at most most rows, and below it the server's answer:
// its body first where in has little room.
func (s *textPanel) broken(p *canvas, rows []textRow, in draw.Rect, most int) []textRow {
	st := &p.v.Stream
	rows = s.fault(p, rows, in.W, most)
	answer := answerRows(st, in.W, in.H < 24)
	if len(rows)+len(answer) < most {
		rows = append(rows, textRow{})
	}
	return append(rows, answer...)
}

// fault appends what happened, the next step, the wait that the server asked for and
// the facts. The first two have at most most rows, and the next step always one: it
// matters most.
func (s *textPanel) fault(p *canvas, rows []textRow, w, most int) []textRow {
	st := &p.v.Stream
	f := st.Fault
	head, next := wrap(sanitize.Line(f.Message, 600), w-2), wrap(sanitize.Line(f.Next, 600), w-6)
	if len(head) == 0 {
		head = []string{string(f.Kind)}
	}
	role, sign := themes.Bad, "✗ "
	switch st.State {
	case metrics.Truncated:
		role, sign = themes.Warn, "▲ "
	case metrics.Cancelled:
		role, sign = themes.Text, "· "
	}
	rows = hanging(p, rows, max(most-min(len(next), 1), 1), textRow{name: sign, lead: role, role: role}, head)
	rows = hanging(p, rows, most, textRow{name: "next  ", lead: themes.Dim, role: themes.Text}, next)
	if left, ok := retryLeft(p.v); ok {
		wait := textRow{name: "wait  ", lead: themes.Dim, own: true}
		wait.text, wait.role = "over: space sends the request again", themes.Good
		if left > 0 {
			wait.text, wait.role = p.Join(p.Elapsed(left.Seconds()), " left ", say.WaitOf(st)), themes.Warn
		}
		rows = append(rows, wait)
	}
	facts := format.Join(" · ", format.If(f.Status != 0, "HTTP "+strconv.Itoa(f.Status)), sanitize.Line(f.Code, 60),
		format.If(f.Bound != "", "bound: "+sanitize.Line(f.Bound, 60)),
		format.If(f.Location != "", "to "+sanitize.Line(f.Location, 120)))
	for _, row := range wrap(facts, w-2) {
		rows = append(rows, ownRow(themes.Dim, "  "+row))
	}
	return rows
}

// hanging appends a text: its first row as first, the others below its text. They are
// none beyond row end, where the last one shows that it is cut.
func hanging(p *canvas, rows []textRow, end int, first textRow, texts []string) []textRow {
	for i, text := range texts {
		if len(rows) >= end {
			break
		}
		row := first
		row.text, row.own = text, true
		if i > 0 {
			row.name = p.wide("", draw.Width(first.name))
		}
		if len(rows) == end-1 && i+1 < len(texts) {
			row.text = p.Join(strings.TrimRight(text, " "), " ", texts[i+1])
		}
		rows = append(rows, row)
	}
	return rows
}

// came appends how far the request came.
func (s *textPanel) came(p *canvas, rows []textRow, w int) []textRow {
	st := &p.v.Stream
	rows = append(append(rows, textRow{}), namedRows("request to ", sanitize.Line(st.Endpoint.URL, 200), w)...)
	if remote := st.Conn.Remote; remote != "" {
		address := sanitize.Line(remote, 60) + format.If(st.Conn.Proxy != "", " via proxy")
		rows = append(rows, textRow{name: "  address ", lead: themes.Dim, text: address, role: themes.Text})
	}
	if st.Asking || st.Fault.Status != 0 && !st.Marks.GotConn.Known() { // the answer is to another request
		return append(rows, ownRow(themes.Dim, "  not sent: the server was asked first what it is"))
	}
	return s.steps(p, rows, w)
}

// sent appends the request as a command for a shell.
func (s *textPanel) sent(p *canvas, rows []textRow, w int) []textRow {
	if p.v.Curl == "" {
		return rows
	}
	head := textRow{name: "as curl", lead: themes.Text, role: themes.Dim, own: true}
	head.text = "; Y copies it, with the key as a variable"
	rows = append(rows, textRow{}, head)
	for line := range strings.SplitSeq(sanitize.Block(strings.TrimSpace(p.v.Curl)), "\n") {
		for _, row := range wrap(line, w-2) {
			rows = append(rows, textRow{name: "  ", text: row, role: themes.Dim})
		}
	}
	return rows
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
		l.Cut(themes.Dim, format.Either(st.State.Ended(), "no response", "no response yet"))
		return
	}
	drawRows(p, in, s.head.Of(headSpace{st.Head, in.W}, headRows))
}

func drawRows(p *canvas, in draw.Rect, rows []textRow) {
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
	from := format.Either(st.Marks.Headers.Known(), st.Marks.Headers, st.Marks.End)
	elapsed, known := v.Now.Sub(from)
	if !known {
		return 0, false
	}
	// Whole seconds, rounded up: 0 is shown only when it is over.
	left = max(st.Fault.RetryAfter-elapsed, 0)
	return (left + time.Second - 1).Truncate(time.Second), true
}
