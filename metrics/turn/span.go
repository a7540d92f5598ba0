package turn

import (
	"slices"

	"tokscope/metrics"
)

// Activity is what the time of a turn goes by with.
type Activity uint8

// The activities, in the order in which a turn has them, but for an Upload before a Connect.
const (
	Connect    Activity = iota // a new connection was made: DNS, TCP, TLS
	Upload                     // else from the first byte of the request at the tap until its last one is sent
	Wait                       // until the first chunk: the server's queue and prefill
	Thinking                   // before a chunk of reasoning, and from the last one to text
	Text                       // before a further one of text, a refusal, sound or a picture
	Call                       // before one of a tool call
	ServerTool                 // a tool that the server runs itself worked
	Client                     // after the answer: the client and its tools, subagents among them
	You                        // after the answer: the client waited for a person
	activities                 // how many there are
)

// String returns the word used in JSON.
func (a Activity) String() string {
	return [...]string{"connect", "upload", "wait", "thinking", "text", "tool_call", "server_tool",
		"client", "you"}[a]
}

// Span is a time in which a turn did one thing.
type Span struct {
	Activity Activity
	From, To metrics.Stamp
	Name     string // of the tool of a ServerTool, unsanitized; else ""
}

// extend appends a span, unless it is empty, and joins what is alike.
func extend(spans []Span, s Span) []Span {
	if n := len(spans); n > 0 && spans[n-1].Activity == s.Activity && spans[n-1].Name == s.Name {
		spans[n-1].To = max(spans[n-1].To, s.To)
		return spans
	}
	if s.From >= s.To {
		return spans
	}
	return append(spans, s)
}

// overlay returns spans with in put over those parts of them that over allows.
func overlay(spans []Span, in Span, over func(Activity) bool) (out []Span) {
	for _, s := range spans {
		from, to := max(s.From, in.From), min(s.To, in.To)
		if from >= to || !over(s.Activity) {
			out = extend(out, s)
			continue
		}
		out = extend(out, Span{s.Activity, s.From, from, s.Name})
		out = extend(out, Span{in.Activity, from, to, in.Name})
		out = extend(out, Span{s.Activity, to, s.To, s.Name})
	}
	return out
}

// answerEnd returns when the answer ended for the client: at its end marker, else with the
// body. NoStamp while it goes on.
func answerEnd(s *metrics.Stream) metrics.Stamp {
	switch {
	case s.Marks.DoneMarker.Known():
		return s.Marks.DoneMarker
	case !s.State.Ended():
		return metrics.NoStamp
	case s.Marks.End.Known():
		return s.Marks.End
	}
	return s.Now
}

// answerSpans divides the time from the start of a request to the end of its answer, or to
// the moment of s while that goes on. The time before a chunk belongs to what it holds, but that
// between thinking and text to thinking, and that behind the last one to what that holds. A moment
// that is unknown, or before an earlier one, makes its span empty.
func answerSpans(s *metrics.Stream) (spans []Span) {
	k, at := &s.Marks, s.Marks.Start
	end := answerEnd(s)
	if !end.Known() {
		end = s.Now
	}
	reach := func(a Activity, to metrics.Stamp) {
		to = min(to, end)
		spans = extend(spans, Span{Activity: a, From: at, To: to})
		at = max(at, to)
	}
	now := Upload // what goes on behind the last known moment; a tap sends what it has received
	for _, dials := range []metrics.Stamp{k.DNSStart, k.ConnectStart} {
		if dials.Known() && now == Upload {
			reach(Upload, dials)
			now = Connect
		}
	}
	if ready := max(k.GotConn, k.Upgraded); ready.Known() {
		reach(now, ready)
		now = Upload
	}
	if k.Sent.Known() {
		reach(Upload, k.Sent)
		now = Wait
	}
	for i := min(s.Others, len(s.Chunks)); i < len(s.Chunks); i++ {
		c := &s.Chunks[i]
		holds := Text
		switch c.Kind {
		case metrics.Reasoning:
			holds = Thinking
		case metrics.ToolCall:
			holds = Call
		}
		switch {
		case now < Thinking:
			reach(Wait, c.At)
		case now == Thinking && holds == Text: // as on Live: a long silence there, with pings, is no text
			reach(Thinking, c.At)
		default:
			reach(holds, c.At)
		}
		now = holds
	}
	reach(now, end)
	for _, w := range s.Waits {
		if !w.To.Known() { // it works, or its end never came
			w.To = end
			if i := slices.IndexFunc(s.Chunks, func(c metrics.Chunk) bool { return c.At > w.From }); i >= 0 {
				w.To = s.Chunks[i].At
			}
		}
		spans = overlay(spans, Span{ServerTool, w.From, w.To, w.Name}, func(a Activity) bool { return a != ServerTool })
	}
	return spans
}

// callsTool reports whether an answer calls a tool of the client. A named call behind which a
// tool of the server begins to work is that tool's.
func callsTool(s *metrics.Stream) bool {
	switch s.Finish {
	case "tool_use", "tool_calls", "function_call":
		return true
	}
	var called metrics.Stamp = metrics.NoStamp // of the last named call that may be the client's
	works := func(to metrics.Stamp) bool {
		return slices.ContainsFunc(s.Waits, func(w metrics.Wait) bool { return w.From >= called && w.From <= to })
	}
	for i := range s.Chunks {
		c := &s.Chunks[i]
		if called.Known() && (c.Name > 0 || c.Kind != metrics.ToolCall) {
			if !works(c.At) {
				return true
			}
			called = metrics.NoStamp
		}
		if c.Name > 0 {
			called = c.At
		}
	}
	return called.Known() && !works(max(s.Now, called))
}
