package tap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/coder/websocket"
	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/tap"
	"tokscope/probe/ws"
)

// ends are both ends of a WebSocket through the tap, whose bytes a test writes itself.
type ends struct{ client, server end }

type end struct {
	*net.TCPConn
	in *bufio.Reader
}

// upgraded opens a WebSocket through tp, in front of up.
func upgraded(t rapid.TB, tp *tap.Tap, up net.Listener) *ends {
	client := testkit.Must(net.Dial("tcp", strings.TrimPrefix(tp.URL(), "http://")))(t).(*net.TCPConn)
	e := &ends{client: end{client, bufio.NewReader(client)}}
	req := testkit.Must(http.NewRequest(http.MethodGet, tp.URL()+"/v1/responses", nil))(t)
	ws.Ask(req)
	testkit.OK(t, req.Write(client))
	server := testkit.Must(up.Accept())(t).(*net.TCPConn)
	e.server = end{server, bufio.NewReader(server)}
	for _, c := range []end{e.client, e.server} {
		_ = c.SetDeadline(time.Now().Add(30 * time.Second))
	}
	asked := testkit.Must(http.ReadRequest(e.server.in))(t)
	testkit.Given(t, asked.URL.Path == "/v1/responses" && ws.Asks(asked), "asked for %v %v", asked.URL, asked.Header)
	fmt.Fprintf(server, "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"+
		"Sec-Websocket-Accept: %s\r\n\r\n", ws.Signature(asked.Header.Get("Sec-Websocket-Key")))
	resp := testkit.Must(http.ReadResponse(e.client.in, req))(t)
	testkit.OK(t, ws.Agreed(req, resp.Header))
	return e
}

func (e *ends) close() { _, _ = e.client.Close(), e.server.Close() }

// receive reads n bytes.
func (e end) receive(t rapid.TB, n int) []byte {
	b := make([]byte, n)
	got, err := io.ReadFull(e.in, b)
	testkit.Given(t, err == nil, "%d of %d bytes came: %v", got, n, err)
	return b
}

// drawFrames draws the bytes of one direction: whole and fragmented messages, control frames
// between them, and now and then what is no frame.
func drawFrames(t *rapid.T, masked bool) (out []byte) {
	for range rapid.IntRange(0, 12).Draw(t, "frames") {
		n := rapid.SampledFrom([]int{0, 1, 125, 126, 2000, 70_000}).Draw(t, "length")
		frame := ws.Append(nil, ws.Op(rapid.SampledFrom([]int{1, 1, 0, 2, 8, 9, 10, 3}).Draw(t, "op")),
			bytes.Repeat([]byte("é"), n/2), masked)
		if rapid.Bool().Draw(t, "more follows") {
			frame[0] &^= 0x80
		}
		out = append(out, frame...)
	}
	if rapid.IntRange(0, 9).Draw(t, "odd") == 0 {
		out = append(out, "\xff\xff\xff\xffno frame"...)
	}
	return out
}

// TestSocketPassesBytes holds that whatever either side of a WebSocket sends arrives at the
// other as it is, and nothing else: no ping is answered by the tap, no frame is made.
func TestSocketPassesBytes(t *testing.T) {
	t.Parallel()
	up := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = up.Close() }()
	tp := open(t, "http://"+up.Addr().String(), tap.Options{})
	rapid.Check(t, func(t *rapid.T) {
		e := upgraded(t, tp, up)
		defer e.close()
		sides := []struct {
			from, to end
			bytes    []byte
		}{{e.client, e.server, drawFrames(t, true)}, {e.server, e.client, drawFrames(t, false)}}
		size := rapid.SampledFrom([]int{1, 7, 1000, 1 << 20}).Draw(t, "size of writes")
		for _, s := range sides {
			go func() {
				rest := s.bytes
				for i := 0; len(rest) > 0; i++ {
					n := min(size, len(rest))
					if i > 200 {
						n = len(rest)
					}
					if _, err := s.from.Write(rest[:n]); err != nil {
						return
					}
					rest = rest[n:]
				}
			}()
		}
		for _, s := range sides {
			testkit.Need(t, string(s.to.receive(t, len(s.bytes))), string(s.bytes), "other bytes arrived")
		}
		s := sides[rapid.IntRange(0, 1).Draw(t, "who ends")]
		if rapid.Bool().Draw(t, "abruptly") {
			testkit.OK(t, s.from.SetLinger(0))
		}
		_ = s.from.Close()
		if rest, _ := io.ReadAll(s.to.in); len(rest) > 0 {
			t.Fatalf("%q was not sent", rest)
		}
	})
}

// until waits until the tap has seen what ok wants, and returns it.
func until(t rapid.TB, tp *tap.Tap, ok func(*turn.View) bool) *turn.View {
	for deadline := time.Now().Add(20 * time.Second); ; time.Sleep(5 * time.Millisecond) {
		v := tp.View(false)
		if ok(&v) {
			return &v
		}
		if time.Now().After(deadline) {
			for i := range v.Turns {
				x := &v.Turns[i]
				t.Logf("turn %d: %v, %v, %+v, %+v", i, x.Stream().State, x.Stream().Fault, x.Up, x.Down)
			}
			t.Fatalf("the tap has seen %d turns, %v", len(v.Turns), v.Counts)
		}
	}
}

// create asks for an answer.
const create = `{"type":"response.create","model":"m","input":[{"role":"user","content":"hi"}]}`

// say writes a text message of a client.
func (e *ends) ask(t rapid.TB, text string) {
	frame := ws.Append(nil, ws.OpText, []byte(text), true)
	_ = testkit.Must(e.client.Write(frame))(t)
	testkit.Need(t, string(e.server.receive(t, len(frame))), string(frame), "other bytes arrived")
}

// answer writes bytes of the server.
func (e *ends) answer(t rapid.TB, p []byte) {
	go func() { _, _ = e.server.Write(p) }() // more than buffers hold
	testkit.Need(t, string(e.client.receive(t, len(p))), string(p), "other bytes arrived")
}

// TestTurnsOfASocket holds that each answer over a WebSocket is a turn of its own with the
// figures of its stream, the first on a new connection and the others on a kept one, and that
// a request which generates nothing is none.
func TestTurnsOfASocket(t *testing.T) {
	t.Parallel()
	up := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = up.Close() }()
	tp := open(t, "http://"+up.Addr().String(), tap.Options{})
	e := upgraded(t, tp, up)
	defer e.close()
	e.ask(t, `{"type":"response.create","model":"m","generate":false,"input":[]}`)
	e.answer(t, ws.Append(nil, ws.OpText, []byte(`{"type":"response.completed","response":{"id":"warm"}}`), false))
	body := testkit.Must(os.ReadFile("../dialect/testdata/apis/responses-ws.body"))(t)
	for i := range 3 {
		e.ask(t, create)
		e.answer(t, body)
		v := until(t, tp, func(v *turn.View) bool { return len(v.Turns) == i+1 && v.Turns[i].Stream().State.Ended() })
		x := &v.Turns[i]
		s := x.Stream()
		if s.State != metrics.Done || s.Fault != nil || len(s.Chunks) != 27 || s.Usage.Completion != 62 ||
			s.Usage.Prompt != 100 || s.Usage.Cached != 64 || s.ResponseID != "resp_canon" {
			t.Errorf("turn %d: %v, %v, %d chunks, %+v", i, s.State, s.Fault, len(s.Chunks), s.Usage)
		}
		testkit.That(t, s.Conn.Proto == "WebSocket" && s.Conn.Reused == (i > 0) && s.Marks.Upgraded.Known() == (i == 0),
			"turn %d: %+v", i, s.Conn)
		m := &s.Marks
		testkit.That(t, m.Start <= m.Sent && m.Sent <= m.FirstByte && m.FirstByte <= m.End, "turn %d: marks %+v", i, m)
		testkit.That(t, x.API == "responses-ws" && x.Model == "m" && x.Response == turn.DigestOf("resp_canon"),
			"turn %d: %+v", i, x.Request)
	}
	e.close()
	v := until(t, tp, func(v *turn.View) bool { // the last turn is over behind the connection's end
		return len(v.Turns) == 3 && v.Turns[2].Down.Read == int64(len(body)) && v.Turns[2].Added.N > 0
	})
	for i := range v.Turns {
		x := &v.Turns[i]
		if !x.Up.Unchanged() || !x.Down.Unchanged() || x.Down.Read != int64(len(body)) || x.Up.Read < int64(len(create)) ||
			x.Added.N == 0 {
			t.Errorf("turn %d: %+v %+v, added %+v", i, x.Up, x.Down, x.Added)
		}
	}
	testkit.That(t, v.Counts[turn.WarmUp] == 1 && len(v.Turns) == 3, "counts %v", v.Counts)
}

// event is an event of an answer over a WebSocket, as its server frames it.
func event(text string) []byte { return ws.Append(nil, ws.OpText, []byte(text), false) }

const (
	created = `{"type":"response.created","sequence_number":0,"response":{"id":"r","model":"m","status":"in_progress"}}`
	delta   = `{"type":"response.output_text.delta","sequence_number":1,"output_index":0,"content_index":0,` +
		`"item_id":"i","delta":"hi"}`
)

// TestEndsOfASocket holds how the record of an answer ends that its WebSocket breaks off, and
// that the other side of the connection sees its end.
func TestEndsOfASocket(t *testing.T) {
	t.Parallel()
	closing := func(code int) []byte { return ws.AppendClose(nil, code, "enough") }
	reset := func(c end) {
		_ = c.SetLinger(0)
		_ = c.Close()
	}
	for name, tt := range map[string]struct {
		act   func(t rapid.TB, e *ends)
		state metrics.State
		kind  metrics.FaultKind
	}{
		"the server closes": {func(t rapid.TB, e *ends) {
			e.answer(t, ws.Append(nil, ws.OpClose, closing(1011), false))
			_ = e.server.Close()
		}, metrics.Truncated, metrics.FaultTruncated},
		"the server is gone": {func(_ rapid.TB, e *ends) { _ = e.server.Close() }, metrics.Truncated,
			metrics.FaultTruncated},
		"the server resets": {func(_ rapid.TB, e *ends) { reset(e.server) }, metrics.Failed, metrics.FaultReset},
		"the client is gone": {func(_ rapid.TB, e *ends) { _ = e.client.Close() }, metrics.Cancelled,
			metrics.FaultCancelled},
		"the client resets": {func(_ rapid.TB, e *ends) { reset(e.client) }, metrics.Cancelled, metrics.FaultCancelled},
		"the client half ends": {func(_ rapid.TB, e *ends) { _ = e.client.CloseWrite() }, metrics.Cancelled,
			metrics.FaultCancelled},
		"the client closes": {func(t rapid.TB, e *ends) {
			frame := ws.Append(nil, ws.OpClose, closing(1000), true)
			_ = testkit.Must(e.client.Write(frame))(t)
			_ = e.server.receive(t, len(frame))
			e.answer(t, ws.Append(nil, ws.OpClose, closing(1000), false))
			_ = e.server.Close()
		}, metrics.Cancelled, metrics.FaultCancelled},
		"the server masks, and goes on": {func(t rapid.TB, e *ends) {
			e.answer(t, ws.Append(nil, ws.OpText, []byte(delta), true))
			e.answer(t, bytes.Repeat([]byte("\xff"), 100_000))
		}, metrics.Failed, metrics.FaultProtocol},
		"the server sends binary, and goes on": {func(t rapid.TB, e *ends) {
			e.answer(t, ws.Append(nil, ws.OpBinary, []byte(delta), false))
			e.answer(t, event(delta))
		}, metrics.Failed, metrics.FaultProtocol},
		"a message is too long, and goes on": {func(t rapid.TB, e *ends) {
			e.answer(t, event(strings.Repeat("x", 80<<10)))
			e.answer(t, event(delta))
		}, metrics.Failed, metrics.FaultTooLarge},
		"another request meanwhile": {func(t rapid.TB, e *ends) {
			e.ask(t, create)
			e.answer(t, event(`{"type":"response.completed","response":{"id":"r","status":"completed"}}`))
		}, metrics.Done, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			up := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
			defer func() { _ = up.Close() }()
			tp := open(t, "http://"+up.Addr().String(), small())
			e := upgraded(t, tp, up)
			defer e.close()
			e.ask(t, create)
			e.answer(t, append(event(created), event(delta)...))
			tt.act(t, e)
			v := until(t, tp, func(v *turn.View) bool { return len(v.Turns) == 1 && v.Turns[0].Stream().State.Ended() })
			s := v.Turns[0].Stream()
			kind := metrics.FaultKind("")
			if s.Fault != nil {
				kind = s.Fault.Kind
			}
			testkit.That(t, s.State == tt.state && kind == tt.kind && string(s.Text) == "hi",
				"%v with %q, %v", s.State, s.Text, s.Fault)
			if strings.HasSuffix(name, "goes on") || tt.kind == "" {
				e.ask(t, create)
				e.answer(t, event(created))
				return
			}
			for _, c := range []end{e.client, e.server} {
				_, err := io.Copy(io.Discard, c.in)
				testkit.That(t, !os.IsTimeout(err), "an end is still open")
			}
		})
	}
}

// TestRefusedUpgrade holds that a refusal passes as it is, and that its connection serves on.
func TestRefusedUpgrade(t *testing.T) {
	t.Parallel()
	up := listen(t)
	tp := open(t, "http://"+up.Addr().String(), tap.Options{})
	conn := testkit.Must(net.Dial("tcp", strings.TrimPrefix(tp.URL(), "http://")))(t)
	defer func() { _ = conn.Close() }()
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	in := bufio.NewReader(conn)
	for _, status := range []int{426, 404, 401, 200} {
		a := &answer{status: status, framing: "length", sizes: []int{1 << 20},
			header: []string{"Content-Type: text/event-stream"},
			body:   bytes.Repeat([]byte("data: {}\n\n"), 20_000)}
		if status == http.StatusUpgradeRequired {
			a.header = append(a.header, "Connection: Upgrade", "Upgrade: websocket")
		}
		up.answers <- a
		req := testkit.Must(http.NewRequest(http.MethodGet, tp.URL()+"/v1/responses", nil))(t)
		ws.Ask(req)
		testkit.OK(t, req.Write(conn))
		resp := testkit.Must(http.ReadResponse(in, req))(t)
		body := testkit.Must(io.ReadAll(resp.Body))(t)
		testkit.That(t, resp.StatusCode == status && bytes.Equal(body, a.body), "%s with %d B", resp.Status, len(body))
		got := resp.Header.Get("Upgrade")
		testkit.That(t, (got == "websocket") == (status == http.StatusUpgradeRequired), "%d: Upgrade is %q", status, got)
		if asked := <-up.seen; asked.header.Get("Sec-Websocket-Key") != req.Header.Get("Sec-Websocket-Key") {
			t.Errorf("asked with %v", asked.header)
		}
	}
	v := tp.View(false)
	testkit.That(t, len(v.Turns) == 0 && v.Counts[turn.Other] == 4, "%d turns, counts %v", len(v.Turns), v.Counts)
}

// TestPackedSocket holds that messages which client and server have agreed to compress are
// read on a copy, large ones too.
func TestPackedSocket(t *testing.T) {
	t.Parallel()
	for _, mode := range []websocket.CompressionMode{websocket.CompressionContextTakeover,
		websocket.CompressionNoContextTakeover, websocket.CompressionDisabled} {
		t.Run(fmt.Sprint(mode), func(t *testing.T) {
			t.Parallel()
			large := strings.Repeat("all work and no play ", 10_000) // beyond the window of DEFLATE and a read
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				c, err := websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: mode})
				if err != nil {
					t.Error(err)
					return
				}
				defer c.CloseNow()
				c.SetReadLimit(-1)
				for {
					_, asked, err := c.Read(r.Context())
					if err != nil {
						return
					}
					testkit.That(t, len(asked) >= len(large), "%d B arrived", len(asked))
					for _, text := range []string{created, strings.ReplaceAll(delta, `"hi"`, `"`+large+`"`),
						`{"type":"response.completed","response":{"id":"r","model":"m","status":"completed",` +
							`"usage":{"input_tokens":3,"output_tokens":9,"total_tokens":12}}}`} {
						_ = c.Write(r.Context(), websocket.MessageText, []byte(text))
					}
				}
			}))
			defer server.Close()
			tp := open(t, server.URL, tap.Options{})
			c, resp, err := websocket.Dial(t.Context(), tp.URL()+"/v1/responses", &websocket.DialOptions{CompressionMode: mode})
			testkit.OK(t, err)
			defer c.CloseNow()
			agreed := resp.Header.Get("Sec-Websocket-Extensions")
			testkit.That(t, strings.Contains(agreed, "permessage-deflate") == (mode != websocket.CompressionDisabled),
				"agreed on %q", agreed)
			c.SetReadLimit(-1)
			for i := range 3 {
				testkit.OK(t, c.Write(t.Context(), websocket.MessageText,
					[]byte(`{"type":"response.create","model":"m","input":"`+large+`"}`)))
				for range 3 {
					if _, _, err := c.Read(t.Context()); err != nil {
						t.Fatal(err)
					}
				}
				v := until(t, tp, func(v *turn.View) bool { return len(v.Turns) == i+1 && v.Turns[i].Stream().State.Ended() })
				x := &v.Turns[i]
				if s := x.Stream(); s.State != metrics.Done || string(s.Text) != large || s.Usage.Completion != 9 ||
					x.Bytes < len(large) {
					t.Errorf("request of %d B, %v with %d B, %v, %+v", x.Bytes, s.State, len(s.Text), s.Fault, s.Usage.Completion)
				}
			}
		})
	}
}

// TestCloseOfATap holds that Close breaks off what runs, on both sides, and returns.
func TestCloseOfATap(t *testing.T) {
	t.Parallel()
	up := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = up.Close() }()
	tp := open(t, "http://"+up.Addr().String(), tap.Options{})
	e := upgraded(t, tp, up)
	defer e.close()
	e.ask(t, create)
	e.answer(t, event(created))
	conn := testkit.Must(net.Dial("tcp", strings.TrimPrefix(tp.URL(), "http://")))(t)
	defer func() { _ = conn.Close() }()
	body := `{"model":"m","stream":true,"messages":[]}`
	fmt.Fprintf(conn, "POST /v1/chat/completions HTTP/1.1\r\nHost: %s\r\nContent-Length: %d\r\n\r\n%s",
		strings.TrimPrefix(tp.URL(), "http://"), len(body), body)
	server := testkit.Must(up.Accept())(t)
	defer func() { _ = server.Close() }()
	_ = testkit.Must(http.ReadRequest(bufio.NewReader(server)))(t)
	_ = testkit.Must(io.WriteString(server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n8\r\ndata: 1\n\r\n"))(t)
	answer := testkit.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
	testkit.OK(t, tp.Close())
	if _, err := io.ReadAll(answer.Body); err == nil {
		t.Error("the answer ended well")
	}
	for _, in := range []*bufio.Reader{e.client.in, e.server.in} {
		if _, err := in.ReadByte(); err == nil || os.IsTimeout(err) {
			t.Errorf("a WebSocket is open: %v", err)
		}
	}
	until(t, tp, func(v *turn.View) bool {
		return len(v.Turns) == 2 && v.Turns[0].Stream().State.Ended() && v.Turns[1].Stream().State.Ended()
	})
}
