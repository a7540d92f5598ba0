package client_test

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/endpoint"
)

// TestAPIOfTheAddress: the address, a provider or a flag says which API is spoken, and the
// request is one of it: its path, its headers, its body.
func TestAPIOfTheAddress(t *testing.T) {
	var mu sync.Mutex // of what the server notes
	var path, key, version string
	var body map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost || r.URL.Path == "/messages" {
			http.NotFound(w, r)
			return
		}
		mu.Lock()
		path, key, version, body = r.URL.Path, r.Header.Get("X-Api-Key"), r.Header.Get("Anthropic-Version"), nil
		_ = json.NewDecoder(r.Body).Decode(&body)
		mu.Unlock()
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("event: message_start\ndata: " +
			"{\"type\":\"message_start\",\"message\":{\"id\":\"a\",\"model\":\"m\"}}\n\n" +
			"event: content_block_delta\ndata: " +
			"{\"type\":\"content_block_delta\",\"index\":0,\"delta\":{\"type\":\"text_delta\",\"text\":\"hi\"}}\n\n" +
			"event: message_delta\ndata: " +
			"{\"type\":\"message_delta\",\"delta\":{\"stop_reason\":\"end_turn\"},\"usage\":{\"output_tokens\":1}}\n\n" +
			"event: message_stop\ndata: {\"type\":\"message_stop\"}\n\n"))
	}))
	defer s.Close()
	for typed, api := range map[string]string{s.URL: "messages", s.URL + "/v1/messages": "", s.URL + "/v1": "messages"} {
		work := metrics.Workload{Prompt: "say hi", System: "be brief", MaxTokens: 7}
		v := asked(t, typed, "key-1234567890", endpoint.Flags{API: api}, work).Snapshot()
		mu.Lock()
		testkit.That(t, path == "/v1/messages" && key == "key-1234567890" && version != "",
			"%s: path %s, key %s, version %s", typed, path, key, version)
		testkit.That(t, body["system"] == "be brief" && body["max_tokens"] == 7.0 && body["stream"] == true,
			"%s: body %v", typed, body)
		mu.Unlock()
		testkit.That(t, v.Fault == nil && string(v.Text) == "hi" && v.Endpoint.API == "messages" && v.Finish == "end_turn",
			"%s: %q, API %q, finish %q, %v", typed, v.Text, v.Endpoint.API, v.Finish, v.Fault)
	}
	other := &endpoint.Resolver{Flags: endpoint.Flags{}}
	chosen := testkit.Must(other.ForEndpoint(metrics.Endpoint{Kind: metrics.EndpointURL, URL: s.URL + "/v1",
		API: "messages"}))(t)
	if chosen.API != "messages" || chosen.Auth != endpoint.AuthX || chosen.Address() != s.URL+"/v1/messages" {
		t.Errorf("an endpoint of another run: API %q, auth %s, %s", chosen.API, chosen.Auth, chosen.Address())
	}
	r := &endpoint.Resolver{Flags: endpoint.Flags{API: "mesages"}}
	_, err := r.Resolve(s.URL)
	testkit.That(t, err != nil, "an API that does not exist is taken")
}

// TestVersionOfMessages: a temperature needs the older version of the API, and the record
// says what was sent that nobody asked for, and what was not sent.
func TestVersionOfMessages(t *testing.T) {
	var head http.Header
	var body map[string]any
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		head, body = r.Header.Clone(), nil
		_ = json.NewDecoder(r.Body).Decode(&body)
		w.Header().Set("Content-Type", "text/event-stream")
		_, _ = w.Write([]byte("data: {\"type\":\"content_block_delta\",\"delta\":{\"text\":\"hi\"}}\n\ndata: " +
			"{\"type\":\"message_stop\"}\n\n"))
	}))
	defer s.Close()
	warm, seed := 0.0, 7
	for _, c := range []struct {
		name    string
		w       metrics.Workload
		key     string
		headers []string
		version string
		notes   []string
	}{
		{"plain", metrics.Workload{MaxTokens: 9}, "key-1234567890", nil, "2026-10-21", nil},
		{"a temperature", metrics.Workload{MaxTokens: 9, Temperature: &warm}, "key-1234567890", nil, "2023-06-01",
			[]string{"api_version"}},
		{"a version of one's own", metrics.Workload{MaxTokens: 9, Temperature: &warm}, "key-1234567890",
			[]string{"Anthropic-Version: 2"}, "2", nil},
		{"a seed, no bound", metrics.Workload{Seed: &seed}, "sk-ant-oat01-1234567890", nil, "2026-10-21",
			[]string{"no_seed", "bound_set"}},
	} {
		c.w.Prompt = "say hi"
		q := asked(t, s.URL, c.key, endpoint.Flags{API: "messages", Headers: c.headers}, c.w)
		v, curl := q.Snapshot(), q.Curl()
		if got := head.Get("Anthropic-Version"); got != c.version ||
			!strings.Contains(curl, "Anthropic-Version: "+c.version) {
			t.Errorf("%s: version %s, want %s; %s", c.name, got, c.version, curl)
		}
		token := strings.HasPrefix(c.key, "sk-ant-oat")
		testkit.That(t, head.Get("X-Api-Key") == "" == token && head.Get("Authorization") == "" != token,
			"%s: the key came as %v", c.name, head)
		testkit.That(t, body["seed"] == nil && (body["temperature"] != nil) == (c.w.Temperature != nil),
			"%s: %v", c.name, body)
		var notes []string
		for _, n := range v.Notes {
			notes = append(notes, n.Code)
		}
		testkit.That(t, slices.Equal(notes, c.notes), "%s: notes %v, want %v", c.name, notes, c.notes)
	}
}
