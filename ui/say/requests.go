package say

import (
	"strings"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// RequestFilterHelp are the terms of a filter of requests, for a command's help.
const RequestFilterHelp = `  ttft>500 tpot<=20ms gap>0.2s total>5s tokens<10   a figure in ms or with a unit, a count
  number<=20 user=3 sent>30s doubts>0               which request, whose, when it was sent
  status:5xx status:429                             a status of HTTP, or a class
  status:ok status:failed status:rate_limit         how it ended, or the kind of the fault
  finish:length finish:none                         the finish reason of one that ended well
  user:3,5 endpoint:groq model:llama suspect:yes    one of several, a part of a name
  sort:-ttft sort:failure                           the order
  !status:ok overloaded                             the opposite of a term, a word of the fault`

// RequestEnded writes how a request ended, in a few words: the finish reason of one
// that ended well.
func RequestEnded(r *request.Row) string {
	if r.Good() {
		return FinishReason(r.Finish)
	}
	return ended(r.State, r.Fault, r.Status)
}

// RequestsKept says how many requests have ended, and of how many figures and
// events are kept.
func RequestsKept(v *request.View) string {
	figures, events := v.LeftOut()
	text := format.Count(v.Ended) + " ended"
	switch {
	case v.Ended == 0:
		return "no request has ended yet"
	case events == 0:
		return text + "; each can be opened"
	}
	return text + "; " + format.Count(v.Streams()) + " can be opened, " + format.Count(events) + " too old" +
		format.If(figures > 0, "; figures left out of "+format.Count(figures))
}

// RunsKept says how many runs of the session have ended, and how many older ones
// the bounds left out.
func RunsKept(v *request.View) string {
	switch left, _ := v.LeftOut(); {
	case v.Ended == 0:
		return "no run has ended yet"
	case left > 0:
		return format.Count(v.Ended) + " ended; the last " + format.Count(v.Len()) + " can be opened, older ones are left out"
	}
	return format.Count(v.Ended) + " ended; each can be opened"
}

// LoadReplayKept says how many of the requests of a recorded load are in the file,
// with events, and how many of them did not end.
func LoadReplayKept(v *request.View, r *loadstat.Replay) string {
	events, endless := v.Streams(), r.Recorded-v.Ended
	return format.Count(r.Recorded) + format.If(r.Sent >= 0, " of "+format.Count(r.Sent)) + " in the file" +
		format.If(events < v.Ended, ", "+format.Count(events)+" with events") +
		format.If(endless > 0, ", "+format.Count(endless)+" without an end")
}

// LoadReplayRule says why a recorded request cannot be opened.
const LoadReplayRule = "figures only; its events are not in the recording"

// RequestsRule says of which requests events are kept.
func RequestsRule() string {
	return "figures only; events are kept of the " +
		format.Count(request.Slowest) + " slowest and the last " + format.Count(request.Last)
}

// RequestRemarks says what the figures of a row leave open: the fault, the doubt,
// and why a figure is unknown. It is harmless text, "" without remarks.
func RequestRemarks(r *request.Row) string {
	var parts []string
	if r.Message != "" && r.State != metrics.Cancelled && r.Fault != metrics.FaultTruncated {
		parts = append(parts, sanitize.Line(r.Message, 160))
	}
	parts = append(parts, format.If(r.Unseen, "no visible answer"), format.If(r.Refused, refused))
	if r.Doubts > 0 {
		parts = append(parts, "in doubt: "+strings.ReplaceAll(sanitize.Line(string(r.Doubt), 40), "_", " ")+
			format.If(r.Doubts > 1, " and "+format.Count(r.Doubts-1)+" more"))
	}
	parts = append(parts, DelayBrief(r.Delay), format.If(!r.Sent.Known(), "never sent"))
	for _, f := range []struct {
		name string
		v    metrics.Value
	}{{"TTFT", r.TTFT}, {"TPOT", r.TPOT}, {"longest gap", r.Longest}, {"tokens", r.Tokens}} {
		if !f.v.OK && f.v.Why != 0 && r.Good() {
			parts = append(parts, f.name+" – ("+format.Why(f.v.Why)+")")
		}
	}
	return format.Join("; ", append(parts, format.If(r.Estimated && r.Tokens.OK, "tokens estimated"))...)
}
