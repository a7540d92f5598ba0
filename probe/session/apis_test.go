package session

import (
	"context"
	"encoding/json"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/dialect"
	"tokscope/probe/endpoint"
	"tokscope/probe/result"
)

// apiForms are the content types of the fixtures of the APIs that send no events.
var apiForms = map[string]string{"ollama": "application/x-ndjson", "ollama-generate": "application/x-ndjson",
	"gemini-array": "application/json"}

// canon is what the fixtures answer.
var canon = metrics.Workload{Name: "chat", Prompt: "Tea?", MaxTokens: 100}

// askedIn records one request to h, and returns its file and the stream.
func askedIn(t *testing.T, flags endpoint.Flags, w metrics.Workload, raw bool, h http.Handler) (*Recording,
	metrics.Stream) {
	t.Helper()
	server := httptest.NewServer(h)
	defer server.Close()
	resolver := &endpoint.Resolver{Env: func(string) string { return "" }, Flags: flags}
	target := testkit.Must(resolver.Resolve(server.URL))(t)
	file := testkit.Must(Create(t.TempDir(), Options{Version: "test", Started: time.Now(), Raw: raw}))(t)
	e := client.New(client.Options{NoPathProbe: true})
	e.AddSink(file)
	s := e.Start(context.Background(), target, w)
	<-s.Done()
	v := s.Snapshot()
	e.Close()
	testkit.OK(t, file.Close())
	return testkit.Must(Open(file.Path(), nil))(t), v
}

// sameAnswer reports whether two streams have the same chunks, ends and counts.
func sameAnswer(a, b *metrics.Stream) bool {
	return a.State == b.State && string(a.Text) == string(b.Text) && a.Finish == b.Finish &&
		countsOf(&a.Usage) == countsOf(&b.Usage) &&
		slices.EqualFunc(a.Chunks, b.Chunks, func(x, y metrics.Chunk) bool {
			return x.Kind == y.Kind && x.TextEnd == y.TextEnd && x.Name == y.Name
		})
}

// has reports whether a document holds text as a string, or as JSON.
func has(doc any, text string) bool {
	switch x := doc.(type) {
	case map[string]any:
		var same any
		return json.Unmarshal([]byte(text), &same) == nil && reflect.DeepEqual(doc, same) ||
			slices.ContainsFunc(slices.Collect(maps.Values(x)), func(v any) bool { return has(v, text) })
	case []any:
		return slices.ContainsFunc(x, func(v any) bool { return has(v, text) })
	}
	return doc == text
}

// TestRecordingsOfAllAPIs: a recording of each API is replayed as it was, served to a client of
// that API as it was recorded, with the body's bytes or without, as a stream and whole, and
// shared with the same counts and no text.
func TestRecordingsOfAllAPIs(t *testing.T) {
	files := testkit.Must(filepath.Glob("../dialect/testdata/apis/*.body"))(t)
	for _, path := range files {
		name := strings.TrimSuffix(filepath.Base(path), ".body")
		api := strings.TrimSuffix(name, "-array")
		if strings.HasSuffix(api, "-ws") || dialect.Speaks(api) == nil {
			continue
		}
		body := testkit.Must(os.ReadFile(path))(t)
		for _, raw := range []bool{false, true} {
			rec, first := askedIn(t, endpoint.Flags{API: api, Model: "canon-1"}, canon, raw,
				http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
					if r.Method != http.MethodPost {
						http.NotFound(w, r)
						return
					}
					kind := "text/event-stream"
					if form := apiForms[name]; form != "" {
						kind = form
					}
					w.Header().Set("Content-Type", kind)
					_, _ = w.Write(body)
				}))
			testkit.Given(t, first.State == metrics.Done && len(first.Chunks) >= 20,
				"%s: %v, %d chunks, %v", name, first.State, len(first.Chunks), first.Fault)
			replayed := StreamOf(rec.Requests[0])
			if v := replayed.Final(); replayed.Missing != "" || !sameAnswer(&first, &v) {
				t.Errorf("%s, raw %v: replayed %v %q, %+v", name, raw, v.State, v.Text, countsOf(&v.Usage))
			}
			_, again := askedIn(t, endpoint.Flags{API: api, Model: "canon-1"}, canon, false,
				testkit.Must(NewHandler(0, rec))(t))
			if !sameAnswer(&first, &again) {
				t.Errorf("%s, raw %v: served %v %q, finish %q, %+v, %+v\nof %q", name, raw, again.State, again.Text, again.Finish,
					countsOf(&again.Usage), again.Fault, first.Text)
			}
			status, doc := wholeFrom(t, testkit.Must(NewHandler(0, rec))(t), dialect.Speaks(api), &canon)
			texts, calls := result.TextsOf(&first)
			for _, call := range calls {
				texts[metrics.ToolCall] = call.Arguments
			}
			for kind, text := range texts {
				testkit.That(t, has(doc, string(text)) && status == http.StatusOK,
					"%s, raw %v: status %d, no %v %q in %v", name, raw, status, kind, text, doc)
			}
			var out strings.Builder
			testkit.OK(t, Share(&out, rec, false))
			to := testkit.Must(Open("-", strings.NewReader(out.String())))(t)
			v := StreamOf(to.Requests[0]).Final()
			a, b := metrics.Measure(&first, metrics.Options{}), metrics.Measure(&v, metrics.Options{})
			if v.State != first.State || len(v.Chunks) != len(first.Chunks) || a.Tokens != b.Tokens || a.TTFT != b.TTFT ||
				a.TPOT != b.TPOT ||
				a.Reasoning.Tokens != b.Reasoning.Tokens || v.Endpoint.API != first.Endpoint.API {
				t.Errorf("%s: shared %v in %q, %d chunks of %d, tokens %v, TTFT %v, TPOT %v (was %v %v %v)", name, v.State,
					v.Endpoint.API, len(v.Chunks), len(first.Chunks),
					b.Tokens, b.TTFT, b.TPOT, a.Tokens, a.TTFT, a.TPOT)
			}
			testkit.That(t, !strings.Contains(out.String(), "kettle") && !strings.Contains(out.String(), "canon-1"),
				"%s: a text is in the shared file", name)
		}
	}
}
