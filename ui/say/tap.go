package say

import (
	"cmp"
	"maps"
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

// TapBegins says what is tapped, through which address, where it goes, and where its turns are shown.
func TapBegins(about *turn.Tapped) string {
	return "tap: " + TapClient(about) + " through " + about.URL + " to " + sanitize.Line(about.Upstream, nameMost) + "; " +
		format.Join("; ", tapKept(about), format.If(about.File != "", "tokscope tap in another terminal shows its turns"))
}

// TapTexts asks whether a session may be kept with its texts.
const TapTexts = "The session file will hold all prompts and answers of the agent, readable only by you. Keep them?"

// pathMost bounds a path in a sentence.
const pathMost = 300

// tapKept says what stays of a session on the disk.
func tapKept(about *turn.Tapped) string {
	where := format.Join(", ", format.If(about.Stored && !about.Texts, "history"), sanitize.Line(about.File, pathMost))
	what := format.Either(about.Texts, "prompts and answers", "only figures and times")
	return format.Either(where == "", "nothing is kept on disk", what+" are kept ("+where+")")
}

// TapNone says that no turn has passed, and what to do where no request at all has. runs: the tap
// goes on.
func TapNone(v *turn.View, about *turn.Tapped, runs bool) string {
	others, person := TapOthers(v), about.Agent.Command == ""
	set := "set the base URL of a client to " + cmp.Or(about.URL, "what the tap printed") // a file has none
	switch {
	case runs:
		return format.Join("; ", "no request yet", others, format.If(person, set))
	case others != "":
		return "no request asked for a streamed answer: " + others
	case person:
		return "no request came: " + set
	}
	return TapClient(about) + " sent no request through the tap" + format.Either(about.Elsewhere,
		", but held a connection to port 443: it went around the tap, or that is its telemetry",
		": it asked nothing, or went around it") +
		format.If(about.Agent.Around != "", "; "+about.Agent.Around)
}

// tapDoes are the words for what the time of a turn goes by with: for what has passed, and for what
// goes on.
var tapDoes = [...]struct{ took, now string }{
	turn.Connect:    {"connect", "connecting"},
	turn.Upload:     {"upload", "uploading"},
	turn.Wait:       {"wait", "waiting for a token"},
	turn.Thinking:   {"thinking", "thinking"},
	turn.Text:       {"text", "writing text"},
	turn.Call:       {"tool call", "writing a tool call"},
	turn.ServerTool: {"the server's tools", "the server's tool works"},
	turn.Client:     {"tools and client", "tools and client at work"},
	turn.You:        {"waiting for you", "waiting for you"},
}

// TapActivity names what time went by with: "tool call".
func TapActivity(a turn.Activity) string { return tapDoes[a].took }

// TapSplit says how long a turn took, and with what: "took 14.2 s = upload 300 ms · wait 3.10 s ·
// thinking 6.00 s · text 1.40 s · tools and client 2.90 s". The time of a person is not in it.
func TapSplit(t *turn.Turn) string {
	var parts []string
	for a := range turn.You {
		if d := t.Time(a); d > 0 {
			parts = append(parts, TapActivity(a)+" "+format.Duration(d))
		}
	}
	took := format.Duration(tapTook(t))
	return format.Either(t.Stream().State.Ended(), "took "+took, took+" so far") + " = " + strings.Join(parts, " · ")
}

// tapTook is the time of a turn without that of a person.
func tapTook(t *turn.Turn) (sum time.Duration) {
	for a := range turn.You {
		sum += t.Time(a)
	}
	return sum
}

// TapNow says what a turn that goes on does, or its client behind it, and for how long; "" where
// both have ended. silent: nothing has come for a second or more. Then it says whether the server
// lives, and when the client gives up.
func TapNow(about *turn.Tapped, t *turn.Turn) (text string, silent bool) {
	const least = 1000 // ms
	s, n := t.Stream(), len(t.Spans)
	if n == 0 || s.State.Ended() && !t.Open {
		return "", false
	}
	last := &t.Spans[n-1]
	text = tapDoes[last.Activity].now + " for " + format.Duration(time.Duration(last.To-last.From))
	ping := metrics.NoStamp
	if s.Comments > 0 {
		ping = s.LastComment
	}
	q := about.Agent.Deadlines.Quiet(s.Marks.Sent, s.LastData, ping, s.Now)
	if s.State.Ended() || !q.For.OK || q.For.V < least {
		return text, false
	}
	if last.Activity > turn.Wait && last.Activity < turn.ServerTool {
		text = "silent for " + format.Ms(q.For.V) + " behind " + TapActivity(last.Activity)
	}
	if ago := metrics.Since(ping, s.Now, metrics.WhyNoValues); ago.OK {
		text += "; the server is alive (ping " + format.Ms(ago.V) + " ago)"
	}
	return text + format.If(q.GivesUp.OK, "; "+TapClient(about)+" gives up in "+soon(q.GivesUp.V)), true
}

// TapSays says of a turn what it does now, how it ended where that was not well, and what took
// its time.
func TapSays(v *turn.View, t *turn.Turn, now string) string {
	return TapTurn(v, t) + ": " + format.Join("; ", TapFault(t.Stream()), now, TapSplit(t))
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

// tapMost returns the first of the turns of which a figure is largest, nil without a turn.
func tapMost(v *turn.View, of func(*turn.Turn) float64) (most *turn.Turn) {
	for _, t := range pick.All(v.Turns) {
		if most == nil || of(t) > of(most) {
			most = t
		}
	}
	return most
}

// TapSlowest says which turn took longest, and what took the time.
func TapSlowest(v *turn.View) string {
	slowest := tapMost(v, func(t *turn.Turn) float64 { return float64(tapTook(t)) })
	return TapTurn(v, slowest) + ": " + TapSplit(slowest)
}

// TapSession says whose time a session with turns was, the largest share first: "41 turns in
// 18.0 min: model 61 %, tools and client 27 %, waiting for you 9 %, network 3 %".
func TapSession(t *turn.Totals) string {
	type part struct {
		name string
		took time.Duration
	}
	parts := []part{{"model", t.Model}, {TapActivity(turn.Client), t.Client}, {TapActivity(turn.You), t.You},
		{"network", t.Network}}
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

// TapPermission says what the wire cannot tell of the client's time.
const TapPermission = "tools and client: a permission that is asked before a tool runs cannot be told from the tool"

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
		kinds = append(kinds, f)
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
	most := tapMost(v, cost)
	return "the most: " + TapTurn(v, most) + ", " + format.Money(cost(most))
}

// TapPatience says what the client does by itself in a silence; "" where nobody knows.
func TapPatience(a *turn.Agent) string {
	d := a.Deadlines
	text := format.Join(" and ", format.If(d.Says > 0, "shows a silence after "+format.Duration(d.Says)),
		format.If(d.GivesUp > 0, "gives up after "+format.Duration(d.GivesUp)+" of silence"))
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

// TapPassed says what the tap added to the pieces of turns that it passed on, and, from counts and
// sums, whether the same bytes went out that came in; "" where nothing is known.
func TapPassed(turns []turn.Turn) (added, unchanged string) {
	var half []float64
	var up, down int64
	worst, same, other, broke := 0.0, 0, 0, 0
	for _, t := range pick.All(turns) {
		if d := &t.Added; d.N > 0 {
			half, worst = append(half, d.P50.V), max(worst, cmp.Or(d.P99.V, d.Max.V))
		}
		switch s := t.Stream().State; {
		case !s.Ended():
		case t.Up.Unchanged() && t.Down.Unchanged():
			same, up, down = same+1, up+t.Up.Read, down+t.Down.Read
		case s != metrics.Done:
			broke++
		default:
			other++
		}
	}
	count := func(n int) string { return format.Plural(n, "turn", "turns") }
	many := len(turns) > 1
	if len(half) > 0 {
		added = "adds " + format.Ms(metrics.Median(half, metrics.WhyNoValues).V/1e6) + " to a piece" +
			format.If(many, " (median of "+count(len(half))+")") + ", p99 " +
			format.If(many, "in the worst turn ") + format.Ms(worst/1e6)
	}
	switch {
	case other > 0:
		unchanged = "passed on unchanged: no, not in " + count(other)
	case same > 0:
		unchanged = "passed on unchanged: yes (" + format.If(many, count(same)+": ") + format.Count(int(up)) + " B up, " +
			format.Count(int(down)) + " B down)" + format.If(broke > 0, "; "+format.Count(broke)+" broke off")
	}
	return added, unchanged
}

// TapTransport counts the turns by their transport: "HTTP/1.1 (12 turns, 10 on a kept
// connection), uncompressed". The tap asks for that over HTTP, else its stamps would be those
// of a compressed stream.
func TapTransport(v *turn.View) string {
	turns, kept := map[string]int{}, map[string]int{}
	for i := range v.Turns {
		if c := &v.Turns[i].Stream().Conn; c.Proto != "" {
			turns[c.Proto]++
			if c.Reused {
				kept[c.Proto]++
			}
		}
	}
	var texts []string
	for _, name := range slices.Sorted(maps.Keys(turns)) {
		texts = append(texts, sanitize.Line(name, nameMost)+" ("+format.Plural(turns[name], "turn", "turns")+
			format.If(kept[name] > 0, ", "+format.Count(kept[name])+" on a kept connection")+")"+
			format.If(name != "WebSocket", ", uncompressed as the tap asks (Accept-Encoding)"))
	}
	return strings.Join(texts, ", ")
}

// TapStatus names how an answer that did not end well ended, in a word or two: "529 overloaded".
func TapStatus(s *metrics.Stream) string {
	if s.Fault != nil && s.Fault.Status != 0 {
		return format.Exact(float64(s.Fault.Status)) + " " + RunEnded(s)
	}
	return RunEnded(s)
}

// TapFault says how an answer ended that did not end well, and what the server said, where that
// was kept; "" of any other.
func TapFault(s *metrics.Stream) string {
	switch {
	case s.State <= metrics.Done:
		return ""
	case s.State == metrics.Cancelled:
		return "stopped by the client"
	case s.Fault != nil && !s.TextRemoved:
		return format.Join("; ", "failed, "+TapStatus(s), sanitize.Line(s.Fault.Message, 200))
	}
	return "failed, " + TapStatus(s)
}

// TapBad reports whether a turn failed or lost its cache.
func TapBad(t *turn.Turn) bool { return t.Stream().State > metrics.Done || t.Cache.Lost != nil }

// TapStoodOut says what was wrong with a turn, "" for nothing.
func TapStoodOut(v *turn.View, t *turn.Turn) string {
	if fault := TapFault(t.Stream()); fault != "" {
		return TapTurn(v, t) + ": " + fault
	}
	return TapLost(v, t)
}

// TapNoBad says that no turn above or below has failed or lost its cache.
func TapNoBad(below bool) string {
	return "no turn " + format.Either(below, "below", "above") + " failed or lost its cache"
}

// TapRequest says what a turn asked: "POST /v1/messages?beta, 48,404 B, 9 tools, 12 messages".
func TapRequest(t *turn.Turn) string {
	return format.Join(", ", sanitize.Line(strings.TrimSpace(t.Method+" "+t.Path), nameMost+nameMost),
		format.Count(t.Bytes)+" B", format.If(t.Tools > 0, format.Plural(t.Tools, "tool", "tools")),
		format.If(t.Messages > 0, format.Plural(t.Messages, "message", "messages")),
		format.If(t.Retry != 0, "a retry"))
}

// TapCache says what of the prompt of a turn came from the cache, and where it was lost; ""
// where the server does not say.
func TapCache(v *turn.View, t *turn.Turn) string {
	if !t.Cache.Share.OK {
		return ""
	}
	u := &t.Stream().Usage
	return format.Join("; ", format.Percent(t.Cache.Share.V)+", "+format.Count(u.Cached)+" of "+format.Count(u.Prompt)+
		" tokens", TapLost(v, t))
}

// TapLine is the line of a turn that has ended, for a log.
func TapLine(v *turn.View, t *turn.Turn) string {
	s := t.Stream()
	cached := format.If(t.Cache.Share.OK, ", "+format.Percent(t.Cache.Share.V)+" from the cache")
	return s.Wall.UTC().Format("15:04:05") + "  " + format.Join("; ", TapSays(v, t, ""),
		format.If(s.Usage.Prompt >= 0, format.Count(s.Usage.Prompt)+" tokens in"+cached), TapLost(v, t))
}

// TapTo names the upstream of a tap: "api.anthropic.com".
func TapTo(about *turn.Tapped) string {
	_, host, _ := strings.Cut(about.Upstream, "://")
	return sanitize.Line(host, nameMost)
}

// TapNoText says why a turn on Live has no text.
const TapNoText = "a tap keeps no texts: nothing is said about reading"
