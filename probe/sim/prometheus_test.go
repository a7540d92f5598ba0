package sim

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestPrometheus(t *testing.T) {
	s := start(t, Options{})
	stream(t, s, `"max_tokens":20`)
	resp, err := http.Get(strings.TrimSuffix(s.URL(), "/v1") + "/metrics")
	if err != nil {
		t.Fatal(err)
	}
	defer resp.Body.Close()
	raw, err := io.ReadAll(resp.Body)
	if err != nil {
		t.Fatal(err)
	}
	page := string(raw)
	label := `{model_name="` + DefaultModel + `"}`
	for _, c := range []string{
		"vllm:num_requests_running" + label + " 0",
		"vllm:num_requests_waiting" + label + " 0",
		"vllm:kv_cache_usage_perc" + label + " 0",
		"vllm:generation_tokens_total" + label + " 20",
		"vllm:time_to_first_token_seconds_count" + label + " 1",
		"vllm:time_per_output_token_seconds_count" + label + " 19",
		`vllm:time_per_output_token_seconds_bucket{model_name="` + DefaultModel + `",le="+Inf"} 19`,
		"vllm:request_success_total" + label + " 1",
		"# TYPE vllm:e2e_request_latency_seconds histogram",
	} {
		if !strings.Contains(page, c+"\n") {
			t.Errorf("no line %q", c)
		}
	}
	if t.Failed() {
		t.Log(page)
	}
}
