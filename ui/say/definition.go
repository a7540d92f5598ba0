package say

import (
	"cmp"
	"math"
	"strings"

	"tokscope/metrics/definition"
	"tokscope/ui/format"
)

// RuleName names a rule: the tool, and the versions it holds for.
func RuleName(r *definition.Rule) string {
	return strings.TrimSpace(r.Tool + " " + RuleVersions(r))
}

// RuleVersions are the versions that a rule holds for.
func RuleVersions(r *definition.Rule) string {
	return format.Either(r.Before, "before "+r.Versions, r.Versions)
}

// evidences are how rules are known.
var evidences = map[definition.Evidence]string{
	definition.Ran: "the tool was run", definition.Read: "its code was read",
	definition.Published: "its documentation was read",
}

// RuleEvidence says how a rule is known.
func RuleEvidence(r *definition.Rule) string { return cmp.Or(evidences[r.Evidence], "our own") }

// picks are the kinds of events in the order in which they are named.
var picks = []struct {
	is   definition.Pick
	name string
}{
	{definition.Content, "content"}, {definition.BothReasonings, "reasoning"},
	{definition.FieldReasoning, "the field reasoning"},
	{definition.FieldReasoningContent, "the field reasoning_content"}, {definition.FieldDetails, "reasoning_details"},
	{definition.Tools, "tool calls"}, {definition.Arguments, "arguments of tool calls"},
	{definition.Refusals, "refusals"}, {definition.Empty, "empty content"},
}

// Pick names a set of kinds of events.
func Pick(p definition.Pick) string {
	if p&definition.Choices != 0 {
		return "any event with choices"
	}
	var names []string
	for _, k := range picks {
		if p&k.is == k.is {
			names, p = append(names, k.name), p&^k.is
		}
	}
	return format.List(names, "or")
}

// Moment names a moment of a stream.
func Moment(m definition.Moment) string {
	return [...]string{format.Unknown, "sent", "first", "last", "finish", "usage", "[DONE]", "end of body"}[m]
}

// EndsAt names a moment as the end of a request.
func EndsAt(m definition.Moment) string {
	ends := map[definition.Moment]string{definition.Last: "last chunk", definition.Usage: "usage event"}
	return cmp.Or(ends[m], Moment(m))
}

// divisors are the divisors of a span.
var divisors = [...]string{"", "n", "(n − 1)", "(chunks − 1)", "lines", "n after the first chunk"}

// Formula writes how a figure is made of two moments and a divisor.
func Formula(s definition.Span, speed bool) string {
	if s.To == definition.Never {
		return format.Unknown
	}
	time := Moment(s.To)
	if s.From != definition.Sent {
		time = "(" + time + " − " + Moment(s.From) + ")"
	}
	switch by := divisors[s.Per]; {
	case s.Per == definition.Once:
		return strings.Trim(time, "()")
	case speed:
		return by + " / " + time
	default:
		return time + " / " + by
	}
}

// CountSource says where a rule's n comes from.
func CountSource(c definition.Count) string {
	return cmp.Or(map[definition.Count]string{definition.Uncounted: format.Unknown,
		definition.ByTokenizer: "own tokenizer", definition.ByAsked: "asked for"}[c], string(c))
}

// RulePool says how a tool joins the ITL of many requests.
func RulePool(p definition.Pool) string {
	return map[definition.Pool]string{definition.PoolNone: "no distribution",
		definition.PoolRequests: "one value a request", definition.PoolGaps: "all gaps together",
		definition.PoolTokens: "requests weighted by tokens"}[p]
}

// RuleQuantile names a method of percentiles.
func RuleQuantile(q definition.Quantile) string {
	return cmp.Or(map[definition.Quantile]string{definition.QuantileNone: "no percentile",
		definition.QuantileNearest: "nearest rank", definition.QuantileBest: "best request",
		definition.QuantileLower: "lower rank"}[q], string(q))
}

// DefinitionCell writes a figure of a rule without its unit. The figure by the
// server's count stands in parentheses where the tool has its own.
func DefinitionCell(c *definition.Cell) string {
	switch {
	case c.Value.OK:
		return format.Number(c.Value.V)
	case c.ByServer.OK:
		return "(" + format.Number(c.ByServer.V) + ")"
	}
	return format.Unknown
}

// agreeing is the ratio of two figures below which Spreads calls them one.
const agreeing = 1.02

// Spreads says how far the definitions of one stream lie apart: "TTFT 301–316 ms
// (1.05x), TPOT …", or that they agree: "All within 1 %: TPOT 16.7–16.8 ms, …".
func Spreads(rows []definition.Row) string {
	var out []string
	most := 1.0 // the largest ratio
	for _, f := range []struct {
		name, unit string
		of         func(*definition.Row) *definition.Cell
	}{
		{"TTFT", " ms", func(r *definition.Row) *definition.Cell { return &r.TTFT }},
		{"TPOT", " ms", func(r *definition.Row) *definition.Cell { return &r.TPOT }},
		{"speed", " tok/s", func(r *definition.Row) *definition.Cell { return &r.Speed }},
	} {
		s := definition.SpreadOf(rows, f.of)
		if s.N == 0 {
			continue
		}
		text, ratio := f.name+" "+format.Span(s.Min.V, s.Max.V, format.Number)+f.unit, 1.0
		if s.Min.V > 0 {
			ratio = s.Max.V / s.Min.V
		}
		out = append(out, text+format.If(ratio >= agreeing, " ("+format.Times(ratio, 0, ratio)+")"))
		most = max(most, ratio)
	}
	if len(out) == 0 {
		return "None has a figure of it."
	}
	within := "All within " + format.Percent(math.Ceil(most*100-100)/100) + ": "
	return format.If(most < agreeing, within) + strings.Join(out, ", ") + "."
}
