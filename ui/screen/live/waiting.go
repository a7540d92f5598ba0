package live

import (
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// waiting is the content of the text panel before the first word: what was
// asked, what is being waited for, and how long that may go on.
func (s *textPanel) waiting(p *canvas, in draw.Rect) {
	st := &p.v.Stream
	rows, tall := s.list[:0], in.H >= 10
	if tall {
		rows = append(rows, textRow{})
	}
	head, about, brief := waitWords(st)
	if st.State == metrics.Idle {
		about = p.Join("the prompt goes to ", safeName(p.v.Endpoint.Name))
		if m := p.v.Endpoint.Model; m != "" {
			about = p.Join(about, " · ", sanitize.Line(m, 40))
		}
	}
	if rows = append(rows, ownRow(themes.Strong, head)); in.H >= 3 {
		rows = append(rows, ownRow(themes.Dim, format.Either(brief != "" && draw.Width(about) > in.W, brief, about)))
	}
	if tall {
		rows = append(rows, textRow{})
	}
	if st.State != metrics.Idle && !st.Asking && in.H >= len(rows)+steps {
		rows = s.steps(p, rows, in.W)
	}
	if st.Progress.Total > 0 && st.State == metrics.Waiting {
		s.progress(p, p.Row(in, len(rows)))
		rows = append(rows, textRow{})
	}
	if left, bound, ok := p.countdown(); ok {
		text := p.Join(left, bound)
		rows = append(rows, ownRow(themes.Warn, format.Either(draw.Width(text) > in.W, left, text)))
	}
	if st.Comments > 0 {
		rows = append(rows, ownRow(themes.Dim, p.Join(p.Count(st.Comments), " keep-alives arrived: the server is alive")))
	}
	if t := st.Path; t != nil && len(t.Connects) > 0 {
		rows = append(rows, ownRow(themes.Dim, p.connects("a connect each second: ", t)))
	}
	s.list = rows
	drawRows(p, in, rows)
	if prompt := s.prompt.Of(st.Work, promptLine); prompt != "" && in.H-len(rows) >= 3 {
		l := p.Row(in, in.H-2)
		l.Write(themes.Dim, "prompt ")
		l.Write(themes.Ghost, "▸")
		quoted := st.Work.Messages == ""
		l.Write(themes.Dim, format.Either(quoted, " “", " "))
		l.End--
		l.Raw(themes.Text, prompt)
		l.End++
		l.Write(themes.Dim, format.If(quoted, "”"))
		s.asked(p, p.Row(in, in.H-1))
	}
}

// connects says what tokscope does during the silence, and what it sees, after
// the given words.
func (p *canvas) connects(words string, t *metrics.Path) string {
	last := &t.Connects[len(t.Connects)-1]
	switch last.Result {
	case metrics.ConnectOK:
		return p.Join(words, "answered in ", p.Ms(float64(last.Elapsed)/1e6))
	case metrics.ConnectRefused:
		return p.Join(words, "refused")
	}
	return p.Join(words, "not answered")
}

// waitWords describe the state of the request in plain words. brief is about
// for a narrow panel, "" where about is short enough.
func waitWords(st *metrics.Stream) (head, about, brief string) {
	switch {
	case st.State == metrics.Idle:
		return "ready", "", ""
	case st.Asking:
		return "asking the server what it is",
			"once, before its first request; not part of the figures", "once; not part of the figures"
	case st.State == metrics.Connecting && st.Marks.GotConn.Known():
		return "sending the request", "the connection is open", ""
	case st.State == metrics.Connecting && st.Marks.ConnectDone.Known():
		return "connecting", "TLS handshake", ""
	case st.State == metrics.Connecting && st.Marks.DNSDone.Known():
		return "connecting", "TCP", ""
	case st.State == metrics.Connecting:
		return "connecting", "the request needs an open connection", "before the request can be sent"
	case st.State == metrics.Decoding:
		return "events arrive, but no text yet", "the server has begun to answer", ""
	case st.Marks.FirstRole.Known() || st.Marks.FirstEvent.Known():
		return "waiting for the first token", "the server has begun to answer; no text yet", "the server answers; no text yet"
	case st.Marks.Headers.Known():
		return "waiting for the first token",
			"the server accepted the request; it is queued or in prefill", "queued or in prefill"
	}
	return "waiting for the first token", "request sent; no answer from the server yet", "sent; no answer yet"
}

// step is a stage of a request before the first token.
type step struct {
	word     string
	from, to metrics.Stamp
}

// steps is the number of stages.
const steps = 4

func stepsOf(m *metrics.Marks) [steps]step {
	return [...]step{{"connection", m.Start, m.GotConn}, {"request sent", m.GotConn, m.Sent},
		{"server answers", m.Sent, m.Headers}, {"first token", m.Sent, metrics.NoStamp}}
}

// steps appends the stations: those behind with the time they took, the one under way
// with its clock, those ahead.
func (s *textPanel) steps(p *canvas, rows []textRow, w int) []textRow {
	st := &p.v.Stream
	running, ended := false, st.State.Ended()
	for i, step := range stepsOf(&st.Marks) {
		row := textRow{name: "· ", lead: themes.Faint, role: themes.Dim, own: true}
		took, about := "", ""
		switch {
		case step.to.Known():
			row.name, row.lead = "✓ ", themes.Good
			took, about = p.took("", step.from, step.to), format.Either(i == 2, "  after sending", "")
			if i == 0 && st.Conn.Reused {
				took = "reused"
			}
		case step.from.Known() && !running && ended:
			row.name, row.lead, row.role, running = "✗ ", themes.Bad, themes.Text, true
			took, about = p.took("", step.from, st.Marks.End), "  until it failed"
		case step.from.Known() && (!running || i == steps-1) && !ended:
			row.name, row.lead, row.role, running = "▸ ", themes.Ghost, themes.Text, true
			num, unit := p.clock(float64(p.v.Now-step.from) / 1e6)
			took = p.Join(num, " ", unit)
		}
		row.text = step.word
		if took != "" {
			row.text = p.Join(step.word, p.wide(took, stepColumns-len(step.word)))
		}
		if len(row.name)+stepColumns+len(about) <= w {
			row.text = p.Join(row.text, about)
		}
		if rows = append(rows, row); i == 0 && ended && st.Marks.ConnectStart.Known() {
			rows = append(rows, ownRow(themes.Dim, s.connection(p)))
		}
	}
	return rows
}

// stepColumns are those of a station and its time.
const stepColumns = 24

// connection lists the parts of the connection that were completed.
func (s *textPanel) connection(p *canvas) string {
	m, text, sep := &p.v.Stream.Marks, "", "  "
	for _, part := range [...]string{p.took("dns ", m.DNSStart, m.DNSDone),
		p.took("tcp ", m.ConnectStart, m.ConnectDone), p.took("tls ", m.TLSStart, m.TLSDone)} {
		if part != "" {
			text, sep = p.Join(text, sep, part), " · "
		}
	}
	return text
}

// took is the time between two stamps behind a name, "" where it is unknown.
func (p *canvas) took(name string, from, to metrics.Stamp) string {
	d, ok := to.Sub(from)
	if !ok {
		return ""
	}
	return p.Join(name, p.Ms(float64(d)/1e6))
}

// asked is the workload in one line: what does not fit whole is left out.
func (s *textPanel) asked(p *canvas, l line) {
	w := &p.v.Stream.Work
	in, out := "", ""
	if w.InputTokens > 0 {
		in = p.Join("about ", p.Count(w.InputTokens), " tokens in")
	}
	if w.MaxTokens > 0 {
		out = p.Join("at most ", p.Count(w.MaxTokens), " tokens out")
	}
	l.Skip(9)
	l.List(themes.Dim, " · ", in, out, p.Join("connection ", w.Connection.String()))
}

// progress is the server's own word on its prefill (llama.cpp).
func (s *textPanel) progress(p *canvas, l line) {
	g := p.v.Stream.Progress
	done := min(max(g.Processed, 0), g.Total)
	text := say.Prefill(done, g.Total)
	n := min(max(l.Left()-draw.Width(text)-18, 0), 24)
	if n >= 6 {
		p.Grid.Gauge(l.X, l.Y, n, float64(done)/float64(g.Total), p.Glyphs, themes.Prefill, themes.Faint)
		l.Skip(n + 1)
	}
	l.Write(themes.Text, text)
	l.Whole(themes.Text, say.PrefillLeft(p.v.Stream.PrefillLeft(p.v.Now).V))
	if g.Cached > 0 {
		l.Whole(themes.Dim, p.Join(", ", p.Count(g.Cached), " from its cache"))
	}
	if n >= 6 {
		l.Whole(themes.Dim, " (server says)")
	}
}

// countdown says how long the wait may still go on, once it is long, and by
// which bound.
func (p *canvas) countdown() (left, bound string, ok bool) {
	st := &p.v.Stream
	if st.State.Ended() || !st.DataDeadline.Known() {
		return "", "", false
	}
	since := st.LastData
	if !since.Known() || st.State <= metrics.Waiting {
		since = st.Marks.Sent
	}
	if !since.Known() {
		since = st.Marks.Start
	}
	waited, known := p.v.Now.Sub(since)
	whole, _ := st.DataDeadline.Sub(since)
	if !known || waited < countdownMin || float64(waited) < countdown*float64(whole) {
		return "", "", false
	}
	rest := max(time.Duration(st.DataDeadline-p.v.Now), 0)
	if st.DataBound != "" {
		bound = p.Join(" (", sanitize.Line(st.DataBound, 40), ")")
	}
	return p.Join("times out in ", p.Int(int((rest+time.Second-1)/time.Second)), " s"), bound, true
}
