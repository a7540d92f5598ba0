package session

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// blank stands for every text, blankSpace for one of white space alone.
const (
	blank      = "xxxx"
	blankSpace = "    "
)

// Share writes a copy of rec that is fit to be shown to others: counts and times,
// and no text, name, id, host, address, path or header. What its lines hold is
// walked: a string stays only where it is a word of this program (sharewords.go).
// Loads are left out. With widths texts keep their lengths in bytes, which can give
// a text away.
func Share(w io.Writer, rec *Recording, widths bool) error {
	out := bufio.NewWriter(w)
	s := sharer{out: out, widths: widths}
	texts := TextsFixed
	if widths {
		texts = TextsWidths
	}
	s.line("session", "schema", SessionSchema, "version", cmp.Or(word("version", rec.Version), "unknown"),
		"started", wall(rec.Started), "system", word("system", rec.System), "bodies_recorded", false, "texts", texts)
	for i, q := range rec.Requests {
		s.request(i+1, q)
	}
	if s.err != nil {
		return s.err
	}
	return out.Flush()
}

// sharer writes a shared file.
type sharer struct {
	out    io.Writer
	widths bool
	tap    bool // of the client of a tap: the names of models, the usage and the limits stay
	err    error
}

// line writes a line of that type with the names and values of its fields in turn.
func (s *sharer) line(kind string, fields ...any) {
	var l line
	l.begin(kind)
	for i := 0; i < len(fields); i += 2 {
		l.any(fields[i].(string), fields[i+1])
	}
	l.end()
	if s.err == nil {
		_, s.err = s.out.Write(l.b)
	}
}

func wall(t time.Time) string { return t.UTC().Format(time.RFC3339Nano) }

// request writes q as request id.
func (s *sharer) request(id int, q *Recorded) {
	stream := StreamOf(q)
	v := stream.Final()
	s.line("request", "id", id, "start_ns", int64(q.Start), "wall", wall(q.Wall), "events_recorded", q.Detailed,
		"endpoint", s.bare(&q.Endpoint), "workload", s.bare(&q.Workload))
	for i := range q.Attempts {
		a := &q.Attempts[i]
		if a.Sent.Known() {
			s.line("sent", "id", id, "at_ns", int64(a.Sent))
		}
		if h := a.Head; h != nil {
			s.line("head", "id", id, "at_ns", stampOf(h.At), "status", h.Status, "protocol", word("protocol", h.Protocol),
				"headers", sharedHeaders)
		}
		for k := range a.Reads {
			if r := &a.Reads[k]; i < len(q.Attempts)-1 {
				s.arrival("read", id, r, s.size(r.Bytes, 1))
			}
		}
	}
	f := metrics.Measure(&v, metrics.Options{})
	s.events(id, stream, &v, &f)
	if l := q.LeftOut; l != (LeftOut{}) {
		s.line("left_out", "id", id, "events", l.Events, "reads", l.Reads, "body_bytes", l.Body)
	}
	if q.End != nil {
		s.line("end", "id", id, "request", s.end(id, q.End, &f))
	}
}

// arrival writes a line of those bytes, which arrived in r.
func (s *sharer) arrival(kind string, id int, r *transport.Read, bytes int32, more ...any) {
	s.line(kind, append([]any{"id", id, "at_ns", int64(r.At), "user_ns", int64(r.User), "read", r.Number, "bytes", bytes,
		"stamp", stampWord(r.Kernel)}, more...)...)
}

// stampOf returns a stamp as the format has it, nil where it is not known.
func stampOf(at metrics.Stamp) *int64 {
	if !at.Known() {
		return nil
	}
	ns := int64(at)
	return &ns
}

// text returns what stands for a text.
func (s *sharer) text(t string) string {
	switch {
	case t == "":
		return ""
	case s.widths:
		return strings.Repeat("x", len(t))
	case strings.TrimSpace(t) == "":
		return blankSpace
	}
	return blank
}

// size returns the shown size of n bytes: itself with widths, else fixed.
func (s *sharer) size(n int32, fixed int) int32 {
	if s.widths {
		return n
	}
	return int32(fixed)
}

// events writes the events of the last attempt with its reads between them, as
// they came.
func (s *sharer) events(id int, stream *Stream, v *metrics.Stream, f *metrics.Figures) {
	q := stream.Recorded
	var reads []transport.Read
	if n := len(q.Attempts); n > 0 {
		reads = q.Attempts[n-1].Reads
	}
	kept := keptParts(stream, v, f)
	size := map[int32]int{} // of the events of a read, with fixed widths
	next, chunk, last := 0, 0, stream.lastWithChunks()
	event := func() {
		ev := &q.Events[next]
		kind, data, chunks, bytes := "comment", "", []JoinedChunk(nil), s.size(ev.Bytes, len(":\n\n"))
		if !stream.isComment(next) {
			to := stream.moments[next].chunks
			if next == last {
				to = len(v.Chunks) // the end of the response had some more
			}
			for ; chunk < to; chunk++ {
				chunks = append(chunks, s.chunk(&v.Chunks[chunk], v.ChunkText(chunk)))
			}
			kind, data = "event", eventOf(chunks, v.Reasoned, kept(next), sse.IsEnd(ev.Data))
			bytes = s.size(ev.Bytes, len("data: \n\n")+len(data))
		}
		size[ev.Read] += int(bytes)
		more := []any{"data", data}
		if len(chunks) > 0 {
			more = append(more, "chunks", chunks)
		}
		s.arrival(kind, id, &transport.Read{At: ev.At, User: ev.User, Number: ev.Read, Kernel: ev.Kernel}, bytes, more...)
		next++
	}
	for i := range reads {
		r := &reads[i]
		for next < len(stream.moments) && q.Events[next].Read <= r.Number {
			event()
		}
		s.arrival("read", id, r, s.size(r.Bytes, max(size[r.Number], 1)))
		delete(size, r.Number)
	}
	for next < len(stream.moments) {
		event()
	}
}

// putReasoning sets the fields of delta that carried the reasoning of a stream: the
// content where it stood between tags.
func putReasoning(delta map[string]any, in metrics.ReasoningFields, text string) {
	if in&metrics.InReasoning != 0 {
		delta["reasoning"] = text
	}
	if in&metrics.InReasoningContent != 0 {
		delta["reasoning_content"] = text
	}
	if in&metrics.InReasoningDetails != 0 {
		delta["reasoning_details"] = []any{map[string]any{"type": "reasoning.text", "text": text}}
	}
	if len(delta) == 0 {
		delta["content"] = text
	}
}

// eventOf returns the data of an event with these chunks, as a server would have
// sent them, with reasoning in the same fields. done is the end of the stream.
func eventOf(chunks []JoinedChunk, in metrics.ReasoningFields, also sharedParts, done bool) string {
	if done {
		return "[DONE]"
	}
	type choice struct {
		Index  int            `json:"index"`
		Delta  map[string]any `json:"delta"`
		Finish string         `json:"finish_reason,omitempty"`
	}
	choices := []choice{}
	for _, c := range chunks {
		delta := map[string]any{}
		switch c.Kind {
		case metrics.Reasoning.String():
			putReasoning(delta, in, c.Text)
		case metrics.ToolCall.String():
			delta["tool_calls"] = []any{map[string]any{"index": 0, "function": map[string]any{"arguments": c.Text}}}
		case metrics.Audio.String():
			delta["audio"] = map[string]any{"transcript": c.Text}
		case metrics.Image.String():
			delta["images"] = []any{}
		default:
			delta[c.Kind] = c.Text
		}
		choices = append(choices, choice{c.Choice, delta, ""})
	}
	if len(choices) == 0 && (also.blank || also.finish != "") {
		choices = append(choices, choice{Delta: map[string]any{}})
	}
	if len(choices) > 0 {
		last := &choices[len(choices)-1]
		if last.Finish = also.finish; also.blank && len(last.Delta) == 0 {
			last.Delta["content"] = ""
		}
	}
	doc := map[string]any{"choices": choices}
	if also.usage != nil {
		doc["usage"] = also.usage
	}
	data, err := json.Marshal(doc)
	if err != nil { // strings and numbers always have a JSON form
		return ""
	}
	return string(data)
}
