package app

import (
	"bytes"
	"encoding/json"
	"io"
	"io/fs"
	"math"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// Words of the test's client and server that must be found nowhere.
const (
	tapKey    = "sk-ant-h5Kq9-zWm2_Tx7Lp4Rv8"
	tapPrompt = "a prompt that nobody else may read"
	tapAnswer = "an answer that nobody else may read"
)

// init makes this binary, under the name of a client, ask twice as that does.
func init() {
	if filepath.Base(os.Args[0]) != "claude" {
		return
	}
	for _, path := range []string{"/v1/messages?beta=true", "/v1/messages?fails=" + tapKey} {
		req, err := http.NewRequest(http.MethodPost, os.Getenv("ANTHROPIC_BASE_URL")+path,
			strings.NewReader(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"`+tapPrompt+`"}]}`))
		if err != nil {
			os.Exit(2)
		}
		req.Header.Set("X-Api-Key", tapKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			os.Exit(3)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	os.Exit(7)
}

// saysTurn writes events of the Messages API.
func saysTurn(w http.ResponseWriter, events ...string) {
	for _, event := range events {
		_, _ = io.WriteString(w, "event: "+strings.SplitN(event, `"`, 5)[3]+"\ndata: "+event+"\n\n")
	}
	_ = http.NewResponseController(w).Flush()
}

// TestTappedClient holds that a client behind `tokscope tap` reaches the base URL that it would
// have asked, with its own key; that neither this key nor a word of what is said stands in a
// line, a document or any file; that its turns are on the page of Prometheus, while the collector
// of its environment gets nothing; and that their cost is that of the prices which a profile has
// for that model at that host.
func TestTappedClient(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no link to this binary")
	}
	var paths []string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		testkit.Is(t, r.Header.Get("X-Api-Key"), tapKey, "the key did not pass")
		if r.URL.Query().Has("fails") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"authentication_error","message":"no `+tapKey+`"}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		saysTurn(w,
			`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":100,"cache_read_input_tokens":9000,"cache_creation_input_tokens":900,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"`+tapAnswer+`"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`,
			`{"type":"message_stop"}`)
	}))
	defer upstream.Close()
	home := t.TempDir()
	client := filepath.Join(home, "claude")
	testkit.OK(t, os.Symlink(testkit.Must(filepath.Abs(os.Args[0]))(t), client))
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home,
		"CLAUDE_CONFIG_DIR": home, "ANTHROPIC_BASE_URL": upstream.URL + "/team", "OTEL_EXPORTER_OTLP_ENDPOINT": upstream.URL,
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"} {
		t.Setenv(name, value)
	}
	config := filepath.Join(home, "prices.toml")
	testkit.OK(t, os.WriteFile(config, []byte("[profile.mine]\nurl = \""+upstream.URL+"/v1\"\ncurrency = \"EUR\"\n"+
		"prices = { m = { in = 10, out = 50, cache_read = 1, cache_write = 12.5 } }\n"), 0o600))
	tp := testkit.Must(OpenTap(t.Context(), Tapping{Words: []string{client}, ConfigPath: config, Env: os.Getenv,
		Version: "v",
		Export:  metrics.Export{Enabled: true, MetricsAddr: "127.0.0.1:0"}}))(t)
	if code, err := tp.Run(); code != 7 || err != nil {
		t.Fatalf("exit code %d, %v", code, err)
	}
	testkit.OK(t, tp.End())
	v := tp.View(false)
	testkit.Given(t, len(v.Turns) == 2 && v.Turns[0].Stream().State == metrics.Done && v.Turns[1].Stream().Fault != nil,
		"%d turns of %q", len(v.Turns), paths)
	testkit.Is(t, strings.Join(paths, " "), "/team/v1/messages /team/v1/messages", "asked")
	var said bytes.Buffer
	for i := range v.Turns {
		tp.Record(&v.Turns[i])
		tp.Export(&v.Turns[i])
		testkit.OK(t, tp.WriteTurn(&said, &v, i, "failed"))
	}
	page, lines := scraped(t, &App{exports: exports{exporter: tp.exporter}}), said.Len()
	testkit.OK(t, tp.WriteEnd(&said, &v))
	for name, want := range map[string]float64{"tokscope_requests_total": 2,
		"gen_ai_client_inference_usage_input_tokens_total":             10_000,
		"gen_ai_client_inference_usage_cache_read_input_tokens_total":  9000,
		"gen_ai_client_inference_usage_cache_write_input_tokens_total": 900,
		"gen_ai_client_inference_usage_output_tokens_total":            20} {
		testkit.Is(t, total(page, name), want, name)
	}
	if !strings.Contains(page, `activity="wait"`) || !strings.Contains(page, `workload="tap"`) ||
		strings.Contains(page, "claude") {
		t.Errorf("the page is %s", page)
	}
	var doc struct {
		Cost  map[string]any
		Turns []struct{ Cost *struct{ Total float64 } }
	}
	testkit.OK(t, json.Unmarshal(said.Bytes()[lines:], &doc))
	for name, want := range map[string]float64{"input": 100 * 10, "cache_read": 9000 * 1, "cache_write": 900 * 12.5,
		"output": 20 * 50,
		"total":  100*10 + 9000*1 + 900*12.5 + 20*50} {
		got, _ := doc.Cost[name].(float64)
		testkit.That(t, math.Abs(got*1e6-want) <= want/1e6, "%s costs %v, want %v", name, got, want/1e6)
	}
	if len(doc.Turns) != 2 || doc.Turns[0].Cost == nil || doc.Turns[1].Cost != nil || doc.Cost["currency"] != "EUR" ||
		doc.Cost["turns"] != 1.0 {
		t.Errorf("the document has %+v", doc)
	}
	if notes := tp.Close(); len(notes) > 0 {
		t.Error(notes)
	}
	found, kept := said.String()+page, 0
	testkit.OK(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		kept += strings.Count(string(text), `"kind":"tap"`)
		found += string(text)
		return err
	}))
	testkit.Is(t, kept, 2, "the history has … turns")
	testkit.Lacks(t, found, tapKey, "zWm2", tapPrompt, tapAnswer, "nobody")
}
