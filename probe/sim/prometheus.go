package sim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tokscope/probe/access"
	"tokscope/probe/sim/physics"
)

// family is one metric but a histogram. The lines of all engines follow each other.
type family struct {
	name, kind, help string // a counter's name is without _total
	value            func(v *view) float64
	labeled          func(v *view) []labeled
}

// labeled is a sample with further labels.
type labeled struct {
	labels []access.Label
	value  float64
}

// families lists them, with the names of vLLM 0.33 where vLLM has
// them: vllm/v1/metrics/loggers.py.
var families = []family{
	{name: "vllm:num_requests_running", kind: "gauge", help: "Requests in the batch.",
		value: func(v *view) float64 { return float64(v.stats.Running) }},
	{name: "vllm:num_requests_waiting", kind: "gauge", help: "Requests in the queue.",
		value: func(v *view) float64 { return float64(v.stats.Waiting) }},
	{name: "vllm:kv_cache_usage_perc", kind: "gauge", help: "Share of the KV cache in use, 0 to 1.",
		value: func(v *view) float64 { return v.stats.KV }},
	{name: "vllm:cache_config_info", kind: "gauge", help: "The KV cache, in blocks.", labeled: cacheConfig},
	{name: "vllm:num_preemptions", kind: "counter", help: "Requests preempted to make room in the cache.",
		value: func(v *view) float64 { return float64(v.stats.Preempted) }},
	{name: "vllm:prompt_tokens", kind: "counter", help: "Prompt tokens of the requests admitted.",
		value: func(v *view) float64 { return float64(v.stats.PromptTokens) }},
	{name: "vllm:prompt_tokens_by_source", kind: "counter",
		help: "The same by where they came from.", labeled: promptSources},
	{name: "vllm:prompt_tokens_cached", kind: "counter", help: "Of these, tokens found in the prefix cache.",
		value: func(v *view) float64 { return float64(v.stats.CachedTokens) }},
	{name: "vllm:prefix_cache_queries", kind: "counter", help: "Prompt tokens looked for in the prefix cache.",
		value: func(v *view) float64 { return float64(v.counters.queried) }},
	{name: "vllm:prefix_cache_hits", kind: "counter", help: "Of these, tokens found.",
		value: func(v *view) float64 { return float64(v.counters.hit) }},
	{name: "vllm:generation_tokens", kind: "counter", help: "Tokens produced.",
		value: func(v *view) float64 { return float64(v.stats.Tokens) }},
	{name: "vllm:spec_decode_num_drafts", kind: "counter", help: "Steps of a request with guessed tokens.",
		value: func(v *view) float64 { return float64(v.counters.drafts) }},
	{name: "vllm:spec_decode_num_draft_tokens", kind: "counter", help: "Guessed tokens.",
		value: func(v *view) float64 { return float64(v.counters.guessed) }},
	{name: "vllm:spec_decode_num_accepted_tokens", kind: "counter", help: "Of these, accepted tokens.",
		value: func(v *view) float64 { return float64(v.counters.accepted) }},
	{name: "vllm:request_success", kind: "counter", help: "Requests that ended, by reason.", labeled: endedBy},
	{name: "tokscope_sim_steps", kind: "counter", help: "Engine steps.",
		value: func(v *view) float64 { return float64(v.pace.Steps) }},
	{name: "tokscope_sim_late_steps", kind: "counter", help: "Of these, sent to the writer more than 2 ms late.",
		value: func(v *view) float64 { return float64(v.pace.Late) }},
	{name: "tokscope_sim_late_chunks", kind: "counter", help: "Chunks whose writer got the processor more than 2 ms late.",
		value: func(v *view) float64 { return float64(v.pace.Tardy) }},
	{name: "tokscope_sim_longest_wait_seconds", kind: "gauge", help: "The longest that a chunk waited for the processor.",
		value: func(v *view) float64 { return v.pace.Waited.Seconds() }},
	{name: "tokscope_sim_behind_seconds", kind: "counter",
		help:  "Time by which this machine could not keep up with the model.",
		value: func(v *view) float64 { return v.pace.Slipped.Seconds() }},
}

func endedBy(v *view) (list []labeled) {
	for i, reason := range endings {
		list = append(list, labeled{[]access.Label{{"finished_reason", reason}}, float64(v.counters.ended[i])})
	}
	return list
}

func promptSources(v *view) []labeled {
	return []labeled{
		{[]access.Label{{"source", "local_compute"}}, float64(v.stats.PromptTokens - v.stats.CachedTokens)},
		{[]access.Label{{"source", "local_cache_hit"}}, float64(v.stats.CachedTokens)},
		{[]access.Label{{"source", "external_kv_transfer"}}, 0},
	}
}

func cacheConfig(v *view) []labeled {
	prefix := "True"
	if v.noPrefix {
		prefix = "False"
	}
	return []labeled{{[]access.Label{{"block_size", strconv.Itoa(physics.Block)}, {"enable_prefix_caching", prefix},
		{"num_gpu_blocks", strconv.Itoa(v.setup.Capacity / physics.Block)}}, 1}}
}

// prometheus serves /metrics in the text format, or as OpenMetrics to clients
// that prefer it.
func (s *Server) prometheus(w http.ResponseWriter, r *http.Request) *apiError {
	all := s.drivers()
	views := make([]view, len(all))
	for i, d := range all {
		views[i] = d.view()
	}
	kind, open := access.MetricsType(r.Header.Values("Accept"))
	e := exposition{access.Page{Open: open, Fractions: true}}
	for i := range families {
		f := &families[i]
		e.Head(f.name, f.kind, "", f.help)
		for j, d := range all {
			e.family(f, d, &views[j])
		}
	}
	for i := range histograms {
		name := "vllm:" + histograms[i].name
		e.Head(name, "histogram", "", histograms[i].help)
		for _, d := range all {
			d.met.mu.Lock()
			h, labels := &d.met.histograms[i], labelsOf(d, nil)
			e.Histogram(name, labels, h.bounds, h.counts, h.sum, nil)
			d.met.mu.Unlock()
			e.created(name, labels, d)
		}
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept")
	_, _ = w.Write(e.End()) // a disconnected client reads nothing
	return nil
}

// exposition writes the metrics. In OpenMetrics counters and histograms say when they began.
type exposition struct{ access.Page }

// family writes the samples of an engine.
func (e *exposition) family(f *family, d *driver, v *view) {
	samples := []labeled{{}}
	if f.labeled != nil {
		samples = f.labeled(v)
	} else {
		samples[0].value = f.value(v)
	}
	for _, x := range samples {
		labels := labelsOf(d, x.labels)
		if f.kind == "gauge" {
			e.Sample(f.name, labels, x.value, "")
			continue
		}
		e.Sample(f.name+"_total", labels, x.value, "")
		e.created(f.name, labels, d)
	}
}

func (e *exposition) created(name string, labels []access.Label, d *driver) {
	if e.Open {
		e.Sample(name+"_created", labels, float64(d.met.created.UnixMilli())/1e3, "")
	}
}

// labelsOf returns the labels of vLLM, engine and model_name, and further ones, sorted by name.
func labelsOf(d *driver, further []access.Label) []access.Label {
	return slices.SortedFunc(slices.Values(append(further, access.Label{"engine", "0"}, access.Label{"model_name", d.id})),
		func(a, b access.Label) int { return strings.Compare(a[0], b[0]) })
}
