package scrape

import "tokscope/metrics/loadstat"

// dialect is how one kind of server names its figures. Each figure has the names of all
// versions, without the suffix _total. The first that the page has counts. Sources:
// vllm/v1/metrics/loggers.py, sglang/srt/metrics, llama.cpp tools/server, and TGI's docs
// of its metrics.
type dialect struct {
	name string
	mark string // the prefix of every name of this server
	of   func(series) loadstat.ServerCounts
}

var dialects = []dialect{
	{"vllm", "vllm:", func(s series) loadstat.ServerCounts {
		return loadstat.ServerCounts{
			Running:      s.sum("vllm:num_requests_running"),
			Waiting:      s.sum("vllm:num_requests_waiting"),
			KV:           s.largest("vllm:kv_cache_usage_perc", "vllm:gpu_cache_usage_perc"),
			Requests:     s.sum("vllm:request_success"),
			Preemptions:  s.sum("vllm:num_preemptions"),
			Prompt:       s.sum("vllm:prompt_tokens"),
			Output:       s.sum("vllm:generation_tokens"),
			CacheQueries: s.sum("vllm:prefix_cache_queries", "vllm:gpu_prefix_cache_queries"),
			CacheHits:    s.sum("vllm:prefix_cache_hits", "vllm:gpu_prefix_cache_hits"),
			TTFTSum:      s.sum("vllm:time_to_first_token_seconds_sum"),
			TTFTCount:    s.sum("vllm:time_to_first_token_seconds_count"),
			ITLSum:       s.sum("vllm:inter_token_latency_seconds_sum", "vllm:time_per_output_token_seconds_sum"),
			ITLCount:     s.sum("vllm:inter_token_latency_seconds_count", "vllm:time_per_output_token_seconds_count"),
		}
	}},
	{"sglang", "sglang:", func(s series) loadstat.ServerCounts {
		return loadstat.ServerCounts{
			Running:   s.sum("sglang:num_running_reqs"),
			Waiting:   s.sum("sglang:num_queue_reqs"),
			KV:        s.largest("sglang:token_usage"),
			Requests:  s.sum("sglang:num_requests"),
			Prompt:    s.sum("sglang:prompt_tokens"),
			Output:    s.sum("sglang:generation_tokens"),
			CacheHits: s.sum("sglang:cached_tokens"),
			TTFTSum:   s.sum("sglang:time_to_first_token_seconds_sum"),
			TTFTCount: s.sum("sglang:time_to_first_token_seconds_count"),
			ITLSum:    s.sum("sglang:inter_token_latency_seconds_sum", "sglang:time_per_output_token_seconds_sum"),
			ITLCount:  s.sum("sglang:inter_token_latency_seconds_count", "sglang:time_per_output_token_seconds_count"),
		}
	}},
	{"llamacpp", "llamacpp:", func(s series) loadstat.ServerCounts {
		return loadstat.ServerCounts{
			Running: s.sum("llamacpp:requests_processing"),
			Waiting: s.sum("llamacpp:requests_deferred"),
			KV:      s.largest("llamacpp:kv_cache_usage_ratio"),
			Prompt:  s.sum("llamacpp:prompt_tokens"), // those that were computed, without those found in the cache
			Output:  s.sum("llamacpp:tokens_predicted"),
		}
	}},
	{"tgi", "tgi_", func(s series) loadstat.ServerCounts {
		return loadstat.ServerCounts{
			Running:  s.sum("tgi_batch_current_size"),
			Waiting:  s.sum("tgi_queue_size"),
			Requests: s.sum("tgi_request_success"),
			Prompt:   s.sum("tgi_request_input_length_sum"),
			Output:   s.sum("tgi_request_generated_tokens_sum"),
		}
	}},
}
