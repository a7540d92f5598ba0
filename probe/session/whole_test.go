package session

import (
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim"
)

// wholeFrom asks for an answer without a stream.
func wholeFrom(t *testing.T, h http.Handler, api *dialect.API, w *metrics.Workload) (status int, doc map[string]any) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	params := &dialect.Params{MaxField: api.Bound}
	_, body, err := api.Write(params, w.Name, w, nil)
	testkit.OK(t, err)
	var fields map[string]any
	testkit.OK(t, json.Unmarshal(body, &fields))
	delete(fields, "stream")
	delete(fields, "stream_options")
	delete(fields, "type")
	if strings.HasPrefix(api.Name, "ollama") {
		fields["stream"] = false
	}
	address := strings.Replace(api.URL(server.URL+api.Version, w.Name), ":streamGenerateContent?alt=sse",
		":generateContent", 1)
	r := testkit.Must(http.Post(address, "application/json",
		strings.NewReader(string(testkit.Must(json.Marshal(fields))(t)))))(t)
	defer func() { _ = r.Body.Close() }()
	answer := testkit.Must(io.ReadAll(r.Body))(t)
	if err := json.Unmarshal(answer, &doc); err != nil || r.Header.Get("Content-Type") != "application/json" {
		t.Fatalf("%s: %v, %v\n%.400s", api.Name, err, r.Header, answer)
	}
	return r.StatusCode, doc
}

// TestWholeIsTheServers: the whole answer of a recorded stream is the one that its server gives
// to the same question: thinking, text, a call, usage and end, in every API. Identifiers
// and times differ; the server's own figures are in none.
func TestWholeIsTheServers(t *testing.T) {
	key := func(names string) func(cmp.Path) bool {
		return func(p cmp.Path) bool {
			key, ok := p.Last().(cmp.MapIndex)
			return ok && (strings.Contains(names, " "+key.Key().String()+" "))
		}
	}
	differ := cmp.FilterPath(key(" id call_id created created_at responseId signature total_duration "+
		"prompt_eval_duration eval_duration "),
		cmp.Comparer(func(a, b any) bool { return a != nil && b != nil }))
	own := cmp.FilterPath(key(" metrics "), cmp.Ignore())
	for _, about := range []struct {
		scenario, model, tools string
		most                   int
	}{
		{"", "llama-3.1-8b@h100", "", 0},
		{"", "qwen3-8b@h100", "", 60},
		{`tool trip {"city": "Oslo", "days": 3}`, "qwen3-8b@h100",
			`[{"type":"function","function":{"name":"trip","parameters":{"type":"object"}}}]`, 0},
	} {
		srv := testkit.Must(sim.Start(sim.Options{Speed: 1000, NoPrefixCache: true, Scenario: about.scenario}))(t)
		for _, name := range dialect.Names() {
			if (name == "completions" || name == "ollama-generate") && about.tools != "" {
				continue // they have no tools
			}
			flags := endpoint.Flags{API: name, Model: about.model}
			w := metrics.Workload{Name: about.model, Prompt: "Tea?", Tools: metrics.Raw(about.tools), MaxTokens: about.most}
			rec, v := askedIn(t, flags, w, false, srv.Handler())
			testkit.Need(t, v.State, metrics.Done, name, v.Fault)
			api := dialect.Speaks(name)
			status, want := wholeFrom(t, srv.Handler(), api, &w)
			got, answer := wholeFrom(t, testkit.Must(NewHandler(0, rec))(t), api, &w)
			if diff := cmp.Diff(want, answer, differ, own); diff != "" || status != got {
				t.Errorf("%s, %s, tools %q: status %d, want %d (-want +got)\n%s", name, about.model, about.tools, got, status, diff)
			}
		}
		testkit.OK(t, srv.Close(t.Context()))
	}
}
