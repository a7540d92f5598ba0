package transport_test

import (
	"bytes"
	"context"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	openai "github.com/sashabaranov/go-openai"

	"tokscope/probe/probetest"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

func newClient(kind string, server *probetest.Process) client {
	clock := transport.NewClock()
	o := transport.Options{Bounds: transport.DefaultBounds(), RootCAs: server.Roots()}
	o.UserStamps = kind != "kernel"
	t := &tapClient{clock: clock, base: probetest.Base(clock), t: transport.New(clock, o)}
	switch kind {
	case "goopenai":
		return &goopenai{tapClient: t, roots: server}
	case "raw", "raw-user":
		return &rawClient{tapClient: t, Reference: probetest.Reference{UserStamps: kind != "raw"}}
	}
	return t
}

// tapClient measures with this package.
type tapClient struct {
	clock *transport.Clock
	base  int64
	t     *transport.Transport
}

func (c *tapClient) close() { c.t.Close() }

func (c *tapClient) measure(n int, base string) []probetest.Seen {
	got := make([]probetest.Seen, n)
	captures := make([]*transport.Capture, n)
	u, err := url.Parse(base)
	for i := range captures {
		captures[i] = transport.NewWaking(c.clock)
		if err == nil {
			err = c.t.WarmFor(captures[i], u)
		}
		if err != nil {
			got[i].Err = err
			return got
		}
	}
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i].Request, got[i].Err = c.send(captures[i], base) })
	}
	if n >= manyStreams {
		undo, _ := transport.Background() // as the program's folder does
		defer undo()
	}
	c.consume(captures, got)
	wg.Wait()
	return got
}

// send sends one request; its answer goes to the capture.
func (c *tapClient) send(cp *transport.Capture, url string) (int, error) {
	req, err := http.NewRequestWithContext(transport.With(context.Background(), cp), http.MethodPost,
		url+"/chat/completions", strings.NewReader(`{"stream":true}`))
	if err != nil {
		return 0, err
	}
	resp, err := c.t.Do(req)
	if err != nil {
		return 0, err
	}
	return probetest.RequestID(resp.Header), nil
}

// consumeEvery is how often the consumer looks at all streams: as an engine
// does that feeds a screen. How often it looks changes no stamp.
const consumeEvery = 10 * time.Millisecond

// manyStreams is from how many streams on the consumer gives way to the readers.
const manyStreams = 16

var isToken = []byte(`"content":"tok`)

// consume takes the lines of all streams until all have ended.
func (c *tapClient) consume(captures []*transport.Capture, got []probetest.Seen) {
	assemblers := make([]sse.Assembler, len(captures))
	done := make([]bool, len(captures))
	var batch transport.Batch
	for left := len(captures); left > 0; time.Sleep(consumeEvery) {
		for i, cp := range captures {
			if done[i] {
				continue
			}
			ended := !cp.Drain(&batch)
			for _, l := range batch.Lines {
				assemblers[i].Push(l, func(e sse.Event) {
					if bytes.Contains(e.Data, isToken) {
						got[i].Tokens = append(got[i].Tokens, c.base+int64(e.At))
					}
				})
			}
			if ended {
				done[i] = true
				left--
				got[i].Sent = c.base + int64(cp.State().Marks.Sent)
			}
		}
	}
}

// goopenai is the usual way: go-openai's Recv, then the clock. Its clock of
// the first token starts at the call.
type goopenai struct {
	*tapClient
	roots *probetest.Process
	h     *http.Transport
}

func (c *goopenai) close() {
	c.tapClient.close()
	if c.h != nil {
		c.h.CloseIdleConnections()
	}
}

func (c *goopenai) measure(n int, url string) []probetest.Seen {
	if c.h == nil {
		c.h = http.DefaultTransport.(*http.Transport).Clone()
		c.h.MaxIdleConnsPerHost, c.h.MaxIdleConns = n, n
		c.h.TLSClientConfig.RootCAs = c.roots.Roots()
	}
	cfg := openai.DefaultConfig("none")
	cfg.BaseURL = url
	cfg.HTTPClient = &http.Client{Transport: c.h}
	api := openai.NewClientWithConfig(cfg)
	got := make([]probetest.Seen, n)
	var wg sync.WaitGroup
	for i := range got {
		wg.Go(func() { got[i] = c.stream(api) })
	}
	wg.Wait()
	return got
}

func (c *goopenai) stream(api *openai.Client) (s probetest.Seen) {
	now := func() int64 { return c.base + int64(c.clock.Now()) }
	s.Sent = now()
	r, err := api.CreateChatCompletionStream(context.Background(), openai.ChatCompletionRequest{
		Model: "scripted", Messages: []openai.ChatCompletionMessage{{Role: "user", Content: "hello"}},
	})
	if err != nil {
		return probetest.Seen{Err: err}
	}
	defer r.Close()
	s.Request = probetest.RequestID(r.Header())
	for {
		m, err := r.Recv()
		at := now()
		if err != nil {
			return s // the end: the tokens are counted by the caller
		}
		if len(m.Choices) > 0 && strings.HasPrefix(m.Choices[0].Delta.Content, "tok") {
			s.Tokens = append(s.Tokens, at)
		}
	}
}

// rawClient is the reference.
type rawClient struct {
	*tapClient
	probetest.Reference
}

func (c *rawClient) measure(n int, url string) []probetest.Seen { return c.Measure(n, url) }
