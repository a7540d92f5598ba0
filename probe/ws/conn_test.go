package ws_test

import (
	"context"
	"errors"
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"tokscope/probe/ws"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// newPipe returns the client's end of a connection that h serves. It waits at the end of
// the test until h has returned.
func newPipe(t *testing.T, h http.HandlerFunc) net.Conn {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	done := make(chan struct{})
	server := &http.Server{Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		defer close(done)
		h(w, r)
	})}
	go func() { _ = server.Serve(listener) }()
	conn, err := net.Dial("tcp", listener.Addr().String())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = conn.Close()
		<-done
		_ = server.Close()
	})
	return conn
}

// dial connects another implementation's client to h.
func dial(t *testing.T, h http.HandlerFunc) *websocket.Conn {
	t.Helper()
	pipe := newPipe(t, h)
	c, _, err := websocket.Dial(t.Context(), "ws://host/", &websocket.DialOptions{HTTPClient: &http.Client{
		Transport: &http.Transport{DialContext: func(context.Context, string, string) (net.Conn, error) { return pipe, nil }}}})
	if err != nil {
		t.Fatal(err)
	}
	c.SetReadLimit(-1)
	return c
}

func TestConn(t *testing.T) {
	ended := make(chan error, 1)
	c := dial(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := ws.Accept(w, r)
		if err != nil {
			t.Error(err)
			return
		}
		for {
			text, err := conn.Read()
			if err != nil {
				ended <- err
				return
			}
			if err := conn.Write(append(text, '!')); err != nil {
				t.Error(err)
			}
		}
	})
	for _, text := range []string{"", "a", strings.Repeat("b", 200), strings.Repeat("c", 100_000)} {
		if err := c.Write(t.Context(), websocket.MessageText, []byte(text)); err != nil {
			t.Fatal(err)
		}
		if _, got, err := c.Read(t.Context()); err != nil || string(got) != text+"!" {
			t.Fatalf("%d bytes came back, %v", len(got), err)
		}
	}
	reading := c.CloseRead(t.Context())
	if err := c.Ping(t.Context()); err != nil {
		t.Errorf("no pong: %v", err)
	}
	if err := c.Close(websocket.StatusGoingAway, "bye"); err != nil {
		t.Errorf("the close was not answered: %v", err)
	}
	<-reading.Done()
	if closed, ok := errors.AsType[*ws.Closed](<-ended); !ok || closed.Code != 1001 || closed.Reason != "bye" {
		t.Errorf("the server saw %v", closed)
	}
}

func TestConnRefusesBinary(t *testing.T) {
	ended := make(chan error, 1)
	c := dial(t, func(w http.ResponseWriter, r *http.Request) {
		conn, err := ws.Accept(w, r)
		if err != nil {
			t.Error(err)
			return
		}
		_, err = conn.Read()
		ended <- err
	})
	defer c.CloseNow()
	if err := c.Write(t.Context(), websocket.MessageBinary, []byte("x")); err != nil {
		t.Fatal(err)
	}
	if _, _, err := c.Read(t.Context()); websocket.CloseStatus(err) != websocket.StatusUnsupportedData {
		t.Errorf("the client saw %v", err)
	}
	if broke, ok := errors.AsType[*ws.Error](<-ended); !ok || broke.Code != ws.CloseData {
		t.Errorf("the server saw %v", broke)
	}
}

func TestAcceptRefuses(t *testing.T) {
	for _, tt := range []struct {
		name   string
		change func(r *http.Request)
		status int
	}{
		{"a plain request", func(r *http.Request) { r.Header.Del("Upgrade") }, http.StatusUpgradeRequired},
		{"a POST", func(r *http.Request) { r.Method = http.MethodPost }, http.StatusUpgradeRequired},
		{"another version", func(r *http.Request) { r.Header.Set("Sec-Websocket-Version", "8") }, http.StatusBadRequest},
		{"a short key", func(r *http.Request) { r.Header.Set("Sec-Websocket-Key", "YQ==") }, http.StatusBadRequest},
	} {
		r, err := http.NewRequest(http.MethodGet, "http://host/", nil)
		if err != nil {
			t.Fatal(err)
		}
		ws.Ask(r)
		tt.change(r)
		w := &hijacked{header: http.Header{}}
		if _, err := ws.Accept(w, r); err == nil || w.status != tt.status {
			t.Errorf("%s: %d, %v", tt.name, w.status, err)
		}
	}
}

func TestAgreed(t *testing.T) {
	r, err := http.NewRequest(http.MethodGet, "http://host/", nil)
	if err != nil {
		t.Fatal(err)
	}
	ws.Ask(r)
	w := &hijacked{header: http.Header{}}
	_, _ = ws.Accept(w, r) // fails only for want of a connection
	if err := ws.Agreed(r, w.header); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"Upgrade", "Connection", "Sec-Websocket-Accept", "Sec-Websocket-Extensions", "Sec-Websocket-Protocol"} {
		h := w.header.Clone()
		h.Set(name, "other")
		if err := ws.Agreed(r, h); err == nil {
			t.Errorf("another %s is accepted", name)
		}
	}
}
