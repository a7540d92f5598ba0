package session

import (
	"cmp"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/sse"
)

// sharedHeaders stand for those of every response.
var sharedHeaders = map[string][]string{"Content-Type": {"text/event-stream"}}

// told is what a file without texts has of a running request.
type told struct {
	chunks int
	bytes  int32 // of its events since the last read
	usage  metrics.Usage
	finish string
}

// shown returns v as the file may hold it.
func (s *File) shown(v any) any {
	if s.share == nil {
		return v
	}
	return s.share.bare(v)
}

// chunk returns c with what stands for its text. A function's name is all of it.
func (s *sharer) chunk(c *metrics.Chunk, text []byte) JoinedChunk {
	out := joinedChunk(c, s.text(string(text)))
	if out.Name > 0 {
		out.Name = len(out.Text)
	}
	return out
}

// event begins the line of an event that comes while the file is written.
func (s *sharer) event(j *journal, f *client.Folded, t *told) {
	if f.Event.Comment || string(f.Event.Name) == "ping" {
		s.put(j, f.ID, f.Event, "comment", "", nil, t)
		return
	}
	var chunks []JoinedChunk
	for i := range f.Chunks {
		chunks = append(chunks, s.chunk(&f.Chunks[i], f.Texts[i]))
	}
	var also sharedParts
	if f.Finish != t.finish {
		also.finish, t.finish = cmp.Or(word("finish_reason", f.Finish), blank), f.Finish
	}
	if countsOf(&f.Usage) != countsOf(&t.usage) {
		also.usage, t.usage = usageOf(&f.Usage, true), f.Usage
	}
	data := eventOf(chunks, metrics.InReasoningContent, also, sse.IsEnd(f.Event.Data))
	s.put(j, f.ID, f.Event, "event", data, chunks, t)
}

// rest begins the line of the chunks that the end of a response had beside its events.
func (s *sharer) rest(j *journal, v *metrics.Stream, t *told) {
	var chunks []JoinedChunk
	c := &v.Chunks[t.chunks]
	for i := t.chunks; i < len(v.Chunks); i++ {
		chunks = append(chunks, s.chunk(&v.Chunks[i], v.ChunkText(i)))
	}
	s.put(j, v.ID, &sse.Event{At: c.At, User: c.User, Read: c.Read, Kernel: c.Kernel}, "event",
		eventOf(chunks, metrics.InReasoningContent, sharedParts{}, false), chunks, t)
}

// put begins the line of an event that arrived as ev did.
func (s *sharer) put(j *journal, id int, ev *sse.Event, kind, data string, chunks []JoinedChunk, t *told) {
	bytes := int32(len("data: \n\n") + len(data))
	t.chunks, t.bytes = t.chunks+len(chunks), t.bytes+bytes
	j.of(kind, id)
	j.arrival(ev.At, ev.User, ev.Read, bytes, ev.Kernel)
	j.str("data", data)
	if len(chunks) > 0 {
		j.any("chunks", chunks)
	}
}
