package format

import (
	"cmp"
	"slices"
)

// Definition explains a figure in words. The screens show it under the
// figure.
type Definition struct {
	Name      string // as in JSON and in Define
	Label     string // as on screen
	Formula   string
	Unit      string
	Text      string // one paragraph: its meaning
	Undefined string // when it is shown as –
	// Live is the rank in the overlay of the Live screen; 0 keeps it out.
	Live   int
	Source string // the origin: client stamps, the server, an estimate; and the author of the definition
}

// Define returns the definition of name.
func Define(name string) (Definition, bool) {
	for _, d := range Definitions {
		if d.Name == name {
			return d, true
		}
	}
	return Definition{}, false
}

// LiveDefinitions returns the definitions of the Live screen's overlay in the
// order of their ranks.
func LiveDefinitions() []Definition {
	list := slices.DeleteFunc(slices.Clone(Definitions), func(d Definition) bool { return d.Live == 0 })
	slices.SortStableFunc(list, func(a, b Definition) int { return cmp.Compare(a.Live, b.Live) })
	return list
}

const (
	clientSide  = "client: stamps where the bytes arrive"
	tokenCount  = "client stamps; tokens by the count that is named beside it"
	beforeFirst = "before the event, and when the request was not sent"
)

// Definitions lists the figures in the order in which the screens show them.
var Definitions = []Definition{
	{
		Name: "ttfb", Live: 162, Label: "TTFB", Formula: "first byte − sent", Unit: "ms",
		Text: "Time to first byte: from the moment the last byte of the request was handed to the " +
			"kernel to the first byte of the response. Connection setup is not included; it is shown separately.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "ttfe", Live: 164, Label: "TTFE", Formula: "first event − sent", Unit: "ms",
		Text: "Time to first event: the first server-sent event, even one that only names " +
			"the role. Comments that keep the connection alive do not count. Some tools call this TTFT.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "ttft", Live: 10, Label: "TTFT", Formula: "first chunk − sent", Unit: "ms",
		Text: "Time to first token: the first chunk of any kind, be it content, reasoning, a tool call " +
			"or a refusal. This is the prefill as a client sees it: network, front end, queue and prefill together.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "ttfc", Live: 160, Label: "TTFC", Formula: "first visible chunk − sent", Unit: "ms",
		Text: "Time to first content: the first chunk of visible text, " +
			"content or refusal. A model that reasons first has a short TTFT and a long TTFC.",
		Undefined: "before the first visible text", Source: clientSide,
	},
	{
		Name: "first_ink", Live: 166, Label: "first non-blank",
		Formula: "first visible chunk that is not blank − sent", Unit: "ms",
		Text: "Time to the first character that a reader sees: the first visible chunk " +
			"with something other than white space. Some models begin an answer with blank lines.",
		Undefined: "before the first visible character", Source: clientSide,
	},
	{
		Name: "wait", Live: 140, Label: "time to first token",
		Formula: "dns + tcp + tls + send + (queue + prefill + unexplained)", Unit: "ms",
		Text: "The phases before the first chunk. Those before sending are measured " +
			"by tokscope. Queue, load and prefill are reported by the server. Unexplained " +
			"is the rest of the wait: network, front end, and whatever the server does not report.",
		Undefined: "for a phase that did not occur: a reused connection has no dns, tcp and tls",
		Source:    "client stamps; the server where marked, never mixed",
	},
	{
		Name: "gap", Live: 70, Label: "gap", Formula: "arrival of a chunk − arrival of the one before", Unit: "ms",
		Text: "Time between consecutive chunks. Chunks of one read are a burst: the gaps " +
			"between them are unknown, not 0. They are counted, but are in no percentile. The gap " +
			"before a burst belongs to its first chunk. The mean has all gaps, because their sum is known.",
		Undefined: "inside bursts, and where stamps are missing or do not increase", Source: clientSide,
	},
	{
		Name: "itl", Live: 180, Label: "gap per token",
		Formula: "gap / tokens that came at its end, one count per token", Unit: "ms",
		Text: "Inter-token latency: the distribution of gaps per token. A gap is divided " +
			"evenly over the tokens of the read that ended it. Their number comes from the chunks " +
			"or, where marked, from the mean of the response. The n beside it counts gaps, not tokens.",
		Undefined: "with no known gap, or without any count of tokens", Source: tokenCount,
	},
	{
		Name: "tpot", Live: 20, Label: "TPOT", Formula: "(last chunk − first chunk) / (n − 1)", Unit: "ms",
		Text: "Time per output token: one number a request. n counts the output tokens that came " +
			"through the stream; reasoning that was counted and never sent is left out. TTFT is not included.",
		Undefined: "for n < 2, for a single chunk, and when all chunks came in one read",
		Source:    tokenCount + "; the formula of vLLM, SGLang and AIPerf",
	},
	{
		Name: "speed", Live: 30, Label: "speed", Formula: "1000 / TPOT", Unit: "tok/s, one user",
		Text: "How fast tokens arrive for one user after the first " +
			"token. It is not the throughput of the server, which serves many at once.",
		Undefined: "as TPOT", Source: tokenCount,
	},
	{
		Name: "live_speed", Label: "speed now", Formula: "tokens of the last second / their time",
		Unit: "tok/s, one user (chunks/s while tokens are unknown)",
		Text: "The speed over about the last second of the stream, or over " +
			"three median gaps where that is longer. It falls while no chunk arrives.",
		Undefined: "before the second chunk, and when all chunks came in one read", Source: tokenCount,
	},
	{
		Name: "peak", Live: 35, Label: "peak",
		Formula: "max(tokens of [t, t + 1 s) over all t, speed)", Unit: "tok/s, one user",
		Text: "The fastest second of the stream. It is never below the speed. With ≤ " +
			"the first read of that second brought several chunks, which may have arrived before it.",
		Undefined: "as TPOT, and when the chunks cover less than a second", Source: tokenCount,
	},
	{
		Name: "peak_throughput", Label: "peak, aggregate",
		Formula: "max(tokens of a second that begins at a tenth of a second, throughput · 1 s)", Unit: "tok/s",
		Text: "The fastest second of a load's window, all requests together. Seconds begin every 100 ms " +
			"since the load began, so a faster second that begins between may be missed. It is never below the throughput.",
		Undefined: "in a window shorter than a second", Source: tokenCount,
	},
	{
		Name: "token_goodput", Label: "token goodput",
		Formula:   "throughput · tokens of the requests that met every objective / tokens of all that ended",
		Unit:      "tok/s, aggregate",
		Text:      "The part of the throughput that was of use. Without objectives every request that ended well counts.",
		Undefined: "before a request of the window has ended", Source: tokenCount,
	},
	{
		Name: "batch_interval", Label: "95 %",
		Formula: "mean ± t(19, 0.975) · s / √20, s: standard deviation of 20 batch means", Unit: "of its figure",
		Text: "Where the mean of a steady load lies. The batches of throughput are equal parts of " +
			"the window. Those of speed are equal numbers of requests, in the order in which they ended. Correlated " +
			"batches give no interval, by von Neumann's ratio: 1 − Σ(x_i − x_{i+1})² / (2·Σ(x_i − mean)²) > 0.3.",
		Undefined: "in a window that is not steady or shorter than 4 s, and below 20 requests",
		Source:    "batch means: Schmeiser 1982, Law 2015",
	},
	{
		Name: "use", Label: "cores, descriptors",
		Formula: "(user + system time) / time, measured once a second", Unit: "cores, descriptors",
		Text: "What tokscope itself takes of this machine, the embedded endpoint included. " +
			"From 80 % of all cores on, or of the descriptors that the system allows, it is shown in amber.",
		Undefined: "when measured for less than 2 s; the descriptors on systems other than Linux",
		Source:    "getrusage, GetProcessTimes; /proc/self/fd",
	},
	{
		Name: "chunk_speed", Live: 170, Label: "chunks",
		Formula: "(chunks − 1) / (last chunk − first chunk)", Unit: "chunks/s",
		Text: "The speed in chunks, for as long as no tokens " +
			"are counted. A chunk is one token on many servers, and six on some.",
		Undefined: "as TPOT", Source: clientSide,
	},
	{
		Name: "tokens", Live: 50, Label: "tokens",
		Formula: "server usage, else the chunks' own counts, else the server's running count, else an estimate",
		Unit:    "tokens",
		Text: "Output tokens, reasoning included, from the best source available, which is shown beside " +
			"it. An estimate (words/0.75, a token for a Chinese character) can be off by half for code and other languages.",
		Undefined: "before the first chunk", Source: "the server where it reports it; else estimated, and labeled so",
	},
	{
		Name: "tokens_per_chunk", Live: 60, Label: "tokens a chunk", Formula: "tokens / chunks", Unit: "tokens",
		Text: "How many tokens a chunk carries. If it is " +
			"well above 1, a gap between chunks is not a gap between tokens.",
		Undefined: "before the first chunk", Source: tokenCount,
	},
	{
		Name: "total", Live: 62, Label: "total", Formula: "last chunk − sent", Unit: "ms",
		Text: "From sending to the last chunk. The usage event, " +
			"[DONE] and the end of the body come later and are shown separately.",
		Undefined: beforeFirst, Source: clientSide,
	},
	{
		Name: "trailer", Live: 64, Label: "tail", Formula: "end of the body − last chunk", Unit: "ms",
		Text: "The time from the last token to the end of the response. " +
			"It holds the finish reason, usage, [DONE] and the end of the body.",
		Undefined: "before the response has ended, and without a chunk", Source: clientSide,
	},
	{
		Name: "residual", Label: "identity", Formula: "total − (TTFT + (n − 1)·TPOT)", Unit: "ms",
		Text: "The error of total = TTFT + (n − 1)·TPOT. Normally only " +
			"rounding. A larger value means that another choice began or ended the response.",
		Undefined: "as TPOT", Source: clientSide,
	},
	{
		Name: "percentile", Live: 110, Label: "p50 p90 p95 p99",
		Formula: "linear interpolation at (n − 1)·q (Hyndman-Fan type 7)", Unit: "of its figure",
		Text: "A percentile needs at least one value at or above it: p90 needs 10 values, p95 " +
			"needs 20, p99 needs 100. With ≤ it is the largest that it can be: gaps inside a read could move it.",
		Undefined: "for smaller n, with the reason", Source: "the method of NumPy and R",
	},
	{
		Name: "longest", Live: 80, Label: "longest gap", Formula: "max gap", Unit: "ms",
		Text:      "The longest gap between two chunks, and the chunk after it.",
		Undefined: "with no known gap", Source: clientSide,
	},
	{
		Name: "stalls", Live: 90, Label: "stalls", Formula: "gap > 5 · median gap and gap > 50 ms", Unit: "gaps",
		Text:      "Gaps far above the median; the factor is shown with each.",
		Undefined: "with fewer than 5 known gaps", Source: clientSide,
	},
	{
		Name: "stall_cost", Live: 92, Label: "stall cost", Formula: "(last − first) − gaps · median gap", Unit: "ms",
		Text: "How much sooner the response would end if every gap were the " +
			"median gap. Beside it stands its share of the time from the first chunk to the last.",
		Undefined: "with no known gap", Source: clientSide,
	},
	{
		Name: "long_gaps", Live: 94, Label: "gaps over 1 s", Formula: "gaps > 1 s", Unit: "gaps",
		Text: "Silences that interrupt the thought of a reader, whatever the " +
			"usual gap of the stream is. A gap inside a read is unknown and not among them.",
		Undefined: "with no known gap", Source: clientSide + "; the limit of one second is that of Nielsen 1993",
	},
	{
		Name: "bursts", Live: 100, Label: "bursts", Formula: "reads that brought two chunks or more", Unit: "reads",
		Text: "Chunks that arrived together. The network causes a few. " +
			"Many after a long wait mean that the server or a proxy collects them.",
		Undefined: "never", Source: clientSide,
	},
	{
		Name: "trend", Live: 150, Label: "trend",
		Formula: "Theil-Sen slope of binned medians / median gap, per 1000 tokens", Unit: "% per 1000 tokens",
		Text: "How the gap changes over the response. It grows with the KV cache, " +
			"because every new token reads all of it. Marked when Kendall's test rejects chance at 5 %.",
		Undefined: "with fewer than 64 known gaps", Source: clientSide,
	},
	{
		Name: "wpm", Live: 130, Label: "words a minute",
		Formula: "60 · words after the first chunk / (last − first visible chunk) in s", Unit: "words per minute",
		Text: "The real words of the visible text: sequences without blanks that contain a letter or " +
			"digit; in Chinese and Japanese 1.6 characters are a word. Without text, 0.75 words a token, and marked so.",
		Undefined: "with fewer than two visible chunks, and when all came in one read", Source: clientSide,
	},
	{
		Name: "times_reading", Live: 40, Label: "× reading", Formula: "words per minute / pace", Unit: "times",
		Text: "How much faster words arrive than a person reads. Silent reading " +
			"of English is 238 words a minute (Brysbaert 2019); other paces can be chosen.",
		Undefined: "as words a minute", Source: clientSide + "; its source is shown beside it",
	},
	{
		Name: "below_reading", Live: 120, Label: "below reading",
		Formula: "time the reader waits / (last − first visible chunk)", Unit: "share",
		Text: "A reader who starts with the first visible chunk and reads at the chosen " +
			"pace waits whenever nothing is left to read. The figure is the share of time spent waiting.",
		Undefined: "as words a minute", Source: clientSide,
	},
	{
		Name: "head_start", Live: 122, Label: "head start", Formula: "sum of the reader's waits", Unit: "ms",
		Text: "How much later than the first visible chunk a reader at " +
			"the chosen pace may begin, to never wait. 0: the stream is always ahead.",
		Undefined: "as words a minute", Source: clientSide,
	},
	{
		Name: "first_sentence", Label: "first sentence", Formula: "white space behind the first sentence − sent", Unit: "ms",
		Text: "When a voice can speak the first sentence. A point ends none after an " +
			"abbreviation, an initial or the number of a list item. The finish reason stands in for a missing " +
			"end. From then on a speaker at 150 to 180 words a minute waits whenever nothing is left to speak.",
		Undefined: "without visible text; before a sentence or the answer has ended", Source: clientSide,
	},
	{
		Name: "prefill_speed", Live: 152, Label: "prefill", Formula: "(prompt tokens − cached) / TTFT", Unit: "tok/s",
		Text: "Prompt tokens per second of the client's wait. The wait " +
			"includes queue and network, so the server's own prefill is at least as fast.",
		Undefined: "without prompt tokens or TTFT, and when the whole prompt was cached",
		Source:    "client stamps; prompt tokens by the server",
	},
	{
		Name: "server_ttft", Live: 154, Label: "server TTFT",
		Formula: "the server's time to first token, else its queue + load + prefill", Unit: "ms",
		Text:      "The same wait as the server reports it, shown beside the client's figure and never mixed with it.",
		Undefined: "when the server does not report it", Source: "the server",
	},
	{
		Name: "server_speed", Live: 156, Label: "server speed",
		Formula: "output tokens / the server's decode time", Unit: "tok/s, one user",
		Text: "The server's own decode speed. If it is higher " +
			"than the client's, the path between them costs the difference.",
		Undefined: "when the server does not report its decode time", Source: "the server",
	},
	{
		Name: "late_share", Label: "late",
		Formula: "chunks whose own stamp is > 1 ms behind the kernel's / chunks with both", Unit: "share",
		Text:      "How often tokscope read late. Kernel timestamps are unaffected, but gaps inside a late read are unknown.",
		Undefined: "without kernel stamps", Source: "client: both clocks",
	},
	{
		Name: "shared_share", Label: "shared reads",
		Formula: "chunks read together with the previous one / (chunks − 1)", Unit: "share",
		Text:      "The share of gaps that are unknown because chunks arrived together.",
		Undefined: "for a single chunk", Source: clientSide,
	},
	{
		Name: "rate_limit", Live: 200, Label: "rate limit",
		Formula: "used up in = left / pace − time since the last answer; pace = (left before − left now) / time between",
		Unit:    "s, and tokens or requests per second",
		Text: "What the headers of an answer say is left, and when it is used up at the pace " +
			"of the last 60 s. The pace is by the server's own counts: it has what others use with the " +
			"key, and what a limit that refills gives back. A pace needs two answers, one second apart or more.",
		Undefined: "where no header says what is left, and for the pace of a single answer",
		Source:    "the server's headers; client stamps between answers",
	},
	{
		Name: "lag", Live: 190, Label: "lag", Formula: "p99 lateness of a timer tick", Unit: "ms",
		Text:      "How late tokscope itself was while it measured: this delay is not the server's.",
		Undefined: "before the first timer tick", Source: "client: tokscope about itself",
	},
	{
		Name: "throughput", Label: "throughput", Formula: "output tokens of all streams / window", Unit: "tok/s, all users",
		Text: "Aggregate tokens per second of all requests that " +
			"ended well, from the first sending to the last chunk, pauses included.",
		Undefined: "without a request that ended well, or when a count is missing", Source: tokenCount,
	},
	{
		Name: "goodput", Label: "goodput", Formula: "requests that meet every objective / window", Unit: "requests/s",
		Text: "A request counts when it meets every objective. Failed " +
			"and truncated requests do not count; an unknown figure misses its objective.",
		Undefined: "before a request has ended", Source: clientSide + "; after DistServe (Zhong et al. 2024)",
	},
	{
		Name: "interval", Label: "95 % interval",
		Formula: "values of rank r and n + 1 − r, P(Binomial(n, ½) < r) ≤ 2.5 %", Unit: "of its figure",
		Text: "Two of the values, with the true median of repeated requests " +
			"between them with at least 95 % confidence. Requests are taken as independent.",
		Undefined: "with fewer than 6 requests", Source: "David and Nagaraja 2003, Order Statistics, §7.1",
	},
}
