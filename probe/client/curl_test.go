package client_test

import (
	"context"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/secret"
)

// sentRequest is what a server saw of a request.
type sentRequest struct {
	method, uri, auth, contentType string
	header                         string
	body                           any
}

// keeper answers requests and keeps them.
type keeper struct {
	mu   sync.Mutex
	seen []sentRequest
}

func (k *keeper) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	s := sentRequest{method: r.Method, uri: r.URL.RequestURI(), auth: r.Header.Get("Authorization"),
		contentType: r.Header.Get("Content-Type"), header: r.Header.Get("X-Team")}
	text, _ := io.ReadAll(r.Body)
	_ = json.Unmarshal(text, &s.body)
	k.mu.Lock()
	k.seen = append(k.seen, s)
	k.mu.Unlock()
	w.Header().Set("Content-Type", "text/event-stream")
	_, _ = io.WriteString(w, "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"}}]}\n\ndata: "+
		"{\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n")
}

// TestCurlSendsTheSameRequest runs the copied command in a shell: the server
// sees the request that tokscope sent. The command holds no key. Without curl a
// function of the shell takes its place, and its arguments are looked at.
func TestCurlSendsTheSameRequest(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no POSIX shell")
	}
	const key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
	nasty := "it's \"quoted\" $HOME `id` $(id) \\ \\n\n\ttab é 日本 <&> ! * ; TOKSCOPE_BODY\nTOKSCOPE_BODY\n' -- %s"
	for name, prompt := range map[string]string{"nasty": nasty, "long": strings.Repeat(nasty, 2500)} {
		t.Run(name, func(t *testing.T) {
			k := &keeper{}
			srv := httptest.NewServer(k)
			defer srv.Close()
			e := newEngine(t, client.Options{})
			target := endpoint.Target{Endpoint: metrics.Endpoint{URL: srv.URL + "/v1", Model: "it's a model"},
				Key: secret.NewSecret(key), Auth: endpoint.AuthBearer,
				KeyFrom: "env MY_KEY", Header: map[string]string{"X-Team": "a'b $c"}, Extra: map[string]any{"top_p": 0.5},
				Server: "vllm"}
			s := e.Start(context.Background(), target, metrics.Workload{Prompt: prompt, System: "be 'brief'", MaxTokens: 7})
			<-s.Done()
			text := s.Curl()
			testkit.Given(t, !strings.Contains(text, key) && !strings.Contains(text, key[8:]), "the key is in\n%s", text)
			testkit.Given(t, strings.Contains(text, `-H "Authorization: Bearer $MY_KEY"`), "no variable in\n%.300s", text)
			if _, err := exec.LookPath("curl"); err != nil {
				text = "curl() { for last; do :; done; printf %s \"$last\"; }\n" + text
			}
			cmd := exec.Command("sh")
			cmd.Stdin, cmd.Env = strings.NewReader(text), append(os.Environ(), "MY_KEY="+key, "NO_PROXY=127.0.0.1",
				"no_proxy=127.0.0.1")
			out, err := cmd.CombinedOutput()
			testkit.OK(t, err, out)
			if _, err := exec.LookPath("curl"); err != nil {
				t.Skip("no curl: the shell has taken the command")
			}
			k.mu.Lock()
			defer k.mu.Unlock()
			testkit.Given(t, len(k.seen) == 2 && reflect.DeepEqual(k.seen[0], k.seen[1]),
				"%d requests:\n%.2000v", len(k.seen), k.seen)
			if k.seen[1].auth != "Bearer "+key || k.seen[1].header != "a'b $c" || !strings.Contains(string(out),
				`"content":"hi"`) {
				t.Errorf("%.500v, and the answer %.500s", k.seen[1], out)
			}
		})
	}
}

// TestCurlMasksAKeyInTheBody holds that a key in the prompt is not copied.
func TestCurlMasksAKeyInTheBody(t *testing.T) {
	srv := httptest.NewServer(&keeper{})
	defer srv.Close()
	e := newEngine(t, client.Options{})
	const key = "sk-proj-0123456789abcdefghijklmnopqrstuvwxyz"
	s := e.Start(context.Background(), endpoint.Target{Endpoint: metrics.Endpoint{URL: srv.URL + "/v1", Model: "m"},
		Key: secret.NewSecret(key), Auth: endpoint.AuthBearer}, metrics.Workload{Prompt: "my key is " + key})
	if <-s.Done(); strings.Contains(s.Curl(), key) || !strings.Contains(s.Curl(), "my key is ") ||
		!strings.Contains(s.Curl(), "$API_KEY") {
		t.Error(s.Curl())
	}
}

// TestAStreamHasItsPrice holds that the price of a profile reaches the runs.
func TestAStreamHasItsPrice(t *testing.T) {
	srv := httptest.NewServer(&keeper{})
	defer srv.Close()
	e := newEngine(t, client.Options{})
	r := endpoint.Resolver{Env: func(string) string { return "" },
		Profiles: map[string]endpoint.Profile{"work": {URL: srv.URL + "/v1", Model: "m", PriceIn: 0.5, PriceOut: 2,
			Currency: "EUR"}}}
	target := testkit.Must(r.Resolve("work"))(t)
	testkit.Is(t, ended(e.Start(context.Background(), target, metrics.Workload{Prompt: "Hi"})).Endpoint.Price,
		metrics.Price{In: 0.5, Out: 2, Currency: "EUR"})
}

// TestMessagesAreSent: a conversation is sent as it stands, with the nonce before its first
// text, and so is the copied command.
func TestMessagesAreSent(t *testing.T) {
	const conversation = `[{"role":"system","content":"<b> & é"},{"role":"user","content":[{"type":"text","text":"it's"},` +
		`{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}]},{"role":"assistant","content":null,` +
		`"tool_calls":[{"id":"1","type":"function","function":{"name":"f","arguments":"{\"content\":\"x\"}"}}]},{"role":"odd","content":"18 C"}]`
	const tools = `[{"type":"function","function":{"name":"f","parameters":{"type":"object"}}}]`
	var body string
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, _ := io.ReadAll(r.Body)
		body = string(text)
		r.Body = io.NopCloser(strings.NewReader(body))
		new(keeper).ServeHTTP(w, r)
	}))
	defer srv.Close()
	e := newEngine(t, client.Options{})
	target := endpoint.Target{Endpoint: metrics.Endpoint{URL: srv.URL + "/v1", Model: "m"}, Auth: endpoint.AuthNone}
	s := e.Start(context.Background(), target, metrics.Workload{Messages: conversation, Tools: tools, Nonce: "N"})
	<-s.Done()
	// Merge writes some signs as JSON escapes, which are the same text.
	sent := strings.NewReplacer("<b>", `N\n\n\u003cb\u003e`, "&", `\u0026`).Replace(conversation)
	testkit.That(t, strings.Contains(body, `"messages":`+sent) && strings.Contains(body, `"tools":`+tools),
		"sent %s", body)
	testkit.Has(t, s.Curl(), strings.ReplaceAll(sent, "'", `'\''`))
}

// TestSecretsOfToolsAreSent holds that a server gets what a tool keeps secret. The request
// as it is recorded, and the copied command, have it redacted.
func TestSecretsOfToolsAreSent(t *testing.T) {
	k := &keeper{}
	srv := httptest.NewServer(k)
	defer srv.Close()
	body, err := endpoint.ParseBody([]byte(`{"model":"m","messages":[{"role":"user","content":"Hi"}],"tools":[{"authorization":"zqMcpKeyOne1"}]}`))
	testkit.OK(t, err)
	target, err := (&endpoint.Resolver{Env: func(string) string { return "" },
		Body: &body}).Resolve(srv.URL + "/v1")
	testkit.OK(t, err)
	s := newEngine(t, client.Options{}).Start(t.Context(), target, body.Work)
	<-s.Done()
	sent, _ := json.Marshal(k.seen[len(k.seen)-1].body)
	recorded, _ := json.Marshal(s.Snapshot())
	testkit.That(t, strings.Contains(string(sent), `"tools":[{"authorization":"zqMcpKeyOne1"}]`), "sent %s", sent)
	said := string(recorded) + s.Curl()
	testkit.That(t, !strings.Contains(said, "zqMcp") && strings.Count(said, secret.Redacted) == 2, "recorded: %s", said)
}
