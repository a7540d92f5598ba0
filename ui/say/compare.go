package say

import (
	"cmp"
	"math"
	"slices"
	"strings"

	compared "tokscope/metrics/comparison"
	"tokscope/metrics/condition"
	"tokscope/metrics/history"
	"tokscope/ui/format"
)

// CompareSentence writes what a comparison shows: the most important difference
// with its interval and what explains it, other differences, and what is as it was.
func CompareSentence(c *compared.Comparison) string {
	switch len(c.Pairs) {
	case 0:
		return "Nothing in A and B can be compared."
	case 1:
		return compareOne(&c.Pairs[0])
	}
	best := -1
	for i := range c.Pairs {
		if c.Pairs[i].Different() && (best < 0 || compareSize(&c.Pairs[i]) > compareSize(&c.Pairs[best])) {
			best = i
		}
	}
	n := format.Count(len(c.Pairs))
	if best < 0 {
		return format.Either(c.Pairs[0].Tested == 0, "Nothing tells "+n+" loads apart: "+compareWhyNot(&c.Pairs[0])+".",
			"No difference more than chance at "+n+" loads.")
	}
	return "B differs from A at " + format.Count(c.Different()) + " of " + n +
		" loads, most at " + CompareLoad(&c.Pairs[best].A) + ". " + compareOne(&c.Pairs[best])
}

// compareSize returns how large the largest difference of a pair is.
func compareSize(p *compared.Pair) (most float64) {
	for i := range p.Rows {
		if r := &p.Rows[i]; r.Different() {
			most = max(most, math.Abs(math.Log(r.Ratio)))
		}
	}
	return most
}

// compareOne writes what a pair shows.
func compareOne(p *compared.Pair) string {
	var parts, same []string
	for _, f := range historyOrder {
		r := p.Row(f)
		switch {
		case r == nil:
		case r.Different() && len(parts) == 0:
			parts = append(parts, compareThat(r)+ttftCause(&p.Result, r))
		case r.Different() && len(parts) < 3:
			parts = append(parts, f.Label()+" "+rowMoved(r, ""))
		case r.State == compared.Noise && (f == history.TTFT || f == history.TPOT):
			same = append(same, f.Label()+" "+CompareUnchanged(r))
		}
	}
	x := &p.Failures
	failed := format.If(x.Different(),
		"B failed in "+FailedOf(x.FailedB, x.NB)+" requests, A in "+FailedOf(x.FailedA, x.NA))
	text := format.Join("; ", slices.Concat(parts, []string{failed}, same)...)
	return cmp.Or(text, "Nothing tells A and B apart: "+compareWhyNot(p)) + "."
}

// compareWhyNot writes why nothing of a pair was tested.
func compareWhyNot(p *compared.Pair) string {
	for _, f := range historyOrder {
		r := p.Row(f)
		switch {
		case r == nil:
		case r.State == compared.Single:
			return "only medians are known, compare files of --request-lines"
		case r.State == compared.TooFew && r.Both():
			return "too few requests, each side needs " + format.Count(r.Needs)
		case r.State == compared.TooFew:
			return "only one of them has figures"
		}
	}
	return "they share no figure"
}

// compareThat writes by how much B differs: "TTFT of B is 2.1x that of A (1.9–2.3)",
// "queue of B is 1.00 ms above that of A (0.00–1.00 ms)".
func compareThat(r *compared.Row) string {
	return r.Figure.Label() + " of B is " + rowMoved(r, " that of A")
}

// CompareLoad writes the load of a setup: "16 users", "2.5 requests per second".
func CompareLoad(s *compared.Setup) string {
	users := format.Plural(s.Users, "user", "users")
	return format.Either(s.Rate > 0, format.Number(s.Rate)+" requests per second", users)
}

// CompareState writes what is known of a row: "higher", "~", "too few, needs 6".
func CompareState(r *compared.Row) string {
	switch {
	case r.State == compared.Single && r.Both():
		return "no interval: medians alone"
	case r.NA == 0:
		return "in B alone"
	case r.NB == 0:
		return "in A alone"
	case r.State == compared.TooFew:
		return "too few, each needs " + format.Count(r.Needs)
	}
	return compareWords[r.State]
}

// compareWords are the words of the tested states.
var compareWords = map[compared.State]string{compared.Noise: "~", compared.Lower: "lower", compared.Higher: "higher"}

// CompareFailureState writes what is known of the failures: "~", "higher".
func CompareFailureState(f *compared.Failures) string {
	return format.If(f.FailedA+f.FailedB > 0, compareWords[f.State])
}

// CompareExplains writes by how much a part of the wait explains the change of
// TTFT, see PartOfChange; "" where there is no change of both.
func CompareExplains(p *compared.Pair, r *compared.Row) string {
	ttft := p.Row(history.TTFT)
	inside := r.Figure == history.Queue || r.Figure == history.Prefill
	if !r.Different() || !inside || ttft == nil || !ttft.Different() || (ttft.B-ttft.A)*r.Explains <= 0 {
		return ""
	}
	return PartOfChange(r.Explains, ttft.B-ttft.A)
}

// PartOfChange writes how much of a change of ms is that of a part: "289 of the +290 ms";
// where the others changed against it, "+112 ms, rest −14.0 ms".
func PartOfChange(part, whole float64) string {
	sign, other := format.Either(part < 0, format.Minus, "+"), format.Either(part < 0, "+", format.Minus)
	if rest := whole - part; rest*part < 0 {
		return sign + format.Ms(math.Abs(part)) + ", rest " + other + format.Ms(math.Abs(rest))
	}
	of, all, _ := strings.Cut(format.PartOf(math.Abs(part), math.Abs(whole), format.Ms), " of ")
	return of + " of the " + sign + all
}

// CompareRow writes a row in words, for the JSON.
func CompareRow(r *compared.Row) string {
	name := r.Figure.Label()
	switch {
	case r.Different():
		return compareThat(r)
	case r.State == compared.Noise:
		return name + " " + CompareUnchanged(r)
	}
	return name + ": " + CompareState(r)
}

// CompareSetup writes how the requests of a pair were made: "chat", "at most 40
// out", "reused connection", "1 user".
func CompareSetup(s *compared.Setup) []string {
	return format.Written(s.Model, s.Workload, s.Settings,
		format.If(s.InputTokens > 0, "about "+format.Count(s.InputTokens)+" tokens in"),
		format.If(s.InputTokens == compared.Drawn, "lengths differ"),
		format.If(s.MaxTokens > 0, "at most "+format.Count(s.MaxTokens)+" out"),
		format.If(s.Connection != "", strings.TrimSpace(s.Connection+" connection "+s.Proto)),
		compareProxy(s), CompareLoad(s))
}

// compareProxy names the proxy of a setup, "" without one.
func compareProxy(s *compared.Setup) string {
	return format.If(s.Proxy != "" && s.Proxy != "none", "proxy "+s.Proxy)
}

// ComparePoint writes in what two setups differ at a point: "other workload (chat
// and custom)".
func ComparePoint(p compared.Point, a, b *compared.Setup) string {
	of := func(s *compared.Setup) string {
		switch p {
		case compared.PointModel:
			return s.Model
		case compared.PointWorkload:
			return format.Join(", ", s.Workload, compareLength(s.InputTokens, " in"), compareLength(s.MaxTokens, " out"),
				s.Prompt, s.Settings)
		case compared.PointConnection:
			return format.Join(" ", s.Connection, s.Proto, compareProxy(s))
		case compared.PointUsers:
			return CompareLoad(s)
		case compared.PointStamps:
			return s.Stamps
		}
		return format.Join(", ", s.Counted, s.Each)
	}
	x, y := of(a), of(b)
	return "other " + comparePoints[p] + " (" + cmp.Or(x, format.Unknown) + " and " + cmp.Or(y, format.Unknown) + ")"
}

// compareLength writes a number of tokens that was asked for.
func compareLength(n int, what string) string {
	return format.If(n != 0, format.Either(n == compared.Drawn, "drawn", format.Count(n))+what)
}

// comparePoints are the names of points.
var comparePoints = map[compared.Point]string{
	compared.PointModel: "model", compared.PointWorkload: "workload", compared.PointConnection: "connection",
	compared.PointUsers: "load", compared.PointStamps: "source of stamps", compared.PointDefinition: "definition",
}

// CompareRefusal writes in which points A and B differ and how to compare them
// anyway.
func CompareRefusal(c *compared.Comparison) string {
	if len(c.Refused) == 0 {
		return "A and B share no request that can be compared"
	}
	var parts, names []string
	for _, p := range c.Refused {
		parts = append(parts, ComparePoint(p, &c.RefusedA, &c.RefusedB))
		names = append(names, string(p))
	}
	return "A and B cannot be compared: " + strings.Join(parts, "; ") +
		". Measure both alike, or compare anyway with --allow " + strings.Join(names, ",")
}

// compareKinds are the kinds that are not called by their name.
var compareKinds = map[compared.Kind]string{
	compared.KindLines: "lines of a probe", compared.KindSession: "session file",
	compared.KindForeign:  "file of another program",
	compared.KindRequests: "requests of a sweep",
}

// CompareKind writes what a sample was read from.
func CompareKind(k compared.Kind) string { return cmp.Or(compareKinds[k], string(k)) }

// CompareCondition writes what a pair says of a condition: "met: 2.1x (1.9–2.3)".
func CompareCondition(v *compared.Verdict) string {
	if v.NoRatio {
		return "undecided: no ratio to " + format.Figure(v.Condition.Figure, 0) + ", give a limit in its unit"
	}
	text := conditionValue(&v.Condition, v.Value, v.Low, v.High)
	switch v.Outcome {
	case condition.Met:
		return "met: " + text
	case condition.Unmet:
		return "not met: " + text
	}
	return "undecided: " + format.Either(v.Outcome == condition.Open, text, "no interval, too few values")
}

// conditionValue writes a figure in the unit of a condition with its interval, of
// which an end may not be bounded.
func conditionValue(c *condition.Condition, value, low, high float64) string {
	write := format.Ms
	switch c.Unit {
	case condition.Ratio:
		return format.TimesRange(value, low, high)
	case condition.Speed:
		write = format.Rate
	case condition.Share:
		write = format.Percent
	}
	return format.Beside(write(value), format.Interval(low, high, write))
}

// CompareCommon says that n requests stand on both sides, and what to do.
func CompareCommon(n int) string {
	return format.Plural(n, "request stands", "requests stand") +
		" on both sides: choose times that do not overlap, such as history:until:1h and history:since:1h"
}
