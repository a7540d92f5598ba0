package definition

import "slices"

// anyText is what most tools take for a token: content or reasoning.
const anyText = Content | BothReasonings

// Rules are the definitions of the field's tools, tokscope's last. Each was
// read in the version named, and for one API; a release may change it.
var Rules = []Rule{
	{
		Tool: "vLLM", Versions: "0.33", Evidence: Ran, Source: "vllm/benchmarks/lib/endpoint_request_func.py",
		Starts: Content | FieldReasoning | Tools | Empty, Counts: Content | FieldReasoning | Tools | Empty,
		ITL: Span{First, Last, Gaps}, TPOT: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolGaps, Quantile: QuantileLinear,
	},
	{
		Tool: "vLLM", Versions: "0.33", Before: true, Evidence: Read, Source: "vllm/benchmarks/lib/endpoint_request_func.py",
		Starts: Choices, Counts: Choices | anyText | Tools | Refusals | FinishEvent,
		ITL: Span{First, Last, Gaps}, TPOT: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolGaps, Quantile: QuantileLinear,
	},
	{
		Tool: "SGLang", Versions: "0.5.23", Evidence: Read, Source: "sglang/benchmark/serving.py",
		Starts: anyText, Counts: anyText,
		ITL: Span{First, Last, Gaps}, TPOT: Span{First, Done, LaterOnes}, Latency: Done,
		Count: ByUsage, Without: ByAsked, GapPool: PoolGaps, Quantile: QuantileLinear,
	},
	{
		Tool: "AIPerf", Versions: "0.13", Evidence: Ran, Source: "aiperf/metrics/types/inter_token_latency_metric.py",
		Starts: anyText | Tools, Counts: anyText | Tools,
		ITL: Span{First, Last, LaterOnes}, Speed: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	},
	{
		Tool: "vLLM", Versions: "0.33", API: "responses", Evidence: Read,
		Source: "vllm/benchmarks/lib/endpoint_request_func.py",
		Starts: Content | FieldReasoning, Counts: Content | FieldReasoning,
		ITL: Span{First, Last, Gaps}, TPOT: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolGaps, Quantile: QuantileLinear,
	},
	aiperf("messages", "anthropic_messages.py"), aiperf("responses", "openai_responses.py"),
	{
		Tool: "GuideLLM", Versions: "0.8.1", Evidence: Ran, Source: "guidellm/schemas/base/request_stats.py",
		Starts: anyText | Tools, Counts: anyText | Tools,
		ITL: Span{First, Last, LaterOnes}, TPOT: Span{Sent, Last, Tokens}, Speed: Span{Sent, Done, Tokens}, Latency: Done,
		Count: ByUsage, Without: ByAsked, GapPool: PoolTokens, Quantile: QuantileNearest,
	},
	{
		Tool: "genai-bench", Versions: "0.0.5", Evidence: Ran, Source: "genai_bench/user/openai_user.py",
		Starts: anyText, Counts: anyText,
		TPOT: Span{First, Usage, LaterOnes}, Speed: Span{First, Usage, LaterOnes}, Latency: Usage, NoUsage: Done,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	},
	{
		Tool: "inference-perf", Versions: "0.7", Evidence: Read, Source: "inference_perf/reportgen/base.py",
		Starts: Content, Counts: Content,
		ITL: Span{First, Last, Gaps}, TPOT: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	},
	{
		Tool: "llama-benchy", Versions: "0.4.0", Evidence: Ran, Source: "llama_benchy/client.py",
		Starts: anyText, Counts: anyText,
		Speed: Span{First, Last, LaterOnes}, Latency: Never,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolNone, Quantile: QuantileMean,
	},
	{
		Tool: "inference-benchmarker", Versions: "dfef39d", Evidence: Read, Source: "src/requests.rs",
		Starts: Content, Counts: Content,
		ITL: Span{First, Last, LaterOnes}, Latency: Done,
		Count: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	},
	{
		Tool: "llmperf", Versions: "f1d6bed", Evidence: Read,
		Source: "src/llmperf/ray_clients/openai_chat_completions_client.py",
		Starts: Content, Counts: Content,
		ITL: Span{Sent, Last, Lines}, Speed: Span{Sent, End, Tokens}, Latency: End,
		Count: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	},
	{
		Tool: "evalscope", Versions: "1.14.1", Evidence: Read, Source: "evalscope/perf/plugin/api/default_api.py",
		Starts: anyText | FieldDetails | Tools, Counts: anyText | FieldDetails | Tools,
		ITL: Span{First, Last, Gaps}, TPOT: Span{First, Usage, LaterOnes}, Latency: Usage, NoUsage: Finish,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolGaps, Quantile: QuantileNearest,
	},
	{
		Tool: "fw-ai", Versions: "05acc7f", Evidence: Read, Source: "llm_bench/load_test.py",
		Starts: anyText, Counts: anyText,
		TPOT: Span{First, End, Tokens}, Speed: Span{First, End, Tokens}, Latency: End,
		Count: ByUsage, Without: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	},
	{
		Tool: "fixie", Versions: "265e8bc", Evidence: Read, Source: "llm_request.py",
		Starts: Content | Tools, Counts: Content | Tools,
		Speed: Span{First, End, LaterOnes}, Latency: End,
		Count: ByUsage, Without: ByChunks, GapPool: PoolNone, Quantile: QuantileBest,
	},
	{
		Tool: "MLPerf Endpoints", Versions: "v1.0 rules", Evidence: Ran,
		Source: "services/metrics_aggregator/metrics_table.py, read and run at ea33275",
		Starts: anyText | Tools, Counts: anyText | Tools,
		TPOT: Span{First, End, AfterFirst}, Speed: Span{First, End, AfterFirst}, Latency: End,
		Count: ByTokenizer, GapPool: PoolNone, Quantile: QuantileLower,
	},
	{
		Tool: "what-ttft", Versions: "2025", Evidence: Published, Source: "README",
		Starts: Content | Refusals, Counts: Content | Refusals,
		Speed: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByUsage, Without: Uncounted, GapPool: PoolNone, Quantile: QuantileNearest,
	},
	{
		Tool: "OpenTelemetry", Versions: "semconv-genai@004902b",
		Evidence: Published, Source: "gen_ai.client.operation.time_to_first_chunk", API: AnyAPI,
		Starts: Choices, Counts: Choices | anyText | FieldDetails | Summarized | Tools | Refusals | FinishEvent,
		ITL: Span{First, Last, Gaps}, Latency: End,
		Count: Uncounted, GapPool: PoolGaps, Quantile: QuantileNone,
	},
	{
		Tool: "tokscope", Versions: "", Evidence: Ours, Source: "docs/lens.md", API: AnyAPI,
		Starts: anyText | FieldDetails | Summarized | Tools | Refusals | Media,
		Counts: anyText | FieldDetails | Summarized | Tools | Refusals | Media,
		ITL:    Span{First, Last, Gaps}, TPOT: Span{First, Last, LaterOnes}, Speed: Span{First, Last, LaterOnes},
		Latency: Last, Count: ByUsage, Without: ByChunks, GapPool: PoolGaps, Quantile: QuantileLinear,
	},
}

// MLPerf is the rule of MLPerf Endpoints, the first official definition of these figures.
var MLPerf = &Rules[slices.IndexFunc(Rules, func(r Rule) bool { return r.Tool == "MLPerf Endpoints" })]

// aiperf is AIPerf's rule for an API of which it reads the arguments of calls, not their names.
func aiperf(api, file string) Rule {
	return Rule{
		Tool: "AIPerf", Versions: "0.13", API: api, Evidence: Read, Source: "aiperf/endpoints/" + file,
		Starts: anyText | Arguments, Counts: anyText | Arguments,
		ITL: Span{First, Last, LaterOnes}, Speed: Span{First, Last, LaterOnes}, Latency: Last,
		Count: ByTokenizer, GapPool: PoolRequests, Quantile: QuantileLinear,
	}
}
