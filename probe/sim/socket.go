package sim

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"

	"tokscope/probe/sim/rawjson"
	"tokscope/probe/ws"
)

// Bounds of a socket.
const (
	maxSockets = 512
	maxKept    = 1 << 20 // bytes of a conversation
	maxEvent   = 1 << 20 // bytes of an event; only a scenario sends more
)

// socket answers Responses over a WebSocket: one request after the other, until a side closes
// it. It keeps the conversation, so that a request may name the last response of it.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) *apiError {
	switch {
	case r.Method == http.MethodHead:
		return nil
	case !ws.Asks(r):
		w.Header().Set("Upgrade", "websocket")
		return newError(http.StatusUpgradeRequired, "upgrade_required", "GET of this path is a WebSocket")
	}
	sc, err := s.scenario(r)
	if err != nil {
		return badRequest("X-Sim-Scenario", "%v", err)
	}
	if s.fault(w, r, sc, &responsesAPI) {
		return nil
	}
	if !s.budgets.sockets.TryAcquire(1) {
		return busy("too many sockets at once: the limit is %d. Try again later", maxSockets)
	}
	defer s.budgets.sockets.Release(1)
	below := &hijacked{ResponseWriter: w}
	conn, err := websocket.Accept(below, r, &websocket.AcceptOptions{InsecureSkipVerify: true}) // its Origin is allowed
	if err != nil {
		return nil // it has answered
	}
	conn.SetReadLimit(ws.DefaultMax)
	end := func(code websocket.StatusCode, reason string) {
		_ = below.conn.SetReadDeadline(time.Now()) // or Close waits for the client's close
		_ = conn.Close(code, reason)
	}
	ctx, cancel := context.WithCancel(s.ctx)
	asked := make(chan []byte, 1) // one more may wait
	go func() {
		defer close(asked)
		defer cancel() // a client that has gone is answered no more
		if code, reason := s.receive(ctx, conn, asked); reason != "" {
			end(code, reason)
		}
	}()
	defer func() {
		for body := range asked { // what waits yet, until the reader has ended
			s.budgets.bodies.Release(int64(len(body)))
		}
	}()
	defer end(websocket.StatusGoingAway, "the server is shutting down")
	earlier := &conversation{}
	for {
		select {
		case <-ctx.Done():
			return nil
		case body, ok := <-asked:
			if !ok {
				return nil
			}
			s.budgets.bodies.Release(int64(len(body))) // it is read as the body of any request now
			s.turn(&frames{conn: below.conn, header: http.Header{}}, r.Clone(ctx), body, earlier)
		}
	}
}

// receive reads the requests of a socket into asked, until the client has gone or asks for
// what no socket answers. It returns why the socket ends, "" when ctx has ended.
func (s *Server) receive(ctx context.Context, conn *websocket.Conn,
	asked chan<- []byte) (code websocket.StatusCode, reason string) {
	for {
		kind, body, err := conn.Read(context.Background())
		size := int64(len(body))
		switch {
		case ctx.Err() != nil:
			return 0, ""
		case err != nil: // the client has gone, or breaks the protocol
			return websocket.StatusProtocolError, "a frame is not valid"
		case kind != websocket.MessageText:
			return websocket.StatusUnsupportedData, "binary messages are not read here"
		case !utf8.Valid(body):
			return websocket.StatusInvalidFramePayloadData, "a text message is not UTF-8"
		case !s.budgets.bodies.TryAcquire(size):
			return websocket.StatusTryAgainLater, "too many requests wait. Try again later"
		}
		select {
		case asked <- body:
		default:
			s.budgets.bodies.Release(size)
			return websocket.StatusPolicyViolation, "a request waits already"
		}
	}
}

// hijacked keeps the connection that a handshake takes over.
type hijacked struct {
	http.ResponseWriter
	conn net.Conn
}

func (h *hijacked) Hijack() (conn net.Conn, buf *bufio.ReadWriter, err error) {
	h.conn, buf, err = http.NewResponseController(h.ResponseWriter).Hijack()
	return h.conn, buf, err
}

// turn answers one message.
func (s *Server) turn(w *frames, r *http.Request, body []byte, earlier *conversation) {
	f, err := bodyFields(body)
	q := responsesRequest(r)
	q.earlier = earlier
	switch {
	case err != nil:
	case f.text("type") != "response.create":
		err = badRequest("type", "type must be response.create, got %q", clip(f.text("type")))
	case f.has("stream_id"):
		err = newError(http.StatusBadRequest, "invalid_stream_id", "this endpoint answers on one stream: leave out stream_id")
	case f.has("generate") && !f.boolean("generate"):
		q.warmup = true
		if err = q.parse(body); err == nil {
			s.warmUp(w, q)
		}
	default:
		r.Method, r.Body, r.ContentLength = http.MethodPost, io.NopCloser(bytes.NewReader(body)), int64(len(body))
		if s.o.Answers == nil {
			err = s.complete(w, r, q)
		} else {
			s.o.Answers.ServeHTTP(w, r)
		}
	}
	if err != nil {
		err.write(w, &responsesAPI)
	}
}

// warmUp answers a request without an answer, which only names what the next ones build on.
func (s *Server) warmUp(w *frames, q *request) {
	j := &job{id: responsesAPI.prefix + strconv.FormatUint(s.ids.Add(1), 10), created: time.Now().Unix(), model: q.model,
		req: q, sc: &Scenario{}}
	q.remember(j.id, "")
	for i, x := range [][2]string{{"created", "in_progress"}, {"completed", "completed"}} {
		_ = w.send(ws.OpText, fmt.Appendf(nil, `{"type":"response.%s","sequence_number":%d,"response":%s}`,
			x[0], i, j.responseObject(x[1], nil))) // the reader notices that a client has gone
	}
}

// conversation is what a socket has said, up to a response.
type conversation struct {
	id   string // of it
	said []message
}

// remember keeps a conversation for a request that names its response, unless it is long.
func (r *request) remember(id, answer string) {
	if r.earlier == nil {
		return
	}
	if answer != "" {
		r.said = append(r.said, message{"assistant", answer})
	}
	size := 0
	for i := range r.said {
		size += len(r.said[i].text)
	}
	if *r.earlier = (conversation{id, r.said}); size > maxKept {
		*r.earlier = conversation{}
	}
}

// frames is a response whose events are the messages of a socket. Comments are left out; what
// keeps a stream alive is a ping.
type frames struct {
	conn   net.Conn
	header http.Header
	status int    // of an error before the stream
	rest   []byte // of an event that is not whole
}

func (f *frames) Header() http.Header { return f.header }

func (f *frames) WriteHeader(status int) { f.status = status }

func (f *frames) FlushError() error { return nil }

// Hijack gives the connection to a scenario that breaks it.
func (f *frames) Hijack() (net.Conn, *bufio.ReadWriter, error) { return f.conn, nil, nil }

func (f *frames) Write(b []byte) (int, error) {
	if f.status >= http.StatusBadRequest {
		return len(b), f.refuse(b)
	}
	f.rest = append(f.rest, b...)
	for {
		event, rest, whole := bytes.Cut(f.rest, []byte("\n\n"))
		if !whole {
			break
		}
		err := f.pass(event)
		f.rest = f.rest[:copy(f.rest, rest)]
		if err != nil {
			return 0, err
		}
	}
	if len(f.rest) > maxEvent {
		defer func() { f.rest = nil }()
		return len(b), f.send(ws.OpText, f.rest)
	}
	return len(b), nil
}

// send writes a frame in one write, beside the library: its Ping would wait for the answer. A
// client that does not read holds nobody.
func (f *frames) send(op ws.Op, payload []byte) error {
	_ = f.conn.SetWriteDeadline(time.Now().Add(writeTimeout))
	_, err := f.conn.Write(ws.Append(nil, op, payload, false))
	_ = f.conn.SetWriteDeadline(time.Time{}) // the library's writes have bounds of their own
	return err
}

func (f *frames) pass(event []byte) error {
	if bytes.HasPrefix([]byte(keepAlive), event) {
		return f.send(ws.OpPing, nil)
	}
	if _, data, ok := bytes.Cut(event, []byte("data: ")); ok {
		return f.send(ws.OpText, data)
	}
	return nil
}

// refuse sends an error in its frame, with the headers that it has.
func (f *frames) refuse(body []byte) error {
	var headers []string
	for _, name := range []string{"Retry-After", "X-Request-Id"} {
		if v := f.header.Get(name); v != "" {
			headers = append(headers, quoted(strings.ToLower(name))+":"+quoted(v))
		}
	}
	return f.send(ws.OpText, fmt.Appendf(nil, `{"type":"error","status":%d,"error":%s,"headers":{%s}}`,
		f.status, rawjson.Field(body, "error"), strings.Join(headers, ",")))
}
