package report

import (
	"cmp"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/verdict"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Ticket writes a run for a chat or an issue: eight lines of plain text, which nothing
// wraps, aligns or marks up. The first is what the run shows, each other begins with
// its name, so that grep finds it. by is left out where it is zero.
func Ticket(run *metrics.Run, found []verdict.Finding, by Origin) string {
	s, f := &run.Stream, &run.Figures
	var b strings.Builder
	for _, x := range []Fact{
		{Text: say.Conclusion(found)},
		{Name: "endpoint", Text: format.Join(", ", s.Endpoint.Name, s.Endpoint.URL)},
		{Name: "model", Text: format.Join("; ", modelName(s), say.Served(s))},
		{Name: "time", Text: started(s)},
		{Name: "request id", Text: cmp.Or(s.RequestID, "none came")},
		{Name: "ended", Text: format.Join("; ", ending(s), say.Arrived(s, f))},
		{Name: "figures", Text: "TTFT " + cmp.Or(say.Waited(s, f), format.KnownOr(f.TTFT, format.Ms)) + "; TPOT " + tpot(f)},
		{Name: "conditions", Text: format.Join("; ", workload(s, f), "connection "+connection(s),
			"stamps "+stamps(s), by.String())},
	} {
		b.WriteString(format.If(x.Name != "", x.Name+": ") + clean(cmp.Or(x.Text, format.Unknown)) + "\n")
	}
	return b.String()
}
