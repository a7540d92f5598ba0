package report

import (
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/definition"
	"tokscope/metrics/pick"
	"tokscope/ui/format"
	"tokscope/ui/say"
)

// Definitions lists a run under the rule of each of the field's tools, with the axes on
// which they differ. Of many runs it lists what each tool would have said of all. name is
// that of the file or target; ascii writes the text with ASCII alone.
func Definitions(name string, runs []metrics.Run, ascii bool) *Doc {
	d := &Doc{ASCII: ascii}
	if len(runs) > 0 {
		defer d.toolFile(runs[0].Stream.Tool)
	}
	var traces []definition.Trace
	for _, r := range pick.All(runs) {
		trace, why := definition.Of(&r.Stream, &r.Figures)
		if why != 0 {
			d.Note("request " + strconv.Itoa(r.Stream.Number()) + ": " + format.Why(why))
			continue
		}
		traces = append(traces, trace)
	}
	switch len(traces) {
	case 0:
	case 1:
		rows := definition.Table(&traces[0])
		ruleTable(d, name, rows)
		d.Note(format.If(traces[0].API != "", "The stream is in "+traces[0].API+
			": tools whose rules for it were not read are left out."))
		differences(d, rows)
	default:
		manyTable(d, name, traces)
	}
	return d
}

// ruleTable has a row a rule.
func ruleTable(d *Doc, name string, rows []definition.Row) {
	d.Note(name + ": one stream under " + format.Count(len(rows)) + " definitions. " + say.Spreads(rows))
	t := &Table{Keys: 2, Cols: slices.Concat(words("tool", "version"),
		figures("TTFT ms", "ITL ms", "TPOT ms", "tok/s", "latency ms", "n"), words("counted by"))}
	tokenized := false
	for _, r := range pick.All(rows) {
		cells := []string{r.Rule.Tool, say.RuleVersions(r.Rule)}
		for _, c := range r.Cells() {
			cells = append(cells, say.DefinitionCell(c))
			tokenized = tokenized || !c.Value.OK && c.ByServer.OK
		}
		t.row(append(cells, format.Known(r.Tokens, format.Whole), say.CountSource(r.Count))...)
	}
	d.table(t)
	d.Note(format.If(tokenized, "(…) by the server's count: the tool counts with its own tokenizer, which is not here."))
	d.Note("– the tool has no such figure, or the stream has no event that it needs.")
}

// differences says on what the rules differ, and who is on which side.
func differences(d *Doc, rows []definition.Row) {
	d.Note("They differ in")
	named := map[string]int{}
	for i := range rows {
		named[rows[i].Rule.Tool]++
	}
	for _, a := range []struct {
		name string
		of   func(*definition.Rule) string
	}{
		{"first token", func(r *definition.Rule) string { return say.Pick(r.Starts) }},
		{"latency ends at", func(r *definition.Rule) string { return say.EndsAt(r.Latency) }},
		{"ITL", func(r *definition.Rule) string { return say.Formula(r.ITL, false) }},
		{"TPOT", func(r *definition.Rule) string { return say.Formula(r.TPOT, false) }},
		{"tok/s", func(r *definition.Rule) string { return say.Formula(r.Speed, true) }},
		{"n", func(r *definition.Rule) string { return say.CountSource(r.Count) }},
		{"ITL of many", func(r *definition.Rule) string { return say.RulePool(r.GapPool) }},
		{"percentiles", func(r *definition.Rule) string { return say.RuleQuantile(r.Quantile) }},
	} {
		var who groups[string, string]
		for i := range rows {
			r := rows[i].Rule
			if side := a.of(r); side != format.Unknown {
				who.add(side, format.Either(named[r.Tool] > 1, say.RuleName(r), r.Tool))
			}
		}
		slices.SortStableFunc(who.keys, func(x, y string) int { return len(who.of[y]) - len(who.of[x]) })
		for _, side := range who.keys {
			d.fact(a.name, side+": "+strings.Join(who.of[side], ", "))
		}
	}
}

// manyTable has what each tool would have said of all requests.
func manyTable(d *Doc, name string, traces []definition.Trace) {
	all := definition.Summarize(traces)
	d.Note(name + ", " + format.Count(len(traces)) + " requests under " + format.Count(len(all)) +
		" definitions; times in ms")
	t := &Table{Keys: 2, Cols: slices.Concat(words("tool", "version"),
		figures("TTFT p50", "p99", "ITL p50", "p99", "values"), words("pooled", "percentile"))}
	number := func(v metrics.Value) string { return format.Known(v, format.Number) }
	for _, s := range pick.All(all) {
		values := format.Either(s.ITLValues > 0, format.Count(s.ITLValues), format.Unknown)
		t.row(s.Rule.Tool, say.RuleVersions(s.Rule), number(s.TTFT50), number(s.TTFT99), number(s.ITL50),
			number(s.ITL99), values, say.RulePool(s.Rule.GapPool), say.RuleQuantile(s.Rule.Quantile))
	}
	d.table(t)
	d.Note("– the tool has no such figure, or counts with its own tokenizer. " +
		"A tool without percentiles has its mean or best under p50.")
}
