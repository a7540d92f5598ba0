package live

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// headSpace is the head of an answer, and the columns that it gets.
type headSpace struct {
	*metrics.ResponseHead
	w int
}

// answered reports whether the server sent anything before a fault.
func answered(st *metrics.Stream) bool { return st.Head != nil || st.Fault.Body != "" }

// textRow is a row of the text panel or of the definitions that is no streamed text: a
// name, and text behind it. own texts are the program's, not from outside.
type textRow struct {
	name, text string
	lead, role themes.Role // of name and text
	body, own  bool
}

// ownRow is one of the program's own texts.
func ownRow(role themes.Role, text string) textRow { return textRow{text: text, role: role, own: true} }

// namedRows is a text from outside behind a name, as rows of w columns.
func namedRows(name, text string, w int) (rows []textRow) {
	for i, row := range wrap(name+text, w) {
		r := textRow{lead: themes.Dim, text: row, role: themes.Text}
		if rest, ok := strings.CutPrefix(row, name); ok && i == 0 {
			r.name, r.text = name, rest
		}
		rows = append(rows, r)
	}
	return rows
}

// answerRows are the sanitized answer of a server that refused a request, in rows of that
// width: its status line, headers and body, or the first of the events that came and had
// no chunk. In brief the body stands first: there is little room.
func answerRows(st *metrics.Stream, width int, brief bool) []textRow {
	var head, body []textRow
	if st.Head != nil {
		head = headRows(headSpace{st.Head, width})
	}
	for _, row := range bodyRows(st.Fault.Body, width-2) {
		body = append(body, textRow{text: row, role: themes.Text, body: true})
	}
	absent := "no body"
	if st.Events > 0 && len(st.Chunks) == 0 && st.Fault.Kind != metrics.FaultInStream {
		absent = say.Unread(st.Events)
		if len(body) > 0 {
			body = append([]textRow{ownRow(themes.Dim, absent+"; the first:")}, body...)
		}
	}
	switch {
	case len(head) == 0 && len(body) == 0:
		return pick.Each(wrap(noAnswer(st), width-2), func(row *string) textRow { return ownRow(themes.Dim, *row) })
	case len(head) == 0:
		return body
	case len(body) == 0:
		return append(head, textRow{}, textRow{text: absent, role: themes.Dim})
	case brief:
		return append(append(body, textRow{}), head...)
	}
	return append(append(head, textRow{}), body...)
}

// noAnswer says why there is no answer to show.
func noAnswer(st *metrics.Stream) string {
	switch {
	case !st.Marks.GotConn.Known():
		return "no answer: there was no connection"
	case !st.Marks.Sent.Known():
		return "no answer: it was not sent completely"
	}
	return "no answer: no complete response header arrived"
}

// headRows are the status line and the fields of a head.
func headRows(h headSpace) []textRow {
	reason := format.If(h.Reason != "", " "+sanitize.Line(h.Reason, 60))
	status := sanitize.Line(h.Proto, 20) + " " + strconv.Itoa(h.Status) + reason
	rows := []textRow{{text: status, role: themes.Text}}
	for _, f := range h.Fields {
		rows = append(rows, namedRows(sanitize.Line(f.Name, 60)+": ", sanitize.Line(f.Value, 512), h.w)...)
	}
	if h.More > 0 {
		rows = append(rows, textRow{text: strconv.Itoa(h.More) + " more headers", role: themes.Dim})
	}
	if len(h.Withheld) > 0 {
		withheld := "not shown:"
		for _, n := range h.Withheld {
			withheld += " " + sanitize.Line(n, 60)
		}
		for _, part := range wrap(withheld, h.w) {
			rows = append(rows, textRow{text: part, role: themes.Dim})
		}
	}
	return rows
}

// faultBody is the largest number of rows of the server's answer, which is at most
// 4 KiB long; deepest bounds the indentation of a hostile one.
const faultBody, deepest = 200, 100

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
func wrap(s string, width int) (rows []string) {
	for row := range draw.Rows(strings.TrimLeft(s, " "), max(width, 1)) {
		rows = append(rows, row)
	}
	return rows
}

// definitions is the text of the overlay.
type definitions struct {
	shown bool
	rows  draw.Memo[int, []textRow]
	at    scroll
}

// definitionRows are what all figures mean, in rows of that width.
func definitionRows(width int) (rows []textRow) {
	for _, def := range say.Definitions() {
		if len(rows) > 0 {
			rows = append(rows, textRow{})
		}
		unit := format.If(def.Unit != "", "  ("+def.Unit+")")
		for _, row := range namedRows(def.Label+" ", "= "+def.Formula+unit, width) { // a formula is never cut
			row.lead, row.own = themes.Accent, true
			rows = append(rows, row)
		}
		for _, text := range [...]string{def.Text, "unknown: " + def.Undefined} {
			for _, row := range wrap(text, width-2) {
				rows = append(rows, ownRow(themes.Dim, "  "+row))
			}
		}
	}
	return rows
}

// define lays the meaning of the figures over the text, so that the figures
// themselves stay in view.
func (s *picture) define(p *canvas, lay plan, r draw.Rect) {
	at := format.Either(lay.compact || lay.text.Empty(), r, lay.text)
	p.Grid.Fill(at, ' ', themes.Text)
	d := &s.defs
	in := at.Inner()
	rows := d.rows.Of(in.W, definitionRows)
	d.at.fit(len(rows), in.H)
	p.Box(at, themes.Border, "what the figures mean", d.at.where(p, "row"))
	drawRows(p, in, rows[d.at.top:])
}

// meaning shows the meaning of the figures in a panel of its own, from the
// first on, where there is room for it beside everything else.
func (s *picture) meaning(p *canvas, r draw.Rect) {
	in := r.Inner()
	rows := s.means.Of(in.W, definitionRows)
	p.Box(r, themes.Border, "what the figures mean", format.Either(len(rows) > in.H, "d shows all", ""))
	drawRows(p, in, rows)
}
