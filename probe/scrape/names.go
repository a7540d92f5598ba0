package scrape

import (
	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// dialect is how one kind of server names its figures. Each list holds the
// names of all versions, without the suffix _total. The first that the page
// has counts. Sources: vllm/v1/metrics/loggers.py, sglang/srt/metrics,
// llama.cpp tools/server, and TGI's docs of its metrics.
type dialect struct {
	name string
	// mark is the prefix of every name of this server.
	mark    string
	figures []figure
}

// figure is one figure and its names.
type figure struct {
	to    func(*loadstat.ServerCounts) *metrics.Value
	names []string
	join  func([]float64) float64 // of its series
}

var dialects = []dialect{
	{
		name: "vllm", mark: "vllm:",
		figures: []figure{
			{running, []string{"vllm:num_requests_running"}, sum},
			{waiting, []string{"vllm:num_requests_waiting"}, sum},
			{kv, []string{"vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"}, largest},
			{requests, []string{"vllm:request_success"}, sum},
			{preemptions, []string{"vllm:num_preemptions"}, sum},
			{prompt, []string{"vllm:prompt_tokens"}, sum},
			{output, []string{"vllm:generation_tokens"}, sum},
			{queries, []string{"vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"}, sum},
			{hits, []string{"vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"}, sum},
			{ttftSum, []string{"vllm:time_to_first_token_seconds_sum"}, sum},
			{ttftCount, []string{"vllm:time_to_first_token_seconds_count"}, sum},
			{itlSum, []string{"vllm:inter_token_latency_seconds_sum", "vllm:time_per_output_token_seconds_sum"}, sum},
			{itlCount, []string{"vllm:inter_token_latency_seconds_count", "vllm:time_per_output_token_seconds_count"}, sum},
		},
	},
	{
		name: "sglang", mark: "sglang:",
		figures: []figure{
			{running, []string{"sglang:num_running_reqs"}, sum},
			{waiting, []string{"sglang:num_queue_reqs"}, sum},
			{kv, []string{"sglang:token_usage"}, largest},
			{requests, []string{"sglang:num_requests"}, sum},
			{prompt, []string{"sglang:prompt_tokens"}, sum},
			{output, []string{"sglang:generation_tokens"}, sum},
			{hits, []string{"sglang:cached_tokens"}, sum},
			{ttftSum, []string{"sglang:time_to_first_token_seconds_sum"}, sum},
			{ttftCount, []string{"sglang:time_to_first_token_seconds_count"}, sum},
			{itlSum, []string{"sglang:inter_token_latency_seconds_sum", "sglang:time_per_output_token_seconds_sum"}, sum},
			{itlCount, []string{"sglang:inter_token_latency_seconds_count", "sglang:time_per_output_token_seconds_count"}, sum},
		},
	},
	{
		// Its prompt tokens are those that were computed, without those found in
		// the cache.
		name: "llamacpp", mark: "llamacpp:",
		figures: []figure{
			{running, []string{"llamacpp:requests_processing"}, sum},
			{waiting, []string{"llamacpp:requests_deferred"}, sum},
			{kv, []string{"llamacpp:kv_cache_usage_ratio"}, largest},
			{prompt, []string{"llamacpp:prompt_tokens"}, sum},
			{output, []string{"llamacpp:tokens_predicted"}, sum},
		},
	},
	{
		name: "tgi", mark: "tgi_",
		figures: []figure{
			{running, []string{"tgi_batch_current_size"}, sum},
			{waiting, []string{"tgi_queue_size"}, sum},
			{requests, []string{"tgi_request_success"}, sum},
			{prompt, []string{"tgi_request_input_length_sum"}, sum},
			{output, []string{"tgi_request_generated_tokens_sum"}, sum},
		},
	},
}

func running(c *loadstat.ServerCounts) *metrics.Value     { return &c.Running }
func waiting(c *loadstat.ServerCounts) *metrics.Value     { return &c.Waiting }
func kv(c *loadstat.ServerCounts) *metrics.Value          { return &c.KV }
func requests(c *loadstat.ServerCounts) *metrics.Value    { return &c.Requests }
func preemptions(c *loadstat.ServerCounts) *metrics.Value { return &c.Preemptions }
func prompt(c *loadstat.ServerCounts) *metrics.Value      { return &c.Prompt }
func output(c *loadstat.ServerCounts) *metrics.Value      { return &c.Output }
func queries(c *loadstat.ServerCounts) *metrics.Value     { return &c.CacheQueries }
func hits(c *loadstat.ServerCounts) *metrics.Value        { return &c.CacheHits }
func ttftSum(c *loadstat.ServerCounts) *metrics.Value     { return &c.TTFTSum }
func ttftCount(c *loadstat.ServerCounts) *metrics.Value   { return &c.TTFTCount }
func itlSum(c *loadstat.ServerCounts) *metrics.Value      { return &c.ITLSum }
func itlCount(c *loadstat.ServerCounts) *metrics.Value    { return &c.ITLCount }
