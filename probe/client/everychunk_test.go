package client_test

import (
	"bytes"
	"context"
	"fmt"
	"strconv"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/path"
	"tokscope/probe/probetest"
	"tokscope/probe/transport"
)

// long: count 10,000,000 chunks on their way through the client, not 100,000: some minutes.
var long = testkit.Long()

// everyShape are forms in which the server of TestEveryChunkOnce writes events:
// each alone, cut between two writes in two ways, and several in a write.
var everyShape = []string{
	"numbered; %d tokens @ 6ms",
	"numbered; size 400; straddle; %d tokens @ 6ms",
	"numbered; size 400; halves 2ms; %d tokens @ 6ms",
	"numbered; group 7; burst 20; stall 60ms; %d tokens @ 1ms; stall 5ms",
}

// TestEveryChunkOnce lets 400 streams at a time bring chunks that are numbered in
// their text, from a server in another process, through the whole client. A sink
// must be shown every chunk of every stream once, in order and under its own
// stream, and every byte of the bodies; the record of the stream must have the
// same.
func TestEveryChunkOnce(t *testing.T) {
	probetest.TakesTime(t, "100,000 chunks")
	// A round has 31 MB. All of it may wait: a client that is late, on a busy
	// machine, ends streams when 128 MiB do.
	const streams, per = 400, 250
	rounds := 1
	if long {
		rounds = 100
	}
	everyText := make([]string, len(everyShape))
	plans := map[string]*probetest.Plan{}
	for i, shape := range everyShape {
		everyText[i] = fmt.Sprintf(shape, per)
		plans[everyText[i]] = probetest.MustParse(everyText[i])
	}
	bounds := transport.DefaultBounds() // none of time: the machine may be as slow as it likes
	bounds.FirstByte, bounds.FirstToken, bounds.Idle = time.Hour, time.Hour, time.Hour
	e := newEngine(t, client.Options{Bounds: bounds})
	count := &counting{t: t, plans: plans, streams: map[int]*counted{}}
	e.AddSink(count)
	began, want := time.Now(), 0
	for round := range rounds {
		server := testkit.Must(probetest.Spawn(probetest.Options{Timed: true, ChatOnly: true}))(t)
		count.playing.Add(streams)
		for i := range streams {
			text := everyText[i%len(everyText)]
			want += len(plans[text].Tokens())
			e.Start(context.Background(), endpoint.Target{
				Endpoint: metrics.Endpoint{Kind: metrics.EndpointLoopback, Name: "script", URL: server.URL(text), Model: "m"},
				Auth:     endpoint.AuthNone, Server: "script",
			}, metrics.Workload{Prompt: text, MaxTokens: 2 * per})
		}
		count.playing.Wait()
		server.Close()
		if (round+1)%10 == 0 || rounds == 1 {
			t.Logf("round %d: %d chunks and %d bytes of bodies after %v", round+1, count.chunks, count.bytes,
				time.Since(began).Round(100*time.Millisecond))
		}
		if t.Failed() {
			return
		}
	}
	testkit.That(t, count.chunks == want && want >= streams*per*rounds, "%d chunks of %d", count.chunks, want)
}

// counted is what the sink was shown of one stream.
type counted struct {
	plan        *probetest.Plan
	request     []byte // its number at the server, with a dot; nil before the first chunk
	next        int    // the number of the next chunk
	text        int    // bytes of all texts
	read, shown int    // bytes of the body, by reads and by themselves
	wrong       string // what came first that is wrong
}

// counting is a Recorder that counts. The streams of a round end with playing.
type counting struct {
	t       *testing.T
	plans   map[string]*probetest.Plan // by prompt
	playing sync.WaitGroup

	mu            sync.Mutex
	streams       map[int]*counted
	chunks, bytes int // of the streams that ended
}

func (k *counting) Detail(int) client.Detail { return client.DetailBytes }

func (k *counting) Begin(v metrics.Stream) {
	k.mu.Lock()
	defer k.mu.Unlock()
	k.streams[v.ID] = &counted{plan: k.plans[v.Work.Prompt]}
}

func (k *counting) of(id int) *counted {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.streams[id]
}

func (k *counting) Event(f *client.Folded) {
	c := k.of(f.ID)
	for i, text := range f.Texts {
		if first := f.First + i; first != c.next && c.wrong == "" {
			c.wrong = fmt.Sprintf("the chunk after %d is called %d", c.next-1, first)
		}
		if c.request == nil {
			c.request = bytes.Clone(text[:bytes.IndexByte(text, '.')+1])
		}
		if want := append(strconv.AppendInt(c.request[:len(c.request):len(c.request)], int64(c.next), 10),
			' '); !bytes.Equal(text, want) && c.wrong == "" {
			c.wrong = fmt.Sprintf("chunk %d is %q, not %q", c.next, text, want)
		}
		c.next, c.text = c.next+1, c.text+len(text)
	}
	if len(f.Chunks) != len(f.Texts) && c.wrong == "" {
		c.wrong = fmt.Sprintf("%d chunks with %d texts", len(f.Chunks), len(f.Texts))
	}
}

func (k *counting) Read(id int, r *transport.Read) { k.of(id).read += int(r.Bytes) }

func (k *counting) Body(id int, data []byte) { k.of(id).shown += len(data) }

func (k *counting) Sent(int, metrics.Stamp) {}
func (k *counting) Head(int, *client.Head)  {}

func (k *counting) PathEvent(int, metrics.Stamp, *path.Event) {}

// End compares what was shown with the plan and with the record.
func (k *counting) End(v metrics.Stream, _ *metrics.Figures) {
	defer k.playing.Done()
	c, tokens := k.of(v.ID), 0
	if c.plan != nil {
		tokens = len(c.plan.Tokens())
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	delete(k.streams, v.ID)
	k.chunks, k.bytes = k.chunks+c.next, k.bytes+c.shown
	switch {
	case c.wrong != "":
		k.t.Errorf("stream %d: %s", v.ID, c.wrong)
	case v.State != metrics.Done:
		k.t.Errorf("stream %d: %v, %v", v.ID, v.State, v.Fault)
	case c.next != tokens || len(v.Chunks) != tokens:
		k.t.Errorf("stream %d: %d chunks shown, %d in its record, %d sent", v.ID, c.next, len(v.Chunks), tokens)
	case len(v.Text) != c.text:
		k.t.Errorf("stream %d: %d bytes of text shown, %d in its record", v.ID, c.text, len(v.Text))
	case c.shown != c.plan.BodyBytes || c.read != c.shown || v.BodyBytes != int64(c.shown):
		k.t.Errorf("stream %d: %d bytes of the body shown, %d in its reads, %d in its record, %d sent", v.ID, c.shown,
			c.read, v.BodyBytes, c.plan.BodyBytes)
	}
}
