package say

import (
	"tokscope/metrics/figure"
	"tokscope/metrics/pick"
)

// Definition explains a figure in words. The Live screen shows it beside the figures.
type Definition struct {
	ID        figure.ID // or one of the terms below
	Label     string    // as on screen; that of the table for a figure
	Formula   string
	Unit      string
	Text      string // one paragraph: its meaning
	Undefined string // when it is shown as –
}

// What is explained beside the figures.
const (
	Percentiles = figure.Count + iota
	WaitParts
	OwnLag
	RateLimit
)

// Definitions returns all definitions, in the order in which they are read.
func Definitions() []Definition {
	return pick.Each(definitions, func(d *Definition) Definition {
		out := *d
		if d.ID < figure.Count {
			out.Label = d.ID.Label()
		}
		return out
	})
}

const beforeFirst = "until it comes"

var definitions = []Definition{
	{
		ID: figure.TTFT, Formula: "first chunk − sent", Unit: "ms",
		Text: "Time to first token: the first chunk of any kind, be it content, reasoning, a tool call, " +
			"a refusal, audio or an image. This is the prefill as a client sees it: network, front end, " +
			"queue and prefill together.",
		Undefined: beforeFirst,
	},
	{
		ID: figure.TPOT, Formula: "(last chunk − first chunk) / (n − 1)", Unit: "ms",
		Text: "Time per output token: one number a request. n counts the output tokens that came " +
			"through the stream; reasoning that was counted and never sent is left out. TTFT is not included.",
		Undefined: "for n < 2, for a single chunk, and when all chunks came in one read",
	},
	{
		ID: figure.Speed, Formula: "1000 / TPOT", Unit: "tok/s, one user",
		Text: "How fast tokens arrive for one user after the first " +
			"token. It is not the throughput of the server, which serves many at once.",
		Undefined: "as TPOT",
	},
	{
		ID: figure.Peak, Formula: "max(tokens of [t, t + 1 s) over all t, speed)", Unit: "tok/s, one user",
		Text: "The fastest second of the stream. It is never below the speed. With ≤ " +
			"the first read of that second brought several chunks, which may have arrived before it.",
		Undefined: "as TPOT, and when the chunks cover less than a second",
	},
	{
		ID: figure.TimesReading, Formula: "words per minute / pace", Unit: "times",
		Text: "How much faster words arrive than a person reads. Silent reading " +
			"of English is 238 words a minute (Brysbaert 2019); other paces can be chosen.",
		Undefined: "as words a minute",
	},
	{
		ID:      figure.Tokens,
		Formula: "the server's usage, else the chunks' own counts, else the server's running count, else an estimate",
		Unit:    "tokens",
		Text: "Output tokens, reasoning included, from the best source available, which is shown beside " +
			"it. An estimate (words/0.75, a token for a Chinese character) can be off by half for code and other languages.",
		Undefined: "before the first chunk",
	},
	{
		ID: figure.TokensPerChunk, Formula: "tokens / chunks", Unit: "tokens",
		Text: "How many tokens a chunk carries. If it is " +
			"well above 1, a gap between chunks is not a gap between tokens.",
		Undefined: "before the first chunk",
	},
	{
		ID: figure.Total, Formula: "last chunk − sent", Unit: "ms",
		Text: "From sending to the last chunk. The usage event, " +
			"[DONE] and the end of the body come later and are shown separately.",
		Undefined: beforeFirst,
	},
	{
		ID: figure.Trailer, Formula: "end of the body − last chunk", Unit: "ms",
		Text: "The time from the last token to the end of the response. " +
			"It holds the finish reason, usage, [DONE] and the end of the body.",
		Undefined: "before the response has ended, and without a chunk",
	},
	{
		ID: figure.Gap, Formula: "arrival of a chunk − arrival of the one before", Unit: "ms",
		Text: "Time between consecutive chunks. Chunks of one read are a burst: the gaps " +
			"between them are unknown, not 0. They are counted, but are in no percentile. The gap " +
			"before a burst belongs to its first chunk. The mean has all gaps, because their sum is known.",
		Undefined: "inside bursts, and where stamps are missing or do not increase",
	},
	{
		ID: figure.Longest, Formula: "max gap", Unit: "ms",
		Text:      "The longest gap between two chunks, and the chunk after it.",
		Undefined: "with no known gap",
	},
	{
		ID: figure.Stalls, Formula: "gap > 5 · median gap and gap > 50 ms", Unit: "gaps",
		Text:      "Gaps far above the median; the factor is shown with each.",
		Undefined: "with fewer than 5 known gaps",
	},
	{
		ID: figure.StallCost, Formula: "Σ (stall − median gap)", Unit: "ms",
		Text: "How much sooner the response would end if every stall were a " +
			"median gap. Beside it stands its share of the time from the first chunk to the last.",
		Undefined: "with fewer than 5 known gaps",
	},
	{
		ID: figure.LongGaps, Formula: "gaps > 1 s", Unit: "gaps",
		Text: "Silences that interrupt the thought of a reader, whatever the " +
			"usual gap of the stream is. A gap inside a read is unknown and not among them.",
		Undefined: "with no known gap",
	},
	{
		ID: figure.Bursts, Formula: "reads that brought two chunks or more", Unit: "reads",
		Text: "Chunks that arrived together. The network causes a few. " +
			"Many after a long wait mean that the server or a proxy collects them.",
		Undefined: "never",
	},
	{
		ID: Percentiles, Label: "p50 p90 p95 p99",
		Formula: "linear interpolation at (n − 1)·q (Hyndman-Fan type 7)", Unit: "of its figure",
		Text: "A percentile needs at least one value at or above it: p90 needs 10 values, p95 " +
			"needs 20, p99 needs 100. With ≤ it is the largest that it can be: gaps inside a read could move it.",
		Undefined: "for smaller n, with the reason",
	},
	{
		ID: figure.BelowReading, Formula: "time the reader waits / (last − first visible chunk)", Unit: "share",
		Text: "A reader who starts with the first visible chunk and reads at the chosen " +
			"pace waits whenever nothing is left to read. The figure is the share of time spent waiting.",
		Undefined: "as words a minute",
	},
	{
		ID: figure.HeadStart, Formula: "sum of the reader's waits", Unit: "ms",
		Text: "How much later than the first visible chunk a reader at " +
			"the chosen pace may begin, to never wait. 0: the stream is always ahead.",
		Undefined: "as words a minute",
	},
	{
		ID:      figure.Words,
		Formula: "60 · words after the first chunk / (last − first visible chunk) in s", Unit: "words per minute",
		Text: "The real words of the visible text: sequences without blanks that contain a letter or " +
			"digit; in Chinese and Japanese 1.6 characters are a word. Without text, 0.75 words a token, and marked so.",
		Undefined: "with fewer than two visible chunks, and when all came in one read",
	},
	{
		ID: WaitParts, Label: "time to first token",
		Formula: "dns + tcp + tls + send + (queue + prefill + unexplained)", Unit: "ms",
		Text: "The phases before the first chunk. Those before sending are measured " +
			"by tokscope. Queue, load and prefill are reported by the server. Unexplained " +
			"is the rest of the wait: network, front end, and whatever the server does not report.",
		Undefined: "for a phase that did not occur: a reused connection has no dns, tcp and tls",
	},
	{
		ID:      figure.Trend,
		Formula: "Theil-Sen slope of binned medians / median gap, per 1000 tokens", Unit: "% per 1000 tokens",
		Text: "How the gap changes over the response. It grows with the KV cache, " +
			"because every new token reads all of it. Marked when Kendall's test rejects chance at 5 %.",
		Undefined: "with fewer than 64 known gaps",
	},
	{
		ID: figure.PrefillSpeed, Formula: "(prompt tokens − cached) / TTFT", Unit: "tok/s",
		Text: "Prompt tokens per second of the client's wait. The wait " +
			"includes queue and network, so the server's own prefill is at least as fast.",
		Undefined: "without prompt tokens or TTFT, and when the whole prompt was cached",
	},
	{
		ID: figure.ServerTTFT, Formula: "the server's time to first token, else its queue + load + prefill", Unit: "ms",
		Text:      "The same wait as the server reports it, shown beside the client's figure and never mixed with it.",
		Undefined: "when the server does not report it",
	},
	{
		ID: figure.ServerSpeed, Formula: "output tokens / the server's decode time", Unit: "tok/s, one user",
		Text: "The server's own decode speed. If it is higher " +
			"than the client's, the path between them costs the difference.",
		Undefined: "when the server does not report its decode time",
	},
	{
		ID: figure.TTFC, Formula: "first visible chunk − sent", Unit: "ms",
		Text: "Time to first content: the first chunk of visible text, " +
			"content, refusal or transcript. A model that reasons first has a short TTFT and a long TTFC.",
		Undefined: "before the first visible text",
	},
	{
		ID: figure.TTFA, Formula: "first audio − sent", Unit: "ms",
		Text: "Time to first audio: the first event with sound. Its transcript is text: it has a " +
			"TTFT and a TTFC of its own.",
		Undefined: "when no audio came",
	},
	{
		ID: figure.TTFB, Formula: "first byte − sent", Unit: "ms",
		Text: "Time to first byte: from the moment the last byte of the request was handed to the " +
			"kernel to the first byte of the response. Connection setup is not included; it is shown separately.",
		Undefined: beforeFirst,
	},
	{
		ID: figure.TTFE, Formula: "first event − sent", Unit: "ms",
		Text: "Time to first event: the first server-sent event, even one that only names " +
			"the role. Comments that keep the connection alive do not count. Some tools call this TTFT.",
		Undefined: beforeFirst,
	},
	{
		ID: figure.FirstInk, Formula: "first visible chunk that is not blank − sent", Unit: "ms",
		Text: "Time to the first character that a reader sees: the first visible chunk " +
			"with something other than white space. Some models begin an answer with blank lines.",
		Undefined: "before the first visible character",
	},
	{
		ID: figure.ChunkSpeed, Formula: "(chunks − 1) / (last chunk − first chunk)", Unit: "chunks/s",
		Text: "The speed in chunks, for as long as no tokens " +
			"are counted. A chunk is one token on many servers, and six on some.",
		Undefined: "as TPOT",
	},
	{
		ID: figure.GapPerToken, Formula: "gap / tokens that came at its end, one count per token", Unit: "ms",
		Text: "Inter-token latency: the distribution of gaps per token. A gap is divided " +
			"evenly over the tokens of the read that ended it. Their number comes from the chunks " +
			"or, where marked, from the mean of the response. The n beside it counts gaps, not tokens.",
		Undefined: "with no known gap, or without any count of tokens",
	},
	{
		ID: OwnLag, Label: "lag", Formula: "p99 lateness of a timer tick", Unit: "ms",
		Text:      "How late tokscope itself was while it measured: this delay is not the server's.",
		Undefined: "before the first timer tick",
	},
	{
		ID: RateLimit, Label: "rate limit",
		Formula: "used up in = left / pace − time since the last answer; pace = (left before − left now) / time between",
		Unit:    "s, and tokens or requests per second",
		Text: "What the headers of an answer say is left, and when it is used up at the pace " +
			"of the last 60 s. The pace is by the server's own counts: it has what others use with the " +
			"key, and what a limit that refills gives back. A pace needs two answers, one second apart or more.",
		Undefined: "where no header says what is left, and for the pace of a single answer",
	},
	{
		ID: figure.LiveSpeed, Formula: "tokens of the last second / their time",
		Unit: "tok/s, one user (chunks/s while tokens are unknown)",
		Text: "The speed over about the last second of the stream, or over " +
			"three median gaps where that is longer. It falls while no chunk arrives.",
		Undefined: "before the second chunk, and when all chunks came in one read",
	},
	{
		ID: figure.Residual, Formula: "total − (TTFT + (n − 1)·TPOT)", Unit: "ms",
		Text: "The error of total = TTFT + (n − 1)·TPOT. Normally only " +
			"rounding. A larger value means that another choice began or ended the response.",
		Undefined: "as TPOT",
	},
	{
		ID: figure.FirstSentence, Formula: "white space behind the first sentence − sent", Unit: "ms",
		Text: "When a voice can speak the first sentence. A point ends none after an " +
			"abbreviation, an initial or the number of a list item. The finish reason stands in for a missing " +
			"end. From then on a speaker at 150 to 180 words a minute waits whenever nothing is left to speak.",
		Undefined: "without visible text; before a sentence or the answer has ended",
	},
	{
		ID:      figure.LateReads,
		Formula: "chunks whose own stamp is > 1 ms behind the kernel's / chunks with both", Unit: "share",
		Text:      "How often tokscope read late. Kernel timestamps are unaffected, but gaps inside a late read are unknown.",
		Undefined: "without kernel timestamps",
	},
	{
		ID: figure.SharedReads, Formula: "chunks read together with the previous one / (chunks − 1)", Unit: "share",
		Text:      "The share of gaps that are unknown because chunks arrived together.",
		Undefined: "for a single chunk",
	},
	{
		ID: figure.FirstChoice, Formula: "first event with a choice − sent", Unit: "ms",
		Text:      "The first event that is about the answer: on most servers the one that only names the role.",
		Undefined: "before such an event",
	},
	{
		ID: figure.PromptTokens, Formula: "as the server counted them", Unit: "tokens",
		Text: "The tokens of the prompt, with those of the chat template. Cached are those of them that the server " +
			"had read before, reasoning the output tokens that the model thought with.",
		Undefined: "when the server does not report it",
	},
	{
		ID: figure.Cost, Formula: "prompt tokens · price in + output tokens · price out",
		Unit:      "of the configured price",
		Text:      "What the request cost at most: cached tokens count in full.",
		Undefined: "without a configured price, and when the server did not count both",
	},
	{
		ID: figure.Throughput, Formula: "output tokens of all streams / window", Unit: "tok/s, all users",
		Text: "Aggregate tokens per second of all requests that " +
			"ended well, from the first sending to the last chunk, pauses included.",
		Undefined: "without a request that ended well, or when a count is missing",
	},
	{
		ID: figure.Failures, Formula: "requests that did not end well / all that ended", Unit: "share",
		Text: "Failed and truncated requests. Their figures are in no comparison, and a canceled request " +
			"does not count: this program stopped it.",
		Undefined: "before a request has ended",
	},
}
