package transport

import (
	"bufio"
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// walked is what a walker reported of a response.
type walked struct {
	Status  int
	Stream  bool
	Body    string
	Begins  int
	Headers int
	Endings int
	State   walkState
}

func (w *walked) responseBegins()       { w.Begins++ }
func (w *walked) responseHeaders()      { w.Headers++ }
func (w *walked) responseBody(p []byte) { w.Body += string(p) }
func (w *walked) responseEnds()         { w.Endings++ }

func walk(limit int, pieces ...string) walked {
	w := walker{limit: limit}
	var out walked
	for _, p := range pieces {
		w.feed([]byte(p), &out)
	}
	out.Status, out.Stream, out.State = w.status, w.stream, w.state
	return out
}

const sseHead = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream; charset=utf-8\r\n"

func TestWalker(t *testing.T) {
	for _, tt := range []struct {
		name, text string
		want       walked
	}{
		{"chunked", sseHead + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\nA\r\n0123456789\r\n0\r\n\r\n",
			walked{200, true, "abcd0123456789", 1, 1, 1, walkDone}},
		{"extensions and trailers",
			sseHead + "transfer-encoding: Chunked\r\n\r\n2;a=\"b\"\r\nab\r\n1 \r\nc\r\n0;x\r\nX: y\r\n\r\nrest",
			walked{200, true, "abc", 1, 1, 1, walkDone}},
		{"Content-Length", sseHead + "Content-Length: 3\r\n\r\nabcdef", walked{200, true, "abc", 1, 1, 1, walkDone}},
		{"nothing", sseHead + "Content-Length: 0\r\n\r\n", walked{200, true, "", 1, 1, 1, walkDone}},
		{"until close", sseHead + "\r\nabc", walked{200, true, "abc", 1, 1, 0, inClose}},
		{"LF only", "HTTP/1.0 200 OK\nContent-Length: 2\n\nab", walked{200, true, "ab", 1, 1, 1, walkDone}},
		{"interim responses", "HTTP/1.1 100 Continue\r\n\r\nHTTP/1.1 103 Early Hints\r\nLink: x\r\n\r\n" + sseHead +
			"Content-Length: 1\r\n\r\na",
			walked{200, true, "a", 3, 1, 1, walkDone}},
		{"no content", "HTTP/1.1 204 No Content\r\n\r\nx", walked{204, true, "", 1, 1, 1, walkDone}},
		{"error", "HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n\r\nno", walked{401, false, "no", 1, 1, 1, walkDone}},
		{"page", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 2\r\n\r\nno", walked{200, false, "no", 1, 1,
			1, walkDone}},
		{"compressed", sseHead + "Content-Encoding: gzip\r\nContent-Length: 2\r\n\r\nno", walked{200, false, "no", 1, 1, 1,
			walkDone}},
		{"wrong chunk size", sseHead + "Transfer-Encoding: chunked\r\n\r\n1\r\na\r\nzz\r\nb", walked{200, true, "a", 1, 1, 0,
			walkLost}},
		{"no chunk size", sseHead + "Transfer-Encoding: chunked\r\n\r\n\r\n", walked{200, true, "", 1, 1, 0, walkLost}},
		{"chunk longer than it said", sseHead + "Transfer-Encoding: chunked\r\n\r\n1\r\nab\r\n", walked{200, true, "a", 1, 1,
			0, walkLost}},
		{"endless chunk size", sseHead + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("1", 20),
			walked{200, true, "", 1, 1, 0, walkLost}},
		{"no HTTP", "SSH-2.0-OpenSSH\r\n", walked{0, true, "", 1, 0, 0, walkLost}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			testkit.Same(t, walk(0, tt.text), tt.want, "in one piece")
			for i := range tt.text {
				testkit.Same(t, walk(0, tt.text[:i], tt.text[i:]), tt.want, "cut at", i)
			}
		})
	}
	got := walk(1000, "HTTP/1.1 200 OK\r\n"+strings.Repeat("X: y\r\n", 1000))
	testkit.That(t, got.State == walkLost, "endless headers were followed")
}

// FuzzWalker compares with net/http wherever that reads the response to a
// clean end, and every split with the whole; and where net/http is done, by an
// end or an error, nothing is waited for.
func FuzzWalker(f *testing.F) {
	for _, s := range []string{
		sseHead + "Transfer-Encoding: chunked\r\n\r\n4\r\nabcd\r\n0\r\n\r\n",
		sseHead + "Content-Length: 3\r\n\r\nabcdef",
		"HTTP/1.1 103 Early Hints\r\n\r\nHTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1;x\r\na\r\n0\r\nT: 1\r\n\r\n",
		"HTTP/1.0 200 OK\n\nabc",
	} {
		f.Add(s, 20)
	}
	f.Fuzz(func(t *testing.T, text string, cut int) {
		whole := walk(64<<10, text)
		if cut >= 0 && cut <= len(text) {
			testkit.Same(t, walk(64<<10, text[:cut], text[cut:]), whole, text, "cut at", cut)
		}
		if len(text) <= connRead && waits(text) && overWith(text) { // more than its buffer holds it sees anyway
			t.Errorf("%q: more is waited for, net/http is done", text)
		}
		br := bufio.NewReader(strings.NewReader(text))
		resp, err := http.ReadResponse(br, nil)
		for err == nil && resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != 101 {
			resp, err = http.ReadResponse(br, nil)
		}
		if err != nil || resp.StatusCode == 101 || resp.StatusCode < 100 || !strings.HasPrefix(resp.Proto, "HTTP/1.") {
			return
		}
		var body bytes.Buffer
		if _, err := io.Copy(&body, resp.Body); err != nil {
			return
		}
		if whole.State == walkLost {
			return // stricter than net/http: the pump notices the difference and says so
		}
		testkit.Is(t, whole.Body, body.String(), text, "body")
	})
}
