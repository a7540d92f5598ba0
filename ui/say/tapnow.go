package say

import (
	"cmp"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// tapNow are the activities of a turn that goes on, and of its client behind it.
var tapNow = map[turn.Activity]string{
	turn.Connect: "connecting", turn.Upload: "uploading", turn.Wait: "waiting for a token", turn.Thinking: "thinking",
	turn.Text: "writing text", turn.Call: "writing a tool call", turn.ServerTool: "the server's tool works",
	turn.Client: "tools and client at work", turn.You: "waiting for you",
}

// TapNow says what a turn does and for how long, "" where it has ended and another one followed.
func TapNow(t *turn.Turn) string {
	n := len(t.Spans)
	if n == 0 || t.Stream().State.Ended() && !t.Open {
		return ""
	}
	last := &t.Spans[n-1]
	return tapNow[last.Activity] + " for " + format.Duration(time.Duration(last.To-last.From))
}

// TapNewest says of a turn what it does, how it ended where that was not well, and what took
// its time.
func TapNewest(v *turn.View, t *turn.Turn) string { return tapNewest(v, t, TapSplit(t)) }

// TapBrief is TapNewest without what took the time.
func TapBrief(v *turn.View, t *turn.Turn) string {
	return tapNewest(v, t, format.If(t.Stream().State.Ended(), "took "+format.Duration(TapTook(t))))
}

func tapNewest(v *turn.View, t *turn.Turn, took string) string {
	what := TapNow(t)
	s := t.Stream()
	if s.State.Ended() && s.State != metrics.Done {
		what = format.Join("; ", tapFailed(s), what)
	}
	return TapTurn(v, t) + ": " + format.Join("; ", what, took)
}

// tapFailed says how a turn ended that did not end well.
func tapFailed(s *metrics.Stream) string {
	if s.State == metrics.Cancelled {
		return "stopped by the client"
	}
	return "failed, " + TapStatus(s)
}

// TapStatus names how an answer that did not end well ended, in a word or two: "529
// overloaded".
func TapStatus(s *metrics.Stream) string {
	status := ""
	if s.Fault != nil && s.Fault.Status != 0 {
		status = format.Exact(float64(s.Fault.Status))
	}
	return format.Join(" ", status, RunEnded(s))
}

// TapFault is tapFailed with what the server said, where that was kept.
func TapFault(s *metrics.Stream) string {
	said := ""
	if s.Fault != nil && s.State != metrics.Cancelled && !s.TextRemoved {
		said = sanitize.Line(s.Fault.Message, 200)
	}
	return format.Join("; ", tapFailed(s), said)
}

// TapBad reports whether a turn failed or lost its cache.
func TapBad(t *turn.Turn) bool { return t.Stream().State > metrics.Done || t.Cache.Lost != nil }

// TapStoodOut says what was wrong with a turn, "" for nothing.
func TapStoodOut(v *turn.View, t *turn.Turn) string {
	if t.Stream().State > metrics.Done {
		return TapTurn(v, t) + ": " + tapFailed(t.Stream())
	}
	return TapLost(v, t)
}

// TapQuiet says of an answer that has been silent for a second or more how long that lasts,
// whether the server lives, and when the client gives up; "" for any other.
func TapQuiet(about *turn.Tapped, s *metrics.Stream, now metrics.Stamp) string {
	const least = 1000 // ms
	ping := metrics.NoStamp
	if s.Comments > 0 {
		ping = s.LastComment
	}
	q := about.Agent.Deadlines.Quiet(s.Marks.Sent, s.LastData, ping, now)
	if s.State.Ended() || !q.For.OK || q.For.V < least {
		return ""
	}
	text := "waiting now: " + format.Ms(q.For.V) + " since the " +
		format.Either(s.LastData.Known(), "last data", "request was sent")
	if ago := metrics.Since(ping, now, metrics.WhyNoValues); ago.OK && s.Comments > 0 {
		text += "; the server is alive (ping " + format.Ms(ago.V) + " ago)"
	}
	return text + format.If(q.GivesUp.OK, "; "+TapClient(about)+" gives up in "+soon(q.GivesUp.V))
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

// TapPassed says what the tap added to a turn, and whether it changed a byte of it.
func TapPassed(t *turn.Turn) string {
	added := ""
	if d := &t.Added; d.N > 0 {
		added = "adds " + format.Ms(d.P50.V/1e6) + " to a piece"
	}
	same := ""
	switch s := t.Stream(); {
	case !s.State.Ended():
	case t.Up.Unchanged() && t.Down.Unchanged():
		same = "unchanged"
	case s.State == metrics.Done:
		same = "changed"
	case s.State.Ended():
		same = "broke off"
	}
	return format.Join(", ", added, same)
}

// TapLine is the line of a turn that has ended, for a log.
func TapLine(v *turn.View, t *turn.Turn) string {
	s := t.Stream()
	cached := format.If(t.Cache.Share.OK, ", "+format.Percent(t.Cache.Share.V)+" from the cache")
	return s.Wall.UTC().Format("15:04:05") + "  " + format.Join("; ", TapNewest(v, t),
		format.If(s.Usage.Prompt >= 0, format.Count(s.Usage.Prompt)+" tokens in"+cached), TapLost(v, t))
}

// TapTo names the upstream of a tap: "api.anthropic.com".
func TapTo(about *turn.Tapped) string {
	_, host, _ := strings.Cut(about.Upstream, "://")
	return sanitize.Line(host, nameMost)
}

// TapNoBad says that no turn above or below has failed or lost its cache.
func TapNoBad(below bool) string {
	return "no turn " + format.Either(below, "below", "above") + " failed or lost its cache"
}

// TapNoText says why a turn on Live has no text.
const TapNoText = "a tap keeps no texts: nothing is said about reading"

// TapWaits says that a tap that runs has no turn yet.
func TapWaits(v *turn.View, about *turn.Tapped) string {
	return format.Join("; ", "no request yet", TapOthers(v), format.If(about.Agent.Command == "",
		tapSet(about)))
}

// tapSet is what to do for a client that a person starts. A session file has no URL of the tap.
func tapSet(about *turn.Tapped) string {
	return "set the base URL of a client to " + cmp.Or(about.URL, "what the tap printed")
}
