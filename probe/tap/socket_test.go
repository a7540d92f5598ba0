package tap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"testing"
	"time"

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
	if asked.URL.Path != "/v1/responses" || !ws.Asks(asked) {
		t.Fatalf("asked for %v %v", asked.URL, asked.Header)
	}
	_, err := ws.Accept(&recorder{server, http.Header{}}, asked)
	if err == nil {
		t.Fatal("the test wants the connection for itself")
	}
	resp := testkit.Must(http.ReadResponse(e.client.in, req))(t)
	testkit.OK(t, ws.Agreed(req, resp.Header))
	return e
}

// recorder writes the answer to a handshake, and gives its connection to nobody.
type recorder struct {
	conn   net.Conn
	header http.Header
}

func (r *recorder) Header() http.Header         { return r.header }
func (r *recorder) Write(p []byte) (int, error) { return len(p), nil }
func (r *recorder) WriteHeader(status int) {
	fmt.Fprintf(r.conn, "HTTP/1.1 %d %s\r\n", status, http.StatusText(status))
	_ = r.header.Write(r.conn)
	_, _ = io.WriteString(r.conn, "\r\n")
}

func (e *ends) close() { _, _ = e.client.Close(), e.server.Close() }

// receive reads n bytes.
func (e end) receive(t rapid.TB, n int) []byte {
	b := make([]byte, n)
	if got, err := io.ReadFull(e.in, b); err != nil {
		t.Fatalf("%d of %d bytes came: %v", got, n, err)
	}
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
			if got := s.to.receive(t, len(s.bytes)); !bytes.Equal(got, s.bytes) {
				t.Fatal("other bytes arrived")
			}
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
	if got := e.server.receive(t, len(frame)); !bytes.Equal(got, frame) {
		t.Fatal("other bytes arrived")
	}
}

// answer writes bytes of the server.
func (e *ends) answer(t rapid.TB, p []byte) {
	_ = testkit.Must(e.server.Write(p))(t)
	if got := e.client.receive(t, len(p)); !bytes.Equal(got, p) {
		t.Fatal("other bytes arrived")
	}
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
		if s.Conn.Proto != "WebSocket" || s.Conn.Reused != (i > 0) || s.Marks.Upgraded.Known() != (i == 0) {
			t.Errorf("turn %d: %+v", i, s.Conn)
		}
		if m := &s.Marks; !(m.Start <= m.Sent && m.Sent <= m.FirstByte && m.FirstByte <= m.End) {
			t.Errorf("turn %d: marks %+v", i, m)
		}
		if x.API != "responses-ws" || x.Model != "m" || x.Response != turn.DigestOf([]byte("resp_canon")) {
			t.Errorf("turn %d: %+v", i, x.Request)
		}
	}
	e.close()
	v := until(t, tp, func(v *turn.View) bool {
		return len(v.Turns) == 3 && v.Turns[2].Down.Read == int64(len(body)) && v.Turns[2].Up.Read > 0
	})
	for i := range v.Turns {
		x := &v.Turns[i]
		if !x.Up.Unchanged() || !x.Down.Unchanged() || x.Down.Read != int64(len(body)) || x.Up.Read < int64(len(create)) ||
			x.Added.N == 0 {
			t.Errorf("turn %d: %+v %+v, added %+v", i, x.Up, x.Down, x.Added)
		}
	}
	if v.Counts[turn.WarmUp] != 1 || len(v.Turns) != 3 {
		t.Errorf("counts %v", v.Counts)
	}
}
