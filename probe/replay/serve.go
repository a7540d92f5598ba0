package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"io"
	"mime"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/record"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// Bounds of what is served from a file, which may be anybody's.
const (
	maxGap      = 10 * time.Minute // a longer one is shortened
	maxPieces   = 1_000_000        // of one answer; the rest comes at once
	maxBody     = 256 << 20        // of one answer; the rest is left out
	maxAsked    = 16 << 20         // of a question, to find out whether it asks for a stream
	writeWithin = 30 * time.Second // for one write to a client that does not read
)

// Handler answers every request with the recorded ones, in turn: the bytes as they
// came, in the same reads and after the same times. The times count from when the
// question was read, so that no delay adds up. No header comes from the file but
// the content type. It is safe for concurrent use.
type Handler struct {
	answers []served
	next    atomic.Uint64
	// now and sleep are the clock; sleep may return early.
	now   func() time.Time
	sleep func(ctx context.Context, d time.Duration)
}

// served is a recorded answer.
type served struct {
	status      int
	contentType string
	model       string
	head        time.Duration // when the head came, since the request was sent
	pieces      []piece
	cut         bool   // the connection broke before the end
	whole       []byte // the answer to a request that asks for no stream
	end         time.Duration
}

// piece is what one read brought.
type piece struct {
	at   time.Duration // since the request was sent
	data []byte
}

// NewHandler returns a handler of the requests with that id of recs, of all for 0.
// Those that were never answered are left out. exactly sleeps for a short time more
// exactly than the runtime; nil is time.Sleep.
func NewHandler(exactly func(time.Duration), id int, recs ...*Recording) (*Handler, error) {
	if exactly == nil {
		exactly = time.Sleep
	}
	h := &Handler{now: time.Now, sleep: exact(exactly)}
	for _, rec := range recs {
		all, err := rec.Find(id)
		if err != nil {
			return nil, err
		}
		for _, q := range all {
			if a, ok := answerOf(q); ok {
				h.answers = append(h.answers, a)
			}
		}
	}
	if len(h.answers) == 0 {
		return nil, fault("the recording holds no answer to serve", "choose a file whose requests have events: up to 16 users at the same time")
	}
	return h, nil
}

// Len returns the number of answers.
func (h *Handler) Len() int { return len(h.answers) }

// exactWait is the longest wait that is slept exactly, on a thread of its own. A
// longer one first uses the runtime's timer, which fires up to a millisecond late.
const exactWait = 3 * time.Millisecond

func exact(exactly func(time.Duration)) func(context.Context, time.Duration) {
	return func(ctx context.Context, d time.Duration) {
		if d <= exactWait {
			exactly(d)
			return
		}
		t := time.NewTimer(d - exactWait/2)
		defer t.Stop()
		select {
		case <-t.C:
		case <-ctx.Done():
		}
	}
}

// answerOf returns the answer of q; ok is false where there was none.
func answerOf(q *record.Recorded) (a served, ok bool) {
	if len(q.Attempts) == 0 {
		return a, false
	}
	attempt := &q.Attempts[len(q.Attempts)-1]
	v := StreamOf(q).Final()
	a = served{status: http.StatusOK, contentType: "text/event-stream", model: v.Model}
	if a.model == "" {
		a.model = v.Endpoint.Model
	}
	if head := attempt.Head; head != nil {
		if head.Status >= 200 && head.Status <= 599 {
			a.status = head.Status
		}
		a.contentType = contentType(head.Headers)
	}
	body := attempt.Body
	if len(body) == 0 {
		body = bodyOf(q.Events)
	}
	if len(body) == 0 && a.status == http.StatusOK {
		return a, false
	}
	if len(body) == 0 {
		a.contentType = "application/json"
		body = []byte(`{"error":{"message":"the recording holds no body of this answer","type":"recorded_error"}}`)
	}
	sent := attempt.Sent
	if !sent.Known() {
		sent = q.Start
	}
	if head := attempt.Head; head != nil && head.At.Known() && head.At > sent {
		a.head = min(time.Duration(head.At-sent), maxGap)
	}
	a.pieces = pieces(body[:min(len(body), maxBody)], attempt.Reads, q.Events, sent)
	for _, p := range a.pieces {
		a.end = max(a.end, p.at)
	}
	switch f := v.Fault; {
	case f == nil:
	case f.Kind == metrics.FaultReset, f.Kind == metrics.FaultTimeout, f.Kind == metrics.FaultCancelled, f.Kind == metrics.FaultProtocol:
		a.cut = true
	}
	a.whole = wholeOf(&v, a.model)
	return a, true
}

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

// bodyOf writes the events as they probably came: each in the form that has its
// size, else in the usual one.
func bodyOf(events []sse.Event) []byte {
	var b []byte
	for i := range events {
		begin := len(b)
		for _, f := range forms {
			if b = appendEvent(b[:begin], &events[i], f[0], f[1]); len(b)-begin == int(events[i].Bytes) {
				break
			}
			b = appendEvent(b[:begin], &events[i], "\n", " ")
		}
		if len(b) > maxBody {
			return b[:begin]
		}
	}
	return b
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

// oneLine returns b up to its first line end.
func oneLine(b []byte) []byte {
	if i := bytes.IndexAny(b, "\r\n"); i >= 0 {
		return b[:i]
	}
	return b
}

// pieces divides body into its reads. Where the sizes of the reads are not those of
// the body, a read brings the events that it completed. Without reads each event
// comes by itself.
func pieces(body []byte, reads []transport.Read, events []sse.Event, sent metrics.Stamp) (out []piece) {
	total := 0
	for i := range reads {
		total += int(max(reads[i].Bytes, 0))
	}
	clock := arrivals{sent: sent}
	if len(reads) > 0 && total == len(body) {
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
		one := bodyOf(events[i : i+1])
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
		out[maxPieces-1].data = append(bytes.Clone(out[maxPieces-1].data), data...)
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
	return append(out, piece{a.at, data})
}

// wholeOf returns the answer as one JSON object, for requests that ask for no
// stream.
func wholeOf(v *metrics.Stream, model string) []byte {
	var text, reasoning []byte
	for i := range v.Chunks {
		switch v.Chunks[i].Kind {
		case metrics.Content, metrics.Refusal:
			text = append(text, v.ChunkText(i)...)
		case metrics.Reasoning:
			reasoning = append(reasoning, v.ChunkText(i)...)
		}
	}
	message := map[string]any{"role": "assistant", "content": string(bytes.ToValidUTF8(text, []byte("\ufffd")))}
	if len(reasoning) > 0 {
		message["reasoning_content"] = string(bytes.ToValidUTF8(reasoning, []byte("\ufffd")))
	}
	finish := v.Finish
	if finish == "" {
		finish = "stop"
	}
	answer := map[string]any{
		"id": "chatcmpl-replay", "object": "chat.completion", "model": model,
		"choices": []any{map[string]any{"index": 0, "message": message, "finish_reason": finish}},
	}
	if u := v.Usage; u.Completion >= 0 && u.Prompt >= 0 {
		answer["usage"] = map[string]any{"prompt_tokens": u.Prompt, "completion_tokens": u.Completion, "total_tokens": u.Prompt + u.Completion}
	}
	data, err := json.Marshal(answer)
	if err != nil { // strings and numbers always have a JSON form
		return nil
	}
	return data
}

// ServeHTTP implements http.Handler.
func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := h.now()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		h.models(w, r)
		return
	}
	streams := asksForStream(r.Body)
	if d := h.now(); d.After(begun) {
		begun = d // the question was read
	}
	a := &h.answers[(h.next.Add(1)-1)%uint64(len(h.answers))]
	if !streams && a.status == http.StatusOK {
		if h.waitUntil(r.Context(), begun.Add(a.end)) {
			w.Header().Set("Content-Type", "application/json")
			_, _ = w.Write(a.whole)
		}
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	to := http.NewResponseController(w)
	if len(a.pieces) == 0 || a.head < a.pieces[0].at { // else one read has brought both
		if !h.waitUntil(r.Context(), begun.Add(a.head)) {
			return
		}
		w.WriteHeader(a.status)
		_ = to.Flush()
	} else if a.status != http.StatusOK {
		w.WriteHeader(a.status)
	}
	for i := range a.pieces {
		p := &a.pieces[i]
		if !h.waitUntil(r.Context(), begun.Add(p.at)) {
			return
		}
		_ = to.SetWriteDeadline(h.now().Add(writeWithin))
		if _, err := w.Write(p.data); err != nil || to.Flush() != nil {
			return
		}
	}
	if a.cut {
		panic(http.ErrAbortHandler) // ends the connection without the body's end
	}
}

// asksForStream reports whether a question asks for a stream; so does one that
// cannot be read.
func asksForStream(body io.Reader) bool {
	var q struct {
		Stream *bool `json:"stream"`
	}
	err := json.NewDecoder(io.LimitReader(body, maxAsked)).Decode(&q)
	_, _ = io.Copy(io.Discard, io.LimitReader(body, maxAsked))
	return err != nil || q.Stream != nil && *q.Stream
}

// waitUntil waits for a moment. It returns false when the client has left.
func (h *Handler) waitUntil(ctx context.Context, at time.Time) bool {
	for {
		left := at.Sub(h.now())
		if left <= 0 || ctx.Err() != nil {
			return ctx.Err() == nil
		}
		h.sleep(ctx, left)
	}
}

// models lists the models of the recording, on any path that ends in models.
func (h *Handler) models(w http.ResponseWriter, r *http.Request) {
	if !strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "models") {
		http.Error(w, "this is a recording: POST any path for an answer, or GET /v1/models", http.StatusNotFound)
		return
	}
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
	}
	list, seen := []model{}, map[string]bool{}
	for i := range h.answers {
		id := h.answers[i].model
		if id == "" {
			id = "recorded"
		}
		if !seen[id] && len(list) < 1000 {
			seen[id], list = true, append(list, model{strings.ToValidUTF8(id, "\ufffd"), "model"})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list})
}
