package transport_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/transport"
	"tokscope/probe/ws"
)

// socketServer answers handshakes with another implementation. script runs once for each
// message that comes.
type socketServer struct {
	t      *testing.T
	script func(c *websocket.Conn, conn net.Conn, message string)
	refuse func(w http.ResponseWriter, r *http.Request) // instead of the handshake; nil: none
	conns  chan net.Conn

	mu      sync.Mutex
	heads   []http.Header
	closes  []websocket.StatusCode // with which clients have closed
	running sync.WaitGroup
}

func (s *socketServer) Accept() (net.Conn, error) {
	c, ok := <-s.conns
	if !ok {
		return nil, net.ErrClosed
	}
	return c, nil
}
func (s *socketServer) Close() error   { close(s.conns); return nil }
func (s *socketServer) Addr() net.Addr { return &net.TCPAddr{} }

type connKey struct{}

func (s *socketServer) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s.running.Add(1)
	defer s.running.Done()
	s.mu.Lock()
	s.heads = append(s.heads, r.Header.Clone())
	s.mu.Unlock()
	if s.refuse != nil {
		s.refuse(w, r)
		return
	}
	time.Sleep(50 * time.Millisecond) // the handshake
	c, err := websocket.Accept(w, r, nil)
	if err != nil {
		s.t.Error(err)
		return
	}
	defer c.CloseNow()
	c.SetReadLimit(-1)
	for {
		_, message, err := c.Read(context.Background())
		if err != nil {
			s.mu.Lock()
			s.closes = append(s.closes, websocket.CloseStatus(err))
			s.mu.Unlock()
			return
		}
		conn, _ := r.Context().Value(connKey{}).(net.Conn)
		s.script(c, conn, string(message))
	}
}

// overSockets runs f in virtual time against s.
func overSockets(t *testing.T, s *socketServer, f func(r *harness)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		s.t, s.conns = t, make(chan net.Conn)
		server := &http.Server{Handler: s, ConnContext: func(ctx context.Context, c net.Conn) context.Context {
			return context.WithValue(ctx, connKey{}, c)
		}}
		go func() { _ = server.Serve(s) }()
		o := defaults()
		o.Proxy = noProxy
		clock := transport.NewClock()
		r := &harness{t: t, clock: clock, tr: transport.New(clock, o)}
		r.url = func(text string) string { return "http://scripted/" + url.PathEscape(text) + "/v1" }
		r.tr.SetDial(func(context.Context, string, string) (net.Conn, error) {
			time.Sleep(10 * time.Millisecond)
			here, there := net.Pipe()
			s.conns <- there
			return here, nil
		})
		f(r)
		r.tr.Close()
		_ = server.Close()
		s.running.Wait()
	})
}

// asSocket makes a request one over a WebSocket, whose answer ends with a message "end", or
// with an error that may be a refusal.
func asSocket(c *transport.Capture) {
	c.SetSocket(func(message []byte) (bool, int, http.Header) {
		var m struct {
			Type   string `json:"type"`
			Status int    `json:"status"`
		}
		_ = json.Unmarshal(message, &m)
		return m.Type == "end" || m.Type == "error", m.Status, http.Header{"Retry-After": {"7"}}
	})
}

// send sends a text message.
func send(c *websocket.Conn, text string) {
	_ = c.Write(context.Background(), websocket.MessageText, []byte(text))
}

const (
	socketEvent = `{"choices":[{"delta":{"content":"a"}}]}`
	socketEnd   = `{"type":"end"}`
)

// plainScript sends two events and an end, each after 100 ms.
func plainScript(c *websocket.Conn, _ net.Conn, _ string) {
	for _, text := range []string{socketEvent, socketEvent, socketEnd} {
		time.Sleep(100 * time.Millisecond)
		send(c, text)
	}
}

const ms = time.Millisecond

func TestWebSocket(t *testing.T) {
	var got []string
	s := &socketServer{script: func(c *websocket.Conn, conn net.Conn, message string) {
		got = append(got, message)
		plainScript(c, conn, message)
	}}
	overSockets(t, s, func(r *harness) {
		for i := range 3 {
			res := r.ask("x", asSocket)
			m := res.marks
			if res.err != nil || !slices.Equal(res.offsets(), []time.Duration{100 * ms, 200 * ms, 300 * ms}) {
				t.Fatalf("request %d: %v, %v", i, res.offsets(), res.err)
			}
			testkit.That(t, res.conn.Reused == (i > 0) && res.conn.Proto == "WebSocket", "request %d: %+v", i, res.conn)
			testkit.Is(t, m.Upgraded.Known(), i == 0, "request", i, "marks of a handshake", m.RequestMarks)
			testkit.That(t, i != 0 || m.Upgraded-m.GotConn == metrics.Stamp(50*ms) && m.Sent == m.Upgraded,
				"the handshake took %v, and the request %v", m.Upgraded-m.GotConn, m.Sent-m.Upgraded)
			if m.FirstByte-m.Sent != metrics.Stamp(100*ms) || m.Headers != m.FirstByte || m.End-m.Sent != metrics.Stamp(300*ms) {
				t.Errorf("request %d: %+v", i, m)
			}
		}
		if len(s.heads) != 1 || s.heads[0].Get("Authorization") != "Bearer key-of-the-test" ||
			s.heads[0].Get("Sec-Websocket-Extensions") != "" {
			t.Errorf("handshakes: %v", s.heads)
		}
		want := `{"stream":true}`
		testkit.That(t, slices.Equal(got, []string{want, want, want}), "messages: %q", got)
	})
	testkit.Same(t, s.closes, []websocket.StatusCode{websocket.StatusNormalClosure}, "closed with")
}

func TestWebSocketColdAndWarm(t *testing.T) {
	s := &socketServer{script: plainScript}
	overSockets(t, s, func(r *harness) {
		for i, tt := range []struct {
			tune       []func(*transport.Capture)
			handshakes int
			reused     bool
		}{
			{[]func(*transport.Capture){asSocket, cold}, 1, false},
			{[]func(*transport.Capture){asSocket, cold}, 2, false},
			{[]func(*transport.Capture){asSocket, warm}, 3, true}, // made before its turn
			{[]func(*transport.Capture){asSocket, warm}, 3, true},
			{[]func(*transport.Capture){asSocket}, 3, true},
			{[]func(*transport.Capture){asSocket, cold}, 4, false},
		} {
			res := r.ask("x", tt.tune...)
			testkit.That(t, res.err == nil && res.conn.Reused == tt.reused && len(s.heads) == tt.handshakes,
				"request %d: reused %v, %d handshakes, %v", i, res.conn.Reused, len(s.heads), res.err)
			if res.marks.Upgraded.Known() == tt.reused || res.offsets()[0] != 100*ms {
				t.Errorf("request %d: %+v, %v", i, res.marks.RequestMarks, res.offsets())
			}
		}
		r.tr.CloseIdle()
		if res := r.ask("x", asSocket); res.conn.Reused {
			t.Error("a closed connection is reused")
		}
		if res := r.ask("y", asSocket); res.conn.Reused {
			t.Error("the connection of another path is reused")
		}
	})
}

// Another goroutine's request while one runs has a connection of its own.
func TestWebSocketsOfTwoRequests(t *testing.T) {
	s := &socketServer{script: plainScript}
	overSockets(t, s, func(r *harness) {
		for round := range 2 {
			var wg sync.WaitGroup
			for range 3 {
				wg.Go(func() {
					if res := r.ask("x", asSocket); res.err != nil || len(res.events) != 3 || res.conn.Reused != (round > 0) {
						t.Errorf("round %d: %d events, %v", round, len(res.events), res.err)
					}
				})
			}
			wg.Wait()
		}
		testkit.Is(t, len(s.heads), 3, "handshakes")
	})
}

// What goes wrong over a WebSocket, and what is said of it.
func TestWebSocketFaults(t *testing.T) {
	raw := func(frames ...[]byte) func(*websocket.Conn, net.Conn, string) {
		return func(c *websocket.Conn, conn net.Conn, message string) {
			send(c, socketEvent)
			_, _ = conn.Write(slices.Concat(frames...))
			time.Sleep(time.Second)
		}
	}
	frame := func(first byte, payload string) []byte {
		b := ws.Append(nil, ws.OpText, []byte(payload), false)
		b[0] = first
		return b
	}
	for _, tt := range []struct {
		name   string
		script func(*websocket.Conn, net.Conn, string)
		kind   metrics.FaultKind
		says   string
	}{
		{"closed before the end", func(c *websocket.Conn, _ net.Conn, _ string) {
			send(c, socketEvent)
			_ = c.Close(websocket.StatusInternalError, "no memory")
		}, metrics.FaultTruncated, "1011 (internal error): no memory"},
		{"closed without an answer", func(c *websocket.Conn, _ net.Conn, _ string) {
			_ = c.Close(websocket.StatusPolicyViolation, "")
		}, metrics.FaultReset, "without an answer: 1008 (policy violation)"},
		{"an end without a close", func(c *websocket.Conn, _ net.Conn, _ string) {
			send(c, socketEvent)
			_ = c.CloseNow()
		}, metrics.FaultTruncated, "in the middle"},
		{"nothing at all", func(c *websocket.Conn, _ net.Conn, _ string) { _ = c.CloseNow() },
			metrics.FaultReset, "without an answer"},
		{"the end within a message", raw(frame(0x01, `{"type":"end"}`), []byte{0x88, 0}), metrics.FaultTruncated,
			"1005 (no code)"},
		{"binary", raw(frame(0x82, socketEvent)), metrics.FaultProtocol, "a message is binary"},
		{"compressed", raw(frame(0xc1, socketEvent)), metrics.FaultProtocol, "reserved bits"},
		{"no UTF-8", raw(frame(0x81, "\xff")), metrics.FaultProtocol, "not UTF-8"},
		{"masked", raw(ws.Append(nil, ws.OpText, []byte(socketEvent), true)), metrics.FaultProtocol, "masked"},
		{"a tebibyte", raw([]byte{0x81, 127, 0, 0, 1, 0, 0, 0, 0, 0}), metrics.FaultTooLarge, "longer than"},
		{"silence", func(*websocket.Conn, net.Conn, string) { time.Sleep(3 * time.Minute) },
			metrics.FaultTimeout, "no answer within"},
		{"pings only", func(c *websocket.Conn, conn net.Conn, _ string) {
			for range 200 {
				time.Sleep(time.Second)
				_, _ = conn.Write(frame(0x89, "ping"))
			}
		}, metrics.FaultTimeout, "no answer within"},
		{"a stall", func(c *websocket.Conn, _ net.Conn, _ string) {
			send(c, socketEvent)
			time.Sleep(3 * time.Minute)
		}, metrics.FaultTimeout, "no data for 30 s"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			overSockets(t, &socketServer{script: tt.script}, func(r *harness) {
				res := r.ask("x", asSocket)
				testkit.That(t, res.err != nil && res.err.Kind == tt.kind && strings.Contains(res.err.Message, tt.says),
					"ended with %+v", res.err)
				testkit.That(t, res.marks.End != metrics.NoStamp, "the end has no moment")
			})
		})
	}
}

// A kept connection that the server has closed answers nothing: the request may be sent again.
func TestWebSocketClosedMeanwhile(t *testing.T) {
	asked := 0
	s := &socketServer{script: func(c *websocket.Conn, conn net.Conn, message string) {
		if asked++; asked == 2 {
			_ = c.Close(websocket.StatusGoingAway, "an hour is over")
			return
		}
		plainScript(c, conn, message)
	}}
	overSockets(t, s, func(r *harness) {
		testkit.Need(t, r.ask("x", asSocket).err, nil)
		res := r.ask("x", asSocket)
		if unanswered, reached := res.capture.Unanswered(); !unanswered || !reached || res.err == nil {
			t.Errorf("unanswered %v, reached %v, %v", unanswered, reached, res.err)
		}
		if res := r.ask("x", asSocket); res.err != nil || res.conn.Reused {
			t.Errorf("the next: reused %v, %v", res.conn.Reused, res.err)
		}
	})
}

// The server closes a connection that waits, and pings one before: it is answered.
func TestWebSocketWaits(t *testing.T) {
	pongs := 0
	s := &socketServer{script: func(c *websocket.Conn, conn net.Conn, message string) {
		plainScript(c, conn, message)
		reading := c.CloseRead(context.Background())
		time.Sleep(time.Second)
		if err := c.Ping(context.Background()); err == nil {
			pongs++
		}
		_ = c.Close(websocket.StatusGoingAway, "")
		<-reading.Done()
	}}
	overSockets(t, s, func(r *harness) {
		for i := range 2 {
			res := r.ask("x", asSocket)
			testkit.That(t, res.err == nil && !res.conn.Reused, "request %d: reused %v, %v", i, res.conn.Reused, res.err)
			time.Sleep(2 * time.Second)
			n := r.tr.Links()
			testkit.That(t, n == 0 && pongs == i+1, "%d connections stay, %d pongs", n, pongs)
		}
	})
}

// A ping while the answer streams is answered, and is no output.
func TestWebSocketPing(t *testing.T) {
	s := &socketServer{script: func(c *websocket.Conn, conn net.Conn, message string) {
		reading := make(chan struct{})
		go func() { // the pong comes only if somebody reads
			defer close(reading)
			_, _, _ = c.Read(context.Background())
		}()
		time.Sleep(100 * ms)
		testkit.Is(t, c.Ping(context.Background()), nil, "no pong")
		plainScript(c, conn, message)
		<-reading
	}}
	overSockets(t, s, func(r *harness) {
		res := r.ask("x", asSocket)
		if want := []time.Duration{200 * ms, 300 * ms, 400 * ms}; res.err != nil || !slices.Equal(res.offsets(), want) {
			t.Errorf("%v, %v", res.offsets(), res.err)
		}
		if first := res.marks.FirstByte - res.marks.Sent; first != metrics.Stamp(200*ms) {
			t.Errorf("the first byte came after %v", time.Duration(first))
		}
	})
}

func TestWebSocketRefusals(t *testing.T) {
	for _, tt := range []struct {
		status int
		kind   metrics.FaultKind // "" for a response without a fault
	}{
		{http.StatusUpgradeRequired, ""}, {http.StatusNotFound, ""}, {http.StatusUnauthorized, ""},
		{http.StatusOK, metrics.FaultNotStream}, {http.StatusFound, metrics.FaultRedirect},
	} {
		s := &socketServer{refuse: func(w http.ResponseWriter, _ *http.Request) {
			w.WriteHeader(tt.status)
			_, _ = fmt.Fprint(w, "the body")
		}}
		overSockets(t, s, func(r *harness) {
			res := r.ask("x", asSocket)
			status, _ := res.capture.Response()
			if tt.kind == "" {
				if res.err != nil || status != tt.status || string(res.capture.ErrorBody()) != "the body" {
					t.Errorf("%d: %d %q, %v", tt.status, status, res.capture.ErrorBody(), res.err)
				}
				return
			}
			testkit.That(t, res.err != nil && res.err.Kind == tt.kind && res.err.Status == tt.status,
				"%d: %+v", tt.status, res.err)
		})
	}
	// Who signs the handshake wrong is no server of WebSocket.
	s := &socketServer{refuse: func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Connection", "Upgrade")
		w.Header().Set("Upgrade", "websocket")
		w.Header().Set("Sec-WebSocket-Accept", "other")
		w.WriteHeader(http.StatusSwitchingProtocols)
		conn, _, err := http.NewResponseController(w).Hijack()
		if err == nil {
			_ = conn.Close()
		}
	}}
	overSockets(t, s, func(r *harness) {
		if res := r.ask("x", asSocket); res.err == nil || res.err.Kind != metrics.FaultProtocol {
			t.Errorf("a wrong signature: %v", res.err)
		}
	})
}

// A first message that refuses is a response with its status and headers; the connection
// serves on. A later one is part of the answer.
func TestWebSocketErrorMessages(t *testing.T) {
	const refused = `{"type":"error","status":429,"error":{"message":"slower"}}`
	asked := 0
	s := &socketServer{script: func(c *websocket.Conn, conn net.Conn, message string) {
		if asked++; asked == 2 {
			send(c, socketEvent)
		}
		if asked < 3 {
			send(c, refused)
			return
		}
		plainScript(c, conn, message)
	}}
	overSockets(t, s, func(r *harness) {
		res := r.ask("x", asSocket)
		if status, h := res.capture.Response(); res.err != nil || status != 429 || h.Get("Retry-After") != "7" ||
			res.response.StatusCode != 429 || string(res.capture.ErrorBody()) != refused || len(res.events) != 0 {
			t.Errorf("refused: %d %v %q, %v", status, h, res.capture.ErrorBody(), res.err)
		}
		if res = r.ask("x", asSocket); res.err != nil || len(res.events) != 2 || !res.conn.Reused {
			t.Errorf("later: %d events, %v", len(res.events), res.err)
		}
		if res = r.ask("x", asSocket); res.err != nil || len(res.events) != 3 || !res.conn.Reused {
			t.Errorf("the next: %d events, %v", len(res.events), res.err)
		}
	})
}

// A request that is canceled closes its connection, before the answer and within it.
func TestWebSocketCanceled(t *testing.T) {
	for _, after := range []time.Duration{5 * ms, 30 * ms, 100 * ms, 250 * ms} {
		s := &socketServer{script: plainScript}
		overSockets(t, s, func(r *harness) {
			ctx, cancel := context.WithCancel(context.Background())
			time.AfterFunc(after, cancel)
			res := r.askCtx(ctx, "x", asSocket)
			testkit.That(t, res.err != nil && res.err.Kind == metrics.FaultCancelled, "after %v: %v", after, res.err)
			time.Sleep(time.Second)
			if n := r.tr.Links(); n != 0 && after > 10*ms { // before, it is dialed for others
				t.Errorf("after %v: %d connections stay", after, n)
			}
			if res = r.ask("x", asSocket); res.err != nil || res.conn.Reused {
				t.Errorf("the next: reused %v, %v", res.conn.Reused, res.err)
			}
		})
	}
}

// Long messages, fragments and line ends within the JSON: each message is one line.
func TestWebSocketLines(t *testing.T) {
	long := `{"text":"` + strings.Repeat("long ", 40_000) + `"}`
	s := &socketServer{script: func(c *websocket.Conn, _ net.Conn, message string) {
		send(c, "{\n\"a\":\r\n1}")
		send(c, long)
		w, err := c.Writer(context.Background(), websocket.MessageText)
		for _, part := range []string{`{"frag`, `mented"`, `:2}`} {
			_, e := w.Write([]byte(part))
			err = errors.Join(err, e)
		}
		testkit.Is(t, errors.Join(err, w.Close()), nil)
		send(c, socketEnd)
	}}
	overSockets(t, s, func(r *harness) {
		c := newCapture(r)
		asSocket(c)
		c.KeepReads(true)
		w := &watched{}
		c.Watch(w)
		testkit.Must(r.tr.Do(r.request(transport.With(context.Background(), c), "x")))(t)
		var lines []string
		var body strings.Builder
		var b transport.Batch
		for more := true; more; {
			<-c.Wake()
			more = c.Drain(&b)
			for _, l := range b.Lines {
				lines = append(lines, string(l.Data))
			}
			for _, read := range b.Reads {
				body.Write(read.Data)
			}
		}
		want := []string{`{ "a":  1}`, long, `{"fragmented":2}`, socketEnd}
		testkit.That(t, slices.Equal(lines, want) && body.String() == strings.Join(want, "\n")+"\n",
			"%d lines, a body of %d bytes", len(lines), body.Len())
		n := c.Counts()
		testkit.That(t, n.Body == int64(body.Len()) && n.User == 4, "counts %+v", n)
	})
}
