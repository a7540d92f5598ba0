package app

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// TestTapExportsAndCosts holds that turns of a tapped client are on the page of Prometheus, that
// the collector of its environment gets nothing, and that their cost is that of the prices which a
// profile has for that model at that host.
func TestTapExportsAndCosts(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no link to this binary")
	}
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != "/v1/messages" {
			t.Errorf("the collector of the client got %s", r.URL.Path)
		}
		if r.URL.Query().Has("fails") {
			w.WriteHeader(http.StatusTooManyRequests)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":100,"cache_read_input_tokens":9000,"cache_creation_input_tokens":900,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + tapAnswer + `"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":20}}`,
			`{"type":"message_stop"}`,
		} {
			_, _ = io.WriteString(w, "event: "+strings.SplitN(event, `"`, 5)[3]+"\ndata: "+event+"\n\n")
		}
	}))
	defer upstream.Close()
	home := t.TempDir()
	client := filepath.Join(home, "claude")
	testkit.OK(t, os.Symlink(testkit.Must(filepath.Abs(os.Args[0]))(t), client))
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home,
		"CLAUDE_CONFIG_DIR": home, "ANTHROPIC_BASE_URL": upstream.URL, "OTEL_EXPORTER_OTLP_ENDPOINT": upstream.URL,
		"OTEL_EXPORTER_OTLP_PROTOCOL": "grpc", "OTEL_SEMCONV_STABILITY_OPT_IN": "gen_ai_latest_experimental"} {
		t.Setenv(name, value)
	}
	config := filepath.Join(home, "prices.toml")
	testkit.OK(t, os.WriteFile(config, []byte("[profile.mine]\nurl = \""+upstream.URL+"/v1\"\ncurrency = \"EUR\"\n"+
		"prices = { m = { in = 10, out = 50, cache_read = 1, cache_write = 12.5 } }\n"), 0o600))
	tp := testkit.Must(OpenTap(t.Context(), Tapping{Words: []string{client}, ConfigPath: config, Env: os.Getenv, Version: "v",
		Export: Export{Enabled: true, MetricsAddr: "127.0.0.1:0"}}))(t)
	if code, err := tp.Run(); code != 7 || err != nil {
		t.Fatalf("exit code %d, %v", code, err)
	}
	testkit.OK(t, tp.End())
	v := tp.View(false)
	for i := range v.Turns {
		tp.Record(&v.Turns[i])
		tp.Export(&v.Turns[i])
	}
	page := scraped(t, &App{exports: exports{exporter: tp.exporter}})
	for name, want := range map[string]float64{"tokscope_requests_total": 2,
		"gen_ai_client_inference_usage_input_tokens_total": 10_000, "gen_ai_client_inference_usage_cache_read_input_tokens_total": 9000,
		"gen_ai_client_inference_usage_cache_write_input_tokens_total": 900, "gen_ai_client_inference_usage_output_tokens_total": 20} {
		if got := total(page, name); got != want {
			t.Errorf("%s is %v, want %v", name, got, want)
		}
	}
	if !strings.Contains(page, `activity="wait"`) || !strings.Contains(page, `workload="tap"`) || strings.Contains(page, "claude") {
		t.Errorf("the page is %s", page)
	}
	var doc bytes.Buffer
	testkit.OK(t, tp.WriteEnd(&doc, &v))
	var got struct {
		Cost  map[string]any
		Turns []struct{ Cost *struct{ Total float64 } }
	}
	testkit.OK(t, json.Unmarshal(doc.Bytes(), &got))
	near := func(name string, v any, want float64) {
		if f, ok := v.(float64); !ok || f < want*0.999999 || f > want*1.000001 {
			t.Errorf("%s is %v, want %v", name, v, want)
		}
	}
	near("input", got.Cost["input"], 100*10/1e6)
	near("cache reads", got.Cost["cache_read"], 9000*1/1e6)
	near("cache writes", got.Cost["cache_write"], 900*12.5/1e6)
	near("output", got.Cost["output"], 20*50/1e6)
	near("total", got.Cost["total"], (100*10+9000*1+900*12.5+20*50)/1e6)
	if len(got.Turns) != 2 || got.Turns[0].Cost == nil || got.Turns[1].Cost != nil || got.Cost["currency"] != "EUR" || got.Cost["turns"] != 1.0 {
		t.Errorf("the document has %+v", got)
	}
	if notes := tp.Close(); len(notes) > 0 {
		t.Error(notes)
	}
}
