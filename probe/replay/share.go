package replay

import (
	"bufio"
	"cmp"
	"encoding/json"
	"io"
	"regexp"
	"slices"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/record"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// blank stands for every text, blankSpace for one of white space alone.
const (
	blank      = "xxxx"
	blankSpace = "    "
)

// Share writes a copy of rec that is fit to be shown to others: counts and times,
// and no text, name, id, host, address, path or header. It is made of what is known
// to be harmless; everything else is left out, loads as well. With widths texts
// keep their lengths in bytes, which can give a text away.
func Share(w io.Writer, rec *Recording, widths bool, say record.Sentences) error {
	s := sharer{out: json.NewEncoder(nil), widths: widths, say: say}
	out := bufio.NewWriter(w)
	s.out = json.NewEncoder(out)
	s.out.SetEscapeHTML(false)
	texts := record.TextsFixed
	if widths {
		texts = record.TextsWidths
	}
	s.line(sharedSession{"session", record.SessionSchema, cmp.Or(matching(rec.Version, versions), "unknown"),
		rec.Started.UTC().Format(time.RFC3339Nano), matching(rec.System, systems), false, texts})
	for i, q := range rec.Requests {
		s.request(i+1, q)
	}
	if s.err != nil {
		return s.err
	}
	return out.Flush()
}

// What may stay of the head: versions as tokscope has them, and names of systems
// and processors.
var (
	versions = pattern(`^(devel|v?\d{1,4}\.\d{1,4}\.\d{1,4})$`)
	systems  = pattern(`^(linux|darwin|windows)/(amd64|arm64)$`)
)

// pattern compiles an expression when it is first used: few runs of the program
// need one.
func pattern(text string) func() *regexp.Regexp {
	return sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(text) })
}

// matching returns s if it is wholly of that form, else "".
func matching(s string, form func() *regexp.Regexp) string {
	if form().MatchString(s) {
		return s
	}
	return ""
}

// sharer writes a shared file. Only numbers and words of this program pass through
// it.
type sharer struct {
	out    *json.Encoder
	widths bool
	say    record.Sentences
	err    error
}

func (s *sharer) line(v any) {
	if s.err == nil {
		s.err = s.out.Encode(v)
	}
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

// name returns what stands for a name, of a fixed width in any case.
func name(n string) string {
	if n == "" {
		return ""
	}
	return blank
}

// The lines of a shared file, in the order of their fields.
type (
	sharedSession struct {
		Type    string `json:"type"`
		Schema  string `json:"schema"`
		Version string `json:"version"`
		Started string `json:"started"`
		System  string `json:"system"`
		Bodies  bool   `json:"bodies_recorded"`
		Texts   string `json:"texts"`
	}
	sharedRequest struct {
		Type     string          `json:"type"`
		ID       int             `json:"id"`
		Start    int64           `json:"start_ns"`
		Wall     string          `json:"wall"`
		Detailed bool            `json:"events_recorded"`
		Endpoint record.Endpoint `json:"endpoint"`
		Workload record.Workload `json:"workload"`
	}
	sharedSent struct {
		Type string `json:"type"`
		ID   int    `json:"id"`
		At   int64  `json:"at_ns"`
	}
	sharedHead struct {
		Type     string              `json:"type"`
		ID       int                 `json:"id"`
		At       *int64              `json:"at_ns"`
		Status   int                 `json:"status"`
		Protocol string              `json:"protocol"`
		Headers  map[string][]string `json:"headers"`
	}
	sharedArrival struct {
		Type  string `json:"type"`
		ID    int    `json:"id"`
		At    int64  `json:"at_ns"`
		User  int64  `json:"user_ns"`
		Read  int32  `json:"read"`
		Bytes int32  `json:"bytes"`
		Stamp string `json:"stamp"`
	}
	sharedEvent struct {
		sharedArrival
		Data   string               `json:"data"`
		Chunks []record.JoinedChunk `json:"chunks,omitempty"`
	}
	sharedLeftOut struct {
		Type string `json:"type"`
		ID   int    `json:"id"`
		record.LeftOut
	}
	sharedEnd struct {
		Type    string         `json:"type"`
		ID      int            `json:"id"`
		Request record.Request `json:"request"`
	}
)

// request writes q as request id.
func (s *sharer) request(id int, q *record.Recorded) {
	stream := StreamOf(q)
	v := stream.Final()
	s.line(sharedRequest{"request", id, int64(q.Start), q.Wall.UTC().Format(time.RFC3339Nano),
		q.Detailed, s.endpoint(&q.Endpoint), s.workload(&q.Workload)})
	for i := range q.Attempts {
		a := &q.Attempts[i]
		if a.Sent.Known() {
			s.line(sharedSent{"sent", id, int64(a.Sent)})
		}
		if h := a.Head; h != nil {
			s.line(sharedHead{"head", id, stampOf(h.At), h.Status, protocol(h.Protocol),
				map[string][]string{"Content-Type": {"text/event-stream"}}})
		}
		if i < len(q.Attempts)-1 {
			for k := range a.Reads {
				r := &a.Reads[k]
				s.line(sharedArrival{"read", id, int64(r.At), int64(r.User), r.Number, s.size(r.Bytes, 1), stampWord(r.Kernel)})
			}
		}
	}
	s.events(id, stream, &v)
	if q.LeftOut != (record.LeftOut{}) {
		s.line(sharedLeftOut{"left_out", id, q.LeftOut})
	}
	if q.End != nil {
		s.line(sharedEnd{"end", id, s.end(id, &v)})
	}
}

// stampOf returns a stamp as the format has it, nil where it is not known.
func stampOf(at metrics.Stamp) *int64 {
	if !at.Known() {
		return nil
	}
	ns := int64(at)
	return &ns
}

func stampWord(kernel bool) string {
	if kernel {
		return metrics.SourceKernel.String()
	}
	return metrics.SourceUser.String()
}

// size returns the shown size of n bytes: itself with widths, else fixed.
func (s *sharer) size(n int32, fixed int) int32 {
	if s.widths {
		return n
	}
	return int32(fixed)
}

// endpoint keeps the kind of e.
func (s *sharer) endpoint(e *record.Endpoint) record.Endpoint {
	kinds := []metrics.EndpointKind{metrics.EndpointEmbedded, metrics.EndpointProfile,
		metrics.EndpointProvider, metrics.EndpointLoopback, metrics.EndpointURL}
	out := record.Endpoint{Name: name(e.Name), URL: name(e.URL), Model: name(e.Model)}
	if slices.Contains(kinds, metrics.EndpointKind(e.Kind)) {
		out.Kind = e.Kind
	}
	return out
}

// workload keeps the numbers of w but its seed.
func (s *sharer) workload(w *record.Workload) record.Workload {
	out := record.Workload{
		Name: name(w.Name), System: s.text(w.System), Prompt: s.text(w.Prompt),
		InputTokens: w.InputTokens, MaxTokens: w.MaxTokens,
		Temperature: w.Temperature, Connection: metrics.ReuseAuto.String(), Concurrency: w.Concurrency,
	}
	for _, r := range []metrics.Reuse{metrics.ReuseCold, metrics.ReuseWarm} {
		if w.Connection == r.String() {
			out.Connection = w.Connection
		}
	}
	return out
}

func protocol(p string) string {
	if slices.Contains([]string{"HTTP/1.0", "HTTP/1.1", "HTTP/2.0", "HTTP/3.0"}, p) {
		return p
	}
	return ""
}

// events writes the events of the last attempt with its reads between them, as
// they came.
func (s *sharer) events(id int, stream *Stream, v *metrics.Stream) {
	q := stream.Recorded
	var reads []transport.Read
	if n := len(q.Attempts); n > 0 {
		reads = q.Attempts[n-1].Reads
	}
	kept := keptParts(stream, v)
	size := map[int32]int{} // of the events of a read, with fixed widths
	next, chunk, last := 0, 0, stream.lastWithChunks()
	event := func() {
		ev := &q.Events[next]
		l := sharedEvent{
			sharedArrival: sharedArrival{"event", id, int64(ev.At), int64(ev.User), ev.Read, 0, stampWord(ev.Kernel)}}
		if stream.isComment(next) {
			l.Type, l.Bytes = "comment", s.size(ev.Bytes, len(":\n\n"))
		} else {
			to := stream.chunksAfter(next)
			if next == last {
				to = len(v.Chunks) // the end of the response had some more
			}
			for ; chunk < to; chunk++ {
				l.Chunks = append(l.Chunks, s.chunk(v, chunk))
			}
			l.Data = eventOf(l.Chunks, v.Reasoned, kept(next), sse.IsEnd(ev.Data))
			l.Bytes = s.size(ev.Bytes, len("data: \n\n")+len(l.Data))
		}
		size[ev.Read] += int(l.Bytes)
		s.line(l)
		next++
	}
	for i := range reads {
		r := &reads[i]
		for next < len(stream.moments) && q.Events[next].Read <= r.Number {
			event()
		}
		s.line(sharedArrival{"read", id, int64(r.At), int64(r.User),
			r.Number, s.size(r.Bytes, max(size[r.Number], 1)), stampWord(r.Kernel)})
		delete(size, r.Number)
	}
	for next < len(stream.moments) {
		event()
	}
}

// chunk returns chunk i of v without its text.
func (s *sharer) chunk(v *metrics.Stream, i int) record.JoinedChunk {
	c := &v.Chunks[i]
	out := record.JoinedChunk{Kind: c.Kind.String(), Choice: int(c.Choice),
		Text: s.text(string(v.ChunkText(i))), Held: c.Held}
	if c.Tokens >= 0 {
		n := int(c.Tokens)
		out.Tokens = &n
	}
	return out
}

// fields are the names of the fields that carry a kind of chunk.
var fields = map[string]string{"content": "content", "refusal": "refusal"}

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
func eventOf(chunks []record.JoinedChunk, in metrics.ReasoningFields, also parts, done bool) string {
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
		if field := fields[c.Kind]; field != "" {
			delta[field] = c.Text
		} else if c.Kind == metrics.Reasoning.String() {
			putReasoning(delta, in, c.Text)
		} else {
			delta["tool_calls"] = []any{map[string]any{"index": 0, "function": map[string]any{"arguments": c.Text}}}
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

// end returns the end line of v, without its texts. Its figures are computed from
// what the shared file holds.
func (s *sharer) end(id int, v *metrics.Stream) record.Request {
	f := metrics.Measure(v, metrics.Options{})
	bare := s.bare(v, &f)
	first := record.RequestOf(&bare, &f, s.say)
	first.Restore(&bare)
	bare.ID = id
	again := metrics.Measure(&bare, metrics.Options{})
	return record.RequestOf(&bare, &again, s.say)
}
