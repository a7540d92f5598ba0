package sim

import (
	"net/http"
	"slices"
	"strconv"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/probe/access"
	"tokscope/probe/sim/physics"
)

// family is one metric but a histogram, with its samples of one engine.
type family struct {
	name, kind, help string // a counter's name is without _total
	samples          []labeled
}

// labeled is a sample, with further labels than those of its engine.
type labeled struct {
	labels []access.Label
	value  float64
}

// familiesOf lists those of an engine, with the names of vLLM 0.33 where vLLM has
// them: vllm/v1/metrics/loggers.py.
func familiesOf(v *view) []family {
	return []family{
		{"vllm:num_requests_running", "gauge", "Requests in the batch.", one(v.stats.Running)},
		{"vllm:num_requests_waiting", "gauge", "Requests in the queue.", one(v.stats.Waiting)},
		{"vllm:kv_cache_usage_perc", "gauge", "Share of the KV cache in use, 0 to 1.", one(v.stats.KV)},
		{"vllm:cache_config_info", "gauge", "The KV cache, in blocks.", cacheConfig(v)},
		{"vllm:num_preemptions", "counter", "Requests preempted to make room in the cache.", one(v.stats.Preempted)},
		{"vllm:prompt_tokens", "counter", "Prompt tokens of the requests admitted.", one(v.stats.PromptTokens)},
		{"vllm:prompt_tokens_by_source", "counter", "The same by where they came from.", promptSources(v)},
		{"vllm:prompt_tokens_cached", "counter", "Of these, tokens found in the prefix cache.", one(v.stats.CachedTokens)},
		{"vllm:prefix_cache_queries", "counter", "Prompt tokens looked for in the prefix cache.", one(v.counters.queried)},
		{"vllm:prefix_cache_hits", "counter", "Of these, tokens found.", one(v.counters.hit)},
		{"vllm:generation_tokens", "counter", "Tokens produced.", one(v.stats.Tokens)},
		{"vllm:spec_decode_num_drafts", "counter", "Steps of a request with guessed tokens.", one(v.counters.drafts)},
		{"vllm:spec_decode_num_draft_tokens", "counter", "Guessed tokens.", one(v.counters.guessed)},
		{"vllm:spec_decode_num_accepted_tokens", "counter", "Of these, accepted tokens.", one(v.counters.accepted)},
		{"vllm:request_success", "counter", "Requests that ended, by reason.", endedBy(v)},
		{"tokscope_sim_steps", "counter", "Engine steps.", one(v.pace.Steps)},
		{"tokscope_sim_late_steps", "counter", "Of these, sent to the writer more than 2 ms late.", one(v.pace.Late)},
		{"tokscope_sim_late_chunks", "counter", "Chunks whose writer got the processor more than 2 ms late.",
			one(v.pace.Tardy)},
		{"tokscope_sim_longest_wait_seconds", "gauge", "The longest that a chunk waited for the processor.",
			one(v.pace.Waited.Seconds())},
		{"tokscope_sim_behind_seconds", "counter", "Time by which this machine could not keep up with the model.",
			one(v.pace.Slipped.Seconds())},
	}
}

// one is the only sample of an engine.
func one[N int | uint64 | float64](n N) []labeled { return []labeled{{value: float64(n)}} }

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
	if len(all) == 0 {
		return closing()
	}
	families := pick.Each(all, func(d **driver) []family { return familiesOf(new((*d).view())) })
	kind, open := access.MetricsType(r.Header.Values("Accept"))
	e := exposition{access.Page{Open: open, Fractions: true}}
	for i, f := range families[0] {
		e.Head(f.name, f.kind, "", f.help)
		for j, d := range all {
			e.family(&families[j][i], d)
		}
	}
	for i, h := range all[0].met.histograms {
		name := "vllm:" + h.name
		e.Head(name, "histogram", "", h.help)
		for _, d := range all {
			d.met.mu.Lock()
			of, labels := d.met.histograms[i], labelsOf(d, nil)
			e.Histogram(name, labels, of.bounds, of.counts, of.sum, nil)
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
func (e *exposition) family(f *family, d *driver) {
	for _, x := range f.samples {
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
