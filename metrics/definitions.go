package metrics

// Definition says in words what a figure is. The screens show it under the
// figure and the README prints it.
type Definition struct {
	Name      string // as in JSON and in Define
	Label     string // as on screen
	Formula   string
	Unit      string
	Text      string // one paragraph: what it tells
	Undefined string // when it is shown as –
	Source    string // who says so: client stamps, the server, an estimate; and after whom it is defined
}

// Define returns the definition of that name.
func Define(name string) (Definition, bool) {
	for _, d := range Definitions {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

const (
	clientSide  = "client: stamps where the bytes arrive"
	tokenCount  = "client stamps; tokens by the count that is named beside it"
	beforeFirst = "before it has happened, and when the request was not sent"
)

// Definitions are the figures in the order in which the README explains them.
var Definitions = []Definition{
	{
		Name: "ttfb", Label: "TTFB", Formula: "first byte − sent", Unit: "ms",
		Text:      "Time to first byte: from the moment the last byte of the request was handed to the kernel to the first byte of the response. Setting up the connection is not in it; that is shown apart.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "ttfe", Label: "TTFE", Formula: "first event − sent", Unit: "ms",
		Text:      "Time to first event: the first server-sent event, even one that only names the role. Comments that keep the connection alive do not count. Some tools call this TTFT.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "ttft", Label: "TTFT", Formula: "first chunk − sent", Unit: "ms",
		Text:      "Time to first token: the first chunk of any kind, be it content, reasoning, a tool call or a refusal. This is the prefill as a client sees it: network, front end, queue and prefill together.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "ttfc", Label: "TTFC", Formula: "first visible chunk − sent", Unit: "ms",
		Text:      "Time to first content: the first chunk of visible text, content or refusal. A model that reasons first has a short TTFT and a long TTFC.",
		Undefined: "before visible text has come", Source: clientSide,
	},
	{
		Name: "wait", Label: "time to first token", Formula: "dns + tcp + tls + send + (queue + prefill + unexplained)", Unit: "ms",
		Text:      "What the time before the first chunk consists of. The parts before sending are measured here; queue, load and prefill are what the server says about itself; unexplained is the client's wait that the server's times leave over: network, front end, and whatever it does not tell.",
		Undefined: "a part that did not happen: a reused connection has no dns, tcp and tls", Source: "client stamps; the server where marked, never mixed",
	},
	{
		Name: "gap", Label: "gap", Formula: "arrival of a chunk − arrival of the one before", Unit: "ms",
		Text:      "Time between consecutive chunks. Chunks that came in one read came as a burst: the gaps between them are unknown, not 0; they are counted and in no distribution. The gap before a burst is that of its first chunk.",
		Undefined: "inside bursts, and where stamps are missing or do not rise", Source: clientSide,
	},
	{
		Name: "itl", Label: "ITL", Formula: "gap / tokens that came at its end, counted once for each of them", Unit: "ms",
		Text:      "Inter-token latency: the distribution of gaps per token. A gap is divided evenly over the tokens of the read that ended it, told by each chunk or taken as the mean of the response, which is said. The n beside it counts gaps, not tokens.",
		Undefined: "with no known gap, or without any count of tokens", Source: tokenCount,
	},
	{
		Name: "tpot", Label: "TPOT", Formula: "(last chunk − first chunk) / (n − 1)", Unit: "ms",
		Text:      "Time per output token: one number a request. n counts the output tokens that came through the stream; reasoning that was counted and never sent is left out. TTFT is not in it.",
		Undefined: "for n < 2, for a single chunk, and when everything came in one read", Source: tokenCount + "; the formula of vLLM, SGLang and AIPerf",
	},
	{
		Name: "speed", Label: "speed", Formula: "1000 / TPOT", Unit: "tok/s, one user",
		Text:      "How fast tokens come for one user once they come. It is not the throughput of the server, which serves many at once.",
		Undefined: "as TPOT", Source: tokenCount,
	},
	{
		Name: "live_speed", Label: "speed now", Formula: "tokens of the last second / their time", Unit: "tok/s, one user (chunks/s while tokens are unknown)",
		Text:      "The speed over about the last second of the stream, or over three median gaps where that is longer. It falls while nothing comes.",
		Undefined: "before the second chunk, and when everything came in one read", Source: tokenCount,
	},
	{
		Name: "chunk_speed", Label: "chunks", Formula: "(chunks − 1) / (last chunk − first chunk)", Unit: "chunks/s",
		Text:      "What can be said of the speed while nobody counts tokens. A chunk stands for one token on many servers and for six on some.",
		Undefined: "as TPOT", Source: clientSide,
	},
	{
		Name: "tokens", Label: "tokens", Formula: "server usage, else the chunks' own counts, else the server's running count, else an estimate", Unit: "tokens",
		Text:      "Output tokens, reasoning included, from the best source there is; the source stands beside it. An estimate (words/0.75, a token for a Chinese character) can be off by half for code and other languages.",
		Undefined: "before the first chunk", Source: "the server where it tells; else estimated, and labelled so",
	},
	{
		Name: "tokens_per_chunk", Label: "tokens a chunk", Formula: "tokens / chunks", Unit: "tokens",
		Text:      "How many tokens a chunk stands for. Well above 1, a gap between chunks is not a gap between tokens.",
		Undefined: "before the first chunk", Source: tokenCount,
	},
	{
		Name: "total", Label: "total", Formula: "last chunk − sent", Unit: "ms",
		Text:      "From sending to the last chunk. The usage event, [DONE] and the end of the body come later and are shown apart.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "residual", Label: "identity", Formula: "total − (TTFT + (n − 1)·TPOT)", Unit: "ms",
		Text:      "What the identity total = TTFT + (n − 1)·TPOT leaves over. By these definitions that is nothing but rounding; more means that another choice began or ended the response.",
		Undefined: "as TPOT", Source: clientSide,
	},
	{
		Name: "percentile", Label: "p50 p90 p95 p99", Formula: "linear interpolation at (n − 1)·q (Hyndman-Fan type 7)", Unit: "of its figure",
		Text:      "A percentile is given only where at least one observation is expected at or above it: p90 from 10, p95 from 20, p99 from 100 values on.",
		Undefined: "for smaller n, with the reason", Source: "the method of NumPy and R",
	},
	{
		Name: "longest", Label: "longest gap", Formula: "max gap", Unit: "ms",
		Text:      "The longest gap between two chunks and where it was.",
		Undefined: "with no known gap", Source: clientSide,
	},
	{
		Name: "stalls", Label: "stalls", Formula: "gap > 5 · median gap and gap > 50 ms", Unit: "gaps",
		Text:      "Gaps far above the median; the factor is shown with each.",
		Undefined: "below 5 known gaps", Source: clientSide,
	},
	{
		Name: "stall_cost", Label: "stall cost", Formula: "(last − first) − gaps · median gap", Unit: "ms",
		Text:      "How much sooner the response would have ended had every gap been the median one.",
		Undefined: "with no known gap", Source: clientSide,
	},
	{
		Name: "bursts", Label: "bursts", Formula: "reads that brought two chunks or more", Unit: "reads",
		Text:      "Chunks that arrived together. A few are the network's doing; many after a long wait mean that something in between collects them.",
		Undefined: "never", Source: clientSide,
	},
	{
		Name: "trend", Label: "trend", Formula: "Theil-Sen slope of binned medians / median gap, per 1000 tokens", Unit: "% per 1000 tokens",
		Text:      "How the gap changes over the response. It grows with the KV cache, of which every new token reads all. Marked when it is more than chance by Kendall's test at 5 %.",
		Undefined: "below 64 known gaps", Source: clientSide,
	},
	{
		Name: "wpm", Label: "words a minute", Formula: "60 · words after the first chunk / (last − first visible chunk) in s", Unit: "words per minute",
		Text:      "The real words of the visible text: runs without blanks that hold a letter or digit; in Chinese and Japanese 1.6 characters are a word. Where no text came, 0.75 words a token, and that is said.",
		Undefined: "with fewer than two visible chunks, and when all came in one read", Source: clientSide,
	},
	{
		Name: "times_reading", Label: "× reading", Formula: "words per minute / pace", Unit: "times",
		Text:      "How much faster the words come than a person reads them: 238 words a minute for silent reading of English (Brysbaert 2019), other paces by choice.",
		Undefined: "as words a minute", Source: clientSide + "; the pace's source stands beside it",
	},
	{
		Name: "below_reading", Label: "below reading", Formula: "time the reader waits / (last − first visible chunk)", Unit: "share",
		Text:      "A reader who starts with the first visible chunk and reads at the chosen pace waits whenever nothing is left to read. This is the share of the time in which that happens; the sum of the waits is the head start that would have spared them.",
		Undefined: "as words a minute", Source: clientSide,
	},
	{
		Name: "prefill_speed", Label: "prefill", Formula: "(prompt tokens − cached) / TTFT", Unit: "tok/s",
		Text:      "Prompt tokens per second of the client's wait. Queue and network are in that wait, so the server's own prefill is at least as fast.",
		Undefined: "without prompt tokens or TTFT, and when the whole prompt was cached", Source: "client stamps; prompt tokens by the server",
	},
	{
		Name: "server_ttft", Label: "server TTFT", Formula: "the server's time to first token, else its queue + load + prefill", Unit: "ms",
		Text:      "What the server says about the same wait. It stands beside the client's and is never mixed with it.",
		Undefined: "when the server does not tell it", Source: "the server",
	},
	{
		Name: "server_speed", Label: "server speed", Formula: "output tokens / the server's decode time", Unit: "tok/s, one user",
		Text:      "The server's own decode speed. Where it is higher than the client's, the difference was lost on the way.",
		Undefined: "when the server does not tell its decode time", Source: "the server",
	},
	{
		Name: "late_share", Label: "late", Formula: "chunks whose own stamp is > 1 ms behind the kernel's / chunks with both", Unit: "share",
		Text:      "How often this program was late to look. The kernel's stamps are not touched by it.",
		Undefined: "without kernel stamps", Source: "client: both clocks",
	},
	{
		Name: "shared_share", Label: "shared reads", Formula: "chunks that came in one read with the one before / (chunks − 1)", Unit: "share",
		Text:      "The share of gaps that are unknown because chunks arrived together.",
		Undefined: "for a single chunk", Source: clientSide,
	},
	{
		Name: "observer", Label: "observer", Formula: "p99 lateness of a heartbeat", Unit: "ms",
		Text:      "How late this program itself was while it measured, so that nobody blames the server for it.",
		Undefined: "before the first beat", Source: "client: this program about itself",
	},
	{
		Name: "throughput", Label: "throughput", Formula: "output tokens of all streams / window", Unit: "tok/s, all users",
		Text:      "Aggregate tokens per second of all requests that ended well, from the first sending to the last chunk, pauses included.",
		Undefined: "without a request that ended well, or when a count is missing", Source: tokenCount,
	},
	{
		Name: "goodput", Label: "goodput", Formula: "requests that meet every objective / window", Unit: "requests/s",
		Text:      "A request counts whole or not at all; failed and truncated ones do not count, and an objective whose figure is unknown is missed.",
		Undefined: "before a request has ended", Source: clientSide + "; after DistServe (Zhong et al. 2024)",
	},
	{
		Name: "interval", Label: "95 % interval", Formula: "2.5 % and 97.5 % quantiles of the medians of 2000 resamples", Unit: "of its figure",
		Text:      "Where the median over repeated requests would lie if the same were measured again: the percentile bootstrap.",
		Undefined: "below 5 requests", Source: "Efron 1979",
	},
}
