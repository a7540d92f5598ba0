package report

import (
	"cmp"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// curlMost bounds the command of a ticket, in columns: a longer one is no line to read.
const curlMost = 2000

// Ticket writes a run for a chat or an issue: eight lines of plain text. The first is what
// the run shows, each other begins with its name, so that grep finds it. Names, ids and the
// command stand in code spans: what they hold is as it was, wherever it is pasted. by is
// left out where it is zero, and curl, the request as a command, where it is "" or long.
func Ticket(run *metrics.Run, found []verdict.Finding, by Origin, curl string) string {
	s, f := &run.Stream, &run.Figures
	next := ""
	if s.Fault != nil {
		next = s.Fault.Next
	}
	if stage, _ := verdict.StageOf(s); next == "" && s.Ran().OK && stage == verdict.StageSent {
		next = "look for the request in the log of the server and of each proxy before it"
	}
	var b strings.Builder
	other := metrics.CompareModels(s.Endpoint.Model, s.Model) != metrics.ModelAsIs
	for _, x := range []Fact{
		{Text: clean(say.Conclusion(found))},
		{Name: "endpoint", Text: format.Join(", ", clean(s.Endpoint.Name), code(s.Endpoint.URL), s.Endpoint.API)},
		{Name: "model", Text: format.Join("; ", code(cmp.Or(s.Model, s.Endpoint.Model)),
			format.If(other, "asked "+code(s.Endpoint.Model)), clean(say.Served(s)))},
		{Name: "time", Text: clean(format.Join("; ", started(s), by.String()))},
		{Name: "request id", Text: cmp.Or(code(s.RequestID), "none came")},
		{Name: "ended", Text: clean(format.Join("; ", ending(s), say.Arrived(s, f), format.If(next != "", "next: "+next)))},
		{Name: "figures", Text: clean(ticketFigures(s, f))},
		{Name: "curl", Text: cmp.Or(oneLine(curl), "too long for a line, or not known")},
	} {
		b.WriteString(format.If(x.Name != "", x.Name+": ") + cmp.Or(x.Text, format.Unknown) + "\n")
	}
	return b.String()
}

// ticketFigures are TTFT and TPOT; without a token, how long it did not come, or why, once.
func ticketFigures(s *metrics.Stream, f *metrics.Figures) string {
	waited := say.Waited(s, f)
	if stage, _ := verdict.StageOf(s); waited != "" && stage == verdict.StageSent {
		waited += ", no byte of an answer"
	}
	if f.TTFT.OK || waited != "" {
		ttft := cmp.Or(waited, format.KnownOr(f.TTFT, format.Ms))
		tpot := "TPOT " + format.Either(f.TPOT.OK || waited == "", tpot(f), format.Unknown)
		network := format.If(waited != "", format.Join(", ", "connected, sent", say.Path(s.Path)))
		return format.Join("; ", "TTFT "+ttft, tpot, network)
	}
	return "TTFT and TPOT " + format.Reason(f.TTFT)
}

// code writes text from outside in a code span, "" for "": nothing in it is markup.
func code(text string) string { return span(clean(text)) }

// span is a code span around harmless text.
func span(text string) string {
	switch {
	case text == "":
		return ""
	case strings.Contains(text, "`"):
		return "`` " + text + " ``"
	}
	return "`" + text + "`"
}

// oneLine writes a command in one line; "" where that would be another command, or long.
func oneLine(curl string) string {
	curl = strings.TrimSuffix(strings.ReplaceAll(curl, " \\\n  ", " "), "\n")
	if strings.Contains(curl, "\n") || len(curl) > curlMost || sanitize.Line(curl, curlMost) != curl {
		return ""
	}
	return span(curl)
}
