package client_test

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/probetest"
)

// closing is a server that ends its kept connections.
type closing struct {
	ln       net.Listener
	wg       sync.WaitGroup
	seen     atomic.Int32 // requests read whole
	answered atomic.Int32
}

// newClosing starts a server that calls answer for each request, with its
// number on its connection, from 0. answer returns false to close the
// connection.
func newClosing(t *testing.T, answer func(s *closing, c net.Conn, n int) bool) (*closing, endpoint.Target) {
	t.Helper()
	ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	s := &closing{ln: ln}
	s.wg.Go(func() {
		for {
			c, err := ln.Accept()
			if err != nil {
				return
			}
			s.wg.Go(func() {
				defer func() { _ = c.Close() }()
				br := bufio.NewReader(c)
				for n := 0; ; n++ {
					req, err := http.ReadRequest(br)
					if err != nil {
						return
					}
					if _, err := io.Copy(io.Discard, req.Body); err != nil {
						return
					}
					s.seen.Add(1)
					if !answer(s, c, n) {
						return
					}
				}
			})
		}
	})
	t.Cleanup(func() {
		_ = ln.Close()
		s.wg.Wait()
	})
	return s, targetAt("http://" + ln.Addr().String() + "/v1")
}

// reply writes a whole answer of three tokens with these further headers.
func (s *closing) reply(c net.Conn, headers string) {
	s.answered.Add(1)
	var body strings.Builder
	for range 3 {
		body.WriteString("data: {\"choices\":[{\"delta\":{\"content\":\"word \"}}]}\n\n")
	}
	body.WriteString("data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
	_, _ = fmt.Fprintf(c, "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nContent-Length: %d\r\n%s\r\n%s",
		body.Len(), headers, body.String())
}

// reset makes the close of c a reset.
func reset(c net.Conn) { _ = c.(*net.TCPConn).SetLinger(0) }

// Of 600 requests to a server that closes every kept connection none fails (120
// with -short), however it closes them and however many users there are. Every request that
// the server has seen is one that was asked for or one that counts as retried.
func TestServerThatClosesKeptConnections(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(s *closing, c net.Conn, n int) bool
		exact  bool // the server sees each request, and closes without an answer to those of kept connections
	}{
		{"announced", func(s *closing, c net.Conn, _ int) bool { s.reply(c, "Connection: close\r\n"); return false }, false},
		{"at once", func(s *closing, c net.Conn, _ int) bool { s.reply(c, "Keep-Alive: timeout=5\r\n"); return false },
			false},
		{"after a delay", func(s *closing, c net.Conn, n int) bool {
			s.reply(c, "")
			time.Sleep(time.Duration(s.answered.Load()%8) * 100 * time.Microsecond)
			return false
		}, false},
		{"at the next request", func(s *closing, c net.Conn, n int) bool {
			if n == 0 {
				s.reply(c, "")
			}
			return n == 0
		}, true},
		{"by a reset at the next request", func(s *closing, c net.Conn, n int) bool {
			if n == 0 {
				s.reply(c, "")
			} else {
				reset(c)
			}
			return n == 0
		}, true},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, target := newClosing(t, tt.answer)
			e := newEngine(t, client.Options{})
			each := probetest.Cases(200, 40) // requests at each number of users
			retried := 0
			for _, users := range []int{1, 4, 16} {
				var left atomic.Int32
				left.Store(int32(each))
				var mu sync.Mutex
				var wg sync.WaitGroup
				for range users {
					wg.Go(func() {
						for left.Add(-1) >= 0 {
							v := ended(e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"}))
							mu.Lock()
							retried += v.Retried
							mu.Unlock()
							checkRetried(t, &v)
						}
					})
				}
				wg.Wait()
			}
			testkit.Is(t, int(s.answered.Load()), 3*each, "answers for … requests")
			more := int(s.seen.Load()) - 3*each
			testkit.That(t, more <= retried,
				"the server saw %d requests more than were asked for, %d count as retried", more, retried)
			testkit.That(t, !tt.exact || retried != 0 && more == retried,
				"the server saw %d requests twice, %d count as retried", more, retried)
			t.Logf("%d of %d requests retried", retried, 3*each)
		})
	}
}

// checkRetried checks the record of a request that ended well.
func checkRetried(t *testing.T, v *metrics.Stream) {
	t.Helper()
	noted := false
	for _, n := range v.Notes {
		noted = noted || n.Code == "retried"
	}
	f := metrics.Measure(v, metrics.Options{})
	switch {
	case v.State != metrics.Done || len(v.Chunks) != 3 || !f.TTFT.OK || f.TTFT.V <= 0:
		t.Errorf("%v, %+v, %d chunks, TTFT %+v", v.State, v.Fault, len(v.Chunks), f.TTFT)
	case v.Retried > 1 || noted != (v.Retried == 1):
		t.Errorf("retried %d times, notes %+v", v.Retried, v.Notes)
	case v.Retried == 1 && v.Conn.Reused:
		t.Error("sent again on a kept connection")
	}
}

// TTFT of a request that was sent again counts from the second sending.
func TestRetriedTTFT(t *testing.T) {
	const lost = 150 * time.Millisecond
	_, target := newClosing(t, func(s *closing, c net.Conn, n int) bool {
		if n == 0 {
			s.reply(c, "")
			return true
		}
		time.Sleep(lost)
		return false
	})
	e := newEngine(t, client.Options{})
	for i := range 2 {
		v := ended(e.StartQuiet(context.Background(), target, metrics.Workload{Prompt: "x"}))
		checkRetried(t, &v)
		testkit.Need(t, v.Retried, i, "request", i+1, "retried … times")
		m := &v.Marks
		if i == 1 && (m.Sent-m.Start < metrics.Stamp(lost) || v.Chunks[0].At < m.Sent) {
			t.Errorf("started %d, sent %d, first chunk %d: want the second sending, %v later", m.Start, m.Sent, v.Chunks[0].At,
				lost)
		}
	}
}

// A request is sent again once at most, never on a new connection, and never
// after a byte of an answer.
func TestNoRetry(t *testing.T) {
	for _, tt := range []struct {
		name   string
		answer func(s *closing, c net.Conn, n int) bool
		w      metrics.Workload
		seen   []int32           // by the server after the first and the second request
		kind   metrics.FaultKind // of the second; "" for any
	}{
		{"a new connection", func(*closing, net.Conn, int) bool { return false },
			metrics.Workload{Connection: metrics.ReuseCold}, []int32{1, 2}, metrics.FaultReset},
		{"a new connection of many", func(*closing, net.Conn, int) bool { return false }, metrics.Workload{}, []int32{1, 2},
			metrics.FaultReset},
		{"the second has no answer either", func(s *closing, c net.Conn, n int) bool {
			if s.seen.Load() == 1 {
				s.reply(c, "")
				return true
			}
			return false
		}, metrics.Workload{}, []int32{1, 3}, metrics.FaultReset},
		{"a byte of an answer", func(s *closing, c net.Conn, n int) bool {
			if n == 0 {
				s.reply(c, "")
				return true
			}
			_, _ = io.WriteString(c, "HTTP/1.1 ")
			return false
		}, metrics.Workload{}, []int32{1, 2}, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, target := newClosing(t, tt.answer)
			e := newEngine(t, client.Options{})
			tt.w.Prompt = "x"
			for i, want := range tt.seen {
				v := ended(e.StartQuiet(context.Background(), target, tt.w))
				testkit.Is(t, s.seen.Load(), want, "request", i+1, "the server saw … requests")
				testkit.That(t, i != 1 || v.Fault != nil && (tt.kind == "" || v.Fault.Kind == tt.kind),
					"ended with %+v, want %v", v.Fault, tt.kind)
			}
		})
	}
}
