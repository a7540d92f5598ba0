package sim

import (
	"net/http"
	"strconv"
)

// family is one metric: its lines for all engines stand together.
type family struct {
	name, kind, help string
	value            func(v *view) float64
	histogram        func(m *meters) *histogram
}

// families are the metrics, with vLLM's names where it has them.
var families = []family{
	{name: "vllm:num_requests_running", kind: "gauge", help: "Requests in the batch.", value: func(v *view) float64 { return float64(v.stats.Running) }},
	{name: "vllm:num_requests_waiting", kind: "gauge", help: "Requests in the queue.", value: func(v *view) float64 { return float64(v.stats.Waiting) }},
	{name: "vllm:kv_cache_usage_perc", kind: "gauge", help: "Share of the KV cache in use, 0 to 1.", value: func(v *view) float64 { return v.stats.KV }},
	{name: "vllm:num_preemptions_total", kind: "counter", help: "Requests thrown out of the cache to make room.", value: func(v *view) float64 { return float64(v.stats.Preempted) }},
	{name: "vllm:prompt_tokens_total", kind: "counter", help: "Prompt tokens of the requests admitted.", value: func(v *view) float64 { return float64(v.stats.PromptTokens) }},
	{name: "vllm:prefix_cache_hits_total", kind: "counter", help: "Of these, tokens found in the prefix cache.", value: func(v *view) float64 { return float64(v.stats.CachedTokens) }},
	{name: "vllm:generation_tokens_total", kind: "counter", help: "Tokens produced.", value: func(v *view) float64 { return float64(v.stats.Tokens) }},
	{name: "vllm:request_success_total", kind: "counter", help: "Requests that ended.", value: func(v *view) float64 { return float64(v.counters) }},
	{name: "vllm:time_to_first_token_seconds", kind: "histogram", help: "Arrival to first token.", histogram: func(m *meters) *histogram { return &m.ttft }},
	{name: "vllm:time_per_output_token_seconds", kind: "histogram", help: "Time between tokens.", histogram: func(m *meters) *histogram { return &m.itl }},
	{name: "vllm:e2e_request_latency_seconds", kind: "histogram", help: "Arrival to last token.", histogram: func(m *meters) *histogram { return &m.e2e }},
	{name: "vllm:request_queue_time_seconds", kind: "histogram", help: "Time in the queue.", histogram: func(m *meters) *histogram { return &m.queue }},
	{name: "vllm:request_prefill_time_seconds", kind: "histogram", help: "First scheduled to first token.", histogram: func(m *meters) *histogram { return &m.prefill }},
	{name: "vllm:request_decode_time_seconds", kind: "histogram", help: "First token to last.", histogram: func(m *meters) *histogram { return &m.decode }},
	{name: "tokscope_sim_steps_total", kind: "counter", help: "Engine steps.", value: func(v *view) float64 { return float64(v.pace.Steps) }},
	{name: "tokscope_sim_late_steps_total", kind: "counter", help: "Of these, handed over more than 2 ms late.", value: func(v *view) float64 { return float64(v.pace.Late) }},
	{name: "tokscope_sim_late_chunks_total", kind: "counter", help: "Chunks whose writer got the processor more than 2 ms late.", value: func(v *view) float64 { return float64(v.pace.Tardy) }},
	{name: "tokscope_sim_longest_wait_seconds", kind: "gauge", help: "The longest that a chunk waited for the processor.", value: func(v *view) float64 { return v.pace.Waited.Seconds() }},
	{name: "tokscope_sim_behind_seconds_total", kind: "counter", help: "Time by which this machine could not keep up with the model.", value: func(v *view) float64 { return v.pace.Slipped.Seconds() }},
}

// prometheus serves /metrics in the text format.
func (s *Server) prometheus(w http.ResponseWriter, _ *http.Request) {
	all := s.drivers()
	views := make([]view, len(all))
	for i, d := range all {
		views[i] = d.view()
	}
	var b []byte
	for _, f := range families {
		b = append(append(append(append(b, "# HELP "...), f.name...), ' '), f.help...)
		b = append(append(append(append(b, "\n# TYPE "...), f.name...), ' '), f.kind...)
		b = append(b, '\n')
		for i, d := range all {
			label := `{model_name=` + strconv.Quote(d.id)
			if f.value != nil {
				b = sample(b, f.name, label+"}", f.value(&views[i]))
				continue
			}
			d.met.mu.Lock()
			b = f.histogram(d.met).write(b, f.name, label)
			d.met.mu.Unlock()
		}
	}
	w.Header().Set("Content-Type", "text/plain; version=0.0.4; charset=utf-8")
	_, _ = w.Write(b) // a client that is gone hears nothing
}

func sample(b []byte, name, label string, v float64) []byte {
	b = append(append(append(b, name...), label...), ' ')
	return append(strconv.AppendFloat(b, v, 'g', -1, 64), '\n')
}

// write appends the buckets, which count everything up to their bound, the sum
// and the count.
func (h *histogram) write(b []byte, name, model string) []byte {
	n := uint64(0)
	for i, c := range h.counts {
		n += c
		le := "+Inf"
		if i < len(h.bounds) {
			le = strconv.FormatFloat(h.bounds[i], 'g', -1, 64)
		}
		b = sample(b, name+"_bucket", model+`,le="`+le+`"}`, float64(n))
	}
	b = sample(b, name+"_sum", model+"}", h.sum)
	return sample(b, name+"_count", model+"}", float64(n))
}
