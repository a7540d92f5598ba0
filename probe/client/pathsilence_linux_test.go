package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// silentServer answers one request: it reads all of it, waits before its first
// chunk, and once more before its last. during is called when each wait is half
// over. It counts connections without a request.
func silentServer(link *probetest.Link, wait time.Duration, during func(), bare *atomic.Int32) {
	for {
		c, err := link.Listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			req, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil {
				bare.Add(1)
				return
			}
			_, _ = io.Copy(io.Discard, req.Body)
			half := func() { time.Sleep(wait / 2); during(); time.Sleep(wait / 2) }
			half()
			fmt.Fprint(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
			for i := range 8 {
				time.Sleep(20 * time.Millisecond)
				fmt.Fprintf(c, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"w%d \"}}]}\n\n", i)
			}
			half()
			fmt.Fprint(c, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"end\"}}]}\n\ndata: [DONE]\n\n")
		}()
	}
}

// silentStream sends one request over a link with two silences of wait.
func silentStream(t *testing.T, prompt string, wait time.Duration, o client.Options, w metrics.Workload,
	fate func(p *probetest.Packet) probetest.Fate, during func()) (metrics.Stream, int) {
	link := probetest.NewLink(t, linkDelay, fate)
	var bare atomic.Int32
	go silentServer(link, wait, during, &bare)
	e := client.New(o)
	w.Prompt = prompt
	target := endpoint.Target{Endpoint: metrics.Endpoint{URL: fmt.Sprintf("http://%s/v1", link.Listener.Addr()),
		Model: "m"}, Auth: endpoint.AuthNone, Server: "vllm"}
	s := e.Start(context.Background(), target, w)
	<-s.Done()
	e.Close()
	v := s.Snapshot()
	testkit.Given(t, v.State == metrics.Done && v.Path != nil, "%v, fault %v, path %+v", v.State, v.Fault, v.Path)
	return v, int(bare.Load())
}

func everyPacket(*probetest.Packet) probetest.Fate { return probetest.Fate{} }

// TestConnectsWhileSilent holds that each second of a silence has one connect,
// in the wait and in a stall, and that the server sees no request on it.
func TestConnectsWhileSilent(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "two silences of 2.6 s")
	if !probetest.InNamespace(t) {
		return
	}
	v, bare := silentStream(t, "p", 2600*time.Millisecond, client.Options{}, metrics.Workload{}, everyPacket, func() {})
	n := len(v.Path.Connects)
	testkit.Given(t, n >= 3 && n <= 6 && n == bare, "%d connects, the server saw %d: %+v", n, bare, v.Path.Connects)
	first := v.Chunks[0].At
	waiting := 0
	for i, c := range v.Path.Connects {
		testkit.That(t, c.Result == metrics.ConnectOK && c.Elapsed >= 2*linkDelay && c.Elapsed <= 20*linkDelay, "%+v", c)
		if c.At < first {
			waiting++
		}
		if i > 0 && c.At-v.Path.Connects[i-1].At < metrics.Stamp(time.Second) {
			t.Errorf("%+v is less than a second after %+v", c, v.Path.Connects[i-1])
		}
		if d := c.At - v.Marks.Sent; d < metrics.Stamp(time.Second) {
			t.Errorf("the first connect comes %v after sent", time.Duration(d))
		}
	}
	testkit.That(t, waiting != 0 && waiting != len(v.Path.Connects),
		"%d of %d connects in the wait", waiting, len(v.Path.Connects))
	t.Logf("RTT %v, %+v", v.Path.RTT, v.Path.Connects)
}

// TestNoConnects holds that --no-path-probe forbids them, and that several
// requests at once do.
func TestNoConnects(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "a silence of 2.6 s")
	if !probetest.InNamespace(t) {
		return
	}
	for name, c := range map[string]struct {
		o client.Options
		w metrics.Workload
	}{"--no-path-probe": {o: client.Options{NoPathProbe: true}}, "two at once": {w: metrics.Workload{Concurrency: 2}}} {
		t.Run(name, func(t *testing.T) {
			v, bare := silentStream(t, "p", 1300*time.Millisecond, c.o, c.w, everyPacket, func() {})
			testkit.That(t, len(v.Path.Connects) == 0 && bare == 0, "%d connects: %+v", bare, v.Path.Connects)
		})
	}
}

// TestConnectsFailToo holds that connects which get no answer time out.
func TestConnectsFailToo(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "two silences of 5 s")
	if !probetest.InNamespace(t) {
		return
	}
	var sent atomic.Bool
	v, _ := silentStream(t, "p", 5*time.Second, client.Options{}, metrics.Workload{},
		func(p *probetest.Packet) probetest.Fate {
			if len(p.Payload) > 0 {
				sent.Store(true)
			}
			return probetest.Fate{Drop: sent.Load() && !p.ToClient && p.SYN}
		}, func() {})
	timeouts := 0
	for _, c := range v.Path.Connects {
		if c.Result == metrics.ConnectTimeout && c.Elapsed >= 3*time.Second {
			timeouts++
		}
	}
	testkit.That(t, timeouts != 0 && timeouts == len(v.Path.Connects), "%+v", v.Path.Connects)
}

// TestUploadTime holds that the upload of a long prompt is known, and that a
// short one has none: it takes a round trip.
func TestUploadTime(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "an upload over a slow link")
	if !probetest.InNamespace(t) {
		return
	}
	for name, c := range map[string]struct {
		size     int
		from, to time.Duration
	}{"long": {600 << 10, 2 * 2 * linkDelay, 3 * time.Second}, "short": {2 << 10, 0, 0}} {
		t.Run(name, func(t *testing.T) {
			v, _ := silentStream(t, strings.Repeat("word ", c.size/5), 100*time.Millisecond, client.Options{},
				metrics.Workload{}, everyPacket, func() {})
			testkit.Given(t, v.Path.Acked.Known() && v.Path.Upload == (c.to > 0), "%+v", v.Path)
			d := time.Duration(v.Path.Acked - v.Marks.Sent)
			f := metrics.Measure(&v, metrics.Options{})
			t.Logf("%d kB acknowledged after %v of %.0f ms, RTT %v, %d B/s", c.size>>10, d, f.TTFT.V, v.Path.RTT, v.Path.Rate)
			if !v.Path.Upload {
				return
			}
			testkit.That(t, d >= c.from && d <= c.to && v.Path.Acked <= v.Marks.FirstByte && v.Path.Rate != 0,
				"acknowledged after %v: %+v", d, v.Path)
			var parts float64
			for _, p := range f.Wait {
				if p.Name == metrics.ShareUpload || p.Name == metrics.ShareWait {
					parts += p.Ms.V
				}
			}
			diff := parts - f.TTFT.V
			testkit.That(t, diff <= 0.001 && diff >= -0.001, "the parts are %v ms, TTFT is %v", parts, f.TTFT.V)
		})
	}
}
