package session

import (
	"bytes"
	"encoding/json"
	"mime"
	"slices"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// contentType returns the content type of h if it is one, else that of a stream.
func contentType(h map[string][]string) string {
	for name, values := range h {
		if strings.EqualFold(name, "Content-Type") && len(values) == 1 && len(values[0]) <= 100 {
			if kind, params, err := mime.ParseMediaType(values[0]); err == nil {
				if charset := params["charset"]; charset != "" {
					return mime.FormatMediaType(kind, map[string]string{"charset": charset})
				}
				return kind
			}
		}
	}
	return "text/event-stream"
}

// forms are the ways in which servers write an event: the line end, and what
// follows the colon.
var forms = [...][2]string{{"\n", " "}, {"\r\n", " "}, {"\n", ""}, {"\r\n", ""}}

// bodyOf writes the events from one on as they probably came, up to another: each in
// the form that has its size, else in the usual one. A list is elements of one.
func bodyOf(events []sse.Event, from, to int, list bool) []byte {
	var b []byte
	for i := from; i < to; i++ {
		begin, ev := len(b), &events[i]
		switch n := int(ev.Bytes) - len(ev.Data); {
		case list:
			b = append(append(b, "[,"[min(i, 1)]), ev.Data...)
			if i == len(events)-1 {
				b = append(b, ']')
			}
		case n >= 0 && n <= len("\r\n") && !ev.Comment && len(ev.Name) == 0: // a line of JSON
			b = append(append(b, ev.Data...), '\n')
		default:
			b = appendSized(b, ev)
		}
		if len(b) > maxBody {
			return b[:begin]
		}
	}
	return b
}

// appendSized appends ev in the form that has its size, else in the usual one.
func appendSized(b []byte, ev *sse.Event) []byte {
	for _, f := range forms {
		if sized := appendEvent(b, ev, f[0], f[1]); len(sized)-len(b) == int(ev.Bytes) {
			return sized
		}
	}
	return appendEvent(b, ev, "\n", " ")
}

// appendEvent appends ev with these line ends and this blank.
func appendEvent(b []byte, ev *sse.Event, end, blank string) []byte {
	field := "data:"
	switch {
	case ev.Comment:
		b = append(append(append(b, ':'), oneLine(ev.Data)...), end...)
		return append(b, end...)
	case ev.Field == "error":
		field = "error:"
	}
	if len(ev.Name) > 0 {
		b = append(append(append(b, "event:"+blank...), oneLine(ev.Name)...), end...)
	}
	for line := range bytes.SplitSeq(ev.Data, []byte{'\n'}) {
		b = append(append(append(b, field+blank...), oneLine(line)...), end...)
	}
	return append(b, end...)
}

// namedEvents returns the events of Responses as a server of POST and of sockets both sends
// them: a line of JSON behind its type. What is none, such as a comment, is left out.
func namedEvents(events []sse.Event) (out []sse.Event) {
	for _, ev := range events {
		var e struct {
			Type string `json:"type"`
		}
		if json.Unmarshal(ev.Data, &e) == nil && e.Type != "" {
			ev.Name, ev.Data, ev.Bytes = []byte(e.Type), bytes.ReplaceAll(ev.Data, []byte("\n"), []byte(" ")), 0
			out = append(out, ev)
		}
	}
	return out
}

// oneLine returns b up to its first line end.
func oneLine(b []byte) []byte {
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		return b[:i]
	}
	return b
}

// pieces divides body, as it came, into its reads. Where their sizes are not its own, or
// body is made of the events, a read brings the events that it completed. Without reads
// each event comes by itself.
func pieces(body []byte, raw, list bool, reads []transport.Read, events []sse.Event,
	sent metrics.Stamp) (out []piece) {
	total := 0
	for i := range reads {
		total += int(max(reads[i].Bytes, 0))
	}
	clock := arrivals{sent: sent}
	if raw && len(reads) > 0 && total == len(body) {
		for i := range reads {
			n := min(int(max(reads[i].Bytes, 0)), len(body))
			out = clock.add(out, reads[i].At, body[:n])
			body = body[n:]
		}
		return out
	}
	if len(events) == 0 {
		at := sent
		if len(reads) > 0 {
			at = reads[len(reads)-1].At
		}
		return clock.add(out, at, body)
	}
	for i := range events {
		one := bodyOf(events, i, i+1, list)
		if n := len(out); n > 0 && i > 0 && events[i].Read == events[i-1].Read {
			out[n-1].data = append(out[n-1].data, one...)
			continue
		}
		out = clock.add(out, events[i].At, bytes.Clone(one))
	}
	return out
}

// arrivals turns stamps into times since the request was sent. They never fall, and
// no gap is longer than maxGap.
type arrivals struct {
	sent, last metrics.Stamp
	at         time.Duration
}

// add appends data, which came at a moment; beyond maxPieces to the last piece.
func (a *arrivals) add(out []piece, at metrics.Stamp, data []byte) []piece {
	if len(data) == 0 {
		return out
	}
	if len(out) == maxPieces {
		last := &out[maxPieces-1]
		last.data = append(last.data, data...)
		return out
	}
	before := a.last
	if len(out) == 0 {
		before = a.sent
	}
	if gap, ok := at.Sub(before); ok && at > before && gap > 0 {
		a.at += min(gap, maxGap)
	} else if ok && at > before { // the difference does not fit
		a.at += maxGap
	}
	a.last = max(before, at)
	return append(out, piece{a.at, slices.Clip(data)}) // what is behind it in the body is not its own
}
