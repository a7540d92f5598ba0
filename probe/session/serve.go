package session

import (
	"cmp"
	"context"
	"encoding/json"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
	"tokscope/probe/ws"
)

// Bounds of what is served from a file, which may be anybody's.
const (
	maxGap      = 10 * time.Minute // a longer one is shortened
	maxPieces   = 1_000_000        // of one answer; the rest comes at once
	maxBody     = 256 << 20        // of one answer; the rest is left out
	maxAsked    = 16 << 20         // of a question, to find out whether it asks for a stream
	writeWithin = 30 * time.Second // for one write to a client that does not read
)

// overSocket is the API whose answers are messages of a socket.
const overSocket = "responses-ws"

// Handler answers every request with the recorded ones, in turn: the bytes as they
// came, in the same reads and after the same times. The times count from when the
// question was read, so that no delay adds up. No header comes from the file but
// the content type. A request without a stream gets the whole answer at its end, in the
// API of the recording, and one on a socket the events of Responses. It is safe for
// concurrent use.
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
	cut         bool // the connection broke before the end
	end         time.Duration
	// The answer to a request that asks for no stream, and its status.
	wholeStatus int
	whole       []byte
	api         string  // as metrics.Endpoint has it
	frames      []piece // the events of Responses for a socket
	unended     bool    // none of them ends the answer
}

// piece is what one read brought.
type piece struct {
	at   time.Duration // since the request was sent
	data []byte
}

// NewHandler returns a handler of the requests with that id of recs, of all for 0.
// Those that were never answered are left out.
func NewHandler(id int, recs ...*Recording) (*Handler, error) {
	h := &Handler{now: time.Now, sleep: sleep}
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

func sleep(ctx context.Context, d time.Duration) {
	if d <= exactWait {
		sim.SleepExactly(d)
		return
	}
	t := time.NewTimer(d - exactWait/2)
	defer t.Stop()
	select {
	case <-t.C:
	case <-ctx.Done():
	}
}

// answerOf returns the answer of q; ok is false where there was none.
func answerOf(q *Recorded) (a served, ok bool) {
	if len(q.Attempts) == 0 {
		return a, false
	}
	attempt := &q.Attempts[len(q.Attempts)-1]
	v := StreamOf(q).Final()
	a = served{status: http.StatusOK, contentType: "text/event-stream", api: v.Endpoint.API,
		model: cmp.Or(v.Model, v.Endpoint.Model)}
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
	if strings.HasPrefix(a.api, "responses") && a.status == http.StatusOK {
		events := namedEvents(q.Events)
		a.frames, a.unended = pieces(nil, false, false, nil, events, sent), true
		for i := range events {
			end, _, _ := dialect.Speaks(overSocket).Ends(events[i].Data)
			a.unended = a.unended && !end
		}
	}
	switch { // a socket's messages are no events yet, and have no content type
	case a.api != overSocket:
	case a.frames != nil:
		a.pieces = a.frames
	default:
		a.contentType = "application/json"
	}
	for _, p := range a.pieces {
		a.end = max(a.end, p.at)
	}
	a.cut = v.Fault != nil && slices.Contains([]metrics.FaultKind{metrics.FaultReset, metrics.FaultTimeout,
		metrics.FaultCancelled, metrics.FaultProtocol}, v.Fault.Kind)
	a.wholeStatus, a.whole = sim.Recorded(&v, a.model)
	return a, true
}

func (h *Handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	begun := h.now()
	if r.Method == http.MethodGet || r.Method == http.MethodHead {
		h.models(w, r)
		return
	}
	a := &h.answers[(h.next.Add(1)-1)%uint64(len(h.answers))]
	list, cut, socket := a.pieces, a.cut, ws.Asks(r)
	asks := asksForStream(r, a.api) || socket
	if d := h.now(); d.After(begun) {
		begun = d // the question was read
	}
	w.Header().Set("Content-Type", "application/json")
	switch {
	case socket && a.frames == nil && a.status == http.StatusOK:
		w.WriteHeader(http.StatusBadRequest)
		_, _ = io.WriteString(w, `{"error":{"message":"this answer was not recorded in Responses, `+
			`which alone has sockets: POST any path for it","type":"invalid_request_error"}}`)
		return
	case socket && a.status == http.StatusOK:
		list, cut = a.frames, a.cut || a.unended
	case socket: // an error is one message
		list = []piece{{at: a.end}}
		for _, p := range a.pieces {
			list[0].data = append(list[0].data, p.data...)
		}
	case !asks && a.status == http.StatusOK:
		if !h.waitUntil(r.Context(), begun.Add(a.end)) {
			return
		}
		if a.cut {
			hangUp(w)
		}
		w.WriteHeader(a.wholeStatus)
		_, _ = w.Write(a.whole)
		return
	}
	w.Header().Set("Content-Type", a.contentType)
	to := http.NewResponseController(w)
	if len(list) == 0 || a.head < list[0].at { // else one read has brought both
		if !h.waitUntil(r.Context(), begun.Add(a.head)) {
			return
		}
		w.WriteHeader(a.status)
		_ = to.Flush()
	} else if a.status != http.StatusOK {
		w.WriteHeader(a.status)
	}
	for i := range list {
		p := &list[i]
		if !h.waitUntil(r.Context(), begun.Add(p.at)) {
			return
		}
		_ = to.SetWriteDeadline(h.now().Add(writeWithin))
		if _, err := w.Write(p.data); err != nil || to.Flush() != nil {
			return
		}
	}
	if cut {
		hangUp(w)
	}
}

// hangUp ends the handler and its connection without the body's end.
func hangUp(w http.ResponseWriter) {
	if conn, _, err := http.NewResponseController(w).Hijack(); err == nil {
		_ = conn.Close() // a socket would be closed in its own words
	}
	panic(http.ErrAbortHandler)
}

// asksForStream reports whether a question asks for a stream, in the API of its answer; so
// does one that cannot be read.
func asksForStream(r *http.Request, api string) bool {
	var q struct {
		Stream *bool `json:"stream"`
	}
	err := json.NewDecoder(io.LimitReader(r.Body, maxAsked)).Decode(&q)
	_, _ = io.Copy(io.Discard, io.LimitReader(r.Body, maxAsked))
	switch {
	case api == "gemini":
		return !strings.HasSuffix(r.URL.Path, ":generateContent")
	case err == nil && q.Stream == nil:
		return strings.HasPrefix(api, "ollama")
	}
	return err != nil || *q.Stream
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
	path := strings.TrimSuffix(r.URL.Path, "/")
	if strings.HasSuffix(path, "/health") {
		w.WriteHeader(http.StatusOK)
		return
	}
	if !strings.HasSuffix(path, "models") && !strings.HasSuffix(path, "/api/tags") {
		http.Error(w, "this is a recording: POST any path for an answer, or GET /v1/models", http.StatusNotFound)
		return
	}
	// One object is a model to all APIs, and the list is one under each name.
	list, seen := []map[string]string{}, map[string]bool{}
	for i := range h.answers {
		id := cmp.Or(h.answers[i].model, "recorded")
		if !seen[id] && len(list) < 1000 {
			seen[id] = true
			list = append(list, map[string]string{"id": id, "object": "model", "type": "model",
				"display_name": id, "name": id, "model": id})
		}
	}
	w.Header().Set("Content-Type", "application/json")
	_ = json.NewEncoder(w).Encode(map[string]any{"object": "list", "data": list, "models": list, "has_more": false})
}
