package figure

import "tokscope/metrics"

// ID identifies a figure. The integers change with every new figure and are not
// saved anywhere.
type ID uint8

// The figures that the history keeps of a request, in the order of a request. Those
// before TTFB are parts of the wait, Queue and Prefill are the server's own.
const (
	DNS ID = iota
	TCP
	TLS
	Upload
	TTFB
	Queue
	Prefill
	TTFT
	TTFC
	TPOT
	Longest
	Total
	Speed
	// Throughput is aggregate; only a point of a load has it.
	Throughput
	// Kept is the number of figures that the history keeps.
	Kept
)

// The other figures. Connect and Failures are of several requests, as a race and a
// watch follow them.
const (
	Connect ID = iota + Kept // DNS, TCP and TLS of a new connection
	Failures
	TTFE
	FirstChoice
	FirstInk
	TTFA
	FirstSentence
	Trailer
	LiveSpeed
	Peak
	ChunkSpeed
	Trend
	PrefillSpeed
	Residual
	Gap
	GapPerToken
	LongGaps
	Stalls
	StallCost
	StallShare
	Bursts
	SharedReads
	LateReads
	Tokens
	DecodeTokens
	Chunks
	TokensPerChunk
	PromptTokens
	CachedTokens
	ReasoningTokens
	Cost
	Words
	TimesReading
	BelowReading
	HeadStart
	SpeakerSlow
	SpeakerFast
	ServerTTFT
	ServerSpeed
	Sending
	// Count is the number of figures.
	Count
)

// table has the figures in the order of the panel. ui/say has what they mean.
var table = [...]Figure{
	{ID: TTFB, Key: "ttfb_ms", Name: "ttfb", Label: "TTFB", Row: "TTFB byte", Section: Firsts, CSV: true},
	{ID: TTFE, Key: "ttfe_ms", Name: "ttfe", Label: "TTFE", Row: "TTFE event", Section: Firsts, CSV: true},
	{ID: FirstChoice, Name: "first_choice", Label: "first choice", Section: Firsts, ofStream: firstChoice},
	{ID: TTFT, Key: "ttft_ms", Name: "ttft", Label: "TTFT", Row: "TTFT token", Section: Firsts, CSV: true, Text: true},
	{ID: TTFC, Key: "ttfc_ms", Name: "ttfc", Label: "TTFC", Row: "TTFC content", Section: Firsts, CSV: true},
	{ID: FirstInk, Key: "first_ink_ms", Name: "first_ink", Label: "first non-blank", Section: Firsts, CSV: true},
	{ID: FirstSentence, Key: "first_sentence_ms", Name: "first_sentence", Label: "first sentence", Section: Firsts},
	{ID: TTFA, Key: "ttfa_ms", Name: "ttfa", Label: "TTFA", CSV: true, Text: true},
	{ID: Total, Key: "total_ms", Name: "total", Label: "total", Row: "last chunk", Section: Firsts, CSV: true,
		Text: true},
	{ID: Trailer, Key: "trailer_ms", Name: "trailer", Label: "tail", Section: Firsts, CSV: true},
	{ID: TPOT, Key: "tpot_ms", Name: "tpot", Label: "TPOT", Section: Speeds, Counted: true, CSV: true, Text: true},
	{ID: Speed, Key: "speed_tok_per_s", Name: "speed", Label: "speed", Row: "per user", Unit: TokensPerSecond,
		Better: Higher, Section: Speeds, Counted: true, CSV: true, Text: true},
	{ID: LiveSpeed, Name: "live_speed", Label: "speed now", Row: "last 1 s", Unit: TokensPerSecond, Better: Higher,
		Section: Speeds,
		of:      func(f *metrics.Figures) metrics.Value { return f.LiveSpeed }},
	{ID: Peak, Key: "peak_tok_per_s", Name: "peak", Label: "peak", Row: "peak of 1 s", Unit: TokensPerSecond,
		Better: Higher, Section: Speeds, CSV: true, Text: true},
	{ID: ChunkSpeed, Key: "chunks_per_s", Name: "chunk_speed", Label: "chunk speed", Row: "chunks",
		Unit: ChunksPerSecond, Better: Higher, Section: Speeds, CSV: true},
	{ID: Trend, Key: "gap_trend_percent_per_1000", Name: "trend", Label: "trend", Row: "trend of gaps", Unit: Percent,
		Section: Speeds},
	{ID: PrefillSpeed, Key: "prefill_tok_per_s", Name: "prefill_speed", Label: "prefill speed", Row: "prefill",
		Unit: TokensPerSecond, Better: Higher, Section: Speeds, CSV: true, Text: true},
	{ID: Residual, Key: "total_residual_ms", Name: "residual", Label: "residual", Better: Neither, Section: Speeds},
	{ID: Gap, Key: "gap_ms", Name: "gaps", Label: "gap", Section: Gaps, Text: true},
	{ID: GapPerToken, Key: "itl_ms", Name: "itl", Label: "gap per token", Row: "gap/token", Section: Gaps, Text: true},
	{ID: Longest, Key: "longest_gap_ms", Name: "longest_gap", Aliases: []string{"gap", "stall"}, Label: "longest gap",
		Row: "longest", Section: Gaps, CSV: true},
	{ID: LongGaps, Key: "gaps_over_1s", Name: "long_gaps", Label: "gaps over 1 s", Row: "over 1 s", Unit: Number,
		Section: Gaps, CSV: true},
	{ID: Stalls, Key: "stalls", Name: "stalls", Label: "stalls", Unit: Number, Section: Gaps, CSV: true,
		of: func(f *metrics.Figures) metrics.Value {
			if f.AtOnce() {
				return metrics.Unknown(metrics.WhyAtOnce)
			}
			return metrics.Known(float64(len(f.Stalls)), 0)
		}},
	{ID: StallCost, Key: "stall_cost_ms", Name: "stall_cost", Label: "stall cost", Section: Gaps, CSV: true, Text: true},
	{ID: StallShare, Key: "stall_cost_share", Name: "stall_share", Label: "stall share", Unit: Share, CSV: true},
	{ID: Bursts, Key: "bursts", Name: "bursts", Label: "bursts", Unit: Number, Section: Gaps,
		of: func(f *metrics.Figures) metrics.Value { return metrics.Known(float64(len(f.Bursts)), 0) }},
	{ID: SharedReads, Key: "shared_read_share", Name: "shared_reads", Label: "shared reads", Unit: Share, Section: Gaps,
		CSV: true},
	{ID: LateReads, Key: "late_share", Name: "late_reads", Label: "read late", Unit: Share, Section: Gaps, CSV: true},
	{ID: Tokens, Key: "output_tokens", Name: "tokens", Label: "tokens", Row: "output", Unit: Number, Better: Neither,
		Section: Counts, Counted: true, CSV: true},
	{ID: DecodeTokens, Key: "decode_tokens", Name: "decode_tokens", Label: "tokens of the stream", Row: "of the stream",
		Unit: Number, Better: Neither, Section: Counts, Counted: true},
	{ID: Chunks, Key: "chunks", Name: "chunks", Label: "chunks", Unit: Number, Better: Neither, Section: Counts,
		CSV: true,
		of:  func(f *metrics.Figures) metrics.Value { return metrics.Known(float64(f.Chunks), 0) }},
	{ID: TokensPerChunk, Key: "tokens_per_chunk", Name: "tokens_per_chunk", Label: "tokens a chunk", Row: "per chunk",
		Unit: Ratio, Better: Neither, Section: Counts, Counted: true, CSV: true},
	{ID: PromptTokens, Key: "prompt_tokens", Name: "prompt_tokens", Label: "prompt", Unit: Number, Better: Neither,
		Section: Counts, CSV: true},
	{ID: CachedTokens, Key: "cached_tokens", Name: "cached_tokens", Label: "cached", Unit: Number, Better: Higher,
		Section: Counts, CSV: true},
	{ID: ReasoningTokens, Key: "reasoning_tokens", Name: "reasoning_tokens", Label: "reasoning", Unit: Number,
		Better: Neither, Section: Counts, CSV: true},
	{ID: Cost, Key: "cost", Name: "cost", Label: "cost", Unit: Money, Section: Counts, CSV: true, Text: true,
		ofStream: metrics.Cost},
	{ID: Words, Key: "words_per_minute", Name: "wpm", Label: "words a minute", Row: "words", Unit: WordsPerMinute,
		Better: Higher, Section: Reader},
	{ID: TimesReading, Key: "times_reading", Name: "times_reading", Label: "x reading", Row: "against a reader",
		Unit: Times, Better: Higher, Section: Reader},
	{ID: BelowReading, Key: "below_reading_share", Name: "below_reading", Label: "below reading", Row: "waits",
		Unit: Share, Section: Reader, CSV: true, Text: true},
	{ID: HeadStart, Key: "head_start_ms", Name: "head_start", Label: "head start", Section: Reader},
	{ID: SpeakerSlow, Key: "speaker_150_wpm_wait_ms", Name: "speaker_slow", Label: "speaker, 150 wpm", Section: Reader,
		of: func(f *metrics.Figures) metrics.Value { return f.SpeakerDry[0] }},
	{ID: SpeakerFast, Key: "speaker_180_wpm_wait_ms", Name: "speaker_fast", Label: "speaker, 180 wpm", Section: Reader,
		of: func(f *metrics.Figures) metrics.Value { return f.SpeakerDry[1] }},
	{ID: ServerTTFT, Key: "server_ttft_ms", Name: "server_ttft", Label: "server TTFT", Row: "its TTFT", Section: Server,
		CSV: true},
	{ID: ServerSpeed, Key: "server_speed_tok_per_s", Name: "server_speed", Label: "server speed", Row: "its speed",
		Unit: TokensPerSecond, Better: Higher, Section: Server, CSV: true},
	{ID: DNS, Key: "dns_ms", Name: "dns", Label: "DNS", Section: Connection, Part: metrics.ShareDNS, CSV: true},
	{ID: TCP, Key: "tcp_ms", Name: "tcp", Label: "TCP", Section: Connection, Part: metrics.ShareTCP, CSV: true},
	{ID: TLS, Key: "tls_ms", Name: "tls", Label: "TLS", Section: Connection, Part: metrics.ShareTLS, CSV: true},
	{ID: Sending, Key: "send_ms", Name: "send", Label: "sending", Section: Connection, Part: metrics.ShareSend,
		CSV: true},
	{ID: Upload, Key: "upload_ms", Name: "upload", Label: "upload", Part: metrics.ShareUpload,
		of: func(f *metrics.Figures) metrics.Value { return Wait(f.Wait, metrics.ShareUpload, false) }},
	{ID: Queue, Key: "queue_ms", Name: "queue", Label: "queue", Part: metrics.ShareQueue,
		of: func(f *metrics.Figures) metrics.Value { return Wait(f.Wait, metrics.ShareQueue, true) }},
	{ID: Prefill, Key: "prefill_ms", Name: "prefill", Label: "prefill", Part: metrics.SharePrefill,
		of: func(f *metrics.Figures) metrics.Value { return Wait(f.Wait, metrics.SharePrefill, true) }},
	{ID: Connect, Name: "connect", Label: "connect",
		of: func(f *metrics.Figures) metrics.Value { return Sum(f.DNS, f.TCP, f.TLS) }},
	{ID: Throughput, Key: "throughput_tok_per_s", Name: "throughput", Label: "throughput",
		Unit: TokensPerSecond, Better: Higher},
	{ID: Failures, Name: "failures", Label: "failures", Unit: Share},
}

// firstChoice is the time to the first event with choices, such as one that has
// only a role.
func firstChoice(s *metrics.Stream, f *metrics.Figures) metrics.Value {
	if !f.TTFE.OK {
		return f.TTFE // its reason holds for every later event
	}
	return metrics.Since(s.Marks.Sent, s.Marks.FirstRole, metrics.WhyNoChunk)
}

// Sum returns the time of the phases of a connection that are known, unknown
// without one: the connection was reused.
func Sum(phases ...metrics.Value) metrics.Value {
	sum := metrics.Unknown(metrics.WhyReused)
	for _, v := range phases {
		if v.OK {
			sum = metrics.Known(sum.V+v.V, 0)
		}
	}
	return sum
}

// Wait returns the part of the wait of that name, as the server or this program
// measured it.
func Wait(parts []metrics.Share, name string, server bool) metrics.Value {
	for i := range parts {
		if parts[i].Name == name && parts[i].Server == server {
			return parts[i].Ms
		}
	}
	if server {
		return metrics.Unknown(metrics.WhyUnreported)
	}
	return metrics.Unknown(metrics.WhyNotMeasured)
}
