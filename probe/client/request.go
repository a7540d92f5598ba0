package client

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// maxAttempts bounds how often a request is repeated because the server
// refused one of its fields. Each refusal is answered once, and the kinds of
// refusal are fewer.
const maxAttempts = 4

// run sends the request of s, again without a field that the server refuses.
// A streamed response then belongs to ingest until its end (ended); run does
// not wait for it. A panic in run ends the stream as a failure.
//
// While a request waits for the head of its response, it holds the stack that
// has sent it. So the frames from run to the transport keep no large values:
// what needs them is done in functions that have returned by then.
func (e *Engine) run(ctx context.Context, s *Stream, t *endpoint.Target) {
	streams := false
	defer func() {
		p := recover()
		if p != nil {
			e.finish(s, transport.PanicFault(p))
		}
		if p != nil || !streams {
			s.release()
		}
	}()
	err := e.ask(ctx, s, t)
	e.announce(s)
	var tr *transport.Transport
	if err == nil {
		tr, err = e.transports.of(t)
	}
	if err != nil {
		e.finish(s, asFault(ctx, err))
		return
	}
	a, fault := e.reach(ctx, s, tr, t)
	if fault != nil {
		e.finish(s, fault)
		return
	}
	streams = true
	e.ingester.enter(s, a, func() { e.ended(ctx, s, a.capture) })
}

// announce tells the sinks that s begins, and then knows what they want of it.
func (e *Engine) announce(s *Stream) {
	var sinks []Sink
	if !s.unobserved {
		e.mu.Lock()
		sinks = e.sinks
		e.mu.Unlock()
	}
	s.audience.begin(sinks, s.Snapshot(), e.scrub)
	s.reserve()
}

// reach sends the request of s to the base URLs of t until one answers.
func (e *Engine) reach(ctx context.Context, s *Stream,
	tr *transport.Transport, t *endpoint.Target) (*attempt, *metrics.Fault) {
	bases := t.Bases
	if len(bases) == 0 {
		bases = []string{t.URL}
	}
	var first *metrics.Fault
	for _, base := range bases {
		if t.URL != base { // what was sent to another one keeps its target
			other := *t
			other.URL = base
			t = &other
		}
		a, fault := e.attempts(ctx, s, tr, t)
		if fault == nil {
			return a, nil
		}
		// A 404 may mean that the address lacks its /v1.
		if first == nil {
			first = fault
		}
		if fault.Status != http.StatusNotFound {
			first = fault
			break
		}
	}
	return nil, first
}

// ended finishes the stream after its last line is ingested.
func (e *Engine) ended(ctx context.Context, s *Stream, c *transport.Capture) {
	defer s.release()
	defer func() {
		if p := recover(); p != nil {
			e.finish(s, transport.PanicFault(p))
		}
	}()
	var fault *metrics.Fault
	if err := s.flush(c); err != nil {
		fault = asFault(ctx, err)
	} else if fault = s.otherFault(c); fault == nil {
		fault = s.emptyFault()
	}
	e.finish(s, fault)
}

// otherFault returns the fault of a response whose content type called it a stream and
// whose bytes are none; nil for any other. It is called after the last event.
func (s *Stream) otherFault(c *transport.Capture) *metrics.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	body := c.ErrorBody()
	if s.v.Events+s.v.Comments > 0 || len(body) == 0 {
		return nil
	}
	status, header := c.Response()
	f := explain(&metrics.Fault{Kind: metrics.FaultNotStream, Status: status}, s.sent.target, status, header, body)
	if f.Message == "" { // of no known form
		s.unread = s.engine.scrub.String(f.Body)
		return nil
	}
	s.v.Fault = s.engine.ScrubFault(f) // in place of the decoder's, that no event came
	return s.v.Fault
}

// emptyFault returns the fault of an answer without a token, nil for any other.
// It is called after the last event.
func (s *Stream) emptyFault() *metrics.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	whole := s.v
	whole.Others -= s.packed.Len()
	if n := len(whole.Chunks); n > 1 && whole.Counts(n-1) { // as most do, and without what is packed
		return nil
	}
	whole.Others, whole.Chunks = s.v.Others, s.packed.Before(s.v.Chunks)
	for i := range whole.Chunks {
		if whole.Counts(i) {
			return nil
		}
	}
	f := &metrics.Fault{Kind: metrics.FaultEmpty, Code: s.v.Finish}
	switch metrics.FinishKindOf(s.v.Finish) {
	case metrics.FinishFilter:
		f.Message, f.Next = "the answer is empty: the server's content filter ended it before the first token",
			"change the prompt"
	case metrics.FinishLimit:
		f.Message, f.Next = "the answer is empty: it reached its token limit before the first token was sent",
			"raise --max-tokens; reasoning that is not sent counts too"
	default:
		f.Message, f.Next = "the answer is empty: the stream ended without a token",
			"try another prompt; if it repeats, look at the server's log"
		if s.v.Events > 1 && !s.bare {
			f.Message = fmt.Sprintf("%d events came, none with text, reasoning or a call", s.v.Events)
			f.Next = "tokscope does not read what the server sends: " + dialect.Excerpt([]byte(s.unread), longestUnread)
		}
	}
	return f
}

// longestUnread has room for what comes before the delta of an ordinary event.
const longestUnread = 300

// ask fills in the model and server type of t; the request's clock starts
// afterwards.
func (e *Engine) ask(ctx context.Context, s *Stream, t *endpoint.Target) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = transport.PanicFault(p)
		}
		end := t.Endpoint
		end.Price = t.Price()
		s.begin(end, err == nil)
	}()
	return e.resolveModel(ctx, t, func() { s.asking() })
}

// attempt begins another attempt of s, which asks for what is sent.
func (s *Stream) attempt(ctx context.Context, api *dialect.API, reuse metrics.Reuse, sent *sending) *attempt {
	a := newAttempt(s.engine)
	a.capture.SetReuse(reuse)
	a.capture.SetForm(api.Form)
	a.capture.SetSocket(api.Ends)
	a.bare = api.Form != sse.Undecided
	if d := s.audience.detail; d >= DetailEvents {
		a.capture.KeepReads(d >= DetailBytes)
	}
	s.watchPath(ctx, a, s.v.Work.Concurrency)
	dec := dialect.New()
	choices, _ := strconv.Atoi(fmt.Sprint(sent.target.Extra["n"])) // an int64 of a configuration, a float64 of JSON
	dec.Expect(choices)
	s.begins(a, dec)
	if a.path != nil {
		s.engine.ingester.add(&job{s: s, attempt: a, look: a.path.sweep})
	}
	s.mu.Lock()
	s.sent = sent
	s.mu.Unlock()
	if s.audience.records() {
		s.engine.ingester.add(&job{s: s, attempt: a, look: func() bool { return !s.audience.showSent(a) }})
	}
	return a
}

// attempts sends the request of s to t.URL until the server accepts all its
// fields or refuses for good. If a kept connection ends before one byte of an
// answer, it sends the request once more, on a new one. After success the stream arrives through the
// capture.
func (e *Engine) attempts(ctx context.Context, s *Stream,
	tr *transport.Transport, t *endpoint.Target) (*attempt, *metrics.Fault) {
	w := &s.v.Work // set once in newStream, never written again
	api := dialect.Speaks(t.API)
	params := startParams(t, api)
	if api.Notes != nil {
		for _, note := range api.Notes(w, t.Extra) {
			note.At = e.clock.Now()
			s.note(note)
		}
	}
	if w.Temperature != nil {
		var said string
		if t, said = t.Sampled(api); said != "" {
			s.note(metrics.Note{At: e.clock.Now(), Code: "api_version", Text: "a temperature was asked for: sent with " + said})
		}
	}
	again := false // the request was sent again, on a connection of its own
	for try := 1; ; try++ {
		reuse := w.Connection
		if again {
			reuse = metrics.ReuseCold
		}
		a := s.attempt(ctx, api, reuse, &sending{target: t, params: params})
		c := a.capture
		fault := e.send(ctx, s, tr, t, &params, a)
		s.audience.showHead(a)
		if fault == nil {
			return a, nil
		}
		s.refused(c)
		if unanswered, reached := c.Unanswered(); unanswered && !again {
			again = true
			try--
			if reached {
				s.retried(e.clock.Now())
			}
			continue
		}
		again = false
		next, note, ok := dialect.Retry(params, fault.Status, c.ErrorBody())
		if !ok || try == maxAttempts {
			return nil, fault
		}
		note.At = e.clock.Now()
		note.Text = e.scrub.String(note.Text)
		s.note(note)
		params = next
	}
}

// retried counts a request that is sent again although the server may have seen
// it.
func (s *Stream) retried(at metrics.Stamp) {
	s.mu.Lock()
	s.v.Retried++
	s.addNote(metrics.Note{At: at, Code: "retried",
		Text: "the reused connection ended without an answer, so the " +
			"request was sent again on a new one; the first may have been billed"})
	s.mu.Unlock()
	s.engine.changed()
}

// refused shows the sinks the reads of a response that is not a stream.
func (s *Stream) refused(c *transport.Capture) {
	var b transport.Batch
	for first := true; first || b.Rest; first = false {
		c.Drain(&b)
		for i := range b.Reads {
			s.audience.keepRead(&b.Reads[i])
		}
		s.audience.show(metrics.NoStamp, &metrics.Stream{})
	}
	c.Free()
}

// send builds the request, with go-openai where that knows the API, and sends it as the
// attempt a. nil means that a stream is arriving.
func (e *Engine) send(ctx context.Context, s *Stream, tr *transport.Transport,
	t *endpoint.Target, p *dialect.Params, a *attempt) *metrics.Fault {
	typed, body, err := (&sending{target: t, params: *p}).body(s, true)
	if f, refused := errors.AsType[*metrics.Fault](err); refused {
		return f
	} else if err != nil {
		return &metrics.Fault{Kind: metrics.FaultConfig,
			Message: fmt.Sprintf("the request cannot be written as JSON: %v", err), Next: "check `extra` in the profile"}
	}
	do := &doer{transport: tr, target: t, body: body}
	cfg := openai.DefaultConfig("") // the doer authorizes
	cfg.BaseURL, cfg.HTTPClient = t.URL, do
	ctx = transport.With(ctx, a.capture)
	switch r := typed.(type) {
	case *openai.ChatCompletionRequest:
		_, err = openai.NewClientWithConfig(cfg).CreateChatCompletionStream(ctx, *r)
	case *openai.CompletionRequest:
		_, err = openai.NewClientWithConfig(cfg).CreateCompletionStream(ctx, *r)
	default:
		var req *http.Request
		if req, err = http.NewRequestWithContext(ctx, http.MethodPost, t.Address(), nil); err == nil {
			req.Header.Set("Content-Type", "application/json")
			req.Header.Set("Accept", "text/event-stream")
			_, err = do.Do(req)
		}
	}
	e.answered(s, t, a)
	if errors.Is(err, errStreams) {
		return nil
	}
	return e.faultOf(ctx, t, a, err)
}

// answered takes the head of the response of a into the record.
func (e *Engine) answered(s *Stream, t *endpoint.Target, a *attempt) {
	status, header := a.capture.Response()
	head := shownHead(status, a.state().Conn.Proto, header, e.scrub)
	s.mu.Lock()
	s.v.Head, s.contentType = head, header.Get("Content-Type")
	s.mu.Unlock()
	if header != nil {
		s.mu.Lock()
		w := lend(s)
		s.dec.Header(header, s.out)
		for i := range s.out.Server { // a Server-Timing header may echo anything
			s.out.Server[i].Name = e.scrub.String(s.out.Server[i].Name)
			s.out.Server[i].From = e.scrub.String(s.out.Server[i].From)
		}
		s.foldRest(e.clock.Now(), s.out)
		giveBack(s, w)
		s.mu.Unlock()
	}
	if proto := a.state().Conn.Proto; t.HTTP2 && strings.HasPrefix(proto, "HTTP/1") {
		text := "HTTP/2 was offered, but the server speaks " + proto
		if !strings.HasPrefix(t.URL, "https://") {
			text = "HTTP/2 was not offered: it needs https; the server speaks " + proto
		}
		s.note(metrics.Note{At: e.clock.Now(), Code: "http2_not_spoken", Text: text})
	}
}

// noUpgrade are the statuses by which a server says that a path speaks no WebSocket.
var noUpgrade = []int{http.StatusBadRequest, http.StatusNotFound, http.StatusMethodNotAllowed,
	http.StatusUpgradeRequired, http.StatusNotImplemented}

// faultOf returns the fault of an attempt that has ended with err, not nil.
func (e *Engine) faultOf(ctx context.Context, t *endpoint.Target, a *attempt, err error) *metrics.Fault {
	c := a.capture
	status, header := c.Response()
	var f *metrics.Fault
	if !errors.As(err, &f) && header != nil && (status < 200 || status >= 300) {
		f = dialect.HTTPFault(status, header, c.ErrorBody())
	}
	if f == nil || f.Kind == metrics.FaultCancelled { // the transport does not know why
		f = asFault(ctx, err)
	}
	if speaks := dialect.Speaks(t.API); speaks.Ends != nil && a.state().Conn.Proto != transport.ProtoSocket &&
		slices.Contains(noUpgrade, f.Status) {
		g := *f
		g.Message, g.Next = "the server does not upgrade to a WebSocket: "+f.Message, "use --api responses, which needs none"
		return &g
	}
	return explain(f, t, status, header, c.ErrorBody())
}

// explain adds to a fault the details of the request: what a 200 is that is not a
// stream, the API that the server seems to speak, and the source of a refused key.
func explain(f *metrics.Fault, t *endpoint.Target, status int, h http.Header, body []byte) *metrics.Fault {
	g := *f
	asked := dialect.Speaks(t.API)
	seems := dialect.Seems(body)
	other := seems != nil && seems != asked
	step := asked.Step
	if t.Server == "ollama" { // its other APIs refuse in the same words
		step = dialect.Speaks("ollama").Step
	}
	if step != nil {
		if next := step(status, body, t.Model); next != "" {
			g.Next = next
			return &g
		}
	}
	switch {
	case g.Kind == metrics.FaultNotStream && len(body) > 0:
		said := dialect.HTTPFault(status, h, body)
		g.Body = said.Body
		if said.Kind == metrics.FaultInStream {
			g.Kind, g.Message, g.Code = said.Kind, said.Message, said.Code
		} else if other {
			g.Message, g.Next = "the server answered in "+seems.Title+", not in "+asked.Title, seems.Hint()
		} else if message, next, ok := dialect.NotEvents(body); ok {
			g.Message, g.Next = message, next
		}
	case g.Kind == metrics.FaultAuth && (t.KeyFrom != "" || t.Key.Empty()):
		g.Next = t.KeyStep()
	case status != http.StatusNotFound && status != http.StatusMethodNotAllowed:
	case other:
		g.Next = seems.Hint()
	case t.API != "":
		g.Next = "check the model's name and the address: " + asked.Title + " is asked for at " + t.Address() +
			"; --api names another API"
	}
	if other && seems.Name == "messages" && g.Kind == metrics.FaultAuth {
		g.Next = seems.Hint() + "; " + g.Next
	}
	return &g
}

// startParams returns the fields of the first attempt. Fields that strict
// servers reject are sent only to servers known to accept them.
func startParams(t *endpoint.Target, api *dialect.API) dialect.Params {
	p := dialect.Params{IncludeUsage: true, MaxField: api.Bound}
	if t.API == "" { // others have one name for it
		p.MaxField = cmp.Or(t.MaxField, api.Bound)
	}
	switch t.Server {
	case "vllm", "sglang", "trtllm", "tokscope":
		p.ContinuousUsage = true
	case "llama.cpp":
		p.Timings, p.Progress = true, true
	case "openai":
		p.NoObfuscation = true
	}
	return p
}

// doer is the openai.HTTPDoer of one request. It puts body in place of what go-openai
// built, adds the headers of the target, and sends the request through the stamped
// transport.
type doer struct {
	transport *transport.Transport
	target    *endpoint.Target
	body      []byte
}

func (d *doer) Do(req *http.Request) (*http.Response, error) {
	d.fill(req)
	resp, err := d.transport.Do(req)
	if err != nil {
		return nil, err
	}
	_ = resp.Body.Close() // the capture has the body, or receives it
	if resp.StatusCode < 200 || resp.StatusCode >= 300 {
		return nil, errRefused
	}
	return nil, errStreams
}

// These errors tell send what came. With a response go-openai would make a reader
// of its own, with 4 kB that nobody needs, also for a 304.
var (
	errStreams = errors.New("a stream is arriving")
	errRefused = errors.New("the status is not 2xx")
)

// fill completes body and headers of req.
func (d *doer) fill(req *http.Request) {
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(d.body)), nil }
	req.Body, _ = req.GetBody()
	req.ContentLength = int64(len(d.body))
	req.Header.Del("Connection")
	d.target.Authorize(req)
}

// asFault converts any error of the transport into a Fault; a canceled
// context becomes a stop by the person.
func asFault(ctx context.Context, err error) *metrics.Fault {
	if cause := context.Cause(ctx); cause != nil {
		msg := "stopped"
		if errors.Is(cause, errClosing) {
			msg = "stopped: the program was closing"
		} else if errors.Is(cause, errTimeout) || errors.Is(cause, context.DeadlineExceeded) {
			return &metrics.Fault{Kind: metrics.FaultTimeout,
				Message: "the request passed its time limit", Next: "raise --timeout", Bound: "request"}
		}
		return &metrics.Fault{Kind: metrics.FaultCancelled, Message: msg}
	}
	if f, ok := errors.AsType[*metrics.Fault](err); ok {
		return f
	}
	return &metrics.Fault{Kind: metrics.FaultProtocol, Message: err.Error()}
}
