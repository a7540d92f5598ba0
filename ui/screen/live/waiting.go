package live

import (
	"net/http"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/themes"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// waiting is the content of the text panel before the first word: what was
// asked, what came, what is being waited for, and how long that may go on.
func (s *textPanel) waiting(p *canvas, in draw.Rect) {
	st := &p.v.Stream
	head, about := waitWords(st)
	listed := st.State != metrics.Idle && !st.Asking && in.H > steps // the step under way says it
	if st.State == metrics.Idle {
		about = p.Join("the prompt goes to ", safeName(p.v.Endpoint.Name))
		if m := p.v.Endpoint.Model; m != "" {
			about = p.Join(about, " · ", sanitize.Line(m, 40))
		}
	}
	rows := s.list[:0]
	if listed {
		rows = s.steps(p, rows, in.W)
	} else {
		rows = append(rows, ownRow(themes.Strong, head))
	}
	if (!listed || draw.Width(about) > in.W-stepAbout) && in.H >= 3 {
		rows = append(rows, ownRow(themes.Dim, about))
	}
	if in.H >= steps+5 {
		rows = append(rows, textRow{})
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
		alive := p.Join(p.Count(st.Comments), format.Either(st.Comments == 1, " keep-alive", " keep-alives"))
		rows = append(rows, ownRow(themes.Dim, p.Join(alive, " arrived: the server is alive")))
	}
	if t := st.Path; t != nil && len(t.Connects) > 0 {
		rows = append(rows, ownRow(themes.Dim, p.connects("a connect each second: ", t)))
	}
	s.list = rows
	drawRows(p, in, rows)
	line := func(w metrics.Workload) string { return sanitize.Line(say.Prompt(&w), 400) }
	if prompt := s.prompt.Of(st.Work, line); prompt != "" && in.H > len(rows) {
		l := p.Row(in, in.H-1)
		l.Write(themes.Dim, "prompt ")
		l.Write(themes.Ghost, "▸")
		quoted := st.Work.Messages == ""
		l.Write(themes.Dim, format.Either(quoted, " “", " "))
		l.End--
		l.Raw(themes.Text, prompt)
		l.End++
		l.Write(themes.Dim, format.If(quoted, "”"))
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

// thinking is the state of a request whose thinking has no text.
const thinking = "thinking"

// waitWords describe the state of the request in a few plain words.
func waitWords(st *metrics.Stream) (head, about string) {
	k := &st.Marks
	switch {
	case st.State == metrics.Idle:
		return "ready", ""
	case st.Asking:
		return "asking the server what it is", "once; not part of the figures"
	case st.State == metrics.Connecting && k.GotConn.Known():
		return "sending the request", "the connection is open"
	case st.State == metrics.Connecting && k.ConnectDone.Known():
		return "connecting", "TLS handshake"
	case st.State == metrics.Connecting && k.DNSDone.Known():
		return "connecting", "TCP"
	case st.State == metrics.Connecting:
		return "connecting", "before the request can be sent"
	case st.Working() != nil:
		return "waiting for a token", "the server's tool " + safeName(st.Working().Name) + " works"
	case st.Thinking > 0 && len(st.Chunks) > 0:
		return thinking, "about " + format.Plural(st.Thinking, "token", "tokens")
	case len(st.Chunks) == 0 && st.Usage.Reasoning > 0:
		return thinking, format.Plural(st.Usage.Reasoning, "token", "tokens") + " so far"
	case len(st.Chunks) == 0 && st.Thinks:
		return thinking, "no text of it yet"
	case st.State == metrics.Decoding:
		return "events arrive, but no text yet", "the server answers"
	case k.FirstRole.Known() || k.FirstEvent.Known():
		return "waiting for a token", "the server answers; no text yet"
	case k.Headers.Known():
		return "waiting for a token", "queued or in prefill"
	}
	if strings.HasPrefix(st.Endpoint.API, "ollama") {
		return "waiting for the answer", "no byte yet; the model may be loading"
	}
	return "waiting for the answer", "no byte of an answer yet"
}

// step is a stage of a request before the first token, with what is known of it once it
// has been reached.
type step struct {
	word     string // while it lasts, or lies ahead
	past     string // once it is reached
	from, to metrics.Stamp
	done     string
}

// steps is the number of stages.
const steps = 4

func (p *canvas) stepsOf() [steps]step {
	st := &p.v.Stream
	m, w, status := &st.Marks, &st.Work, ""
	head, _ := waitWords(st)
	if st.Head != nil && st.Head.Status != http.StatusSwitchingProtocols { // that came before the request
		status = p.Join("HTTP ", p.Int(st.Head.Status))
	}
	asked := format.If(w.InputTokens > 0, p.Join("about ", p.Count(w.InputTokens), " tokens in"))
	if w.MaxTokens > 0 {
		asked = p.Join(asked, format.If(asked != "", ", "), "at most ", p.Count(w.MaxTokens), " tokens out")
	}
	conn := p.Join(safeName(st.Conn.Proto), format.If(st.Conn.TLS != "", ", "), safeName(st.Conn.TLS))
	send := step{"sending the request", "request sent", m.GotConn, m.Sent, asked}
	answer := step{"waiting for the answer", "server answered", m.Sent, m.Headers, status}
	if m.Headers.Known() && !m.Sent.Known() { // no WebSocket, say
		send.word, send.from, answer.from = "request not sent", metrics.NoStamp, m.GotConn
	}
	token := step{format.Either(head == thinking, thinking, "waiting for a token"), "", m.Sent, metrics.NoStamp, ""}
	if st.Thinking > 0 && len(st.Chunks) > 0 {
		token.from = st.Chunks[0].At
	}
	return [...]step{{"connecting", "connected", m.Start, m.GotConn, conn}, send, answer, token}
}

// endWords are what stands behind the stage in which a request ended.
var endWords = map[metrics.State]string{metrics.Failed: "until it failed", metrics.Truncated: "until it was cut off",
	metrics.Cancelled: "until you stopped it"}

// steps appends the stations: those behind with the time they took, the one under way
// with its clock, those ahead.
func (s *textPanel) steps(p *canvas, rows []textRow, w int) []textRow {
	st := &p.v.Stream
	under, ended := false, st.State.Ended() // one is under way, or was when it ended
	_, now := waitWords(st)
	for i, step := range p.stepsOf() {
		row := textRow{name: "· ", lead: themes.Faint, role: themes.Dim, own: true}
		took, about := "", ""
		row.text = step.word
		switch {
		case step.to.Known():
			row.name, row.lead, row.text = "✓ ", themes.Good, step.past
			took, about = p.took("", step.from, step.to), step.done
			if i == 0 && st.Conn.Reused {
				took = "reused"
			}
		case !step.from.Known() || under:
		case ended:
			sign, role := draw.Outcome(p.Glyphs, st.State)
			row.name, row.lead, row.role, under = p.Join(string(sign), " "), role, themes.Text, true
			took, about = p.took("", step.from, st.Marks.End), endWords[st.State]
		default:
			row.name, row.lead, row.role = "▸ ", p.v.waitRole(), themes.Text
			took = p.Stopwatch(float64(p.v.Now-step.from) / 1e6)
			under, about = true, now
		}
		if took != "" {
			row.text = p.Join(row.text, p.wide(took, stepColumns-len(row.text)))
		}
		if about != "" && draw.Width(about) <= w-stepAbout {
			row.text = p.Join(row.text, "  ", about)
		}
		if rows = append(rows, row); i == 0 && ended && st.Marks.ConnectStart.Known() {
			rows = append(rows, ownRow(themes.Dim, s.connection(p)))
		}
	}
	return rows
}

// stepColumns are those of a station and its time, stepAbout those before what is known
// of it.
const stepColumns, stepAbout = 31, 35

// connection lists the parts of the connection that were completed.
func (s *textPanel) connection(p *canvas) string {
	m, text, sep := &p.v.Stream.Marks, "", "  "
	for _, part := range [...]string{p.took("dns ", m.DNSStart, m.DNSDone),
		p.took("tcp ", m.ConnectStart, m.ConnectDone), p.took("tls ", m.TLSStart, m.TLSDone),
		p.took("upgrade ", m.GotConn, m.Upgraded)} {
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
	l.Whole(themes.Dim, format.If(g.Cached > 0, p.Join(", ", p.Count(g.Cached), " from its cache")))
	l.Whole(themes.Dim, format.If(n >= 6, " (server says)"))
}

// countdown says how long the wait may still go on, once it is long, and by
// which bound.
func (p *canvas) countdown() (left, bound string, ok bool) {
	st := &p.v.Stream
	if st.State.Ended() || !st.DataDeadline.Known() {
		return "", "", false
	}
	since := format.Either(st.LastData.Known() && st.State > metrics.Waiting, st.LastData, st.Marks.Sent)
	if !since.Known() {
		since = st.Marks.Start
	}
	waited, known := p.v.Now.Sub(since)
	whole, _ := st.DataDeadline.Sub(since)
	if !known || waited < countdownMin || float64(waited) < countdown*float64(whole) {
		return "", "", false
	}
	rest := max(time.Duration(st.DataDeadline-p.v.Now), 0)
	bound = format.If(st.DataBound != "", p.Join(" (", sanitize.Line(st.DataBound, 40), ")"))
	return p.Join("times out in ", p.Int(int((rest+time.Second-1)/time.Second)), " s"), bound, true
}
