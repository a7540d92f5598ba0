package client_test

import (
	"cmp"
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/coder/websocket"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Responses over a WebSocket: two requests over one connection, with the key in the
// handshake, and what the server refuses there and in a message.
func TestResponsesOverWebSocket(t *testing.T) {
	var mu sync.Mutex // of what the server notes
	var bodies []map[string]any
	handshakes, asked := 0, 0
	var refuse atomic.Int32
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if status := int(refuse.Load()); status > 0 || r.URL.Path != "/v1/responses" {
			http.Error(w, `{"error":{"message":"not here"}}`, cmp.Or(status, http.StatusNotFound))
			return
		}
		mu.Lock()
		handshakes++
		mu.Unlock()
		testkit.Is(t, r.Header.Get("Authorization"), "Bearer key-1234567890", "the handshake has", r.Header)
		conn, err := websocket.Accept(w, r, nil)
		if err != nil {
			t.Error(err)
			return
		}
		defer conn.CloseNow()
		send := func(text string) {
			testkit.OK(t, conn.Write(context.Background(), websocket.MessageText, []byte(text)))
		}
		for {
			_, message, err := conn.Read(context.Background())
			if err != nil {
				return
			}
			var body map[string]any
			testkit.OK(t, json.Unmarshal(message, &body))
			mu.Lock()
			bodies, asked = append(bodies, body), asked+1
			mu.Unlock()
			if body["temperature"] != nil {
				send(`{"type":"error","status":400,"error":{"type":"invalid_request_error",` +
					`"message":"Unsupported parameter: 'temperature' is not supported with this model.","param":"temperature"}}`)
				continue
			}
			if body["input"] == "too much" {
				send(`{"type":"error","status":429,"error":{"code":"rate_limit_exceeded",` +
					`"message":"slower"},"headers":{"retry-after":"7"}}`)
				continue
			}
			for _, event := range []string{
				`{"type":"response.created","sequence_number":0,"response":{"id":"r","model":"m","status":"in_progress"}}`,
				`{"type":"response.output_text.delta","sequence_number":1,"output_index":0,"content_index":0,"item_id":"i","delta":"hi"}`,
				`{"type":"response.completed","sequence_number":2,"response":{"id":"r","model":"m","status":"completed",` +
					`"usage":{"input_tokens":3,"output_tokens":1,"total_tokens":4}}}`,
			} {
				send(event)
			}
		}
	}))
	defer s.Close()
	r := &endpoint.Resolver{Env: func(n string) string { return map[string]string{"K": "key-1234567890"}[n] },
		Flags: endpoint.Flags{Model: "m", APIKeyEnv: "K"}}
	target := testkit.Must(r.Resolve("ws" + strings.TrimPrefix(s.URL, "http") + "/v1/responses"))(t)
	if target.API != "responses-ws" || target.Address() != s.URL+"/v1/responses" {
		t.Fatalf("API %q at %s", target.API, target.Address())
	}
	e := client.New(client.Options{})
	defer e.Close()
	ask := func(w metrics.Workload) metrics.Stream {
		q := e.Start(context.Background(), target, w)
		<-q.Done()
		if curl := q.Curl(); !strings.Contains(curl, "websocat") || !strings.Contains(curl, "'ws://") ||
			strings.Contains(curl, "key-12") {
			t.Errorf("the command is %s", curl)
		}
		return q.Snapshot()
	}
	heat := 0.5
	for i, w := range []metrics.Workload{{Prompt: "say hi"}, {Prompt: "again"}, {Prompt: "warmer", Temperature: &heat}} {
		v := ask(w)
		testkit.That(t, v.Fault == nil && string(v.Text) == "hi" && v.Usage.Completion == 1 && v.State == metrics.Done,
			"request %d: %q, usage %+v, %v", i, v.Text, v.Usage, v.Fault)
		testkit.That(t, v.Conn.Reused == (i > 0) && v.Marks.Upgraded.Known() == (i == 0) && v.Conn.Proto == "WebSocket",
			"request %d: %+v", i, v.Conn)
	}
	mu.Lock()
	first := bodies[0]
	_, streams := first["stream"]
	if handshakes != 1 || asked != 4 || first["type"] != "response.create" || first["input"] != "say hi" ||
		first["store"] != false || streams {
		t.Errorf("%d handshakes, %d requests, the first %v", handshakes, asked, first)
	}
	mu.Unlock()
	v := ask(metrics.Workload{Prompt: "too much"})
	if f := v.Fault; f == nil || f.Kind != metrics.FaultRateLimit || f.Status != 429 || f.RetryAfter.Seconds() != 7 {
		t.Errorf("a refusal in a message: %+v", f)
	}
	for _, status := range []int{http.StatusUpgradeRequired, http.StatusNotFound, http.StatusUnauthorized} {
		e.CloseIdle()
		refuse.Store(int32(status))
		f := ask(metrics.Workload{Prompt: "say hi"}).Fault
		if f == nil || f.Status != status || strings.Contains(f.Next, "--api responses") != slices.Contains([]int{404, 426},
			status) {
			t.Errorf("refused with %d: %+v", status, f)
		}
	}
}
