package ui

import (
	"fmt"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// outsideMost is how long a string from outside may be in a report.
const outsideMost = 300

// row is one line of a report.
type fact struct{ name, text string }

// rows are the lines of the report on one run: what was asked, of whom, over
// what, and what came of it. Every string is safe for a terminal.
func facts(run metrics.Run) []fact {
	s, f := &run.Stream, &run.Figures
	out := []fact{
		{"endpoint", words(", ", s.Endpoint.Name, s.Endpoint.URL)},
		{"model", words(", ", modelName(s), s.Provider)},
	}
	if !s.Wall.IsZero() {
		out = append(out, fact{"started", s.Wall.UTC().Format("2006-01-02 15:04:05 UTC")})
	}
	out = append(out,
		fact{"workload", workload(s, f)},
		fact{"connection", connection(s)},
		fact{"ended", ending(s)},
	)
	if s.Fault != nil && s.Fault.Next != "" {
		out = append(out, fact{"next", s.Fault.Next})
	}
	out = append(out,
		fact{"TTFT", withParts(timeOf(f.TTFT), "first byte", f.TTFB, "first visible content", f.TTFC)},
		fact{"TPOT", tpot(f)},
		fact{"speed", userSpeed(f)},
		fact{"total", timeOf(f.Total)},
		fact{"gaps", gapText(f)},
	)
	if text := wait(f); text != "" {
		out = append(out, fact{"the wait", text})
	}
	if len(s.Server) > 0 {
		out = append(out, fact{"server says", serverTimes(s.Server)})
	}
	out = append(out, fact{"stamps", stamps(s)})
	if s.RequestID != "" {
		out = append(out, fact{"request id", s.RequestID})
	}
	for _, n := range append(append([]metrics.Note(nil), s.Notes...), f.Suspect...) {
		out = append(out, fact{"note", n.Text})
	}
	for i := range out {
		out[i].text = sanitize.Line(out[i].text, outsideMost)
	}
	return out
}

// modelName is the model as the server named it, with what the endpoint's note
// adds to it.
func modelName(s *metrics.Stream) string {
	name := firstOf(s.Model, s.Endpoint.Model)
	if name == "" && s.Endpoint.Note == "" {
		return "– (none was named, and the server did not say)"
	}
	if strings.HasPrefix(s.Endpoint.Note, name) {
		return s.Endpoint.Note
	}
	return words(", ", name, s.Endpoint.Note)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func workload(s *metrics.Stream, f *metrics.Figures) string {
	in := "prompt tokens not told"
	if f.PromptTokens.OK {
		in = number(f.PromptTokens.V) + " tokens in"
		if f.CachedTokens.OK && f.CachedTokens.V > 0 {
			in += " (" + number(f.CachedTokens.V) + " from the server's cache)"
		}
	}
	out := plural(f.Chunks, "chunk", "chunks") + " out, tokens not told"
	switch {
	case f.Chunks == 0:
		out = "nothing came"
	case f.Tokens.OK:
		out = fmt.Sprintf("%s tokens out (%s), %s", number(f.Tokens.V), f.TokenSource, plural(f.Chunks, "chunk", "chunks"))
	}
	most := ""
	if s.Work.MaxTokens > 0 {
		most = fmt.Sprintf("at most %d asked for", s.Work.MaxTokens)
	}
	alone := ""
	if s.Work.Concurrency > 1 {
		alone = fmt.Sprintf("%d requests at a time", s.Work.Concurrency)
	}
	return words(", ", s.Work.Name, in, out, most, alone)
}

func connection(s *metrics.Stream) string {
	how := "new"
	if s.Conn.Reused {
		how = "reused"
	}
	if !s.Marks.GotConn.Known() {
		how = "none"
	}
	proxy := ""
	if s.Conn.Proxy != "" {
		proxy = "via proxy " + s.Conn.Proxy
	}
	setUp := ""
	if !s.Conn.Reused {
		setUp = setUpTimes(&s.Marks)
	}
	return words(", ", how, s.Conn.Proto, s.Conn.TLS, proxy, setUp)
}

func setUpTimes(m *metrics.Marks) string {
	part := func(name string, from, to metrics.Stamp) string {
		d, ok := to.Sub(from)
		if !ok {
			return ""
		}
		return name + " " + ms(float64(d)/1e6)
	}
	return words(" ", part("dns", m.DNSStart, m.DNSDone), part("tcp", m.ConnectStart, m.ConnectDone), part("tls", m.TLSStart, m.TLSDone))
}

func ending(s *metrics.Stream) string {
	if s.Fault != nil {
		status := ""
		if s.Fault.Status != 0 {
			status = fmt.Sprintf("HTTP %d", s.Fault.Status)
		}
		return words(", ", s.State.String(), string(s.Fault.Kind), status, s.Fault.Code) + ": " + s.Fault.Message
	}
	if s.Finish != "" {
		return s.State.String() + ", finish reason " + s.Finish
	}
	return s.State.String()
}

func withParts(text string, more ...any) string {
	var parts []string
	for i := 0; i+1 < len(more); i += 2 {
		if v := more[i+1].(metrics.Value); v.OK {
			parts = append(parts, more[i].(string)+" "+ms(v.V))
		}
	}
	if len(parts) == 0 {
		return text
	}
	return text + " (" + strings.Join(parts, ", ") + ")"
}

func tpot(f *metrics.Figures) string {
	if !f.TPOT.OK {
		return unknown(f.TPOT)
	}
	return fmt.Sprintf("%s (n = %s tokens, %s)", ms(f.TPOT.V), number(f.Tokens.V), f.TokenSource)
}

func userSpeed(f *metrics.Figures) string {
	text := speedOf(f.Speed)
	if f.Speed.OK {
		text += ", for this one stream"
	}
	if f.TimesReading.OK {
		text += fmt.Sprintf(", %sx %s at %.0f wpm", number(f.TimesReading.V), f.Pace.Name, f.Pace.WPM)
	}
	return text
}

// wait is what the time before the first chunk consisted of: was it us, the
// network or the server.
func wait(f *metrics.Figures) string {
	var before, byServer, after []string
	for _, x := range f.Wait {
		if !x.Ms.OK {
			continue
		}
		name := x.Name
		switch x.Name {
		case metrics.ShareSend:
			name = "sent"
		case metrics.ShareServer:
			name = "rest"
		}
		switch text := name + " " + ms(x.Ms.V); {
		case x.Server:
			byServer = append(byServer, text)
		case len(byServer) > 0:
			after = append(after, text)
		default:
			before = append(before, text)
		}
	}
	says := ""
	if len(byServer) > 0 {
		says = "server says: " + strings.Join(byServer, ", ")
	}
	return words(" · ", strings.Join(before, ", "), says, strings.Join(after, ", "))
}

func gapText(f *metrics.Figures) string {
	d := f.Gaps
	if d.N == 0 {
		return unknown(f.Longest)
	}
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s, longest %s; %s, %s (n = %d%s)",
		timeOf(d.P50), timeOf(d.P95), timeOf(d.P99), timeOf(f.Longest),
		plural(len(f.Stalls), "stall", "stalls"), plural(len(f.Bursts), "burst", "bursts"), d.N, inside(f))
}

func inside(f *metrics.Figures) string {
	if f.GapsUnknown == 0 {
		return ""
	}
	return fmt.Sprintf(", %d inside bursts unknown", f.GapsUnknown)
}

func serverTimes(all []metrics.ServerTime) string {
	parts := make([]string, len(all))
	for i, t := range all {
		parts[i] = fmt.Sprintf("%s %s (%s)", t.Name, ms(float64(t.D)/float64(time.Millisecond)), t.From)
	}
	return strings.Join(parts, ", ")
}

func stamps(s *metrics.Stream) string {
	text := "by this program"
	switch {
	case s.Events == 0 && len(s.Chunks) == 0:
		text = "– (nothing came to be stamped)"
	case s.Stamps == metrics.SourceKernel:
		text = "by the kernel"
	case s.Stamps != metrics.SourceUser:
		text = "by " + s.Stamps.String()
	}
	if o := s.Observer; o.N > 0 {
		text += fmt.Sprintf("; observer late by p50 %s, p99 %s", ms(o.LateP50.Seconds()*1e3), ms(o.LateP99.Seconds()*1e3))
	}
	return text
}

// Markdown is the report on one run for a ticket: a sentence and a table.
func Markdown(run metrics.Run) string {
	var b strings.Builder
	b.WriteString("**tokscope: " + escape(headline(run)) + "**\n\n| | |\n|---|---|\n")
	for _, r := range facts(run) {
		b.WriteString("| " + r.name + " | " + escape(r.text) + " |\n")
	}
	return b.String()
}

// Text is the same report as aligned lines.
func Text(run metrics.Run) string {
	var b strings.Builder
	for _, r := range facts(run) {
		fmt.Fprintf(&b, "  %-12s %s\n", r.name, r.text)
	}
	return b.String()
}

// headline is the run in one sentence.
func headline(run metrics.Run) string {
	s, f := &run.Stream, &run.Figures
	who := sanitize.Line(words(" ", s.Endpoint.Name, firstOf(s.Model, s.Endpoint.Model)), 80)
	switch {
	case s.State == metrics.Failed || s.State == metrics.Truncated:
		return who + ": " + sanitize.Line(ending(s), outsideMost)
	case f.Speed.OK:
		return fmt.Sprintf("%s: first token after %s, then %s", who, timeOf(f.TTFT), speedOf(f.Speed))
	}
	return fmt.Sprintf("%s: first token after %s, %s", who, timeOf(f.TTFT), s.State)
}

// escaper keeps outside text from being read as Markdown or HTML.
var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|", "`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", ">", "&gt;",
	"[", "\\[", "]", "\\]", "&", "&amp;", "@", "&#64;", "#", "\\#")

func escape(s string) string { return escaper.Replace(s) }
