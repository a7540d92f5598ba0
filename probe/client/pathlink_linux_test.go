package client_test

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"math"
	"math/rand/v2"
	"net"
	"net/http"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// linkDelay is the delay of the test's link in each direction.
const linkDelay = 20 * time.Millisecond

// truth is what happens to a stream at one chunk.
type truth string

const (
	loss     truth = "loss"
	tailLoss truth = "tail loss"
	stall    truth = "server stall"
	buffer   truth = "proxy buffer"
	nothing  truth = "nothing"
)

var truths = []truth{loss, tailLoss, stall, buffer, nothing}

// plan is one stream of the confusion table: chunks every pace, and the event
// at chunk at.
type plan struct {
	what   truth
	chunks int
	pace   time.Duration
	at     int
	pause  time.Duration // stall, buffer: how long; tail loss: the silence that follows the lost chunk
}

// drawn returns a random plan.
func drawn(r *rand.Rand, what truth) plan {
	p := plan{what: what, chunks: 60, pace: time.Duration(10+r.IntN(30)) * time.Millisecond, at: 12 + r.IntN(15)}
	switch what {
	case stall:
		// 0.12 to 1.2 s, as many short as long
		p.pause = time.Duration(120 * math.Exp(r.Float64()*math.Log(10)) * float64(time.Millisecond))
	case buffer:
		n := 8 + r.IntN(12)
		p.at, p.pause = p.at+n, p.pace*time.Duration(n)
	case tailLoss:
		p.pause = 600 * time.Millisecond // the repair takes 240 ms
	}
	return p
}

// lostMark is in the text of a chunk whose segment the link drops once.
const lostMark = "LOST"

// serveStreams answers requests for planned streams; the number of the plan is
// in the path.
func serveStreams(link *probetest.Link, plans []plan) {
	for {
		c, err := link.Listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer c.Close()
			req, err := http.ReadRequest(bufio.NewReader(c))
			if err != nil {
				return
			}
			n := 0
			_, _ = fmt.Sscanf(req.URL.Path, "/%d/", &n)
			plans[n].serve(c, link)
		}()
	}
}

// serve writes the stream.
func (p *plan) serve(c net.Conn, link *probetest.Link) {
	var held bytes.Buffer
	chunk := func(text string) {
		data := fmt.Sprintf("data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q}}]}\n\n", text)
		fmt.Fprintf(&held, "%x\r\n%s\r\n", len(data), data)
	}
	flush := func() { _, _ = c.Write(held.Bytes()); held.Reset() }
	fmt.Fprint(&held, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\nTransfer-Encoding: "+
		"chunked\r\n\r\n")
	flush()
	next := time.Now().Add(40 * time.Millisecond)
	for i := range p.chunks {
		time.Sleep(time.Until(next))
		link.Late(next)
		next = next.Add(p.pace)
		text := fmt.Sprintf("w%d ", i)
		if i == p.at {
			switch p.what {
			case loss, tailLoss:
				text += lostMark
			case stall:
				time.Sleep(p.pause - p.pace)
				next = time.Now().Add(p.pace)
			}
		}
		chunk(text)
		if from := p.at - int(p.pause/p.pace); p.what == buffer && i >= from && i < p.at {
			continue // held
		}
		flush()
		if i == p.at && p.what == tailLoss {
			next = next.Add(p.pause)
		}
	}
	fmt.Fprint(&held, "e\r\ndata: [DONE]\n\n\r\n0\r\n\r\n")
	flush()
}

// lossyStreams plays plans over a link, four at a time. It returns the streams,
// and how late the machine was during each.
func lossyStreams(t *testing.T, plans []plan) ([]metrics.Stream, []time.Duration) {
	var mu sync.Mutex
	lost := map[string]bool{}
	link := probetest.NewLink(t, linkDelay, func(p *probetest.Packet) probetest.Fate {
		if !p.ToClient || !bytes.Contains(p.Payload, []byte(lostMark)) {
			return probetest.Fate{}
		}
		mu.Lock()
		defer mu.Unlock()
		key := fmt.Sprint(p.Port, string(p.Payload))
		drop := !lost[key]
		lost[key] = true
		return probetest.Fate{Drop: drop}
	})
	go serveStreams(link, plans)
	e := newEngine(t, client.Options{})
	out, late := make([]metrics.Stream, len(plans)), make([]time.Duration, len(plans))
	var all sync.WaitGroup
	turn := make(chan struct{}, 4)
	for i := range plans {
		all.Go(func() {
			turn <- struct{}{}
			defer func() { <-turn }()
			target := endpoint.Target{Endpoint: metrics.Endpoint{URL: fmt.Sprintf("http://%s/%d", link.Listener.Addr(), i),
				Model: "m"}, Auth: endpoint.AuthNone, Server: "vllm"}
			begin := time.Now()
			s := e.Start(context.Background(), target, metrics.Workload{Prompt: "p", Connection: metrics.ReuseCold})
			<-s.Done()
			out[i], late[i] = s.Snapshot(), link.LateSince(begin)
		})
	}
	all.Wait()
	return out, late
}

// said is what tokscope says of the event of a plan.
func said(t *testing.T, p *plan, v *metrics.Stream) string {
	if v.State != metrics.Done || len(v.Chunks) != p.chunks || v.Path == nil || v.Path.Source != metrics.PathTCPInfo {
		t.Fatalf("%+v: %v, %d chunks, fault %v, path %+v", p, v.State, len(v.Chunks), v.Fault, v.Path)
	}
	from, to := p.at, p.at+1
	switch p.what {
	case buffer: // the first chunk of the burst ends the gap
		from = p.at - int(p.pause/p.pace)
	case nothing:
		from, to = 0, p.chunks
	case loss: // chunks behind the hole are stamped when they came
		to = min(p.at+8, p.chunks)
	}
	for i := range v.Path.Gaps {
		if g := &v.Path.Gaps[i]; g.Chunk >= from && g.Chunk < to {
			cause, why := g.Cause()
			if why != "" {
				return string(why)
			}
			return string(cause)
		}
	}
	return "none"
}

// TestPathConfusion counts what is said of streams over a link of 2 × 20 ms
// whose events are known: 5 of each kind, 60 with TOKSCOPE_LONG=1.
func TestPathConfusion(t *testing.T) {
	t.Parallel() // most of it is waiting
	probetest.TakesTime(t, "25 streams over a slow link")
	if !probetest.InNamespace(t) {
		return
	}
	each := 5
	if long {
		each = 60
	}
	r := testkit.Rand(t, 0)
	var plans []plan
	for range each {
		for _, what := range truths {
			plans = append(plans, drawn(r, what))
		}
	}
	start := time.Now()
	table, calm := map[truth]map[string]int{}, map[truth]map[string]int{}
	streams, late := lossyStreams(t, plans)
	for i := range streams {
		p, v := &plans[i], &streams[i]
		what := said(t, p, v)
		for _, m := range []map[truth]map[string]int{table, calm} {
			if m[p.what] == nil {
				m[p.what] = map[string]int{}
			}
		}
		table[p.what][what]++
		if late[i] == 0 {
			calm[p.what][what]++
			calm[p.what]["all"]++
		}
		t.Logf("%-12s pace %v pause %-8v late %-8v %-20s %+v", p.what, p.pace, p.pause.Round(time.Millisecond),
			late[i].Round(time.Millisecond), what, v.Path.Gaps)
	}
	columns := []string{string(metrics.PathOutOfOrder), string(metrics.PathSentLate), string(metrics.PathFlushed),
		string(metrics.PathMaybeTail),
		string(metrics.PathTooLong), string(metrics.PathNoUsual), string(metrics.PathUncounted), "none"}
	t.Logf("%v; what happened, and what is said:", time.Since(start).Round(time.Second))
	t.Logf("%-14s %4s  %s", "", "n", strings.Join(columns, "  "))
	for _, what := range truths {
		line := ""
		for _, c := range columns {
			line += fmt.Sprintf("%*d  ", len(c), table[what][c])
		}
		t.Logf("%-14s %4d  %s of these %d while the machine was late", what, each, line, each-calm[what]["all"])
	}
	// What must not be said: a cause that did not happen. What must be said: the
	// one that did. A machine that was late has sent late, or at once; tokscope
	// itself may be late unseen, so one stream of a few may differ.
	never := func(what truth, words ...metrics.PathCause) {
		for _, w := range words {
			if n := calm[what][string(w)]; n > max(1, calm[what]["all"]/20) {
				t.Errorf("%s: %d of %d are called %s", what, n, calm[what]["all"], w)
			}
		}
	}
	mostly := func(what truth, words ...string) {
		n := 0
		for _, w := range words {
			n += calm[what][w]
		}
		if calm[what]["all"]-n > max(1, calm[what]["all"]/10) {
			t.Errorf("%s: only %d of %d are called %v", what, n, calm[what]["all"], words)
		}
	}
	never(loss, metrics.PathFlushed)
	never(tailLoss, metrics.PathOutOfOrder, metrics.PathFlushed, metrics.PathSentLate)
	never(stall, metrics.PathOutOfOrder, metrics.PathFlushed)
	never(buffer, metrics.PathOutOfOrder, metrics.PathSentLate)
	never(nothing, metrics.PathOutOfOrder, metrics.PathFlushed, metrics.PathSentLate)
	mostly(loss, string(metrics.PathOutOfOrder), "none")
	mostly(tailLoss, string(metrics.PathMaybeTail))
	mostly(stall, string(metrics.PathSentLate), string(metrics.PathMaybeTail))
	mostly(buffer, string(metrics.PathFlushed))
}
