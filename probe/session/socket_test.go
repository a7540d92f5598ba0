package session

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/coder/websocket"
	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/sim"
	"tokscope/probe/sse"
	"tokscope/probe/transport"
)

// spoken is an answer of Responses with gaps of its own, one event in a line of two, and two
// events in one read. It came over a socket, or by POST with line ends of its own and its bytes
// in the file.
func spoken(id int, api string, raw bool) *Recorded {
	q := &Recorded{ID: id, Start: 1e9, Endpoint: metrics.Endpoint{API: api, Model: "m"}, Detailed: true,
		Attempts: []Attempt{{Sent: 1e9, Head: &client.Head{At: 1e9 + 7e6, Status: 200,
			Headers: map[string][]string{"Content-Type": {"text/event-stream"}}}}}}
	if api == "responses-ws" {
		q.Attempts[0].Head.Status, q.Attempts[0].Head.Headers = http.StatusSwitchingProtocols, nil
	}
	at := metrics.Stamp(1e9)
	for i, data := range []string{
		`{"type":"response.created","response":{"id":"resp_1","model":"m"}}`,
		`{"type":"response.output_text.delta",` + "\n" + `"output_index":0,"delta":"tea"}`,
		`{"type":"response.output_text.delta","output_index":0,"delta":" time"}`,
		`{"type":"response.completed","response":{"id":"resp_1","model":"m","status":"completed","usage":{"input_tokens":3,"output_tokens":2}}}`,
	} {
		if i != 2 {
			at += metrics.Stamp(11e6 + i*1e6 + id)
		}
		body := "event: x\r\ndata:" + strings.ReplaceAll(data, "\n", "\r\ndata:") + "\r\n\r\n"
		q.Events = append(q.Events, sse.Event{Data: []byte(data), At: at, User: at, Read: int32(min(i, 1) + max(i-2, 0)),
			Bytes: int32(len(body))})
		if a := &q.Attempts[0]; raw {
			a.Body = append(a.Body, body...)
			if i != 2 {
				a.Reads = append(a.Reads, transport.Read{At: at})
			}
			a.Reads[len(a.Reads)-1].Bytes += int32(len(body))
		}
	}
	return q
}

// TestServedOnSockets: in virtual time a recording of Responses, by POST or over a socket, is
// served by POST and over a socket, with its times. A warm-up takes no answer; an answer of
// another API is refused; one that broke breaks the socket.
func TestServedOnSockets(t *testing.T) {
	broken := spoken(4, "responses", false)
	broken.Events = broken.Events[:2]
	other := spoken(3, "", false)
	h := testkit.Must(NewHandler(0, &Recording{Requests: []*Recorded{
		spoken(1, "responses", true), spoken(2, "responses-ws", false), other, broken}}))(t)
	h.sleep = inVirtualTime
	synctest.Test(t, func(t *testing.T) {
		p := &pipes{make(chan net.Conn), make(chan struct{})}
		srv := testkit.Must(sim.Start(sim.Options{Listener: p, Answers: h, Sleep: time.Sleep}))(t)
		c := &http.Client{Transport: &http.Transport{DisableKeepAlives: true, DialContext: func(context.Context, string,
			string) (net.Conn, error) {
			c, s := net.Pipe()
			p.conns <- s
			return c, nil
		}}}
		defer func() {
			c.CloseIdleConnections()
			testkit.OK(t, srv.Close(context.Background()))
		}()
		// want are the events of an answer and when they came, since the request.
		want := func(q *Recorded) (list []string) {
			for _, ev := range q.Events {
				list = append(list, fmt.Sprint(time.Duration(ev.At-1e9), " ",
					string(bytes.ReplaceAll(ev.Data, []byte("\n"), []byte(" ")))))
			}
			return list
		}
		socket, _, err := websocket.Dial(t.Context(), "ws://localhost/v1/responses", &websocket.DialOptions{HTTPClient: c})
		testkit.OK(t, err)
		defer func() { _ = socket.CloseNow() }()
		turn := func(body string, events int) (list []string, err error) {
			testkit.OK(t, socket.Write(t.Context(), websocket.MessageText, []byte(body)))
			begun := time.Now()
			for range events {
				_, data, err := socket.Read(t.Context())
				if err != nil {
					return list, err
				}
				list = append(list, fmt.Sprint(time.Since(begun), " ", string(data)))
			}
			return list, nil
		}
		if got, err := turn(`{"type":"response.create","model":"m","generate":false,"input":[]}`, 2); err != nil ||
			!strings.Contains(got[1], "response.completed") {
			t.Errorf("warm-up: %v, %q", err, got)
		}
		for id, api := range []string{"responses", "responses-ws"} {
			got, err := turn(`{"type":"response.create","model":"m","input":"Tea?"}`, 4)
			if diff := cmp.Diff(want(spoken(id+1, api, false)), got); diff != "" || err != nil {
				t.Errorf("%s on a socket: %v (-want +got)\n%s", api, err, diff)
			}
		}
		if got, err := turn(`{"type":"response.create","model":"m","input":"Tea?"}`, 1); err != nil ||
			!strings.Contains(got[0], `"status":400`) {
			t.Errorf("of chat: %v, %q", err, got)
		}
		got, err := turn(`{"type":"response.create","model":"m","input":"Tea?"}`, 4)
		if diff := cmp.Diff(want(broken), got); diff != "" || err == nil || websocket.CloseStatus(err) != -1 {
			t.Errorf("broken: %v (-want +got)\n%s", err, diff)
		}
		for id, api := range []string{"responses", "responses-ws"} {
			r := testkit.Must(c.Post("http://localhost/v1/responses", "application/json",
				strings.NewReader(`{"stream":true}`)))(t)
			begun, read, list := time.Now().Add(-7e6), "", []string(nil)
			for buf := make([]byte, 1<<16); err != io.EOF; {
				var n int
				n, err = r.Body.Read(buf)
				read += string(buf[:n])
				for {
					event, rest, whole := strings.Cut(strings.ReplaceAll(read, "\r\n", "\n"), "\n\n")
					if !whole {
						break
					}
					_, data, _ := strings.Cut(event, "\ndata:")
					data = strings.ReplaceAll(strings.TrimSpace(data), "\ndata:", " ")
					list, read = append(list, fmt.Sprint(time.Since(begun), " ", data)), rest
				}
			}
			err = nil
			testkit.Same(t, list, want(spoken(id+1, api, false)), api, "by POST")
		}
	})
}
