package sim

import (
	"context"
	"net/http"
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// page is /metrics as a strict scraper reads it.
type page struct{ probetest.MetricsPage }

// scrape reads /metrics as a scraper with this Accept header.
func scrape(t *testing.T, h http.Handler, accept string) page {
	t.Helper()
	w := answered(h, recorded("GET", "/metrics", ""), "Accept", accept)
	open := strings.Contains(accept, "openmetrics")
	want := "text/plain; version=0.0.4; charset=utf-8"
	if open {
		want = "application/openmetrics-text; version=1.0.0; charset=utf-8"
	}
	testkit.Is(t, w.Header().Get("Content-Type"), want, accept, "gets")
	return page{probetest.ReadMetrics(t, w.Body.String(), open)}
}

// value returns the value of a series.
func (p *page) value(t *testing.T, name, labels string) float64 {
	t.Helper()
	v, ok := p.Samples[name+"{"+labels+"}"]
	testkit.That(t, ok, "no %s{%s}", name, labels)
	return v
}

const ours = `engine="0",model_name="` + DefaultModel + `"`

// The metrics have vLLM's names and labels, and count what was done.
func TestPrometheus(t *testing.T) {
	_, h := served(t, Options{})
	long := strings.Repeat("word ", 100)
	for _, body := range []string{
		`{"messages":[{"role":"user","content":"` + long + `"}],"max_tokens":20}`,
		`{"messages":[{"role":"user","content":"` + long + `"}],"max_tokens":30,"n":2}`,
		`{"messages":[{"role":"user","content":"x"}]}`,
	} {
		if w := answered(h, recorded("POST", "/v1/chat/completions", body)); w.Code != 200 {
			t.Fatal(w.Body)
		}
	}
	p := scrape(t, h, "")
	generated := p.value(t, "vllm:generation_tokens_total", ours)
	last := generated - 80
	for _, c := range []struct {
		name, labels string
		want         float64
	}{
		{"vllm:num_requests_running", ours, 0},
		{"vllm:num_requests_waiting", ours, 0},
		{"vllm:kv_cache_usage_perc", ours, 0},
		{"vllm:num_preemptions_total", ours, 0},
		{"vllm:request_success_total", `engine="0",finished_reason="length",model_name="` + DefaultModel + `"`, 3},
		{"vllm:request_success_total", `engine="0",finished_reason="stop",model_name="` + DefaultModel + `"`, 1},
		{"vllm:request_success_total", `engine="0",finished_reason="abort",model_name="` + DefaultModel + `"`, 0},
		{"vllm:request_success_total", `engine="0",finished_reason="error",model_name="` + DefaultModel + `"`, 0},
		{"vllm:time_to_first_token_seconds_count", ours, 4},
		{"vllm:inter_token_latency_seconds_count", ours, generated - 4},
		{"vllm:request_time_per_output_token_seconds_count", ours, 4},
		{"vllm:e2e_request_latency_seconds_count", ours, 4},
		{"vllm:request_inference_time_seconds_count", ours, 4},
		{"vllm:request_generation_tokens_sum", ours, generated},
		{"vllm:request_max_num_generation_tokens_count", ours, 3},
		{"vllm:request_max_num_generation_tokens_sum", ours, 50 + last},
		{"vllm:request_params_n_sum", ours, 4},
		{"vllm:request_params_n_count", ours, 3},
		{"vllm:request_params_max_tokens_sum", ours, 80},
		{"vllm:request_params_max_tokens_count", ours, 3},
		{"vllm:spec_decode_num_drafts_total", ours, 0},
		{"vllm:request_prompt_tokens_sum", ours, p.value(t, "vllm:prompt_tokens_total", ours)},
		{"vllm:prefix_cache_queries_total", ours, p.value(t, "vllm:prompt_tokens_total", ours)},
		{"vllm:prefix_cache_hits_total", ours, p.value(t, "vllm:prompt_tokens_cached_total", ours)},
		{"vllm:prompt_tokens_by_source_total", ours + `,source="local_cache_hit"`, p.value(t, "vllm:prefix_cache_hits_total",
			ours)},
		{"vllm:iteration_tokens_total_sum", ours, p.value(t, "vllm:request_prefill_kv_computed_tokens_sum",
			ours) + generated},
		{"vllm:cache_config_info", `block_size="16",enable_prefix_caching="True",engine="0",model_name="` + DefaultModel +
			`",num_gpu_blocks="` + strconv.Itoa(blocksOf(t)) + `"`, 1},
	} {
		testkit.Is(t, p.value(t, c.name, c.labels), c.want, c.name, c.labels)
	}
	hits := p.value(t, "vllm:prefix_cache_hits_total", ours)
	testkit.That(t, hits >= 96, "%v tokens found in the cache", hits)
	testkit.Is(t, p.Kinds["vllm:time_per_output_token_seconds"], "", "a name that vLLM no longer has")
}

func blocksOf(t *testing.T) int {
	f := testkit.Must(find(nil, DefaultModel))(t)
	return f.setup.Capacity / 16
}

// A scraper that prefers OpenMetrics gets it: the same values in other forms.
func TestOpenMetrics(t *testing.T) {
	s, h := served(t, Options{})
	if w := answered(h, recorded("POST", "/v1/chat/completions", oneToken)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	plain, open := scrape(t, h, "text/plain"), scrape(t, h, "application/openmetrics-text")
	created := 0
	for sample, v := range open.Samples {
		name, labels, _ := strings.Cut(strings.TrimSuffix(sample, "}"), "{")
		if !strings.HasSuffix(name, "_created") {
			testkit.Is(t, plain.value(t, name, labels), v, sample, "…, as text")
			continue
		}
		created++
		at := time.UnixMilli(int64(v * 1e3))
		testkit.That(t, !at.Before(s.started.Add(-time.Second)) && !at.After(time.Now()), "%s: %v", sample, at)
	}
	testkit.That(t, created != 0 && len(open.Samples)-created == len(plain.Samples),
		"%d series and %d moments, as text %d", len(open.Samples)-created, created, len(plain.Samples))
	if open.Kinds["vllm:request_success"] != "counter" || plain.Kinds["vllm:request_success_total"] != "counter" {
		t.Error("the families of counters have other names")
	}
}

// A server without a prefix cache looks for nothing in it.
func TestNoPrefixCacheIsNotQueried(t *testing.T) {
	_, h := served(t, Options{NoPrefixCache: true})
	if w := answered(h, recorded("POST", "/v1/chat/completions", oneToken)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	p := scrape(t, h, "")
	config := `block_size="16",enable_prefix_caching="False",engine="0",model_name="` + DefaultModel +
		`",num_gpu_blocks="` + strconv.Itoa(blocksOf(t)) + `"`
	n := p.value(t, "vllm:prefix_cache_queries_total", ours)
	testkit.That(t, n == 0 && p.value(t, "vllm:cache_config_info", config) == 1, "%v tokens looked for", n)
}

// Drafts are counted as vLLM counts them. An answer has at least one token of
// its own per step.
func TestDraftsAreCounted(t *testing.T) {
	_, h := served(t, Options{Model: "llama-3.3-70b@4xh100+draft"})
	if w := answered(h, recorded("POST", "/v1/chat/completions",
		`{"messages":[{"role":"user","content":"x"}],"max_tokens":200}`)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	p := scrape(t, h, "")
	const labels = `engine="0",model_name="llama-3.3-70b@4xh100+draft"`
	drafts, guessed, accepted := p.value(t, "vllm:spec_decode_num_drafts_total", labels),
		p.value(t, "vllm:spec_decode_num_draft_tokens_total", labels),
		p.value(t, "vllm:spec_decode_num_accepted_tokens_total", labels)
	steps := p.value(t, "vllm:inter_token_latency_seconds_count", labels)
	if drafts < 50 || guessed < drafts || guessed > 3*drafts || accepted >= guessed || accepted+steps+1 != 200 {
		t.Errorf("%v drafts of %v tokens, %v accepted in %v steps", drafts, guessed, accepted, steps)
	}
}

// A client that hangs up is an abort.
func TestAbortsAreCounted(t *testing.T) {
	s := start(t, Options{Speed: .01})
	ctx, cancel := context.WithCancel(t.Context())
	req := testkit.Must(http.NewRequestWithContext(ctx, "POST", s.URL()+"/chat/completions",
		strings.NewReader(ask+`,"stream":true}`)))(t)
	req.Header.Set("Content-Type", "application/json")
	resp := testkit.Must(http.DefaultClient.Do(req))(t)
	cancel()
	resp.Body.Close()
	labels := `engine="0",finished_reason="abort",model_name="` + DefaultModel + `"`
	for range 500 {
		if p := scrape(t, s.Handler(), ""); p.value(t, "vllm:request_success_total", labels) == 1 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Error("no abort was counted")
}
