package report

import (
	"fmt"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// outsideMost is the largest length of a string from outside in a report.
const outsideMost = 300

// fact is one line of the report on a run.
type fact struct{ name, text string }

// facts returns the lines of the report on one run: workload, target,
// connection and results. Every string is safe for a terminal.
func facts(run metrics.Run, by Origin) []fact {
	s, f := &run.Stream, &run.Figures
	out := []fact{
		{"endpoint", format.Join(", ", s.Endpoint.Name, s.Endpoint.URL)},
		{"model", format.Join(", ", modelName(s), s.Provider)},
	}
	if at := started(s); at != "" {
		out = append(out, fact{"started", at})
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
		fact{"TTFT", withParts(format.KnownOr(f.TTFT, format.Ms), "first byte", f.TTFB,
			"first event", f.TTFE, "first visible content", f.TTFC, "first non-blank", f.FirstInk)},
		fact{"TPOT", tpot(f)},
		fact{"speed", userSpeed(f)},
		fact{"peak", say.Peak(f)},
		fact{"total", total(f)},
		fact{"gaps", gapText(f)},
	)
	if f.ITL.N > 0 {
		out = append(out, fact{"gap/token", itlText(f)})
	}
	if f.Reasoning.Chunks > 0 {
		out = append(out, fact{"reasoning", phaseText(&f.Reasoning)}, fact{"answer", phaseText(&f.Answer)})
	}
	for _, x := range []struct {
		v     metrics.Value
		name  string
		write func(*metrics.Figures) string
	}{{f.StallCost, "stall cost", stallCost}, {f.BelowReading, "reader", reader}, {f.PrefillSpeed, "prefill", prefill}} {
		if x.v.OK {
			out = append(out, fact{x.name, x.write(f)})
		}
	}
	if f.ServerTTFT.OK || f.ServerSpeed.OK {
		out = append(out, fact{"its own", format.Join(", ", "TTFT "+format.KnownOr(f.ServerTTFT, format.Ms),
			"speed "+format.KnownOr(f.ServerSpeed, format.Rate)) + ", by the server"})
	}
	if text, _ := wait(f); text != "" {
		out = append(out, fact{"the wait", strings.ReplaceAll(text, format.Tie, " ")})
	}
	if len(s.Server) > 0 {
		out = append(out, fact{"server says", serverTimes(s.Server)})
	}
	out = append(out, fact{"stamps", stamps(s) + shared(f)})
	out = append(out, pathFacts(s, f)...)
	if cost := metrics.Cost(s, f); cost.OK {
		text := format.Money(cost.V) + " " + s.Endpoint.Price.Currency + " at the configured price"
		if f.CachedTokens.OK && f.CachedTokens.V > 0 {
			text += ", cached tokens in full"
		}
		out = append(out, fact{"cost", text})
	}
	if r := s.RateLimit; r != nil {
		runs := metrics.LimitsOf([]metrics.Run{run}, s.Marks.End)
		for _, text := range say.RateLimits(&runs) {
			out = append(out, fact{"rate limit", text.Core()}) // one answer has no pace
		}
	}
	if s.RequestID != "" {
		out = append(out, fact{"request id", s.RequestID})
	}
	if s.Conn.Remote != "" {
		out = append(out, fact{"address", s.Conn.Remote})
	}
	if made := by.String(); made != "" {
		out = append(out, fact{"measured by", made})
	}
	for _, n := range s.Notes {
		out = append(out, fact{"note", n.Text})
	}
	for i := range f.Suspect {
		out = append(out, fact{"note", say.Suspicion(&f.Suspect[i])})
	}
	if text := say.Missing(&f.Gaps); text != "" {
		out = append(out, fact{"bounds", text})
	}
	if _, next := say.Delay(&f.Delay); next != "" {
		out = append(out, fact{"next", next})
	}
	for i := range out {
		out[i].text = sanitize.Line(out[i].text, outsideMost)
	}
	return out
}

// modelName is the server's name of the model, with the addition of the
// endpoint's note.
func modelName(s *metrics.Stream) string {
	name := firstOf(s.Model, s.Endpoint.Model)
	if metrics.CompareModels(s.Endpoint.Model, s.Model) != metrics.ModelAsIs {
		name += " (asked for " + s.Endpoint.Model + ")"
	}
	if name == "" && s.Endpoint.Note == "" {
		return "– (none was named, and the server reported none)"
	}
	if strings.HasPrefix(s.Endpoint.Note, name) {
		return s.Endpoint.Note
	}
	return format.Join(", ", name, s.Endpoint.Note)
}

func firstOf(a, b string) string {
	if a != "" {
		return a
	}
	return b
}

func workload(s *metrics.Stream, f *metrics.Figures) string {
	in := "prompt tokens not reported"
	if f.PromptTokens.OK {
		in = format.Whole(f.PromptTokens.V) + " tokens in"
		if f.CachedTokens.OK && f.CachedTokens.V > 0 {
			in += " (" + format.Whole(f.CachedTokens.V) + " from the server's cache)"
		}
	}
	out := format.Plural(f.Chunks, "chunk", "chunks") + " out, tokens not reported"
	switch {
	case f.Chunks == 0:
		out = "no output"
	case f.Tokens.OK:
		out = fmt.Sprintf("%s tokens out (%s), %s", format.Whole(f.Tokens.V),
			f.TokenSource, format.Plural(f.Chunks, "chunk", "chunks"))
		if f.ReasonTokens.OK && f.ReasonTokens.V > 0 {
			out += ", " + format.Whole(f.ReasonTokens.V) + " tokens of reasoning"
		}
		if f.TokensPerChunk.OK && format.Number(f.TokensPerChunk.V) != "1.00" {
			out += ", " + format.Number(f.TokensPerChunk.V) + " tokens per chunk"
		}
	}
	if f.Choices > 1 {
		out += ", " + format.Count(f.Choices) + " choices"
	}
	most := ""
	if s.Work.MaxTokens > 0 {
		most = fmt.Sprintf("at most %s asked for", format.Count(s.Work.MaxTokens))
	}
	alone := ""
	if s.Work.Concurrency > 1 {
		alone = fmt.Sprintf("%s requests at a time", format.Count(s.Work.Concurrency))
	}
	return format.Join(", ", s.Work.Name, in, out, most, alone)
}

func connection(s *metrics.Stream) string {
	how := "new"
	if s.Conn.Reused {
		how = "reused"
	}
	if !s.Marks.GotConn.Known() {
		how = "none"
	}
	if s.Retried > 0 {
		how += ", retried"
	}
	proxy := ""
	if s.Conn.Proxy != "" {
		proxy = "via proxy " + s.Conn.Proxy
	}
	setUp := ""
	if !s.Conn.Reused {
		setUp = setUpTimes(&s.Marks)
	}
	return format.Join(", ", how, s.Conn.Proto, s.Conn.TLS, proxy, setUp)
}

func setUpTimes(m *metrics.Marks) string {
	part := func(name string, from, to metrics.Stamp) string {
		d, ok := to.Sub(from)
		if !ok {
			return ""
		}
		return name + " " + format.Ms(float64(d)/1e6)
	}
	return format.Join(" ", part("dns", m.DNSStart, m.DNSDone),
		part("tcp", m.ConnectStart, m.ConnectDone), part("tls", m.TLSStart, m.TLSDone))
}

func ending(s *metrics.Stream) string {
	switch {
	case s.State == metrics.Cancelled && s.Fault != nil && s.Fault.Message != say.Outcome(s.State): // why
		return say.Outcome(s.State) + ": " + strings.TrimPrefix(s.Fault.Message, "stopped: ")
	case s.State == metrics.Cancelled:
		return say.Outcome(s.State)
	case s.Fault != nil:
		status := ""
		if s.Fault.Status != 0 {
			status = fmt.Sprintf("HTTP %d", s.Fault.Status)
		}
		return format.Join(", ", s.State.String(), string(s.Fault.Kind), status, s.Fault.Code) + ": " + s.Fault.Message
	case s.Finish != "":
		return s.State.String() + ", finish reason " + s.Finish
	}
	return s.State.String()
}

func withParts(text string, more ...any) string {
	var parts []string
	for i := 0; i+1 < len(more); i += 2 {
		if v := more[i+1].(metrics.Value); v.OK {
			parts = append(parts, more[i].(string)+" "+format.Ms(v.V))
		}
	}
	if len(parts) == 0 {
		return text
	}
	return text + " (" + strings.Join(parts, ", ") + ")"
}

func tpot(f *metrics.Figures) string {
	if !f.TPOT.OK {
		return format.Reason(f.TPOT)
	}
	return fmt.Sprintf("%s (n = %s tokens, %s)", format.Ms(f.TPOT.V),
		format.Known(f.DecodeTokens, format.Whole), f.TokenSource)
}

func userSpeed(f *metrics.Figures) string {
	text := format.KnownOr(f.Speed, format.Rate)
	if f.Speed.OK {
		text += ", for this one stream"
	}
	if f.ChunkSpeed.OK {
		text += ", " + format.Number(f.ChunkSpeed.V) + " chunks/s"
	}
	if f.TimesReading.OK {
		text += ", " + reading(f) + " wpm"
	}
	return text
}

// itlText is the distribution of the gaps per token.
func itlText(f *metrics.Figures) string {
	d := &f.ITL
	at := func(v metrics.Value, b metrics.Bound) string {
		if v.OK {
			return format.Bounded(v, b, format.Ms)
		}
		return format.Unknown
	}
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s (n = %s gaps, tokens %s)", at(d.P50, d.Missing.P50),
		at(d.P95, d.Missing.P95), at(d.P99, d.Missing.P99), format.Count(d.N), say.ITLSource(f.ITLFrom))
}

// phaseText is one part of an output that has two.
func phaseText(p *metrics.Phase) string {
	text := format.Plural(p.Chunks, "chunk", "chunks")
	if p.Tokens.OK {
		text += ", " + format.Whole(p.Tokens.V) + " tokens"
	}
	if p.First.OK && p.Last.OK {
		text += ", from " + format.Ms(p.First.V) + " to " + format.Ms(p.Last.V)
	}
	if p.TPOT.OK && p.Speed.OK {
		text += ", TPOT " + format.Ms(p.TPOT.V) + ", " + format.Rate(p.Speed.V)
	}
	return text
}

// reading is the speed of the words as a multiple of a reader's.
func reading(f *metrics.Figures) string {
	return format.Factor(f.TimesReading.V) + " " + f.Pace.Name + " at " + format.Exact(f.Pace.WPM)
}

// wait describes the parts of the time before the first chunk: this program,
// the network or the server. Each figure is tied to its name and its unit.
// server reports whether the server gave a part.
func wait(f *metrics.Figures) (text string, server bool) {
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
		switch text := strings.ReplaceAll(name+" "+format.Ms(x.Ms.V), " ", format.Tie); {
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
	return format.Join(" · ", strings.Join(before, ", "), says, strings.Join(after, ", ")), says != ""
}

func gapText(f *metrics.Figures) string {
	d := f.Gaps
	if d.N == 0 {
		return format.Reason(f.Longest)
	}
	at := func(v metrics.Value, b metrics.Bound) string {
		if v.OK {
			return format.Bounded(v, b, format.Ms)
		}
		return format.Reason(v)
	}
	longest := format.KnownOr(f.Longest, format.Ms)
	if f.Longest.OK && f.LongestChunk >= 0 {
		longest += " before chunk " + format.Count(f.LongestChunk+1)
	}
	return fmt.Sprintf("p50 %s, p95 %s, p99 %s, mean %s ± %s, longest %s; %s, %s (n = %s%s)",
		at(d.P50, d.Missing.P50), at(d.P95, d.Missing.P95), at(d.P99, d.Missing.P99),
		format.Known(d.Mean, format.Ms), format.Known(d.StdDev, format.Ms), longest,
		format.Plural(len(f.Stalls), "stall", "stalls"),
		format.Plural(len(f.Bursts), "burst", "bursts"), format.Count(d.N), inside(f))
}

func inside(f *metrics.Figures) string {
	if f.GapsUnknown == 0 {
		return ""
	}
	return fmt.Sprintf(", %s inside bursts unknown", format.Count(f.GapsUnknown))
}

func serverTimes(all []metrics.ServerTime) string {
	parts := make([]string, len(all))
	for i, t := range all {
		parts[i] = fmt.Sprintf("%s %s (%s)", t.Name, format.Ms(float64(t.D)/float64(time.Millisecond)), t.From)
	}
	return strings.Join(parts, ", ")
}

// shared is how many gaps reads hide, and how many events were read late; "" for
// none of them.
func shared(f *metrics.Figures) string {
	text := ""
	if f.SharedShare.OK && f.SharedShare.V > 0 {
		text += "; " + format.Percent(f.SharedShare.V) + " of the gaps inside reads"
	}
	if f.LateShare.OK && f.LateShare.V > 0 {
		text += "; " + format.Percent(f.LateShare.V) + " of the events read late"
	}
	return text
}

func stamps(s *metrics.Stream) string {
	text := "by tokscope"
	switch {
	case s.Events == 0 && len(s.Chunks) == 0:
		text = "– (no data arrived)"
	case s.Stamps == metrics.SourceKernel:
		text = "by the kernel"
	case s.Stamps != metrics.SourceUser:
		text = "by " + s.Stamps.String()
	}
	if o := s.Observer; o.N > 0 {
		text += fmt.Sprintf("; tokscope lags p50 %s, p99 %s", format.Ms(o.LateP50.Seconds()*1e3),
			format.Ms(o.LateP99.Seconds()*1e3)) + say.Use(&o.Use)
	}
	return text
}

// Markdown is the report on one run for an issue: what it shows, in a
// sentence, and a table.
func Markdown(run metrics.Run, found []verdict.Finding, by Origin) string {
	var b strings.Builder
	b.WriteString("**tokscope: " + escape(headline(run, found)) + "**\n\n| | |\n|---|---|\n")
	for _, r := range facts(run, by) {
		b.WriteString("| " + r.name + " | " + escape(r.text) + " |\n")
	}
	return b.String()
}

// Text is the same report as aligned lines.
func Text(run metrics.Run, found []verdict.Finding, by Origin) string {
	var b strings.Builder
	for _, line := range format.Wrap(say.Conclusion(found), lineWidth-2) {
		fmt.Fprintln(&b, "  "+line)
	}
	for _, r := range facts(run, by) {
		fmt.Fprintf(&b, "  %-12s %s\n", r.name, r.text)
	}
	return b.String()
}

// total is the time to the last chunk, the sum that it should be, and what comes
// behind it.
func total(f *metrics.Figures) string {
	text := format.Join(" = ", format.KnownOr(f.Total, format.Ms), say.Identity(f))
	if f.Trailer.OK {
		text += "; tail " + format.Ms(f.Trailer.V)
	}
	return text
}

// stallCost is what uneven gaps cost, and how the gap changes.
func stallCost(f *metrics.Figures) string {
	text := fmt.Sprintf("%s against even gaps, %s of the decode time; %s over 1 s",
		format.Ms(f.StallCost.V), format.Known(f.StallShare, format.Percent),
		format.Plural(int(f.LongGaps.V), "gap", "gaps"))
	if f.Trend.OK {
		text += "; trend " + format.Change(f.Trend.V/100) + " per 1000 tokens"
		if !f.TrendSure {
			text += ", may be chance"
		}
	}
	return text
}

// reader is how a reader at the pace gets on.
func reader(f *metrics.Figures) string {
	text := "never waits"
	if f.ReaderWait.V > 0 {
		text = fmt.Sprintf("waits %s of the time; a head start of %s avoids it",
			format.Percent(f.BelowReading.V), format.Ms(f.ReaderWait.V))
	}
	if f.WPM.OK {
		text += fmt.Sprintf("; %s came at %s a minute, counted by %s",
			format.Plural(f.Words, "word", "words"), format.Number(f.WPM.V), f.WordsFrom)
	}
	return text
}

// prefill is the speed at which the prompt was read, as the client's wait bounds
// it.
func prefill(f *metrics.Figures) string {
	return "at least " + format.Rate(f.PrefillSpeed.V) + ", by the wait"
}

// headline names the target and says what the run shows.
func headline(run metrics.Run, found []verdict.Finding) string {
	s := &run.Stream
	who := sanitize.Line(format.Join(" ", s.Endpoint.Name, firstOf(s.Model, s.Endpoint.Model)), 80)
	return who + ": " + say.Conclusion(found)
}

// escaper prevents outside text from being read as Markdown or HTML.
var escaper = strings.NewReplacer("\\", "\\\\", "|", "\\|",
	"`", "\\`", "*", "\\*", "_", "\\_", "<", "&lt;", ">", "&gt;",
	"[", "\\[", "]", "\\]", "&", "&amp;", "@", "&#64;", "#", "\\#")

func escape(s string) string { return escaper.Replace(s) }
