package probetest

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"

	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

func TestMain(m *testing.M) {
	Main()
	goleak.VerifyTestMain(m)
}

// outline returns a plan as readable text: "400ms token; 20ms token, token".
func outline(p *Plan) string {
	kinds := make([][]string, len(p.Writes))
	for _, e := range p.Events {
		kinds[e.Write] = append(kinds[e.Write], e.Kind)
	}
	var out []string
	for i, w := range p.Writes {
		out = append(out, strings.TrimSpace(fmt.Sprint(w.After, " ", strings.Join(kinds[i], ", "))))
	}
	return strings.Join(out, "; ")
}

func TestParse(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"prefill 400ms; 3 tokens @ 20ms; stall 2s; burst 3; 2 tokens @ 1.4ms; end",
			"400ms token; 20ms token; 20ms token; 2s token, token, token; 1.4ms token; 1.4ms token"},
		{"1 tokens @ 5ms", "5ms token; 0s finish; 0s done"},
		{"role; prefill 1s; 1 reasoning @ 1s; 1 thinking @ 1s; usage; error; end",
			"0s role; 1s reasoning; 1s thinking; 0s usage; 0s error"},
		{"headers; 1 comments @ 1s; prefill 1s; 1 tokens @ 1s; end", "0s; 1s; 1s token"},
		{"group 2; 4 tokens @ 1s; end", "1s token, token; 1s token, token"},
		{"headers; halves 5ms; 2 tokens @ 20ms; end", "0s; 15ms; 5ms token; 15ms; 5ms token"},
		{"straddle; 3 tokens @ 1s; end", "1s token; 1s token; 1s token"},
		{`say "a;b\""; raw "data: x\n\n"; end`, "0s say; 0s"},
		{"hang", "0s"},
		{"html", "0s"},
	} {
		p, err := Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		testkit.Same(t, outline(p), tt.want, tt.text)
	}
	for _, bad := range []string{"3 tokens", "3 tokens at 20ms", "x tokens @ 1s", "prefill", "prefill soon",
		"3 apples @ 1s", "say hello", "nonsense", "3 tokens @ 20"} {
		if _, err := Parse(bad); err == nil || !strings.Contains(err.Error(), bad) {
			t.Errorf("%q was read: %v", bad, err)
		}
	}
}

// TestBodies checks that net/http reads the same events from every shape.
func TestBodies(t *testing.T) {
	const items = "role; prefill 1s; 5 tokens @ 1s; 1 comments @ 1s; 1 empty @ 1s; finish; usage; done; end"
	var want string
	for _, shape := range []string{"", "headers; ", "hints; ", "unchunked; ", "length; ", "extensions; ", "trailers; ",
		"straddle; ", "halves 5ms; ", "group 3; ", "crlf; ", "cr; ", "blanks; ", "nospace; "} {
		p := MustParse(shape + items)
		var raw strings.Builder
		for _, w := range p.Writes {
			raw.Write(w.Bytes)
		}
		br := bufio.NewReader(strings.NewReader(raw.String()))
		resp, err := http.ReadResponse(br, nil)
		if err == nil && resp.StatusCode == http.StatusEarlyHints {
			resp, err = http.ReadResponse(br, nil)
		}
		if err != nil {
			t.Errorf("%q: %v", shape, err)
			continue
		}
		b, err := io.ReadAll(resp.Body)
		testkit.Is(t, err, nil, shape)
		got := strings.NewReplacer("\r\n", "\n", "\r", "\n", "data: ", "data:", "} \n", "}\n").Replace(string(b))
		if want == "" {
			want = got
		}
		testkit.Is(t, got, want, shape, "body")
	}
	testkit.Is(t, strings.Count(want, "data:"), 10, "data lines")
}

func TestServerPlaysOnTime(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := New(Options{})
		script := url.PathEscape("prefill 100ms; 3 tokens @ 20ms; end")
		here, there := net.Pipe()
		go s.Serve(there)
		br := bufio.NewReader(here)
		for i := range 2 { // over one connection
			begin := time.Now()
			testkit.Must(fmt.Fprintf(here, "POST /%s/v1/chat/completions HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}",
				script))(t)
			resp := testkit.Must(http.ReadResponse(br, nil))(t)
			testkit.Must(io.Copy(io.Discard, resp.Body))(t)
			testkit.Is(t, time.Since(begin), 140*time.Millisecond, "the response took")
			testkit.Is(t, RequestID(resp.Header), i+1, "request … has the number")
		}
		_ = here.Close()
		s.Close()
		logs := s.Logs()
		testkit.Given(t, len(logs) == 2 && len(logs[1].Writes) == 3 && string(logs[1].Body) == "{}", "logs %+v", logs)
		for _, l := range logs {
			d := time.Duration(l.Writes[2].Before - l.Arrived)
			testkit.That(t, d == 140*time.Millisecond, "request %d: the last write came %v after the request", l.ID, d)
		}
	})
}

// TestOtherProcess checks that times of both processes are comparable.
func TestOtherProcess(t *testing.T) {
	clock := stamp.NewClock()
	base := Base(clock)
	for _, secure := range []bool{false, true} {
		p := testkit.Must(Spawn(Options{Timed: true, TLS: secure}))(t)
		h := http.DefaultTransport.(*http.Transport).Clone()
		h.TLSClientConfig.RootCAs = p.Roots()
		before := base + int64(clock.Now())
		resp := testkit.Must(h.RoundTrip(request(t, p.URL("lockstep 1; prefill 3ms; 5 tokens @ 1ms"))))(t)
		body, err := io.ReadAll(resp.Body)
		after := base + int64(clock.Now())
		testkit.That(t, err == nil && strings.Count(string(body), "data:") == 7, "body %q, %v", body, err)
		logs, err := p.Logs()
		testkit.Given(t, err == nil && len(logs) == 1, "%d logs, %v", len(logs), err)
		l := logs[0]
		if l.Arrived < before || len(l.Writes) != 7 || l.Writes[0].Before < l.Arrived || l.Writes[6].Before > after {
			t.Errorf("between %d and %d the server saw %+v", before, after, l)
		}
		h.CloseIdleConnections()
		p.Close()
	}
}

func request(t *testing.T, url string) *http.Request {
	t.Helper()
	req := testkit.Must(http.NewRequest(http.MethodPost, url+"/chat/completions", strings.NewReader("{}")))(t)
	return req
}

// TestAwaitRequests: the wait ends with the last request asked for, and a server
// of chats alone neither plays nor counts what else it is asked.
func TestAwaitRequests(t *testing.T) {
	p := testkit.Must(Spawn(Options{ChatOnly: true}))(t)
	defer p.Close()
	h := &http.Transport{DisableKeepAlives: true}
	ask := func(path string) int {
		req := request(t, p.URL("1 tokens @ 1ms"))
		req.URL.Path = strings.TrimSuffix(req.URL.Path, "/chat/completions") + path
		resp := testkit.Must(h.RoundTrip(req))(t)
		_, _ = io.Copy(io.Discard, resp.Body)
		_ = resp.Body.Close()
		return resp.StatusCode
	}
	testkit.Is(t, ask("/models"), http.StatusNotFound, "status … for a question")
	came := make(chan error)
	go func() { came <- p.AwaitRequests(t.Context(), 2) }()
	for range 2 {
		select {
		case <-came:
			t.Fatal("the wait ended before the second request")
		default:
		}
		testkit.Is(t, ask("/chat/completions"), http.StatusOK, "status … for a chat")
	}
	testkit.Is(t, <-came, nil)
	late, cancel := context.WithTimeout(t.Context(), time.Millisecond)
	defer cancel()
	if err := p.AwaitRequests(late, 3); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("a wait in vain ends with %v", err)
	}
	if logs, err := p.Logs(); err != nil || len(logs) != 2 {
		t.Errorf("%d requests in the log, want 2; %v", len(logs), err)
	}
}
