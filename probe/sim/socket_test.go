package sim

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"

	"tokscope/metrics/testkit"
	"tokscope/probe/ws"
)

// dialed opens a socket to a server with another implementation's client.
func dialed(t *testing.T, s *Server, scenario string) (*websocket.Conn, *http.Response, error) {
	t.Helper()
	c, resp, err := websocket.Dial(t.Context(), "ws"+strings.TrimPrefix(s.URL(), "http")+"/responses",
		&websocket.DialOptions{HTTPHeader: http.Header{"X-Sim-Scenario": {scenario}}})
	if err == nil {
		c.SetReadLimit(-1)
		t.Cleanup(func() { _ = c.CloseNow() })
	}
	return c, resp, err
}

// turnOf sends a request and returns its events, the last one included.
func turnOf(t *testing.T, c *websocket.Conn, body string) (list []any, types string) {
	t.Helper()
	testkit.OK(t, c.Write(t.Context(), websocket.MessageText, []byte(body)))
	var all []string
	for {
		_, data, err := c.Read(t.Context())
		testkit.OK(t, err, "after", all)
		var doc any
		testkit.OK(t, json.Unmarshal(data, &doc))
		kind, _ := at(doc, "type").(string)
		list, all = append(list, doc), append(all, kind)
		switch kind {
		case "response.completed", "response.incomplete", "error":
			return list, strings.Join(all, " ")
		}
	}
}

// spokenIn folds the events of a turn.
func spokenIn(list []any) map[string]string {
	var found []piece
	for _, doc := range list {
		speakers[2].read(doc, func(kind string, v any) {
			if v != nil {
				found = append(found, piece{kind, strings.Trim(quote(v), `"`)})
			}
		})
	}
	return folded(found)
}

// TestSocket: several answers on one connection are those of POST, and a request may name
// an earlier response instead of its text.
func TestSocket(t *testing.T) {
	s := start(t, Options{})
	c, _, err := dialed(t, s, "")
	testkit.OK(t, err)
	list, kinds := turnOf(t, c,
		`{"type":"response.create","generate":false,"instructions":"s","input":[],"stream":true,"store":false}`)
	if kinds != "response.created response.completed" || at(list[1], "response.usage.output_tokens") != 0.0 {
		t.Errorf("warm-up: %s", quote(list))
	}
	warm, _ := at(list[0], "response.id").(string)
	const ask = `"instructions":"s","input":[{"role":"user","content":"How?"}],"max_output_tokens":20`
	list, kinds = turnOf(t, c, `{"type":"response.create","previous_response_id":"`+warm+`",`+ask+`}`)
	first := spokenIn(list)
	_, _, body := post(t, s, "/responses", `{`+ask+`,"stream":true}`)
	testkit.Is(t, strings.Join(compacted(kinds), " "), strings.ReplaceAll(types(body), "\n", " "), kinds, "by POST")
	want := folded(speakers[2].pieces(t, body))
	if got := first; got["text"] != quoteless(want["text"]) || got["prompt"] != want["prompt"] || got["output"] != "20" {
		t.Errorf("%q\nby POST\n%q", got, want)
	}
	id, _ := at(list[0], "response.id").(string)
	list, _ = turnOf(t, c, `{"type":"response.create","previous_response_id":"`+id+`","instructions":"s","input":"And then?","max_output_tokens":5}`)
	_, _, body = post(t, s, "/responses",
		`{"instructions":"s","max_output_tokens":5,"input":[{"role":"user","content":"How?"},{"role":"assistant","content":`+
			quote(want["text"])+`},{"role":"user","content":"And then?"}]}`)
	testkit.Is(t, spokenIn(list)["prompt"], folded(speakers[2].pieces(t, body))["prompt"], "a prompt of … tokens by an id")
}

func compacted(types string) (all []string) {
	for kind := range strings.FieldsSeq(types) {
		if len(all) == 0 || all[len(all)-1] != kind {
			all = append(all, kind)
		}
	}
	return all
}

// quoteless is text as quote writes it, without its quotes.
func quoteless(text string) string { return strings.Trim(quote(text), `"`) }

// TestSocketErrors: an error before an answer is one frame with its status, and the next
// request is answered.
func TestSocketErrors(t *testing.T) {
	s := start(t, Options{})
	c, _, err := dialed(t, s, "")
	testkit.OK(t, err)
	for _, x := range []struct {
		body, code string
		status     float64
	}{
		{`{"type":"response.create","input":"x","previous_response_id":"resp_0"}`, "previous_response_not_found", 400},
		{`{"type":"response.create","input":"x","model":"nobody"}`, "model_not_found", 404},
		{`{"type":"response.create","input":"x","stream_id":"a"}`, "invalid_stream_id", 400},
		{`{"type":"session.update"}`, "", 400},
		{`{`, "", 400},
	} {
		list, kinds := turnOf(t, c, x.body)
		code, _ := at(list[0], "error.code").(string)
		if kinds != "error" || at(list[0], "status") != x.status || code != x.code || at(list[0], "error.message") == nil {
			t.Errorf("%s: %s", x.body, quote(list))
		}
	}
	if _, kinds := turnOf(t, c, `{"type":"response.create","input":"x","max_output_tokens":1}`); !strings.HasSuffix(kinds,
		"response.incomplete") {
		t.Errorf("after the errors: %s", kinds)
	}
	for scenario, want := range map[string]int{"status 426; error e c m": 426, "rate-limit": 429, "nothing": 400} {
		if _, resp, err := dialed(t, s, scenario); err == nil || resp == nil || resp.StatusCode != want {
			t.Errorf("%s: %v %v", scenario, resp, err)
		}
	}
	resp := testkit.Must(http.Get(s.URL() + "/responses"))(t)
	resp.Body.Close()
	testkit.That(t, resp.StatusCode == 426 && resp.Header.Get("Upgrade") == "websocket",
		"without upgrade: %d %v", resp.StatusCode, resp.Header)
}

// TestSocketScenarios: what changes a stream changes a socket's, as far as frames have it.
func TestSocketScenarios(t *testing.T) {
	s := start(t, Options{Speed: 5})
	const ask = `{"type":"response.create","input":"x","max_output_tokens":40}`
	for scenario, want := range map[string]string{
		"crlf; gzip; buffer 7; keep-alive 1ms; comment c": "response.incomplete", "error-in-stream": "error",
		"split": "response.incomplete",
	} {
		c, _, err := dialed(t, s, scenario)
		testkit.OK(t, err)
		list, kinds := turnOf(t, c, ask)
		testkit.That(t, strings.HasSuffix(kinds, want) && spokenIn(list)["text"] != "", "%s: %s", scenario, kinds)
	}
	c, _, err := dialed(t, s, "after 10 cut")
	testkit.OK(t, err)
	testkit.OK(t, c.Write(t.Context(), websocket.MessageText, []byte(ask)))
	for err == nil {
		_, _, err = c.Read(t.Context())
	}
	var closed websocket.CloseError
	testkit.That(t, !errors.As(err, &closed), "a cut connection ends with %v", err)
}

// TestSocketBounds: a long conversation is not kept, what a socket holds is given back, and
// only so many are open.
func TestSocketBounds(t *testing.T) {
	s := start(t, Options{})
	c, _, err := dialed(t, s, "")
	testkit.OK(t, err)
	for text, want := range map[string]string{"short": "response.created response.completed",
		strings.Repeat("long ", maxKept/5+1): "error"} {
		list, _ := turnOf(t, c, `{"type":"response.create","generate":false,"input":"`+text+`"}`)
		id, _ := at(list[0], "response.id").(string)
		_, kinds := turnOf(t, c, `{"type":"response.create","generate":false,"previous_response_id":"`+id+`"}`)
		testkit.That(t, kinds == want, "%d bytes: %s, want %s", len(text), kinds, want)
	}
	testkit.OK(t, c.Write(t.Context(), websocket.MessageText, make([]byte, ws.DefaultMax+1)))
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusMessageTooBig {
		t.Errorf("after a message that is too long: %v", err)
	}
	s.active.Wait()
	testkit.That(t, s.budgets.bodies.TryAcquire(maxBodies) && s.budgets.sockets.TryAcquire(maxSockets),
		"a closed socket holds memory")
	if d, _, err := dialed(t, s, ""); err == nil {
		t.Error("more sockets than allowed")
		_ = d.CloseNow()
	}
}

// TestSocketEnds: a client that goes away frees the engine, and a server that closes says so.
func TestSocketEnds(t *testing.T) {
	s := testkit.Must(Start(Options{Speed: 0.5}))(t)
	gone, _, err := dialed(t, s, "")
	testkit.OK(t, err)
	const ask = `{"type":"response.create","input":"x","max_output_tokens":4000}`
	testkit.OK(t, gone.Write(t.Context(), websocket.MessageText, []byte(ask)))
	_, _, err = gone.Read(t.Context())
	testkit.OK(t, err)
	_ = gone.CloseNow()
	d, _ := s.driver("")
	for d.inUse() {
		time.Sleep(time.Millisecond)
	}
	c, _, err := dialed(t, s, "")
	testkit.OK(t, err)
	testkit.OK(t, c.Write(t.Context(), websocket.MessageText, []byte(ask)))
	_, _, err = c.Read(t.Context())
	testkit.OK(t, err)
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	testkit.OK(t, s.Close(ctx))
	for err == nil {
		_, _, err = c.Read(t.Context())
	}
	testkit.Is(t, websocket.CloseStatus(err), websocket.StatusGoingAway, "the server closes with", err)
}

// control notes the control frames that come.
type control []string

func (c *control) Begins()                    {}
func (c *control) Message(ws.Op, []byte)      {}
func (c *control) Control(op ws.Op, p []byte) { *c = append(*c, fmt.Sprintf("%d %q", op, p)) }

// TestSocketFrames: pings are answered, a frame that is not valid ends the socket, and its end
// waits for no client: this one answers nothing.
func TestSocketFrames(t *testing.T) {
	frame := func(op ws.Op, payload string) []byte { return ws.Append(nil, op, []byte(payload), true) }
	for name, x := range map[string]struct {
		sent []byte
		want control
	}{
		"ping": {slices.Concat(frame(ws.OpPing, "p"), frame(ws.OpClose, "\x03\xe8bye")),
			control{`10 "p"`, `8 "\x03\xe8bye"`}},
		"binary":      {frame(ws.OpBinary, "{}"), control{`8 "\x03\xebbinary messages are not read here"`}},
		"not UTF-8":   {frame(ws.OpText, "\xff"), control{`8 "\x03\xefa text message is not UTF-8"`}},
		"not masked":  {ws.Append(nil, ws.OpText, []byte("{}"), false), control{`8 "\x03\xeaa frame is not valid"`}},
		"of a server": {nil, control{`8 "\x03\xe9the server is shutting down"`}},
	} {
		synctest.Test(t, func(t *testing.T) {
			ln := newPipes()
			var sending sync.WaitGroup
			defer sending.Wait() // its Close may poll longer than the other one
			s := testkit.Must(Start(Options{Listener: ln, Sleep: time.Sleep}))(t)
			defer s.Close(context.Background())
			conn := testkit.Must(ln.dial(t.Context(), "", ""))(t)
			defer conn.Close()
			r := testkit.Must(http.NewRequest(http.MethodGet, "http://localhost/v1/responses", nil))(t)
			ws.Ask(r)
			r.Header.Set("Origin", "http://localhost:1") // of another host, which may
			testkit.OK(t, r.Write(conn))
			in := bufio.NewReader(conn)
			testkit.OK(t, ws.Agreed(r, testkit.Must(http.ReadResponse(in, r))(t).Header))
			begun := time.Now()
			sending.Go(func() {
				if _, _ = conn.Write(x.sent); x.sent == nil {
					_ = s.Close(context.Background())
				}
			})
			var got control
			var frames ws.Reader
			for b, err := in.ReadByte(); err == nil; b, err = in.ReadByte() {
				testkit.OK(t, frames.Feed([]byte{b}, &got))
			}
			waited := time.Since(begun)
			testkit.That(t, slices.Equal(got, x.want) && waited <= 0, "%s: %q after %v", name, got, waited)
		})
	}
}
