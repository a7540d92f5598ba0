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
	wire "tokscope/probe/transport"
)

// maxAttempts bounds how often a request is repeated because the server
// refused one of its fields. Each refusal is answered once, and the kinds of
// refusal are fewer.
const maxAttempts = 4

// run sends the request of s, again without a field that the server refuses.
// An answer that streams is the folder's until its end (ended): nothing of the
// request waits here for it. A panic on the way ends the stream as a failure.
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
	for _, k := range s.sinks() {
		k.Begin(s.Snapshot())
	}
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
			e.ingester.enter(s, a, func() { e.ended(ctx, s, a) })
			return
		}
		// Nothing at this path: the address may have been given without its /v1.
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

// ended sees the stream to its end whose last line is folded.
func (e *Engine) ended(ctx context.Context, s *Stream, c *wire.Capture) {
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
	}
	e.finish(s, fault)
}

// ask fills in the model and server type; the request's clock starts
// afterwards.
func (e *Engine) ask(ctx context.Context, s *Stream, t endpoint.Target) (found endpoint.Target, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = panicFault(p)
		}
		s.begin(found.Endpoint, err == nil)
	}()
	return e.resolveModel(ctx, t, func() { s.asking() })
}

// attempts sends the request of s to t.URL until the server takes all its
// fields, then a stream is on its way through the capture, or refuses for good.
func (e *Engine) attempts(ctx context.Context, s *Stream, tr *wire.Transport, t endpoint.Target, w metrics.Workload) (*wire.Capture, *metrics.Fault) {
	params := startParams(t)
	for try := 1; ; try++ {
		c := wire.NewCapture(e.clock)
		c.SetCold(w.Connection == metrics.ReuseCold)
		s.attempt(c, dialect.New())
		fault := e.send(ctx, s, tr, t, w, params, c)
		if fault == nil {
			return c, nil
		}
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

// send builds the request with go-openai and sends it through c. nil means
// that a stream is on its way.
func (e *Engine) send(ctx context.Context, s *Stream, tr *wire.Transport, t endpoint.Target, w metrics.Workload, p dialect.Params, c *wire.Capture) *metrics.Fault {
	body := p.Body(t.Model, promptOf(w))
	maps.Copy(body, t.Extra)
	token := ""
	if t.Auth == endpoint.AuthBearer {
		token = t.Key.Reveal()
	}
	cfg := openai.DefaultConfig(token)
	cfg.BaseURL = t.URL
	cfg.HTTPClient = &doer{transport: tr, target: t, body: body}
	// go-openai validates by the model's name and by field; the real fields are
	// merged in by the doer, where no validator refuses what a server would take.
	stream, err := openai.NewClientWithConfig(cfg).CreateChatCompletionStream(wire.With(ctx, c), openai.ChatCompletionRequest{
		Messages: []openai.ChatCompletionMessage{{Role: openai.ChatMessageRoleUser, Content: w.Prompt}},
	})
	status, header := c.Response()
	if header != nil {
		s.mu.Lock()
		s.dec.Header(header, &s.out)
		for i := range s.out.Server { // a Server-Timing header may echo anything
			s.out.Server[i].Name = e.scrub.String(s.out.Server[i].Name)
			s.out.Server[i].From = e.scrub.String(s.out.Server[i].From)
		}
		s.foldRest(e.clock.Now(), &s.out)
		s.mu.Unlock()
	}
	if proto := c.Conn().Proto; t.HTTP2 && proto != "" && !strings.HasPrefix(proto, "HTTP/2") {
		text := "HTTP/2 was offered, but the server speaks " + proto
		if strings.HasPrefix(t.URL, "http://") {
			text = "HTTP/2 was not offered: it needs https; the server speaks " + proto
		}
		s.note(metrics.Note{At: e.clock.Now(), Code: "http2_not_spoken", Text: text})
	}
	if err == nil {
		_ = stream.Close() // the body is read beneath; this one is inert
		return nil
	}
	var f *metrics.Fault
	if !errors.As(err, &f) && status >= 300 {
		f = dialect.HTTPFault(status, header, c.ErrorBody())
	}
	if f == nil {
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

// doer is the openai.HTTPDoer of one request: it puts our own body and headers
// into the request that go-openai has built, and sends it through the stamped
// transport.
type doer struct {
	transport *wire.Transport
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

// asFault turns any error of the transport into a Fault, and a cancelled
// context into the person's own doing.
func asFault(ctx context.Context, err error) *metrics.Fault {
	var f *metrics.Fault
	if cause := context.Cause(ctx); cause != nil {
		msg := "stopped"
		if errors.Is(cause, errClosing) {
			msg = "stopped: the program was closing"
		} else if errors.Is(cause, errTimeout) || errors.Is(cause, context.DeadlineExceeded) {
			return &metrics.Fault{Kind: metrics.FaultTimeout, Message: "the request took longer than it was given", Next: "raise --timeout", Bound: "request"}
		}
		return &metrics.Fault{Kind: metrics.FaultCancelled, Message: msg}
	}
	if errors.As(err, &f) {
		return f
	}
	return &metrics.Fault{Kind: metrics.FaultProtocol, Message: err.Error()}
}
