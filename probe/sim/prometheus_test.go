package sim

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// series is one line of /metrics.
type series struct {
	name, labels string
	value        float64
}

// page is /metrics, parsed strictly.
type page struct {
	kinds map[string]string // by family
	all   []series
	eof   bool
}

var (
	sampleForm = regexp.MustCompile(`^([a-zA-Z_:][a-zA-Z0-9_:]*)\{((?:[a-z_]+="[^"\\\n]*",?)+)\} ([0-9.e+-]+|\+Inf)$`)
	suffixes   = map[string][]string{"gauge": {""}, "counter": {"_total"}, "histogram": {"_bucket", "_count", "_sum"}}
)

// scrape reads /metrics as a scraper with this Accept header.
func scrape(t *testing.T, h http.Handler, accept string) page {
	t.Helper()
	w := answered(h, recorded("GET", "/metrics", ""), "Accept", accept)
	kind, open := w.Header().Get("Content-Type"), strings.Contains(accept, "openmetrics")
	if want := map[bool]string{true: "application/openmetrics-text; version=1.0.0; charset=utf-8", false: "text/plain; version=0.0.4; charset=utf-8"}[open]; kind != want {
		t.Errorf("%q gets %q", accept, kind)
	}
	p := page{kinds: map[string]string{}}
	family := ""
	for line := range strings.Lines(w.Body.String()) {
		line = strings.TrimSuffix(line, "\n")
		word := strings.SplitN(line, " ", 4)
		switch {
		case p.eof:
			t.Errorf("%q after the end", line)
		case line == "# EOF":
			p.eof = true
		case word[0] == "#" && word[1] == "HELP":
			family = word[2]
			if p.kinds[family] != "" || len(word) < 4 {
				t.Errorf("%q twice or without words", line)
			}
		case word[0] == "#" && word[1] == "TYPE":
			testkit.Is(t, word[2], family, line, "after the help of")
			p.kinds[family] = word[3]
		default:
			m := sampleForm.FindStringSubmatch(line)
			if m == nil {
				t.Errorf("%q is no sample", line)
				continue
			}
			v, err := strconv.ParseFloat(m[3], 64)
			testkit.Is(t, err, nil)
			allowed := suffixes[p.kinds[family]]
			if p.kinds[family] == "counter" && !open {
				allowed = []string{""}
			}
			if open && p.kinds[family] != "gauge" {
				allowed = append(slices.Clone(allowed), "_created")
			}
			if rest, ok := strings.CutPrefix(m[1], family); !ok || !slices.Contains(allowed, rest) {
				t.Errorf("%s is no series of the %s %s", m[1], p.kinds[family], family)
			}
			p.all = append(p.all, series{m[1], m[2], v})
		}
	}
	testkit.Is(t, p.eof, open, accept, "an end")
	return p
}

// value returns the value of a series.
func (p *page) value(t *testing.T, name, labels string) float64 {
	t.Helper()
	for _, s := range p.all {
		if s.name == name && s.labels == labels {
			return s.value
		}
	}
	t.Errorf("no %s{%s}", name, labels)
	return -1
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
		{"vllm:prompt_tokens_by_source_total", ours + `,source="local_cache_hit"`, p.value(t, "vllm:prefix_cache_hits_total", ours)},
		{"vllm:iteration_tokens_total_sum", ours, p.value(t, "vllm:request_prefill_kv_computed_tokens_sum", ours) + generated},
		{"vllm:cache_config_info", `block_size="16",enable_prefix_caching="True",engine="0",model_name="` + DefaultModel + `",num_gpu_blocks="` + strconv.Itoa(blocksOf(t)) + `"`, 1},
	} {
		testkit.Is(t, p.value(t, c.name, c.labels), c.want, c.name, c.labels)
	}
	if hits := p.value(t, "vllm:prefix_cache_hits_total", ours); hits < 96 {
		t.Errorf("%v tokens found in the cache", hits)
	}
	testkit.Is(t, p.kinds["vllm:time_per_output_token_seconds"], "", "a name that vLLM no longer has")
	for family, kind := range p.kinds {
		if kind == "histogram" {
			p.buckets(t, family)
		}
	}
}

func blocksOf(t *testing.T) int {
	f := testkit.Must(find(nil, DefaultModel))(t)
	return f.setup.Capacity / 16
}

// buckets checks that a histogram's buckets rise to its count.
func (p *page) buckets(t *testing.T, family string) {
	t.Helper()
	bound, count := -1.0, 0.0
	for _, s := range p.all {
		if s.name != family+"_bucket" {
			continue
		}
		le, err := strconv.ParseFloat(strings.Split(strings.Split(s.labels, `le="`)[1], `"`)[0], 64)
		if err != nil || le <= bound || s.value < count || !strings.ContainsAny(s.labels, ".+") {
			t.Errorf("%s: %+v after %v with %v", family, s, bound, count)
		}
		bound, count = le, s.value
	}
	if total := p.value(t, family+"_count", ours); total != count || bound < 1e300 {
		t.Errorf("%s: %v in the last bucket up to %v, count %v", family, count, bound, total)
	}
}

// A scraper that prefers OpenMetrics gets it: the same values in other forms.
func TestOpenMetrics(t *testing.T) {
	s, h := served(t, Options{})
	if w := answered(h, recorded("POST", "/v1/chat/completions", oneToken)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	plain, open := scrape(t, h, "text/plain"), scrape(t, h, "application/openmetrics-text")
	created := 0
	for _, x := range open.all {
		if strings.HasSuffix(x.name, "_created") {
			created++
			if at := time.UnixMilli(int64(x.value * 1e3)); at.Before(s.started.Add(-time.Second)) || at.After(time.Now()) {
				t.Errorf("%s: %v", x.name, at)
			}
			continue
		}
		testkit.Is(t, plain.value(t, x.name, x.labels), x.value, x.name, x.labels, "…, as text")
	}
	if created == 0 || len(open.all)-created != len(plain.all) {
		t.Errorf("%d series and %d moments, as text %d", len(open.all)-created, created, len(plain.all))
	}
	if open.kinds["vllm:request_success"] != "counter" || plain.kinds["vllm:request_success_total"] != "counter" {
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
	config := `block_size="16",enable_prefix_caching="False",engine="0",model_name="` + DefaultModel + `",num_gpu_blocks="` + strconv.Itoa(blocksOf(t)) + `"`
	if n := p.value(t, "vllm:prefix_cache_queries_total", ours); n != 0 || p.value(t, "vllm:cache_config_info", config) != 1 {
		t.Errorf("%v tokens looked for", n)
	}
}

// Drafts are counted as vLLM counts them. An answer has at least one token of
// its own per step.
func TestDraftsAreCounted(t *testing.T) {
	_, h := served(t, Options{Model: "llama-3.3-70b@4xh100+draft"})
	if w := answered(h, recorded("POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],"max_tokens":200}`)); w.Code != 200 {
		t.Fatal(w.Body)
	}
	p := scrape(t, h, "")
	const labels = `engine="0",model_name="llama-3.3-70b@4xh100+draft"`
	drafts, guessed, accepted := p.value(t, "vllm:spec_decode_num_drafts_total", labels), p.value(t, "vllm:spec_decode_num_draft_tokens_total", labels), p.value(t, "vllm:spec_decode_num_accepted_tokens_total", labels)
	steps := p.value(t, "vllm:inter_token_latency_seconds_count", labels)
	if drafts < 50 || guessed < drafts || guessed > 3*drafts || accepted >= guessed || accepted+steps+1 != 200 {
		t.Errorf("%v drafts of %v tokens, %v accepted in %v steps", drafts, guessed, accepted, steps)
	}
}

// A client that hangs up is an abort.
func TestAbortsAreCounted(t *testing.T) {
	s := start(t, Options{Speed: .01})
	ctx, cancel := context.WithCancel(t.Context())
	req := testkit.Must(http.NewRequestWithContext(ctx, "POST", s.URL()+"/chat/completions", strings.NewReader(ask+`,"stream":true}`)))(t)
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
