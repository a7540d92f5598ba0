package session

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
	"tokscope/probe/result"
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
	whole       []byte // the answer to a request that asks for no stream; nil: the stream
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
		return nil, endpoint.Refuse("the recording holds no answer to serve",
			"choose a file whose requests have events: up to 16 users at the same time")
	}
	return h, nil
}

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
func answerOf(q *Recorded) (a served, ok bool) {
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
	list := a.contentType == "application/json" // of events: Gemini's array
	if len(body) == 0 {
		body = bodyOf(q.Events, 0, len(q.Events), list)
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
	a.pieces = pieces(body[:min(len(body), maxBody)], len(attempt.Body) > 0, list, attempt.Reads, q.Events, sent)
	for _, p := range a.pieces {
		a.end = max(a.end, p.at)
	}
	switch f := v.Fault; {
	case f == nil:
	case f.Kind == metrics.FaultReset, f.Kind == metrics.FaultTimeout,
		f.Kind == metrics.FaultCancelled, f.Kind == metrics.FaultProtocol:
		a.cut = true
	}
	if a.whole = wholeOf(&v, a.model); v.Endpoint.API != "" {
		a.whole = nil
	}
	return a, true
}

// wholeOf returns the answer as one JSON object, for requests that ask for no
// stream.
func wholeOf(v *metrics.Stream, model string) []byte {
	texts, calls := result.TextsOf(v)
	valid := func(text []byte) string { return string(bytes.ToValidUTF8(text, []byte("\ufffd"))) }
	message := map[string]any{"role": "assistant", "content": valid(texts[metrics.Content])}
	for kind, field := range map[metrics.Kind]string{
		metrics.Reasoning: "reasoning_content", metrics.Refusal: "refusal",
	} {
		if text := texts[kind]; len(text) > 0 {
			message[field] = valid(text)
		}
	}
	if text := texts[metrics.Audio]; len(text) > 0 {
		message["audio"] = map[string]any{"id": "audio_replay", "transcript": valid(text)}
	}
	var tools []any
	for i, c := range calls {
		tools = append(tools, map[string]any{"id": fmt.Sprintf("call_replay_%d", i), "type": "function",
			"function": map[string]any{"name": valid(c.Name), "arguments": valid(c.Arguments)}})
	}
	if tools != nil {
		message["tool_calls"] = tools
	}
	if len(texts[metrics.Content]) == 0 && len(calls)+len(texts[metrics.Refusal])+len(texts[metrics.Audio]) > 0 {
		message["content"] = nil // as servers answer
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
		u.Total = u.Prompt + u.Completion
		answer["usage"] = usageOf(&u, true)
	}
	data, err := json.Marshal(answer)
	if err != nil { // strings and numbers always have a JSON form
		return nil
	}
	return data
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := h.now()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		h.models(w, r)
		return
	}
	asks := asksForStream(r.Body)
	if d := h.now(); d.After(begun) {
		begun = d // the question was read
	}
	a := &h.answers[(h.next.Add(1)-1)%uint64(len(h.answers))]
	if !asks && a.whole != nil && a.status == http.StatusOK {
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

// models lists the models of the recording, on any path that ends in models. A
// client that asks for the server's health gets an empty answer.
func (h *Handler) models(w http.ResponseWriter, r *http.Request) {
	if strings.HasSuffix(strings.TrimSuffix(r.URL.Path, "/"), "/health") {
		w.WriteHeader(http.StatusOK)
		return
	}
	path := strings.TrimSuffix(r.URL.Path, "/")
	if !strings.HasSuffix(path, "models") && !strings.HasSuffix(path, "/api/tags") {
		http.Error(w, "this is a recording: POST any path for an answer, or GET /v1/models", http.StatusNotFound)
		return
	}
	// One object is a model to all APIs, and the list is one under each name.
	type model struct {
		ID     string `json:"id"`
		Object string `json:"object"`
		Type   string `json:"type"`
		Shown  string `json:"display_name"`
		Name   string `json:"name"`
		Model  string `json:"model"`
	}
	list, seen := []model{}, map[string]bool{}
	for i := range h.answers {
		id := h.answers[i].model
		if id == "" {
			id = "recorded"
		}
		if !seen[id] && len(list) < 1000 {
			seen[id] = true
			id = strings.ToValidUTF8(id, "\ufffd")
			list = append(list, model{id, "model", "model", id, id, id})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list, "models": list, "has_more": false})
}
