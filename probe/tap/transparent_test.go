package tap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/tap"
)

// open returns a tap before the server at base.
func open(t testing.TB, base string, o tap.Options) *tap.Tap {
	t.Helper()
	o.Upstream = testkit.Must(url.Parse(base))(t)
	if o.Engine == nil {
		o.Engine = client.New(client.Options{Bounds: tap.Bounds(), NoPathProbe: true})
	}
	tp := testkit.Must(tap.Open(o))(t)
	t.Cleanup(func() {
		testkit.OK(t, tp.Close())
		o.Engine.Close()
	})
	return tp
}

// small are bounds of an engine that a short answer passes.
func small() tap.Options {
	b := tap.Bounds()
	b.EventBytes, b.Events, b.BodyBytes = 64<<10, 500, 256<<10
	return tap.Options{Engine: client.New(client.Options{Bounds: b, NoPathProbe: true})}
}

// exchange is what one side of the tap has seen.
type exchange struct {
	method, path string
	header       http.Header
	body         []byte
}

// answer is what the upstream says: its bytes after the status line, in pieces.
type answer struct {
	status  int
	header  []string // lines
	trailer []string
	body    []byte
	framing string // "chunked", "length", "close"
	sizes   []int  // of the pieces in which the body is written
}

// write writes a in its pieces.
func (a *answer) write(w io.Writer) error {
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %d %s\r\n", a.status, http.StatusText(a.status))
	for _, line := range a.header {
		head.WriteString(line + "\r\n")
	}
	switch a.framing {
	case "chunked":
		head.WriteString("Transfer-Encoding: chunked\r\n")
		if len(a.trailer) > 0 {
			head.WriteString("Trailer: X-Sum\r\n")
		}
	case "length":
		fmt.Fprintf(&head, "Content-Length: %d\r\n", len(a.body))
	case "close":
		head.WriteString("Connection: close\r\n")
	}
	head.WriteString("\r\n")
	out := head.Bytes()
	if a.framing != "chunked" {
		out = append(out, a.body...)
	} else {
		rest := a.body
		for i := 0; len(rest) > 0; i++ {
			n := min(len(rest), a.sizes[i%len(a.sizes)]*3+1)
			out = append(fmt.Appendf(out, "%x\r\n", n), rest[:n]...)
			out, rest = append(out, "\r\n"...), rest[n:]
		}
		out = append(out, "0\r\n"...)
		for _, line := range a.trailer {
			out = append(out, line+"\r\n"...)
		}
		out = append(out, "\r\n"...)
	}
	for i := 0; len(out) > 0; i++ {
		n := min(len(out), a.sizes[i%len(a.sizes)])
		if _, err := w.Write(out[:n]); err != nil {
			return err
		}
		out = out[n:]
	}
	return nil
}

// upstream is a server that plays answers and keeps what it was sent.
type upstream struct {
	net.Listener
	seen    chan exchange
	answers chan *answer
}

func listen(t *testing.T) *upstream {
	u := &upstream{testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t), make(chan exchange, 100), make(chan *answer, 100)}
	t.Cleanup(func() { _ = u.Close() })
	go func() {
		for {
			conn, err := u.Accept()
			if err != nil {
				return
			}
			go u.serve(conn)
		}
	}()
	return u
}

func (u *upstream) serve(conn net.Conn) {
	defer func() { _ = conn.Close() }()
	r := bufio.NewReader(conn)
	for {
		req, err := http.ReadRequest(r)
		if err != nil {
			return
		}
		body, _ := io.ReadAll(req.Body)
		u.seen <- exchange{req.Method, req.RequestURI, req.Header, body}
		a := <-u.answers
		if a.write(conn) != nil || a.framing == "close" {
			return
		}
	}
}

// drawAnswer draws an answer of any kind, often a stream of events.
func drawAnswer(t *rapid.T) *answer {
	a := &answer{status: rapid.SampledFrom([]int{200, 200, 200, 201, 307, 400, 401, 404, 429, 500, 529}).Draw(t, "status"),
		framing: rapid.SampledFrom([]string{"chunked", "chunked", "length", "close"}).Draw(t, "framing"),
		sizes:   rapid.SliceOfN(rapid.SampledFrom([]int{1, 2, 3, 7, 60, 500, 4000, 1 << 20}), 1, 6).Draw(t, "sizes")}
	a.header = append(a.header, "X-Request-Id: "+rapid.StringMatching(`[a-z]{1,9}`).Draw(t, "id"), "Set-Cookie: a=1",
		"Set-Cookie: b=2")
	if rapid.Bool().Draw(t, "typed") {
		a.header = append(a.header, "Content-Type: "+rapid.SampledFrom([]string{"text/event-stream", "application/json",
			"application/x-ndjson", "text/html"}).Draw(t, "type"))
	}
	if a.framing == "chunked" && rapid.Bool().Draw(t, "trailer") {
		a.trailer = []string{"X-Sum: 12"}
	}
	a.body = []byte(strings.Join(rapid.SliceOfN(rapid.SampledFrom([]string{
		"data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\n", "event: ping\ndata: {\"type\":\"ping\"}\n\n",
		": keep-alive\n\n", "\r\n", "data: [DONE]\n\n", "{\"done\":true}\n", "\x00\xff\xc3", "é漢字",
		strings.Repeat("x", 70_000), "data: " + strings.Repeat("y", 5000) + "\n\n"}), 0, 40).Draw(t, "body"), ""))
	return a
}

// TestNothingIsChanged holds that a request and its answer pass as they are: method, path,
// query, headers but for Host and Accept-Encoding, bodies, status, trailers; whatever they
// are, in whatever pieces they come.
func TestNothingIsChanged(t *testing.T) {
	t.Parallel()
	up := listen(t)
	tp := open(t, "http://"+up.Addr().String(), tap.Options{})
	host := strings.TrimPrefix(tp.URL(), "http://")
	rapid.Check(t, func(t *rapid.T) {
		a := drawAnswer(t)
		method := rapid.SampledFrom([]string{"POST", "POST", "GET", "PUT", "DELETE"}).Draw(t, "method")
		path := rapid.SampledFrom([]string{"/v1/messages?beta=true", "/v1/chat/completions", "/", "/a%2Fb/c?x=1&y=%20&x=2",
			"/v1beta/models/m:streamGenerateContent?alt=sse", "/v1/responses", "/api/chat", "/?"}).Draw(t, "path")
		var body []byte
		if method != "GET" {
			body = []byte(rapid.SampledFrom([]string{"", "{}",
				`{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`,
				`{"model":"m","max_tokens":1`, "\x1f\x8b\x00", strings.Repeat("z", 300_000)}).Draw(t, "body sent"))
		}
		up.answers <- a
		conn := testkit.Must(net.Dial("tcp", host))(t)
		defer func() { _ = conn.Close() }()
		_ = conn.SetDeadline(time.Now().Add(20 * time.Second))
		req := fmt.Appendf(nil, "%s %s HTTP/1.1\r\nHost: %s\r\nAccept-Encoding: gzip, br\r\nX-Api-Key: canary-key\r\n"+
			"Anthropic-Beta: one\r\nAnthropic-Beta: two\r\nConnection: keep-alive, X-Mine\r\nX-Mine: 1\r\n", method, path, host)
		if rapid.Bool().Draw(t, "request chunked") && method != "GET" {
			req = append(req, "Transfer-Encoding: chunked\r\n\r\n"...)
			if len(body) > 0 {
				req = append(fmt.Appendf(req, "%x\r\n", len(body)), body...)
				req = append(req, "\r\n"...)
			}
			req = append(req, "0\r\n\r\n"...)
		} else {
			if method != "GET" {
				req = fmt.Appendf(req, "Content-Length: %d\r\n", len(body))
			}
			req = append(append(req, "\r\n"...), body...)
		}
		go func() { _, _ = conn.Write(req) }()
		resp := testkit.Must(http.ReadResponse(bufio.NewReader(conn), &http.Request{Method: method}))(t)
		got := testkit.Must(io.ReadAll(resp.Body))(t)
		sent := <-up.seen
		testkit.Given(t, sent.method == method && sent.path == path && bytes.Equal(sent.body, body),
			"sent %s %s %d B, arrived %s %s %d B", method, path, len(body), sent.method, sent.path, len(sent.body))
		want := http.Header{"Accept-Encoding": {"identity"}, "X-Api-Key": {"canary-key"}, "Anthropic-Beta": {"one", "two"}}
		for _, framing := range []string{"Content-Length", "Transfer-Encoding"} {
			sent.header.Del(framing)
		}
		testkit.Need(t, fmt.Sprint(sent.header), fmt.Sprint(want), "headers")
		testkit.Given(t, resp.StatusCode == a.status && bytes.Equal(got, a.body),
			"status %d and %d B arrived, %d and %d were sent", resp.StatusCode, len(got), a.status, len(a.body))
		for _, line := range a.header {
			name, value, _ := strings.Cut(line, ": ")
			testkit.Given(t, slices.Contains(resp.Header[http.CanonicalHeaderKey(name)], value),
				"%q is missing in %v", line, resp.Header)
			resp.Header[name] = slices.DeleteFunc(resp.Header[name], func(s string) bool { return s == value })
		}
		for name, left := range resp.Header {
			testkit.Given(t, len(left) == 0 || name == "Content-Length", "%s: %v was not sent", name, left)
		}
		testkit.Given(t, len(a.trailer) == 0 || resp.Trailer.Get("X-Sum") == "12", "trailer %v", resp.Trailer)
	})
}

// TestDoor holds that nobody else comes in: not by another host, from a page, as through a
// forward proxy, or without the path that was given.
func TestDoor(t *testing.T) {
	t.Parallel()
	up := listen(t)
	tp := open(t, "http://"+up.Addr().String(), tap.Options{Hidden: true})
	host, path, _ := strings.Cut(strings.TrimPrefix(tp.URL(), "http://"), "/")
	for name, head := range map[string]string{
		"host": "GET /" + path + "/v1/models HTTP/1.1\r\nHost: evil.example\r\n",
		"rebinding": "GET /" + path + "/v1/models HTTP/1.1\r\nHost: evil.example:" + host[strings.IndexByte(host, ':')+1:] +
			"\r\n",
		"origin":   "GET /" + path + "/v1/models HTTP/1.1\r\nHost: " + host + "\r\nOrigin: http://localhost:3000\r\n",
		"a page":   "GET /" + path + "/v1/models HTTP/1.1\r\nHost: " + host + "\r\nSec-Fetch-Site: same-site\r\n",
		"null":     "GET /" + path + "/v1/models HTTP/1.1\r\nHost: " + host + "\r\nOrigin: null\r\n",
		"absolute": "GET http://evil.example/v1/models HTTP/1.1\r\nHost: " + host + "\r\n",
		"connect":  "CONNECT evil.example:443 HTTP/1.1\r\nHost: evil.example:443\r\n",
		"no path":  "GET /v1/models HTTP/1.1\r\nHost: " + host + "\r\n",
		"near":     "GET /" + path + "x/v1/models HTTP/1.1\r\nHost: " + host + "\r\n",
	} {
		conn := testkit.Must(net.Dial("tcp", host))(t)
		_, _ = conn.Write([]byte(head + "Connection: close\r\n\r\n"))
		resp := testkit.Must(http.ReadResponse(bufio.NewReader(conn), nil))(t)
		testkit.That(t, resp.StatusCode == http.StatusForbidden || resp.StatusCode == http.StatusNotFound,
			"%s: %s", name, resp.Status)
		_ = conn.Close()
	}
	if len(up.seen) > 0 {
		t.Errorf("%+v arrived", <-up.seen)
	}
}
