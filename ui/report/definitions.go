package report

import (
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/ui/draw"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
	"tokscope/ui/say"
)

// Definitions are what WriteDefinitions prints.
type Definitions struct {
	Name  string // of the file or target
	Runs  []metrics.Run
	ASCII bool
}

// WriteDefinitions prints each run under the rules of the field's tools, with
// the axes on which they differ. Of many runs it also says what each tool would
// have said of all.
func WriteDefinitions(w io.Writer, d Definitions) error {
	var b strings.Builder
	var traces []definition.Trace
	d.Name = sanitize.Line(d.Name, 200)
	for i := range d.Runs {
		r := &d.Runs[i]
		trace, why := definition.Of(&r.Stream, &r.Figures)
		if why != 0 {
			fmt.Fprintf(&b, "request %d: %s\n", r.Stream.ID, format.Why(why))
			continue
		}
		traces = append(traces, trace)
	}
	switch len(traces) {
	case 0:
	case 1:
		rows := definition.Table(&traces[0])
		writeRules(&b, d.Name, rows)
		writeAxes(&b, rows)
	default:
		writeMany(&b, d.Name, traces)
	}
	text := b.String()
	if d.ASCII {
		text = format.ASCII(text)
	}
	_, err := io.WriteString(w, text)
	return err
}

// writeRules prints a row a rule.
func writeRules(b *strings.Builder, name string, rows []definition.Row) {
	fmt.Fprintf(b, "%s: one stream under %s definitions. %s\n\n", name, format.Count(len(rows)), say.Spreads(rows))
	lines := [][]string{{"tool", "version", "TTFT ms", "ITL ms", "TPOT ms", "tok/s", "latency ms", "n", "counted by"}}
	tokenized := false
	for i := range rows {
		r := &rows[i]
		cells := []string{r.Rule.Tool, say.RuleVersions(r.Rule)}
		for _, c := range []*definition.Cell{&r.TTFT, &r.ITL, &r.TPOT, &r.Speed, &r.Latency} {
			cells = append(cells, say.DefinitionCell(c))
			tokenized = tokenized || !c.Value.OK && c.ByServer.OK
		}
		n := format.Unknown
		if r.Tokens.OK {
			n = format.Count(int(math.Round(r.Tokens.V)))
		}
		lines = append(lines, append(cells, n, say.CountSource(r.Count)))
	}
	writeColumns(b, lines, 2, 7)
	if tokenized {
		b.WriteString("\n(…) by the server's count: the tool counts with its own tokenizer, which is not here.\n")
	}
	fmt.Fprintf(b, "%s the tool has no such figure, or the stream has no event that it needs.\n", format.Unknown)
}

// writeColumns aligns cells: those from column first to last to the right.
func writeColumns(b *strings.Builder, lines [][]string, first, last int) {
	widths := make([]int, len(lines[0]))
	for _, cells := range lines {
		for i, c := range cells {
			widths[i] = max(widths[i], draw.Width(c))
		}
	}
	for _, cells := range lines {
		line := ""
		for i, c := range cells {
			pad := strings.Repeat(" ", widths[i]-draw.Width(c))
			if i >= first && i <= last {
				c = pad + c
			} else {
				c += pad
			}
			line += c + "  "
		}
		b.WriteString(strings.TrimRight(line, " ") + "\n")
	}
}

// axis is one thing on which rules differ.
type axis struct {
	name string
	of   func(*definition.Rule) string
}

var axes = []axis{
	{"first token", func(r *definition.Rule) string { return say.Pick(r.Starts) }},
	{"latency ends at", func(r *definition.Rule) string { return say.EndsAt(r.Latency) }},
	{"ITL", func(r *definition.Rule) string { return say.Formula(r.ITL, false) }},
	{"TPOT", func(r *definition.Rule) string { return say.Formula(r.TPOT, false) }},
	{"tok/s", func(r *definition.Rule) string { return say.Formula(r.Speed, true) }},
	{"n", func(r *definition.Rule) string { return say.CountSource(r.Count) }},
	{"ITL of many", func(r *definition.Rule) string { return say.RulePool(r.GapPool) }},
	{"percentiles", func(r *definition.Rule) string { return say.RuleQuantile(r.Quantile) }},
}

// writeAxes prints on what the rules differ, and who is on which side.
func writeAxes(b *strings.Builder, rows []definition.Row) {
	b.WriteString("\nThey differ in\n")
	named := map[string]int{}
	for i := range rows {
		named[rows[i].Rule.Tool]++
	}
	for _, a := range axes {
		var order []string
		who := map[string][]string{}
		for i := range rows {
			side := a.of(rows[i].Rule)
			if side == format.Unknown {
				continue
			}
			if len(who[side]) == 0 {
				order = append(order, side)
			}
			name := rows[i].Rule.Tool
			if named[name] > 1 {
				name = say.RuleName(rows[i].Rule)
			}
			who[side] = append(who[side], name)
		}
		slices.SortStableFunc(order, func(x, y string) int { return len(who[y]) - len(who[x]) })
		for i, side := range order {
			name := a.name
			if i > 0 {
				name = ""
			}
			fmt.Fprintf(b, "  %-16s %s: %s\n", name, side, strings.Join(who[side], ", "))
		}
	}
}

// writeMany prints what each tool would have said of all requests.
func writeMany(b *strings.Builder, name string, traces []definition.Trace) {
	all := definition.Summarize(traces)
	fmt.Fprintf(b, "%s, %s requests under %s definitions; times in ms\n\n",
		name, format.Count(len(traces)), format.Count(len(all)))
	lines := [][]string{{"tool", "version", "TTFT p50", "p99", "ITL p50", "p99", "values", "pooled", "percentile"}}
	cell := func(v metrics.Value) string {
		if !v.OK {
			return format.Unknown
		}
		return format.Number(v.V)
	}
	for i := range all {
		s := &all[i]
		values := format.Unknown
		if s.ITLValues > 0 {
			values = format.Count(s.ITLValues)
		}
		lines = append(lines, []string{
			s.Rule.Tool, say.RuleVersions(s.Rule), cell(s.TTFT50), cell(s.TTFT99), cell(s.ITL50), cell(s.ITL99), values,
			say.RulePool(s.Rule.GapPool), say.RuleQuantile(s.Rule.Quantile),
		})
	}
	writeColumns(b, lines, 2, 6)
	fmt.Fprintf(b,
		"\n%s the tool has no such figure, or counts with its own tokenizer. "+
			"A tool without percentiles has its mean or best under p50.\n", format.Unknown)
}
