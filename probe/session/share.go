package session

import (
	"cmp"
	"encoding/json"
	"io"
	"math"
	"slices"
	"strings"

	"tokscope/metrics"
	"tokscope/probe/result"
	"tokscope/probe/secret"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// blank stands for every text, blankSpace for one of white space alone.
const (
	blank      = "xxxx"
	blankSpace = "    "
)

// sharedHeaders stand for those of every response.
var sharedHeaders = map[string][]string{"Content-Type": {"text/event-stream"}}

// sharer says what a file without texts, or a page for others, has of its requests.
type sharer struct {
	widths bool
	tap    bool // of the client of a tap: the names of models, the usage and the limits stay
	// The next are of a page alone: with texts all strings stay, but for what scrub finds.
	page  bool
	texts bool
	scrub *secret.Scrubber
	names map[string][]string // that had a stand-in, by its word
}

// told is what such a file has of a running request.
type told struct {
	chunks int
	bytes  int32 // of its events since the last read
	usage  metrics.Usage
	finish string
	in     metrics.ReasoningFields // that its reasoning is written in
}

// shown returns v as the file may hold it.
func (s *File) shown(v any) any {
	if s.share == nil {
		return v
	}
	return s.share.bare(v)
}

// Share writes a copy of rec that is fit to be shown to others: counts and times,
// and no text, name, id, host, address, path or header. What its lines hold is
// walked: a string stays only where it is a word of this program (sharewords.go).
// Loads are left out. With widths texts keep their lengths in bytes, which can give
// a text away.
func Share(w io.Writer, rec *Recording, widths bool) error {
	s := newFile(w, "the copy", false, math.MaxInt/2, math.MaxInt/2) // nothing is left out
	s.share, s.journal.say = &sharer{widths: widths}, nil
	texts := TextsFixed
	if widths {
		texts = TextsWidths
	}
	s.journal.head(cmp.Or(word("version", rec.Version), "unknown"), rec.Started, word("system", rec.System), false, texts)
	s.journal.firm()
	for i, q := range rec.Requests {
		s.copy(i+1, q)
		s.journal.out.flush(nil)
	}
	return s.journal.out.close(nil)
}

// copy writes a recorded request as request id.
func (s *File) copy(id int, q *Recorded) {
	stream, begin := StreamOf(q), q.Begin()
	v := stream.Final()
	f := metrics.Measure(&v, metrics.Options{})
	begin.ID, begin.Load = id, 0
	s.begin(&begin, q.Detailed)
	s.detailed[id] = &told{usage: metrics.NoUsage(), in: v.Reasoned}
	for i := range q.Attempts {
		a := &q.Attempts[i]
		if a.Sent.Known() {
			s.Sent(id, a.Sent)
		}
		if a.Head != nil {
			s.Head(id, a.Head)
		}
		for k := range a.Reads {
			if i < len(q.Attempts)-1 {
				s.Read(id, &a.Reads[k])
			}
		}
	}
	s.copyEvents(id, stream, &v, &f)
	if q.LeftOut != (LeftOut{}) {
		s.journal.gaps[id] = &omission{unsaid: q.LeftOut}
		s.journal.close(id)
	}
	if q.End != nil {
		s.journal.of("end", id)
		s.journal.any("request", s.share.end(id, q.End, &f))
		s.journal.firm()
	}
	delete(s.detailed, id)
}

// copyEvents writes the events of the last attempt with its reads between them, as they
// came.
func (s *File) copyEvents(id int, stream *Stream, v *metrics.Stream, f *metrics.Figures) {
	q := stream.Recorded
	var reads []transport.Read
	if n := len(q.Attempts); n > 0 {
		reads = q.Attempts[n-1].Reads
	}
	last, next, chunk, events := stream.lastWithChunks(), 0, 0, 0
	event := func() {
		var chunks []JoinedChunk
		var also sharedParts
		m := &stream.moments[next]
		comment, to := stream.isComment(next), m.chunks
		if next == last {
			to = len(v.Chunks) // the end of the response had some more
		}
		for ; chunk < to && !comment; chunk++ {
			chunks = append(chunks, s.share.chunk(&v.Chunks[chunk], v.ChunkText(chunk)))
		}
		if !comment {
			u := metrics.NoUsage()
			if counted(f) && v.Usage.Mended == "" {
				u = judged(m.usage, f)
			}
			also = s.detailed[id].parts(m.slow.Finish, u)
			also.blank = slices.ContainsFunc(v.Blanks, func(b metrics.Blank) bool { return int(b.Event) == events })
		}
		s.bareEvent(id, &q.Events[next], comment, chunks, also)
		s.addDetail(id, LeftOut{Events: 1})
		events, next = m.events, next+1
	}
	for i := range reads {
		for next < len(stream.moments) && q.Events[next].Read <= reads[i].Number {
			event()
		}
		s.Read(id, &reads[i])
	}
	for next < len(stream.moments) {
		event()
	}
}

// bareEvent begins the line of an event that arrived as ev did.
func (s *File) bareEvent(id int, ev *sse.Event, comment bool, chunks []JoinedChunk, also sharedParts) {
	j, t := &s.journal, s.detailed[id]
	kind, data, bytes := "comment", "", len(":\n\n")
	if !comment {
		kind, data = "event", eventOf(chunks, t.in, also, sse.IsEnd(ev.Data))
		bytes = len("data: \n\n") + len(data)
	}
	size := s.share.size(ev.Bytes, int32(bytes))
	t.chunks, t.bytes = t.chunks+len(chunks), t.bytes+size
	j.of(kind, id)
	j.arrival(ev.At, ev.User, ev.Read, size, ev.Kernel)
	j.str("data", data)
	if len(chunks) > 0 {
		j.any("chunks", chunks)
	}
}

// end returns the end of a request without its texts, and without what was measured
// in them. f are the figures of the request.
func (s *sharer) end(id int, end *result.Request, f *metrics.Figures) any {
	out, v := *end, *end.Stream
	v.ID, v.Chunks, v.Text = id, nil, nil
	s.counts(&v, f)
	out.Stream = &v
	return s.bare(&out)
}

// chunk returns c with what stands for its text. A function's name is all of it.
func (s *sharer) chunk(c *metrics.Chunk, text []byte) JoinedChunk {
	out := joinedChunk(c, s.text(string(text)))
	if out.Name > 0 {
		out.Name = len(out.Text)
	}
	return out
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
func (s *sharer) size(n, fixed int32) int32 {
	if s.widths {
		return n
	}
	return fixed
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
