package live

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
)

// faultText is the sanitized, wrapped text of a fault. It is kept while the
// fault is shown.
type faultText struct {
	of    *metrics.Fault
	width int
	head  []string // what happened
	next  []string // what to do
	facts []string // status, code, retry after
}

// faultBody is the largest number of rows of the server's answer. It is at most
// 4 KiB long.
const faultBody = 200

func (f *faultText) update(of *metrics.Fault, width int) {
	if f.of == of && f.width == width {
		return
	}
	*f = faultText{of: of, width: width}
	if of == nil {
		return
	}
	f.head = wrap(sanitize.Line(of.Message, 600), width-2)
	if len(f.head) == 0 {
		f.head = []string{string(of.Kind)}
	}
	f.next = wrap(sanitize.Line(of.Next, 600), width-6)
	var facts []string
	if of.Status != 0 {
		facts = append(facts, "HTTP "+strconv.Itoa(of.Status))
	}
	if of.Code != "" {
		facts = append(facts, sanitize.Line(of.Code, 60))
	}
	if of.Bound != "" {
		facts = append(facts, "bound: "+sanitize.Line(of.Bound, 60))
	}
	if of.RetryAfter > 0 {
		facts = append(facts, "retry after "+of.RetryAfter.String())
	}
	if of.Location != "" {
		facts = append(facts, "to "+sanitize.Line(of.Location, 120))
	}
	f.facts = facts
}

// deepest bounds the indentation of a hostile body.
const deepest = 100

// bodyRows are the sanitized rows of an answer's body, width columns wide. JSON
// on one line is indented first.
func bodyRows(body string, width int) (rows []string) {
	body = strings.TrimSpace(body[:min(len(body), 4096)])
	if !strings.Contains(body, "\n") && strings.Count(body, "[")+strings.Count(body, "{") <= deepest {
		var b bytes.Buffer
		if json.Indent(&b, []byte(body), "", "  ") == nil {
			body = b.String()
		}
	}
	for l := range strings.SplitSeq(sanitize.Block(body), "\n") {
		indent := len(l) - len(strings.TrimLeft(l, " "))
		indent = min(indent, max(width/3, 0))
		for _, row := range wrap(strings.TrimLeft(l, " "), width-indent) {
			rows = append(rows, strings.Repeat(" ", indent)+row)
		}
		if len(rows) >= faultBody {
			return rows[:faultBody]
		}
	}
	return rows
}

// wrap breaks a sanitized line at blanks into rows of width columns. Longer
// words are cut at the end of the row.
func wrap(s string, width int) []string {
	var t lines
	t.reset(0, width)
	t.parts = append(t.parts, part{})
	t.append([]byte(s), true)
	t.closed = true
	str := t.text.String()
	var out []string
	for i := range t.rows() {
		if r := t.at(i); r.to > r.from {
			out = append(out, str[r.from:r.to])
		}
	}
	return out
}

// faultMost is how many rows of a small text panel a fault may take.
const faultMost = 7

// faultRows is how many of most rows the fault needs.
func (s *textPanel) faultRows(p *canvas, width, most int) int {
	f := &s.faults
	f.update(p.v.Stream.Fault, width)
	n := len(f.head) + len(f.next)
	if answered(&p.v.Stream) {
		s.answer.update(&p.v.Stream, width, true)
		n += len(s.answer.rows)
	}
	if len(f.facts) > 0 {
		n++
	}
	return min(n, most)
}

// fault says what went wrong: what happened, what to do next, the facts, and
// the server's own words.
func (s *textPanel) fault(p *canvas, in draw.Rect) {
	f := &s.faults
	f.update(p.v.Stream.Fault, in.W)
	if f.of == nil {
		return
	}
	st, sign := themes.Bad, "✗ "
	switch p.v.Stream.State {
	case metrics.Truncated:
		st, sign = themes.Warn, "▲ "
	case metrics.Cancelled:
		st, sign = themes.Text, "· "
	}
	// The next step matters more than the server's words and always gets its
	// row.
	rows := in.H
	body := rows - len(f.head) - len(f.next)
	y := 0
	for i, text := range f.head {
		if y >= max(rows-min(len(f.next), 1), 1) {
			break
		}
		l := p.Row(in, y)
		if i == 0 {
			l.Write(st, sign)
		} else {
			l.Skip(2)
		}
		if i+1 < len(f.head) && y+1 >= max(rows-min(len(f.next), 1), 1) {
			text = p.Join(strings.TrimRight(text, " "), " ", f.head[i+1])
		}
		l.Cut(st, text)
		y++
	}
	for i, text := range f.next {
		if y >= rows {
			break
		}
		l := p.Row(in, y)
		if i == 0 {
			l.Write(themes.Dim, "next  ")
		} else {
			l.Skip(6)
		}
		if y == rows-1 && i+1 < len(f.next) {
			text = p.Join(strings.TrimRight(text, " "), " ", f.next[i+1]) // so that the cut is visible
		}
		l.Cut(themes.Text, text)
		y++
	}
	if body > 0 {
		y += s.factsRow(p, p.Row(in, y))
	}
	if !answered(&p.v.Stream) || y >= rows {
		return
	}
	s.answer.update(&p.v.Stream, in.W, true)
	if rows-y > len(s.answer.rows) {
		y++
	}
	_, in = in.SplitV(y)
	s.drawAnswer(p, in, 0)
}

// factsRow writes the facts that fit whole. It returns the rows used.
func (s *textPanel) factsRow(p *canvas, l line) int {
	l.Skip(2)
	sep := ""
	for _, fact := range s.faults.facts {
		if l.Whole(themes.Dim, p.Join(sep, fact)) {
			sep = " · "
		}
	}
	return min(len(s.faults.facts), 1)
}
