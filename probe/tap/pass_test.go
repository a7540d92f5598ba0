package tap_test

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/http/httptrace"
	"net/http/httputil"
	"net/textproto"
	"os"
	"reflect"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/tap"
)

// asking is a request for an answer of the chat API.
const asking = `{"model":"m","stream":true,"messages":[{"role":"user","content":"hi"}]}`

// word is an event of an answer to it.
const word = "data: {\"id\":\"a\",\"model\":\"m\",\"choices\":[{\"index\":0,\"delta\":{\"content\":\"é漢 \"}}]}\n\n"

// serve returns a tap before a server that answers with h.
func serve(t *testing.T, h http.HandlerFunc) *tap.Tap {
	server := httptest.NewServer(h)
	t.Cleanup(server.Close)
	return open(t, server.URL, tap.Options{})
}

// send opens a connection to tp and writes a request with these lines, and the body.
func send(t testing.TB, tp *tap.Tap, first, lines, body string) (*net.TCPConn, *bufio.Reader) {
	host := strings.TrimPrefix(tp.URL(), "http://")
	conn := testkit.Must(net.Dial("tcp", host))(t).(*net.TCPConn)
	t.Cleanup(func() { _ = conn.Close() })
	_ = conn.SetDeadline(time.Now().Add(30 * time.Second))
	fmt.Fprintf(conn, "%s\r\nHost: %s\r\n%s\r\n%s", first, host, lines, body)
	return conn, bufio.NewReader(conn)
}

const chat = "POST /v1/chat/completions HTTP/1.1"

func length(body string) string { return fmt.Sprintf("Content-Length: %d\r\n", len(body)) }

// over waits for the end of the only turn.
func over(t testing.TB, tp *tap.Tap) *turn.Turn {
	v := until(t, tp, func(v *turn.View) bool { return len(v.Turns) == 1 && v.Turns[0].Stream().State.Ended() })
	return &v.Turns[0]
}

// FuzzOneWriteForEachRead holds that each piece of the upstream is at the client before the
// next is there, in HTTP in a piece of its own, wherever it cuts an event, a letter or a frame.
func FuzzOneWriteForEachRead(f *testing.F) {
	for _, cuts := range []string{"", "\x00", "\x00\x07\x40\x01\x90", "\xff\x03"} {
		f.Add([]byte(strings.Repeat(word, 2)), []byte(cuts), false)
		f.Add(bytes.Repeat(event(delta), 2), []byte(cuts), true)
	}
	f.Fuzz(func(t *testing.T, whole, cuts []byte, socket bool) {
		up := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
		defer func() { _ = up.Close() }()
		tp := open(t, "http://"+up.Addr().String(), tap.Options{})
		var server net.Conn
		var in *bufio.Reader
		if socket {
			e := upgraded(t, tp, up)
			defer e.close()
			e.ask(t, create)
			server, in = e.server, e.client.in
		} else {
			_, in = send(t, tp, chat, length(asking), asking)
			server = testkit.Must(up.Accept())(t)
			defer func() { _ = server.Close() }()
			_ = testkit.Must(http.ReadRequest(bufio.NewReader(server)))(t)
			_ = testkit.Must(io.WriteString(server, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n"))(t)
			for line := ""; line != "\r\n"; {
				line = testkit.Must(in.ReadString('\n'))(t)
			}
		}
		pieces, reads := 0, true // pieces are so short that one read takes them
		for rest := whole; len(rest) > 0; pieces++ {
			n := 1
			if len(cuts) > 0 {
				n += int(cuts[pieces%len(cuts)])
			}
			if n == 256 || pieces > 300 {
				n, reads = len(rest), false
			}
			n = min(n, len(rest))
			piece := rest[:n]
			rest = rest[n:]
			if !socket {
				piece = append(fmt.Appendf(nil, "%x\r\n", n), piece...)
				piece = append(piece, "\r\n"...)
			}
			write := piece
			go func() { _, _ = server.Write(write) }()
			got := make([]byte, len(piece))
			if !reads && !socket { // in as many pieces as reads were needed
				got, piece = got[:n], piece[len(piece)-n-2:len(piece)-2]
				in := httputil.NewChunkedReader(io.MultiReader(in, strings.NewReader("0\r\n\r\n")))
				_ = testkit.Must(io.ReadFull(in, got))(t)
			} else {
				_ = testkit.Must(io.ReadFull(in, got))(t)
			}
			testkit.Need(t, string(got), string(piece), "came as")
			if !reads {
				return
			}
		}
		_ = server.Close()
		if x := over(t, tp); x.Stream().State == metrics.Done || x.Added.N > pieces {
			t.Errorf("%v, %d pieces were %d", x.Stream().State, pieces, x.Added.N)
		}
	})
}

// TestABadAnswerHurtsOnlyItself holds that answers which flood, stall or lie neither change nor
// stop the others that pass beside them.
func TestABadAnswerHurtsOnlyItself(t *testing.T) {
	t.Parallel()
	const lanes, words = 4, 40
	steps := [lanes]chan struct{}{}
	for i := range steps {
		steps[i] = make(chan struct{})
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		out := http.NewResponseController(w)
		switch what := r.URL.RawQuery; what {
		case "flood", "drowns":
			for r.Context().Err() == nil {
				_, _ = io.WriteString(w, strings.Repeat(word, 100))
			}
		case "stalls":
			_, _ = io.WriteString(w, word)
			_ = out.Flush()
			<-r.Context().Done()
		case "lies":
			conn, _, _ := out.Hijack()
			_, _ = io.WriteString(conn, "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\nzz\r\n")
			_ = conn.Close()
		default:
			for range words {
				_, _ = io.WriteString(w, word)
				_ = out.Flush()
				<-steps[what[0]-'0']
			}
			_, _ = io.WriteString(w, "data: [DONE]\n\n")
		}
	}))
	t.Cleanup(server.Close)
	tp := open(t, server.URL, small())
	ask := func(what string) *bufio.Reader {
		_, in := send(t, tp, "POST /v1/chat/completions?"+what+" HTTP/1.1", length(asking), asking)
		return in
	}
	_ = ask("drowns") // its client does not read
	flood := ask("flood")
	go func() { _, _ = io.Copy(io.Discard, flood) }()
	_, _ = ask("stalls"), ask("lies")
	bad := func(v *turn.View) (n int) {
		for i := range v.Turns {
			x := &v.Turns[i]
			switch s := x.Stream(); x.Path[len("/v1/chat/completions?"):] {
			case "flood":
				n += min(1, int(x.Down.Read>>20))
			case "drowns":
				n += min(1, int(x.Down.Read>>10))
			case "stalls":
				n += min(len(s.Chunks), 1)
				if s.State.Ended() {
					n -= 10
				}
			case "lies":
				if s.State.Ended() && s.Fault != nil {
					n++
				}
			}
		}
		return n
	}
	until(t, tp, func(v *turn.View) bool { return bad(v) == 4 })
	var wg sync.WaitGroup
	for i := range lanes {
		wg.Go(func() {
			resp, err := http.ReadResponse(ask(fmt.Sprint(i)), nil)
			if err != nil {
				t.Error(err)
				return
			}
			got := make([]byte, len(word))
			for range words {
				if _, err := io.ReadFull(resp.Body, got); err != nil || string(got) != word {
					t.Errorf("lane %d: %q, %v", i, got, err)
				}
				steps[i] <- struct{}{}
			}
			if rest, err := io.ReadAll(resp.Body); err != nil || string(rest) != "data: [DONE]\n\n" {
				t.Errorf("lane %d ends with %q, %v", i, rest, err)
			}
		})
	}
	wg.Wait()
	v := until(t, tp, func(v *turn.View) bool {
		good := 0
		for i := range v.Turns {
			if s := v.Turns[i].Stream(); s.State == metrics.Done && len(s.Chunks) == words && v.Turns[i].Added.N > words {
				good++
			}
		}
		return good == lanes
	})
	testkit.Is(t, bad(v), 4, "the bad answers have ended before the others")
	for i := range v.Turns {
		if x := &v.Turns[i]; x.Stream().State == metrics.Done && !(x.Up.Unchanged() && x.Down.Unchanged()) {
			t.Errorf("%+v %+v", x.Up, x.Down)
		}
	}
}

// TestBrokenAnswers holds that an answer that breaks off, or lies about its length, has no
// good end for the client, that its record says so, and that the next one is served.
func TestBrokenAnswers(t *testing.T) {
	t.Parallel()
	const ok = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n"
	for name, raw := range map[string]string{
		"chunked":            ok + "Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\n",
		"within a chunk":     ok + "Transfer-Encoding: chunked\r\n\r\nff\r\ndata:",
		"no size":            ok + "Transfer-Encoding: chunked\r\n\r\n5\r\ndata:\r\nzz\r\n",
		"size below zero":    ok + "Transfer-Encoding: chunked\r\n\r\n-5\r\ndata:\r\n",
		"size of 2^64":       ok + "Transfer-Encoding: chunked\r\n\r\n10000000000000000\r\ndata:\r\n",
		"no end of the size": ok + "Transfer-Encoding: chunked\r\n\r\n" + strings.Repeat("0", 10_000),
		"short":              ok + "Content-Length: 100\r\n\r\ndata:",
		"two lengths":        ok + "Content-Length: 3\r\nContent-Length: 5\r\n\r\ndata:",
		"half a head":        "HTTP/1.1 200 OK\r\nConte",
		"no head":            "",
		"no HTTP":            "SSH-2.0-OpenSSH_9.9\r\n",
		"a head of 1 MB":     ok + "X: " + strings.Repeat("x", 1<<20) + "\r\n\r\n",
		"status 000":         "HTTP/1.1 000 None\r\n\r\n",
		"unasked 101":        "HTTP/1.1 101 Switching Protocols\r\nConnection: Upgrade\r\nUpgrade: x\r\n\r\ndata:",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
			defer func() { _ = l.Close() }()
			tp := open(t, "http://"+l.Addr().String(), tap.Options{})
			for _, proto := range []string{"1.1", "1.0"} {
				_, in := send(t, tp, strings.Replace(chat, "1.1", proto, 1), length(asking), asking)
				server := testkit.Must(l.Accept())(t)
				req := testkit.Must(http.ReadRequest(bufio.NewReader(server)))(t)
				_, _ = io.Copy(io.Discard, req.Body)
				_, _ = io.WriteString(server, raw)
				_ = server.Close()
				resp, err := http.ReadResponse(in, req)
				if err == nil && resp.StatusCode < http.StatusInternalServerError {
					if _, err = io.ReadAll(resp.Body); err == nil && resp.StatusCode != http.StatusSwitchingProtocols {
						t.Errorf("HTTP/%s: %s ended well", proto, resp.Status)
					}
				}
			}
			v := until(t, tp, func(v *turn.View) bool {
				return len(v.Turns) == 2 && v.Turns[0].Stream().State.Ended() && v.Turns[1].Stream().State.Ended()
			})
			for i := range v.Turns {
				s := v.Turns[i].Stream()
				testkit.That(t, s.Fault != nil, "the record is %v", s.State)
			}
			_, in := send(t, tp, chat, length(asking), asking)
			server := testkit.Must(l.Accept())(t)
			defer func() { _ = server.Close() }()
			_ = testkit.Must(http.ReadRequest(bufio.NewReader(server)))(t)
			_, _ = io.WriteString(server, ok+"Content-Length: 14\r\n\r\ndata: [DONE]\n\n")
			resp := testkit.Must(http.ReadResponse(in, nil))(t)
			body := testkit.Must(io.ReadAll(resp.Body))(t)
			testkit.That(t, string(body) == "data: [DONE]\n\n", "the next answer is %q", body)
		})
	}
}

// TestBounds holds that an answer that passes a bound of what a record may hold ends the
// record, and passes on to its last byte.
func TestBounds(t *testing.T) {
	t.Parallel()
	for name, body := range map[string][]byte{
		"a long event":  bytes.Repeat([]byte("data: x"), 20<<10),
		"many events":   bytes.Repeat([]byte(word), 1000),
		"a long answer": bytes.Repeat([]byte(": "+strings.Repeat("y", 1021)+"\n"), 300),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				w.Header().Set("Content-Type", "text/event-stream")
				_, _ = w.Write(body)
			}))
			defer server.Close()
			tp := open(t, server.URL, small())
			resp := testkit.Must(http.Post(tp.URL()+"/v1/chat/completions", "application/json", strings.NewReader(asking)))(t)
			defer func() { _ = resp.Body.Close() }()
			got := testkit.Must(io.ReadAll(resp.Body))(t)
			testkit.Is(t, string(got), string(body), len(got), "of", len(body), "B arrived")
			s := over(t, tp).Stream()
			testkit.That(t, s.Fault != nil && s.Fault.Kind == metrics.FaultTooLarge, "the record is %v, %v", s.State, s.Fault)
			v := until(t, tp, func(v *turn.View) bool { return v.Turns[0].Down.Read == int64(len(body)) })
			testkit.That(t, v.Turns[0].Down.Unchanged(), "%+v", v.Turns[0].Down)
		})
	}
}

// TestClientLeaves holds that a client that ends its connection, or its half of it, ends the
// request at the upstream at once, and that nothing is missing if that is behind the end marker.
func TestClientLeaves(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]func(*net.TCPConn){
		"whole": func(c *net.TCPConn) { _ = c.Close() },
		"half":  func(c *net.TCPConn) { _ = c.CloseWrite() },
		"reset": func(c *net.TCPConn) { _ = c.SetLinger(0); _ = c.Close() },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			for answer, want := range map[string]metrics.State{word: metrics.Cancelled,
				word + "data: [DONE]\n\n": metrics.Done} {
				ended := make(chan struct{})
				tp := serve(t, func(w http.ResponseWriter, r *http.Request) {
					_, _ = io.WriteString(w, answer)
					_ = http.NewResponseController(w).Flush()
					<-r.Context().Done()
					close(ended)
				})
				conn, in := send(t, tp, chat, length(asking), asking)
				resp := testkit.Must(http.ReadResponse(in, nil))(t)
				_ = testkit.Must(io.ReadFull(resp.Body, make([]byte, len(answer))))(t)
				leave(conn)
				<-ended
				s := over(t, tp).Stream()
				testkit.That(t, s.State == want, "the record of %q is %v, %v", answer, s.State, s.Fault)
			}
		})
	}
}

// TestSlowClient holds that an upstream that is faster than the client waits for it.
func TestSlowClient(t *testing.T) {
	t.Parallel()
	l := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
	defer func() { _ = l.Close() }()
	tp := open(t, "http://"+l.Addr().String(), tap.Options{})
	conn, in := send(t, tp, chat, length(asking), asking)
	testkit.OK(t, conn.SetReadBuffer(32<<10))
	server := testkit.Must(l.Accept())(t).(*net.TCPConn)
	defer func() { _ = server.Close() }()
	testkit.OK(t, server.SetWriteBuffer(32<<10))
	_ = testkit.Must(http.ReadRequest(bufio.NewReader(server)))(t)
	_ = testkit.Must(io.WriteString(server, "HTTP/1.0 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"))(t)
	const most = 32 << 20 // several times what the buffers of the system may hold
	piece := []byte(": " + strings.Repeat("y", 32<<10-3) + "\n")
	sent := 0
	for {
		_ = server.SetWriteDeadline(time.Now().Add(200 * time.Millisecond))
		n, err := server.Write(piece)
		if sent += n; os.IsTimeout(err) {
			break
		}
		if testkit.OK(t, err); sent > most {
			t.Fatalf("%d B are on the way to a client that does not read", sent)
		}
	}
	resp := testkit.Must(http.ReadResponse(in, nil))(t)
	_ = testkit.Must(io.CopyN(io.Discard, resp.Body, int64(sent)))(t)
	_ = server.SetWriteDeadline(time.Time{})
	_ = testkit.Must(server.Write(piece))(t)
	testkit.OK(t, server.Close())
	testkit.Is(t, testkit.Must(io.Copy(io.Discard, resp.Body))(t), int64(len(piece)), "B arrived at last")
}

// TestOddHTTP holds that what is rare in HTTP passes too: interim answers, a client that waits
// for one, HEAD, a client of HTTP/1.0, trailers that nobody announced.
func TestOddHTTP(t *testing.T) {
	t.Parallel()
	tp := serve(t, func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		w.Header().Set("Link", "</style.css>")
		w.WriteHeader(http.StatusEarlyHints)
		w.Header().Del("Link")
		w.Header().Set("X-Method", r.Method)
		w.Header().Set("X-Got", fmt.Sprint(len(body)))
		w.Header().Set(http.TrailerPrefix+"X-Late", "1")
		_, _ = io.WriteString(w, "good")
		_ = http.NewResponseController(w).Flush()
	})
	var hints []string
	ctx := httptrace.WithClientTrace(t.Context(), &httptrace.ClientTrace{
		Got1xxResponse: func(code int, h textproto.MIMEHeader) error {
			hints = append(hints, fmt.Sprint(code, h.Get("Link")))
			return nil
		}})
	req := testkit.Must(http.NewRequestWithContext(ctx, http.MethodPost, tp.URL()+"/x", strings.NewReader("12345")))(t)
	resp := testkit.Must(http.DefaultClient.Do(req))(t)
	defer func() { _ = resp.Body.Close() }()
	body := testkit.Must(io.ReadAll(resp.Body))(t)
	if string(body) != "good" || fmt.Sprint(hints) != "[103</style.css>]" || resp.Header.Get("Link") != "" ||
		resp.Header.Get("X-Got") != "5" || resp.Trailer.Get("X-Late") != "1" {
		t.Errorf("%q, hints %v, %v, trailer %v", body, hints, resp.Header, resp.Trailer)
	}

	conn, in := send(t, tp, "POST /x HTTP/1.1", "Expect: 100-continue\r\nContent-Length: 5\r\n", "")
	line := testkit.Must(in.ReadString('\n'))(t)
	testkit.Given(t, strings.HasPrefix(line, "HTTP/1.1 100"), "a client that waits for 100 got %q", line)
	_ = testkit.Must(in.ReadString('\n'))(t)
	_ = testkit.Must(io.WriteString(conn, "12345"))(t)
	for _, status := range []int{103, 200} {
		resp := testkit.Must(http.ReadResponse(in, nil))(t)
		testkit.That(t, resp.StatusCode == status && (status != 200 || resp.Header.Get("X-Got") == "5"),
			"behind 100: %s %v", resp.Status, resp.Header)
	}
	for first, want := range map[string]string{"HEAD /x HTTP/1.1": "HEAD", "GET /x HTTP/1.0": "GET"} {
		_, in := send(t, tp, first, "", "")
		resp := testkit.Must(http.ReadResponse(in, nil))(t)
		if resp.StatusCode == http.StatusEarlyHints {
			resp = testkit.Must(http.ReadResponse(in, &http.Request{Method: want}))(t)
		}
		testkit.That(t, resp.StatusCode == 200 && resp.Header.Get("X-Method") == want,
			"%s: %s %v", first, resp.Status, resp.Header)
		if body := testkit.Must(io.ReadAll(resp.Body))(t); want == "GET" && string(body) != "good" {
			t.Errorf("%s: %q", first, body)
		}
	}
}

// TestLargeRequests holds that a request passes unread that is too long to be kept.
func TestLargeRequests(t *testing.T) {
	t.Parallel()
	const size = 300 << 10
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	}))
	defer server.Close()
	tp := open(t, server.URL, tap.Options{Bodies: size - 1})
	for _, announced := range []bool{true, false} {
		body := io.LimitReader(zeros{}, size)
		req := testkit.Must(http.NewRequest(http.MethodPost, tp.URL()+"/v1/chat/completions", body))(t)
		if req.ContentLength = -1; announced {
			req.ContentLength = size
		}
		resp := testkit.Must(http.DefaultClient.Do(req))(t)
		got := testkit.Must(io.ReadAll(resp.Body))(t)
		testkit.That(t, string(got) == fmt.Sprint(size), "%s of %d B arrived", got, size)
		_ = resp.Body.Close()
	}
}

// TestAnswersEarly holds that a server may begin to answer before it has the whole request.
func TestAnswersEarly(t *testing.T) {
	t.Parallel()
	const size = 4 << 20
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_ = http.NewResponseController(w).EnableFullDuplex()
		_ = http.NewResponseController(w).Flush()
		n, _ := io.Copy(io.Discard, r.Body)
		fmt.Fprint(w, n)
	}))
	t.Cleanup(server.Close)
	tp := open(t, server.URL, tap.Options{Bodies: size - 1})
	conn, r := send(t, tp, chat, fmt.Sprintf("Content-Length: %d\r\n", size), "")
	resp := testkit.Must(http.ReadResponse(r, nil))(t)
	testkit.Must(io.Copy(conn, io.LimitReader(zeros{}, size)))(t)
	got := testkit.Must(io.ReadAll(resp.Body))(t)
	testkit.That(t, string(got) == fmt.Sprint(size), "%s of %d B arrived", got, size)
}

type zeros struct{}

func (zeros) Read(p []byte) (int, error) {
	clear(p)
	return len(p), nil
}

// TestManyLanes holds that nothing is lost where many clients ask at once.
func TestManyLanes(t *testing.T) {
	t.Parallel()
	const lanes, words = 100, 20
	lasts := time.Duration(0) // each once
	if testkit.Long() {
		lasts = time.Minute
	}
	tp := serve(t, func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		w.Header().Set("Content-Type", "text/event-stream")
		for range words {
			_, _ = io.WriteString(w, word)
			_ = http.NewResponseController(w).Flush()
			time.Sleep(10 * time.Millisecond)
		}
		_, _ = io.WriteString(w, "data: [DONE]\n\n")
	})
	hc := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: lanes}}
	defer hc.CloseIdleConnections()
	var wg sync.WaitGroup
	var mu sync.Mutex
	asked := 0
	began := time.Now()
	for range lanes {
		wg.Go(func() {
			for again := true; again; again = time.Since(began) < lasts {
				resp, err := hc.Post(tp.URL()+"/v1/chat/completions", "application/json", strings.NewReader(asking))
				if err != nil {
					t.Error(err)
					return
				}
				body, err := io.ReadAll(resp.Body)
				_ = resp.Body.Close()
				testkit.That(t, err == nil && string(body) == strings.Repeat(word, words)+"data: [DONE]\n\n",
					"%d B, %v", len(body), err)
				mu.Lock()
				asked++
				mu.Unlock()
			}
		})
	}
	wg.Wait()
	v := until(t, tp, func(v *turn.View) bool {
		for i := range v.Turns {
			if !v.Turns[i].Stream().State.Ended() {
				return false
			}
		}
		return len(v.Turns) == asked
	})
	for i := range v.Turns {
		x := &v.Turns[i]
		if s := x.Stream(); s.State != metrics.Done || len(s.Chunks) != words || !x.Up.Unchanged() || !x.Down.Unchanged() {
			t.Fatalf("%v with %d chunks, %v, %+v %+v", s.State, len(s.Chunks), s.Fault, x.Up, x.Down)
		}
	}
	t.Logf("%d lanes, %v: %d turns, %d chunks each, %d B down each, nothing lost or changed", lanes,
		time.Since(began).Round(time.Second), asked, words, v.Turns[0].Down.Read)
}

// texts appends every text in v.
func texts(v reflect.Value, out []string) []string {
	switch v.Kind() {
	case reflect.String:
		return append(out, v.String())
	case reflect.Pointer, reflect.Interface:
		if !v.IsNil() {
			return texts(v.Elem(), out)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			out = texts(v.Field(i), out)
		}
	case reflect.Map:
		for _, k := range v.MapKeys() {
			out = texts(v.MapIndex(k), texts(k, out))
		}
	case reflect.Slice, reflect.Array:
		if v.Kind() == reflect.Slice && v.Type().Elem().Kind() == reflect.Uint8 {
			return append(out, string(v.Bytes()))
		}
		for i := range v.Len() {
			out = texts(v.Index(i), out)
		}
	}
	return out
}

// TestNoKeyStays holds that no key and no text of a request is in what the tap tells, wherever
// the client puts it, and that a key is not even where the server repeats it.
func TestNoKeyStays(t *testing.T) {
	t.Parallel()
	fields := []string{"model", "id", "object", "system_fingerprint", "service_tier", "provider"}
	places := []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "key", "access_token"}
	var keys []string
	for _, name := range places {
		keys = append(keys, "canary-"+strings.ToLower(name)+"-0123456789")
	}
	all := strings.Join(keys, " ")
	for _, status := range []int{200, 401, 429, 502} {
		tp := serve(t, func(w http.ResponseWriter, r *http.Request) {
			w.Header().Set("X-Request-Id", all)
			w.Header().Set("X-Echo", all)
			w.Header().Set("Content-Type", "text/event-stream")
			if status != http.StatusOK {
				w.Header().Set("Content-Type", "application/json")
				w.WriteHeader(status)
				fmt.Fprintf(w, `{"error":{"message":"the key %s is wrong","type":%[1]q,"code":%[1]q}}`, all)
				return
			}
			for _, field := range fields {
				for _, key := range keys {
					fmt.Fprintf(w, "data: {%q:%q,\"choices\":[{\"index\":0,\"delta\":{\"content\":%[2]q}}]}\n\n", field, key)
				}
			}
			fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":%q}]}\n\ndata: "+
				"{\"error\":{\"message\":%[1]q}}\n\n", all)
		})
		body := `{"model":"m","stream":true,"user":"canary-user","metadata":{"canary-a":"canary-b"},` +
			`"tools":[{"type":"function","function":{"name":"canary-tool","description":"canary-c","parameters":{"canary-d":1}}}],` +
			`"messages":[{"role":"system","content":"canary-e"},{"role":"user","content":[{"type":"text","text":"canary-f"}],"name":"canary-g"}]}`
		req := testkit.Must(http.NewRequest(http.MethodPost, tp.URL()+"/v1/chat/completions?beta=canary-query",
			strings.NewReader(body)))(t)
		for i, name := range places {
			switch name {
			case "key", "access_token":
				req.URL.RawQuery += "&" + name + "=" + keys[i]
			case "Authorization":
				req.Header.Set(name, "Bearer "+keys[i])
			case "Cookie":
				req.Header.Set(name, "a=1; session="+keys[i]+"; b=2")
			default:
				req.Header.Set(name, keys[i])
			}
		}
		req.Header.Set("X-Canary-Header", "canary-header")
		req.Header.Set("X-Claude-Code-Session-Id", "canary-session")
		resp := testkit.Must(http.DefaultClient.Do(req))(t)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		v := until(t, tp, func(v *turn.View) bool { return len(v.Turns) == 1 && v.Turns[0].Stream().State.Ended() })
		told := texts(reflect.ValueOf(v), nil)
		testkit.Given(t, slices.Contains(told, "/v1/chat/completions?beta&key&access_token"),
			"the path is missing in %q", told)
		for _, text := range told {
			testkit.That(t, !strings.Contains(strings.ToLower(text), "canary"), "status %d: the tap tells %q", status, text)
		}
	}
}
