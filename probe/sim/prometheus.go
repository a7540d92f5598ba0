package sim

import (
	"fmt"
	"net/http"
	"strconv"
	"strings"

	"tokscope/probe/access"
	"tokscope/probe/sim/physics"
)

// family is one metric. The lines of all engines follow each other.
type family struct {
	name, kind, help string // a counter's name is without _total
	value            func(v *view) float64
	labeled          func(v *view) []labeled
	histogram        func(m *meters) *histogram
}

// labeled is a sample with further labels, sorted by name.
type labeled struct {
	labels []label
	value  float64
}

type label struct{ name, value string }

// families lists the metrics, with the names of vLLM 0.33 where vLLM has
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
	{name: "vllm:request_prompt_tokens", kind: "histogram", help: "Prompt tokens per request.",
		histogram: func(m *meters) *histogram { return &m.prompts }},
	{name: "vllm:request_generation_tokens", kind: "histogram", help: "Tokens produced per request.",
		histogram: func(m *meters) *histogram { return &m.outputs }},
	{name: "vllm:request_prefill_kv_computed_tokens", kind: "histogram",
		help:      "Prompt tokens per request that were not in the cache.",
		histogram: func(m *meters) *histogram { return &m.computed }},
	{name: "vllm:request_max_num_generation_tokens", kind: "histogram",
		help: "Tokens of the longest choice of a prompt.", histogram: func(m *meters) *histogram { return &m.longest }},
	{name: "vllm:request_params_n", kind: "histogram", help: "Choices per prompt.",
		histogram: func(m *meters) *histogram { return &m.choices }},
	{name: "vllm:request_params_max_tokens", kind: "histogram",
		help: "Limit of tokens per request.", histogram: func(m *meters) *histogram { return &m.limits }},
	{name: "vllm:iteration_tokens_total", kind: "histogram", help: "Tokens of prompts and answers per step.",
		histogram: func(m *meters) *histogram { return &m.steps }},
	{name: "vllm:time_to_first_token_seconds", kind: "histogram",
		help: "Arrival to first token.", histogram: func(m *meters) *histogram { return &m.ttft }},
	{name: "vllm:inter_token_latency_seconds", kind: "histogram",
		help:      "Time between the steps that yielded tokens of a request.",
		histogram: func(m *meters) *histogram { return &m.itl }},
	{name: "vllm:request_time_per_output_token_seconds", kind: "histogram",
		help: "Mean time per token after the first, per request.", histogram: func(m *meters) *histogram { return &m.tpot }},
	{name: "vllm:e2e_request_latency_seconds", kind: "histogram",
		help: "Arrival to last token.", histogram: func(m *meters) *histogram { return &m.e2e }},
	{name: "vllm:request_queue_time_seconds", kind: "histogram",
		help: "Time in queues before the first token.", histogram: func(m *meters) *histogram { return &m.queue }},
	{name: "vllm:request_inference_time_seconds", kind: "histogram",
		help: "Prefill and decode.", histogram: func(m *meters) *histogram { return &m.inference }},
	{name: "vllm:request_prefill_time_seconds", kind: "histogram",
		help: "Steps that computed the prompt.", histogram: func(m *meters) *histogram { return &m.prefill }},
	{name: "vllm:request_decode_time_seconds", kind: "histogram",
		help: "First token to last.", histogram: func(m *meters) *histogram { return &m.decode }},
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
		list = append(list, labeled{[]label{{"finished_reason", reason}}, float64(v.counters.ended[i])})
	}
	return list
}

func promptSources(v *view) []labeled {
	return []labeled{
		{[]label{{"source", "local_compute"}}, float64(v.stats.PromptTokens - v.stats.CachedTokens)},
		{[]label{{"source", "local_cache_hit"}}, float64(v.stats.CachedTokens)},
		{[]label{{"source", "external_kv_transfer"}}, 0},
	}
}

func cacheConfig(v *view) []labeled {
	prefix := "True"
	if v.noPrefix {
		prefix = "False"
	}
	return []labeled{{[]label{{"block_size", strconv.Itoa(physics.Block)}, {"enable_prefix_caching", prefix},
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
	e := exposition{open: open}
	for i := range families {
		e.family(&families[i], all, views)
	}
	if open {
		e.b = append(e.b, "# EOF\n"...)
	}
	w.Header().Set("Content-Type", kind)
	w.Header().Set("Vary", "Accept")
	_, _ = w.Write(e.b) // a disconnected client reads nothing
	return nil
}

// exposition writes the metrics in one of the formats. In OpenMetrics a
// counter's family is without _total, and counters and histograms say when
// they began.
type exposition struct {
	open bool
	b    []byte
}

func (e *exposition) family(f *family, all []*driver, views []view) {
	name, series := f.name, f.name
	if f.kind == "counter" {
		series += "_total"
		if !e.open {
			name = series
		}
	}
	e.b = fmt.Appendf(e.b, "# HELP %s %s\n# TYPE %s %s\n", name, f.help, name, f.kind)
	for i, d := range all {
		created := float64(d.met.created.UnixMilli()) / 1e3
		samples := []labeled{{}}
		switch {
		case f.histogram != nil:
			d.met.mu.Lock()
			e.histogram(f.histogram(d.met), f.name, d.id)
			d.met.mu.Unlock()
		case f.labeled != nil:
			samples = f.labeled(&views[i])
		default:
			samples[0].value = f.value(&views[i])
		}
		for _, x := range samples {
			if f.histogram == nil {
				e.sample(series, d.id, x.labels, x.value)
			}
			if e.open && f.kind != "gauge" {
				e.sample(f.name+"_created", d.id, x.labels, created)
			}
		}
	}
}

// sample writes one line. The labels are those of vLLM, engine and
// model_name, and further ones, sorted by name.
func (e *exposition) sample(name, model string, further []label, v float64) {
	e.b = append(append(e.b, name...), '{')
	last := ""
	add := func(l label) {
		e.b = fmt.Appendf(e.b, "%s%s=%q", last, l.name, l.value)
		last = ","
	}
	rest := []label{{"engine", "0"}, {"model_name", model}}
	for _, l := range further {
		for len(rest) > 0 && rest[0].name < l.name {
			add(rest[0])
			rest = rest[1:]
		}
		add(l)
	}
	for _, l := range rest {
		add(l)
	}
	e.b = strconv.AppendFloat(append(e.b, "} "...), v, 'f', -1, 64)
	e.b = append(e.b, '\n')
}

// histogram writes the cumulative buckets, the count and the sum.
func (e *exposition) histogram(h *histogram, name, model string) {
	n := uint64(0)
	for i, c := range h.counts {
		n += c
		le := "+Inf"
		if i < len(h.bounds) {
			if le = strconv.FormatFloat(h.bounds[i], 'g', -1, 64); !strings.ContainsAny(le, ".e") {
				le += ".0" // a float's canonical form
			}
		}
		e.sample(name+"_bucket", model, []label{{"le", le}}, float64(n))
	}
	e.sample(name+"_count", model, nil, float64(n))
	e.sample(name+"_sum", model, nil, h.sum)
}
