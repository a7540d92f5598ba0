package say

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// TapClient names the client of a tap, "the client" where a person started it.
func TapClient(about *turn.Tapped) string { return cmp.Or(about.Agent.Title, "the client") }

// TapBegins says what is tapped, through which address, and where it goes.
func TapBegins(about *turn.Tapped) string {
	return "tap: " + TapClient(about) + " through " + about.URL + " to " + sanitize.Line(about.Upstream, nameMost) + "; " +
		tapKept(about)
}

// TapTexts asks whether a session may be kept with its texts.
const TapTexts = "The session file will hold all prompts and answers of the agent, readable only by you. Keep them?"

// pathMost bounds a path in a sentence.
const pathMost = 300

// tapKept says what stays of a session on the disk.
func tapKept(about *turn.Tapped) string {
	file := sanitize.Line(about.File, pathMost)
	switch {
	case about.Texts:
		return "prompts and answers are kept in " + file
	case file != "":
		return "only figures and times are kept (" + format.If(about.Stored, "history, ") + file + ")"
	}
	return format.Either(about.Stored, "only figures and times are kept (history)", "nothing is kept on disk")
}

// TapNone says that no turn passed, and what to do where no request at all did.
func TapNone(v *turn.View, about *turn.Tapped) string {
	if others := TapOthers(v); others != "" {
		return "no request asked for a streamed answer: " + others
	}
	if about.Agent.Command == "" {
		return "no request came: " + tapSet(about)
	}
	return TapClient(about) + " sent no request through the tap" + format.Either(about.Elsewhere,
		", but held a connection to port 443: it went around the tap, or that is its telemetry",
		": it asked nothing, or went around it") +
		format.If(about.Agent.Around != "", "; "+about.Agent.Around)
}

// tapActivities are the parts of a turn in words, as they follow each other.
var tapActivities = []struct {
	of   turn.Activity
	name string
}{
	{turn.Connect, "connect"}, {turn.Upload, "upload"}, {turn.Wait, "wait"}, {turn.Thinking, "thinking"},
	{turn.Text, "text"}, {turn.Call, "tool call"}, {turn.ServerTool, "the server's tools"},
	{turn.Client, "tools and client"},
}

// TapSplit says how long a turn was, and what took it: "14.2 s = upload 300 ms · wait 3.10 s ·
// thinking 6.00 s · text 1.40 s · tools and client 2.90 s". The time of a person is not in it.
func TapSplit(t *turn.Turn) string {
	var parts []string
	for _, a := range tapActivities {
		if d := t.Time(a.of); d > 0 {
			parts = append(parts, a.name+" "+format.Duration(d))
		}
	}
	return format.Duration(TapTook(t)) + " = " + strings.Join(parts, " · ")
}

// TapTook is the time of a turn without that of a person.
func TapTook(t *turn.Turn) (sum time.Duration) {
	for _, a := range tapActivities {
		sum += t.Time(a.of)
	}
	return sum
}

// TapAgent names a subagent by its number: a to z, then aa.
func TapAgent(n int) (name string) {
	for ; n > 0; n = (n - 1) / 26 {
		name = string(rune('a'+(n-1)%26)) + name
	}
	return name
}

// TapTurn names a turn: "turn 7", "turn 2 of subagent c".
func TapTurn(v *turn.View, t *turn.Turn) string {
	c := &v.Conversations[t.Conversation-1]
	return "turn " + format.Count(t.Number) + format.If(c.Of != 0, " of subagent "+TapAgent(c.Agent))
}

// TapSlowest says which turn took longest, and what took the time; "" without a turn.
func TapSlowest(v *turn.View) string {
	if len(v.Turns) == 0 {
		return ""
	}
	slowest := slices.MaxFunc(pick.Each(v.Turns, func(t *turn.Turn) *turn.Turn { return t }),
		func(a, b *turn.Turn) int { return cmp.Compare(TapTook(a), TapTook(b)) })
	return TapTurn(v, slowest) + ": " + TapSplit(slowest)
}

// TapSession says whose time a session with turns was, the largest share first: "41 turns in
// 18.0 min: model 61 %, tools and client 27 %, waiting for you 9 %, network 3 %".
func TapSession(t *turn.Totals) string {
	type part struct {
		name string
		took time.Duration
	}
	parts := []part{{"model", t.Model}, {"tools and client", t.Client}, {"waiting for you", t.You}, {"network", t.Network}}
	slices.SortStableFunc(parts, func(a, b part) int { return cmp.Compare(b.took, a.took) })
	var texts []string
	for _, p := range parts {
		if p.took > 0 {
			texts = append(texts, p.name+" "+format.Percent(float64(p.took)/float64(t.Clock)))
		}
	}
	return format.Join(": ", format.Plural(t.Turns, "turn", "turns")+" in "+format.Duration(t.Clock),
		strings.Join(texts, ", "))
}

// TapPermission says what the wire cannot tell; "" where no time could be a permission's.
func TapPermission(t *turn.Totals) string {
	return format.If(t.Client > 0,
		"tools and client: a permission that is asked before a tool runs cannot be told from the tool")
}

// TapFailures says how turns failed, and how many the client stopped; "" for none.
func TapFailures(t *turn.Totals) string {
	failed, stopped := 0, 0
	var kinds []metrics.FaultCount
	for _, f := range t.Failures {
		if f.Kind == metrics.FaultCancelled {
			stopped += f.N
			continue
		}
		failed += f.N
		kinds = append(kinds, metrics.FaultCount{Kind: f.Kind, Status: f.Status, N: f.N})
	}
	return format.Join("; ", Failed(failed, t.Turns, kinds).String(),
		format.If(stopped > 0, format.Count(stopped)+" stopped by the client"))
}

// tapKinds are requests that are no turns, one and many.
var tapKinds = map[turn.Kind][2]string{
	turn.CountTokens: {"count of tokens", "counts of tokens"}, turn.Models: {"list of models", "lists of models"},
	turn.Hello: {"HEAD", "HEADs"}, turn.WarmUp: {"warm-up", "warm-ups"},
	turn.Resume: {"resumed answer", "resumed answers"},
	turn.Whole:  {"answer that is not streamed", "answers that are not streamed"}, turn.Other: {"other", "others"},
}

// TapOthers counts the requests that are no turns, "" for none.
func TapOthers(v *turn.View) string {
	var parts []string
	for k, n := range v.Counts {
		if words, ok := tapKinds[turn.Kind(k)]; ok && n > 0 {
			parts = append(parts, format.Plural(n, words[0], words[1]))
		}
	}
	return strings.Join(parts, ", ")
}

// TapLost says that a turn lost its cache, where, and what it cost; "" where it did not.
func TapLost(v *turn.View, t *turn.Turn) string {
	l := t.Cache.Lost
	if l == nil {
		return ""
	}
	before := pick.First(v.Turns, func(o *turn.Turn) bool { return o.Stream().ID == l.Before })
	text := TapTurn(v, t) + " lost the cache: " + format.Plural(l.Tokens, "token", "tokens") + " read again" +
		format.If(l.Cost.OK && l.Cost.V > 0, ", about "+format.Ms(l.Cost.V))
	switch {
	case !l.Known:
		text += "; where the prompt differs is not known: only new messages are sent"
	case l.Block == 0:
		text += "; the prompt begins as before, " + format.Duration(l.After) + " after the last answer"
	case before != nil:
		text += "; first difference from " + TapTurn(v, before) + ": " + l.Part.String() + ", block " +
			format.Count(l.Block) + " of " + format.Count(l.Of)
	}
	return text
}

// TapCost says what turns cost at the user's own prices, and for what; "" where it is not known.
func TapCost(b *metrics.Bill) string {
	part := func(what string, v float64) string { return format.If(v > 0, what+" "+format.Money(v)) }
	return format.If(b.N > 0, format.Money(b.Total)+" "+b.Currency+" ("+format.Plural(b.N, "turn", "turns")+"): "+
		format.Join(", ", part("input", b.Input), part("cache reads", b.CacheRead), part("cache writes", b.CacheWrite),
			part("output", b.Output)))
}

// TapDearest says which turn cost most; "" with fewer than two that have a cost.
func TapDearest(v *turn.View) string {
	if v.Totals.Bill.N < 2 {
		return ""
	}
	cost := func(t *turn.Turn) float64 { return t.Bill().Total }
	most := slices.MaxFunc(pick.Each(v.Turns, func(t *turn.Turn) *turn.Turn { return t }),
		func(a, b *turn.Turn) int { return cmp.Compare(cost(a), cost(b)) })
	return "the most: " + TapTurn(v, most) + ", " + format.Money(cost(most))
}

// TapPatience says what the client does by itself in a silence; "" where nobody knows.
func TapPatience(a *turn.Agent) string {
	d := a.Deadlines
	text := format.Join(" and ", format.If(d.Says > 0, "shows a silence after "+format.Duration(d.Says)),
		format.If(d.GivesUp > 0, "gives up after "+format.Duration(d.GivesUp)+" of it"))
	return format.If(text != "", format.Join(" ", a.Title, a.Version, text)+format.If(d.Pings, "; a ping ends it"))
}

// TapLimitTurns says for how many turns a limit is enough, "" where it is not known.
func TapLimitTurns(l *turn.Limits) string {
	return format.If(l.Turns.OK, "enough for at least "+format.Plural(int(l.Turns.V), "turn", "turns")+" like the last "+
		format.Count(l.Turns.N))
}

// TapServed says where the served model or class is another than the one asked for.
func TapServed(s *turn.ServiceCount) string {
	was := (&metrics.Served{Service: s.Served}).Otherwise(s.Asked)
	part := func(name, asked, served string) string {
		return format.If(asked != "", name+" asked "+sanitize.Line(asked, nameMost)+", served "+
			sanitize.Line(served, nameMost))
	}
	other := format.If(metrics.CompareModels(s.AskedModel, s.Model) == metrics.ModelOther, s.AskedModel)
	text := format.Join("; ", part("model", other, s.Model), part("tier", was.Tier, s.Served.Tier),
		part("speed", was.Speed, s.Served.Speed))
	return format.If(text != "", text+" ("+format.Plural(s.N, "turn", "turns")+")")
}

// TapAdded says what the tap added to the pieces that it passed on; "" without one.
func TapAdded(v *turn.View) string {
	var half []float64
	worst := 0.0
	for i := range v.Turns {
		if d := &v.Turns[i].Added; d.N > 0 {
			half = append(half, d.P50.V)
			worst = max(worst, cmp.Or(d.P99.V, d.Max.V))
		}
	}
	if len(half) == 0 {
		return ""
	}
	median := metrics.Median(half, metrics.WhyNoValues)
	return "adds " + format.Ms(median.V/1e6) + " to a piece (median of " + format.Plural(len(half), "turn", "turns") +
		"), p99 in the worst turn " + format.Ms(worst/1e6)
}

// TapUnchanged says whether the same bytes went out that came in, from counts and sums.
func TapUnchanged(v *turn.View) string {
	same, other, broke := 0, 0, 0
	var up, down int64
	for i := range v.Turns {
		switch t := &v.Turns[i]; {
		case !t.Stream().State.Ended():
		case t.Up.Unchanged() && t.Down.Unchanged():
			same++
			up, down = up+t.Up.Read, down+t.Down.Read
		case t.Stream().State != metrics.Done:
			broke++
		default:
			other++
		}
	}
	switch {
	case other > 0:
		return "passed on unchanged: no, not in " + format.Plural(other, "turn", "turns")
	case same == 0:
		return ""
	}
	return "passed on unchanged: yes (" + format.Plural(same, "turn", "turns") + ": " + format.Count(int(up)) + " B up, " +
		format.Count(int(down)) + " B down)" + format.If(broke > 0, "; "+format.Count(broke)+" broke off")
}

// TapTransport counts the turns by their transport: "HTTP/1.1 (12 turns, 10 on a kept
// connection), uncompressed". The tap asks for that over HTTP, else its stamps would be those
// of a compressed stream.
func TapTransport(v *turn.View) string {
	var names, texts []string
	turns, kept := map[string]int{}, map[string]int{}
	for i := range v.Turns {
		c := &v.Turns[i].Stream().Conn
		if c.Proto == "" {
			continue
		}
		if turns[c.Proto] == 0 {
			names = append(names, c.Proto)
		}
		turns[c.Proto]++
		if c.Reused {
			kept[c.Proto]++
		}
	}
	for _, name := range names {
		texts = append(texts, sanitize.Line(name, nameMost)+" ("+format.Plural(turns[name], "turn", "turns")+
			format.If(kept[name] > 0, ", "+format.Count(kept[name])+" on a kept connection")+")"+
			format.If(name != "WebSocket", ", uncompressed as the tap asks (Accept-Encoding)"))
	}
	return strings.Join(texts, ", ")
}
