package client

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"strings"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/metrics"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/transport"
)

// maxAttempts bounds how often a request is repeated because the server
// refused one of its fields. Each refusal is answered once, and the kinds of
// refusal are fewer.
const maxAttempts = 4

// run sends the request of s, again without a field that the server refuses.
// A streamed response then belongs to ingest until its end (ended); run does
// not wait for it. A panic in run ends the stream as a failure.
func (e *Engine) run(ctx context.Context, s *Stream, t endpoint.Target) {
	streams := false
	defer func() {
		p := recover()
		if p != nil {
			e.finish(s, panicFault(p))
		}
		if p != nil || !streams {
			s.release()
		}
	}()
	w := s.v.Work // set once in newStream, never written again
	t, err := e.ask(ctx, s, t)
	s.audience.begin(s.sinks(), s.Snapshot(), e.scrub)
	if err != nil {
		e.finish(s, asFault(ctx, err))
		return
	}
	tr, err := e.transports.of(&t)
	if err != nil {
		e.finish(s, asFault(ctx, err))
		return
	}
	if w.Connection == metrics.ReuseWarm {
		if err := tr.Warm(ctx, t.URL); err != nil {
			e.finish(s, asFault(ctx, err))
			return
		}
	}
	bases := t.Bases
	if len(bases) == 0 {
		bases = []string{t.URL}
	}
	var first *metrics.Fault
	for _, base := range bases {
		t.URL = base
		a, fault := e.attempts(ctx, s, tr, t, w)
		if fault == nil {
			streams = true
			e.ingester.enter(s, a, func() { e.ended(ctx, s, a.capture) })
			return
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
	e.finish(s, first)
}

// ended finishes the stream after its last line is ingested.
func (e *Engine) ended(ctx context.Context, s *Stream, c *transport.Capture) {
	defer s.release()
	defer func() {
		if p := recover(); p != nil {
			e.finish(s, panicFault(p))
		}
	}()
	var fault *metrics.Fault
	_, err := c.End()
	s.flush(err == nil)
	if err != nil {
		fault = asFault(ctx, err)
	} else {
		fault = s.emptyFault()
	}
	e.finish(s, fault)
}

// emptyFault returns the fault of an answer without a token, nil for any other.
// It is called after the last event.
func (s *Stream) emptyFault() *metrics.Fault {
	s.mu.Lock()
	defer s.mu.Unlock()
	for i := range s.v.Chunks {
		if s.v.Counts(i) {
			return nil
		}
	}
	f := &metrics.Fault{Kind: metrics.FaultEmpty, Code: s.v.Finish}
	switch s.v.Finish {
	case "content_filter":
		f.Message, f.Next = "the answer is empty: the server's content filter ended it before the first token", "change the prompt"
	case "length":
		f.Message, f.Next = "the answer is empty: it reached its token limit before the first token was sent", "raise --max-tokens; reasoning that is not sent counts too"
	default:
		f.Message, f.Next = "the answer is empty: the stream ended without a token", "try another prompt; if it repeats, look at the server's log"
	}
	return f
}

// ask fills in the model and server type; the request's clock starts
// afterwards.
func (e *Engine) ask(ctx context.Context, s *Stream, t endpoint.Target) (found endpoint.Target, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicFault(p)
		}
		end := found.Endpoint
		p := found.Price()
		end.Price = metrics.Price{In: p.In, Out: p.Out, Currency: p.Currency}
		s.begin(end, err == nil)
	}()
	return e.resolveModel(ctx, t, func() { s.asking() })
}

// attempts sends the request of s to t.URL until the server accepts all its
// fields or refuses for good. If a kept connection ends before one byte of an
// answer, it sends the request once more, on a new one. After success the stream arrives through the
// capture.
func (e *Engine) attempts(ctx context.Context, s *Stream, tr *transport.Transport, t endpoint.Target, w metrics.Workload) (*attempt, *metrics.Fault) {
	params := startParams(t)
	again := false // the request was sent again, on a connection of its own
	for try := 1; ; try++ {
		a := newAttempt(e)
		c := a.capture
		c.SetCold(again || w.Connection == metrics.ReuseCold)
		s.audience.watch(c)
		s.watchPath(ctx, a, w)
		s.begins(a, dialect.New())
		if a.path != nil {
			e.ingester.lookAt(s, a)
		}
		s.mu.Lock()
		s.sent = &sending{t, params}
		s.mu.Unlock()
		if s.audience.records() {
			e.ingester.awaitSent(s, a)
		}
		fault := e.send(ctx, s, tr, t, w, params, a)
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
		Text: "the reused connection ended without an answer, so the request was sent again on a new one; the first may have been billed"})
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

// send builds the request with go-openai and sends it as the attempt a. nil
// means that a stream is arriving.
func (e *Engine) send(ctx context.Context, s *Stream, tr *transport.Transport, t endpoint.Target, w metrics.Workload, p dialect.Params, a *attempt) *metrics.Fault {
	c := a.capture
	body := p.Body(t.Model, promptOf(w))
	maps.Copy(body, t.Extra)
	token := ""
	if t.Auth == endpoint.AuthBearer {
		token = t.Key.Reveal()
	}
	cfg := openai.DefaultConfig(token)
	cfg.BaseURL = t.URL
	cfg.HTTPClient = &doer{transport: tr, target: t, body: body}
	// go-openai validates by the model's name and by field. The doer merges in
	// the real fields, so go-openai cannot refuse a field that the server
	// accepts.
	stream, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(transport.With(ctx, c), openai.ChatCompletionRequest{
		Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: w.Prompt}},
	})
	status, header := c.Response()
	head := shownHead(status, a.state().Conn.Proto, header, e.scrub)
	s.mu.Lock()
	s.v.Head = head
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
	if proto := a.state().Conn.Proto; t.HTTP2 && proto != "" && !strings.HasPrefix(proto, "HTTP/2") {
		text := "HTTP/2 was offered, but the server speaks " + proto
		if strings.HasPrefix(t.URL, "http://") {
			text = "HTTP/2 was not offered: it needs https; the server speaks " + proto
		}
		s.note(metrics.Note{At: e.clock.Now(), Code: "http2_not_spoken", Text: text})
	}
	if err == nil {
		_ = stream.Close() // the body is read beneath; closing this one has no effect
		return nil
	}
	var f *metrics.Fault
	if !errors.As(err, &f) && header != nil && (status < 200 || status >= 300) {
		f = dialect.HTTPFault(status, header, c.ErrorBody())
	}
	if f == nil || f.Kind == metrics.FaultCancelled { // the transport does not know why
		f = asFault(ctx, err)
	}
	return explain(f, t, status, header, c.ErrorBody())
}

// explain adds to a fault the details of the request: the server's message
// inside a 200 that is not a stream, and the source of a refused key.
func explain(f *metrics.Fault, t endpoint.Target, status int, h http.Header, body []byte) *metrics.Fault {
	g := *f
	switch {
	case g.Kind == metrics.FaultNotStream && len(body) > 0:
		said := dialect.HTTPFault(status, h, body)
		g.Body = said.Body
		if said.Code != "" || bytes.Contains(body, []byte(`"error"`)) {
			g.Kind, g.Message, g.Code = metrics.FaultInStream, said.Message, said.Code
		}
	case g.Kind == metrics.FaultAuth && t.KeyFrom != "":
		g.Next = "the key came from " + t.KeyFrom + ": check that it is valid here"
	case g.Kind == metrics.FaultAuth && t.Key.Empty():
		g.Next = "no key was sent: name its variable with --api-key-env, its file with --api-key-file, or either in a profile"
	}
	return &g
}

// startParams returns the fields of the first attempt. Fields that strict
// servers reject are sent only to servers known to accept them.
func startParams(t endpoint.Target) dialect.Params {
	p := dialect.Params{IncludeUsage: true, MaxField: "max_tokens"}
	if t.MaxField != "" {
		p.MaxField = t.MaxField
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

// doer is the openai.HTTPDoer of one request. It replaces body and headers of
// the request built by go-openai, and sends it through the stamped transport.
type doer struct {
	transport *transport.Transport
	target    endpoint.Target
	body      map[string]any
}

// Do implements openai.HTTPDoer.
func (d *doer) Do(req *http.Request) (*http.Response, error) {
	data, err := json.Marshal(d.body)
	if err != nil {
		return nil, &metrics.Fault{Kind: metrics.FaultConfig, Message: fmt.Sprintf("the request cannot be written as JSON: %v", err), Next: "check `extra` in the profile"}
	}
	req.Body = io.NopCloser(bytes.NewReader(data))
	req.GetBody = func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(data)), nil }
	req.ContentLength = int64(len(data))
	req.Header.Del("Connection")
	d.target.Authorize(req)
	return d.transport.Do(req)
}

// asFault converts any error of the transport into a Fault; a canceled
// context becomes a stop by the person.
func asFault(ctx context.Context, err error) *metrics.Fault {
	var f *metrics.Fault
	if cause := context.Cause(ctx); cause != nil {
		msg := "stopped"
		if errors.Is(cause, errClosing) {
			msg = "stopped: the program was closing"
		} else if errors.Is(cause, errTimeout) || errors.Is(cause, context.DeadlineExceeded) {
			return &metrics.Fault{Kind: metrics.FaultTimeout, Message: "the request passed its time limit", Next: "raise --timeout", Bound: "request"}
		}
		return &metrics.Fault{Kind: metrics.FaultCancelled, Message: msg}
	}
	if errors.As(err, &f) {
		return f
	}
	return &metrics.Fault{Kind: metrics.FaultProtocol, Message: err.Error()}
}
