package client_test

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/ws"
)

// TestCopiedRequestPastedBack: the copied command of a request in each API, pasted, is the same
// request at the same endpoint, with its key as a variable.
func TestCopiedRequestPastedBack(t *testing.T) {
	const key = "zq-0123456789abcdefghij"
	type sent struct {
		URI    string
		Header http.Header
		Body   any
	}
	var mu sync.Mutex
	var seen []sent
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s := sent{URI: r.URL.RequestURI(), Header: r.Header.Clone()}
		text, _ := io.ReadAll(r.Body)
		_ = json.Unmarshal(text, &s.Body)
		if r.Method == http.MethodPost {
			mu.Lock()
			seen = append(seen, s)
			mu.Unlock()
		}
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = io.WriteString(w, "data: {}\n\n")
	}))
	defer srv.Close()
	warm, seed := 0.5, 7
	plain := metrics.Workload{System: "be 'brief'", Prompt: "it's $HOME `id` \\ \n é <&>", MaxTokens: 7}
	drawn := plain
	drawn.Temperature, drawn.Seed = &warm, &seed
	talk := metrics.Workload{MaxTokens: 7, Messages: `[{"role":"system","content":"s"},{"role":"user","content":"a"},` +
		`{"role":"assistant","content":"b"},{"role":"user","content":"c"}]`,
		Tools: `[{"type":"function","function":{"name":"f","description":"d","parameters":{"type":"object"}}}]`}
	for _, api := range dialect.Names() {
		for name, w := range map[string]metrics.Workload{"plain": plain, "drawn": drawn, "talk": talk} {
			speaks := dialect.Speaks(api)
			if speaks.Ends != nil || w.Tools != "" && speaks.Refuses != nil {
				continue
			}
			t.Run(api+" "+name, func(t *testing.T) {
				ask := func(target endpoint.Target, w metrics.Workload) (metrics.Stream, string) {
					e := newEngine(t, client.Options{})
					s := e.Start(t.Context(), target, w)
					<-s.Done()
					return s.Snapshot(), s.Curl()
				}
				env := func(n string) string { return map[string]string{"MY_KEY": key}[n] }
				seen = nil
				r := &endpoint.Resolver{Env: env, Flags: endpoint.Flags{API: api, Model: "org/m:1", APIKeyEnv: "MY_KEY",
					Headers: []string{"X-Team: a'b $$c"}, Extra: []string{"top_k=4"}}}
				first, text := ask(testkit.Must(r.Resolve(srv.URL))(t), w)
				if strings.Contains(text, key) || !strings.Contains(text, "$MY_KEY") {
					t.Fatalf("the key is no variable in\n%s", text)
				}
				pasted := testkit.Must(endpoint.ParseCurl(text))(t)
				target, work, err := (&endpoint.Resolver{Env: env}).FromCurl(pasted)
				testkit.OK(t, err)
				second, again := ask(target, work)
				if !first.Endpoint.Same(&second.Endpoint) || target.KeyFrom != "env MY_KEY" {
					t.Errorf("%s in %q with the key of %s, want %s in %q", second.Endpoint.URL, second.Endpoint.API, target.KeyFrom, first.Endpoint.URL, first.Endpoint.API)
				}
				if diff := cmp.Diff(seen[:1], seen[1:]); diff != "" {
					t.Errorf("asked otherwise: %s\n%s", diff, text)
				}
				if diff := cmp.Diff(text, again); diff != "" {
					t.Errorf("copied otherwise: %s", diff)
				}
			})
		}
	}
}

// TestCopiedRequestOverAWebSocket runs the copied command in a shell in which a function takes the
// place of websocat: it has the address, the headers and the message of the request.
func TestCopiedRequestOverAWebSocket(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no POSIX shell")
	}
	const key = "zq-0123456789abcdefghij"
	message := make(chan string, 1)
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		conn, err := ws.Accept(w, r)
		if err != nil {
			http.NotFound(w, r)
			return
		}
		defer conn.Close(ws.CloseNormal, "")
		if sent, err := conn.Read(); err == nil {
			message <- string(sent)
		}
	}))
	defer srv.Close()
	r := &endpoint.Resolver{Env: func(n string) string { return map[string]string{"MY_KEY": key}[n] },
		Flags: endpoint.Flags{API: "responses-ws", Model: "m", APIKeyEnv: "MY_KEY", Headers: []string{"X-Team: a'b $$c"}}}
	s := newEngine(t, client.Options{}).Start(t.Context(), testkit.Must(r.Resolve(srv.URL))(t),
		metrics.Workload{System: "be 'brief'", Prompt: "it's $HOME `id` \\ \n %s é", MaxTokens: 7})
	<-s.Done()
	text := s.Curl()
	if strings.Contains(text, key) {
		t.Fatalf("the key is in\n%s", text)
	}
	cmd := exec.Command("sh")
	cmd.Stdin = strings.NewReader("websocat() { cat; for word; do printf '%s\\n' \"$word\"; done; }\n" + text)
	cmd.Env = append(os.Environ(), "MY_KEY="+key)
	out := testkit.Must(cmd.CombinedOutput())(t)
	srv.Close() // after its handler
	want := <-message + "\n-n\n-B\n16777216\nws" + strings.TrimPrefix(srv.URL, "http") + "/v1/responses\n" +
		"-H=Authorization: Bearer " + key + "\n-H=X-Team: a'b $c\n"
	if diff := cmp.Diff(want, string(out)); diff != "" {
		t.Errorf("%s\n%s", diff, text)
	}
}
