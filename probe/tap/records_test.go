package tap_test

import (
	"bufio"
	"bytes"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"net/textproto"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/tap"
)

// scene is an answer to a request in an API.
type scene struct {
	api    string
	status int // 0 = 200
	header http.Header
	body   []byte
	end    string // "": a good end; "reset", "cut": the connection breaks, "open": it stays open
}

// ServeHTTP plays the answer.
func (s *scene) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	h := w.Header()
	h.Set("Content-Type", "text/event-stream")
	h["Date"] = nil
	for name, values := range s.header {
		h[name] = values
	}
	w.WriteHeader(max(s.status, http.StatusOK))
	out := http.NewResponseController(w)
	_ = out.Flush()
	_, _ = w.Write(s.body)
	_ = out.Flush()
	switch s.end {
	case "open":
		<-r.Context().Done()
	case "cut":
		panic(http.ErrAbortHandler)
	case "reset":
		conn, _, _ := out.Hijack()
		_ = conn.(*net.TCPConn).SetLinger(0)
		_ = conn.Close()
	}
}

// scenes are the answers of every server we know of, each of our streams in each API, and the
// ways in which one fails.
func scenes(t *testing.T) map[string]scene {
	all := map[string]scene{}
	add := func(name, api, file string) {
		s := scene{api: api, body: testkit.Must(os.ReadFile(file))(t), header: http.Header{}}
		head, err := os.ReadFile(strings.TrimSuffix(file, filepath.Ext(file)) + ".headers")
		if err == nil {
			lines := textproto.NewReader(bufio.NewReader(bytes.NewReader(append(head, "\r\n"...))))
			s.header = http.Header(testkit.Must(lines.ReadMIMEHeader())(t))
		}
		all[name] = s
	}
	for _, file := range testkit.Must(filepath.Glob("../dialect/testdata/servers/*.sse"))(t) {
		name, api := filepath.Base(file), "chat"
		for prefix, of := range map[string]string{"messages": "messages", "anthropic": "messages", "responses": "responses"} {
			if strings.HasPrefix(name, prefix) {
				api = of
			}
		}
		add(name, api, file)
	}
	for file, api := range map[string]string{"chat": "chat", "messages": "messages", "responses": "responses",
		"gemini":      "gemini",
		"completions": "completions", "ollama": "ollama", "ollama-generate": "ollama-generate", "gemini-array": "gemini"} {
		add(file, api, "../dialect/testdata/apis/"+file+".body")
		s := all[file]
		switch {
		case strings.HasPrefix(file, "ollama"):
			s.header.Set("Content-Type", "application/x-ndjson")
		case file == "gemini-array":
			s.header.Set("Content-Type", "application/json")
		}
		for _, end := range []string{"reset", "cut", "open"} {
			late := s
			late.end = end
			all[file+", then "+end] = late
			if end != "open" {
				late.body = s.body[:len(s.body)/2]
				all[file+", half, then "+end] = late
			}
		}
		typed := s
		typed.header = http.Header{"Content-Type": {"application/octet-stream"}}
		all[file+" as octets"] = typed
		packed := s
		packed.header = http.Header{"Content-Type": s.header["Content-Type"], "Content-Encoding": {"gzip"}}
		packed.body = []byte("\x1f\x8b\x08\x00\x00\x00\x00\x00\x00\x03packed")
		all[file+", packed"] = packed
		for name, other := range map[string]scene{
			"page":  {header: http.Header{"Content-Type": {"text/html"}}, body: []byte("<html><title>Sign in</title></html>")},
			"empty": {}, "whole": {header: http.Header{"Content-Type": {"application/json"}},
				body: []byte(`{"id":"w","model":"m","choices":[{"message":{"content":"whole"},"finish_reason":"stop"}]}`)},
			"401": {status: 401, header: http.Header{"Content-Type": {"application/json"}},
				body: []byte(`{"error":{"message":"no key"}}`)},
			"429": {status: 429, header: http.Header{"Content-Type": {"application/json"}, "Retry-After": {"7"}},
				body: []byte(`{"error":{"message":"slower","type":"rate_limit_error"}}`)},
			"503 of a proxy": {status: 503, header: http.Header{"Content-Type": {"text/html"}},
				body: bytes.Repeat([]byte("<b>busy</b>"), 1000)},
			"500, then cut":       {status: 500, body: []byte("half"), end: "cut"},
			"no body, then reset": {end: "reset"},
		} {
			other.api = api
			all[file+": "+name] = other
		}
	}
	return all
}

// TestRecordsOfAnswers holds that what an answer is, is the same to the tap, to a client
// behind it, and to a client without it: texts, counts, errors and how it ended.
func TestRecordsOfAnswers(t *testing.T) {
	t.Parallel()
	for name, s := range scenes(t) {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := httptest.NewServer(&s)
			defer server.Close()
			tp := open(t, server.URL, tap.Options{})
			e := client.New(client.Options{NoPathProbe: true})
			defer e.Close()
			ask := func(base string) metrics.Stream {
				r := &endpoint.Resolver{Flags: endpoint.Flags{API: s.api, Model: "m"}}
				target := testkit.Must(r.Resolve(base + dialect.Speaks(s.api).Version))(t)
				target.Server = "known" // it is not asked what it is, which may last 5 s
				q := e.Start(context.Background(), target, metrics.Workload{Prompt: "Tea?"})
				<-q.Done()
				return timeless(q.Snapshot())
			}
			want := ask(server.URL)
			behind := want
			if s.end == "reset" && want.State != metrics.Done { // which ends early behind the tap
				cut := s
				cut.end = "cut"
				other := httptest.NewServer(&cut)
				defer other.Close()
				behind = ask(other.URL)
			}
			testkit.Same(t, ask(tp.URL()), behind, "the client behind the tap has another record")
			v := until(t, tp, func(v *turn.View) bool { return len(v.Turns) == 1 && v.Turns[0].Stream().State.Ended() })
			testkit.Same(t, timeless(*v.Turns[0].Stream()), want, "the tap has another record")
		})
	}
}

// timeless returns v without times, counts of reads, and what says who asked for it.
func timeless(v metrics.Stream) metrics.Stream {
	w := metrics.NoStream(0)
	w.State, w.Text, w.Usage, w.LiveTokens, w.TokensFrom = v.State, v.Text, v.Usage, v.LiveTokens, v.TokensFrom
	w.Finish, w.Fault, w.RequestID, w.ResponseID, w.Model = v.Finish, v.Fault, v.RequestID, v.ResponseID, v.Model
	w.Provider, w.Fingerprint, w.Served, w.Fronts, w.RateLimit = v.Provider, v.Fingerprint, v.Served, v.Fronts, v.RateLimit
	w.Events, w.WithChoices, w.Reasoned, w.Comments, w.BodyBytes =
		v.Events, v.WithChoices, v.Reasoned, v.Comments, v.BodyBytes
	w.Thinking, w.AudioBytes, w.Images, w.ImageBytes = v.Thinking, v.AudioBytes, v.Images, v.ImageBytes
	w.Chunks = append(w.Chunks, v.Chunks...)
	for i := range w.Chunks {
		c := &w.Chunks[i]
		c.At, c.User, c.Read, c.Kernel = 0, 0, 0, false
	}
	for _, x := range v.Waits {
		w.Waits = append(w.Waits, metrics.Wait{Name: x.Name})
	}
	if v.Head != nil {
		w.Head = v.Head
	}
	if w.Fault != nil && w.Fault.Kind == metrics.FaultCompressed {
		w.BodyBytes = 0 // what the read of the head brought
	}
	if w.Fault != nil && w.Fault.Kind == metrics.FaultAuth {
		f := *w.Fault
		f.Next, w.Fault = "", &f // whose key it is
	}
	w.Now = 0
	return w
}
