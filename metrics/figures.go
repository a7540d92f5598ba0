package metrics

// Value is a figure that may be unknown. Its field defines the unit: times
// are milliseconds, speeds tokens per second.
type Value struct {
	V   float64
	N   int  // number of observations; 0 when it is no statistic
	OK  bool // false: unknown, show "–"
	Why Why  // the reason when not OK
}

// Known returns a known value from n observations.
func Known(v float64, n int) Value { return Value{V: v, N: n, OK: true} }

// Unknown returns an unknown value with its reason.
func Unknown(why Why) Value { return Value{Why: why} }

// Dist describes a distribution of gaps or of figures over requests, in the
// unit of its values. A percentile with too few observations is unknown, with
// the reason "needs n ≥ …".
type Dist struct {
	N      int    `json:"n"`
	Min    Value  `json:"min"`
	Mean   Value  `json:"mean"`
	StdDev Value  `json:"stddev"`
	P50    Value  `json:"p50"`
	P90    Value  `json:"p90"`
	P95    Value  `json:"p95"`
	P99    Value  `json:"p99"`
	Max    Value  `json:"max"`
	Method string `json:"method"` // of the quantiles; "" where nothing was to be counted
	// Missing says what is not in N, of gaps and times per token: the gaps
	// inside reads. The mean has them, because their sum is known.
	Missing Missing `json:"missing,omitzero"`
}

// Restore gives the known figures their number of values, which a file has once.
func (d *Dist) Restore() {
	for _, v := range [...]*Value{&d.Min, &d.Mean, &d.StdDev, &d.P50, &d.P90, &d.P95, &d.P99, &d.Max} {
		if v.OK {
			v.N = d.N
		}
	}
}

// Stall is a gap far above the median.
type Stall struct {
	Chunk  int     `json:"chunk" form:"from1"` // index of the late chunk, from 0; in JSON from 1
	At     Stamp   `json:"at_ns"`              // when that chunk arrived
	Ms     float64 `json:"gap_ms"`             // the gap
	Factor float64 `json:"factor"`             // gap / median gap
	// Made: what came at its end was made meanwhile. No time was lost but a reader's.
	Made bool `json:"made,omitempty"`
}

// Burst is a run of chunks that arrived in one read:
// Chunks[First..First+Count).
type Burst struct {
	First, Count int
}

// Phase holds the figures of one part of the output (reasoning, answer).
type Phase struct {
	Chunks int   `json:"chunks"`
	First  Value `json:"first_ms"` // ms from Sent to its first chunk
	Last   Value `json:"last_ms"`  // ms from Sent to its last chunk
	TPOT   Value `json:"tpot_ms"`
	Speed  Value `json:"speed_tok_per_s"`
	Tokens Value `json:"tokens"`
}

// IsZero reports whether the part had no chunk: it is absent in JSON.
func (p *Phase) IsZero() bool { return p.Chunks == 0 }

// Share is one part of a time span, for the phase bar.
type Share struct {
	Name   string `json:"name"` // "dns", "tcp", "tls", "send", "queue", "prefill", "unexplained", "wait", …
	Ms     Value  `json:"ms"`
	Server bool   `json:"by" form:"words=client|server"` // reported by the server; else measured here
}

// Figures holds every figure computed from one Stream. The file of each
// family has formula and source. Times are milliseconds.
type Figures struct {
	// Client-side times from Marks.Sent.
	TTFB Value `json:"ttfb_ms"`
	TTFE Value `json:"ttfe_ms"`
	TTFT Value `json:"ttft_ms"`
	TTFC Value `json:"ttfc_ms"`
	// FirstInk is the first visible content other than white space.
	FirstInk Value `json:"first_ink_ms"`
	Seen     Seen  // so far, over all choices
	// TTFA is the first audio, not its transcript.
	TTFA Value `json:"ttfa_ms"`
	// Connection set-up and sending, apart from the above.
	DNS  Value `json:"dns_ms"`
	TCP  Value `json:"tcp_ms"`
	TLS  Value `json:"tls_ms"`
	Send Value `json:"send_ms"`
	// Wait splits the time from the start of the request to the first chunk
	// into measured and server-reported parts. While the wait lasts it ends at
	// now.
	Wait []Share `json:"wait"`
	// Elapsed is Sent → now while the stream runs, Sent → last chunk after the
	// end.
	Elapsed Value
	Total   Value `json:"total_ms"`   // Sent → last chunk
	Trailer Value `json:"trailer_ms"` // last chunk → end of the body: finish, usage, [DONE]

	Chunks int `json:"chunks"`
	// Choices that spoke; figures of gaps, TPOT, speed and words are of one (see ingest).
	Choices        int         `json:"choices"`
	Tokens         Value       `json:"output_tokens"`
	DecodeTokens   Value       `json:"decode_tokens"` // that the chunks brought: the n of TPOT
	TokenSource    TokenSource `json:"output_tokens_source"`
	TokensPerChunk Value       `json:"tokens_per_chunk"` // and their source
	PromptTokens   Value       `json:"prompt_tokens"`
	CachedTokens   Value       `json:"cached_tokens"`
	ReasonTokens   Value       `json:"reasoning_tokens"`

	TPOT  Value `json:"tpot_ms"`         // per output token after the first
	Speed Value `json:"speed_tok_per_s"` // 1000/TPOT, of one user
	// ChunkSpeed is chunks per second after the first. It is the only speed
	// while tokens are unknown.
	ChunkSpeed Value `json:"chunks_per_s"`
	// LiveSpeed is tok/s (or chunks/s when LiveIsChunks) over about the last
	// second of the stream. The needle shows it.
	LiveSpeed    Value
	LiveIsChunks bool
	// Peak is the largest number of tokens in any second, and at least Speed:
	// tok/s of one user. PeakRead is the part of it that one read of several
	// chunks may have brought from before that second, 0 without such a read.
	Peak     Value   `json:"peak_tok_per_s"`
	PeakRead float64 `json:"peak_read_tokens,omitempty"`

	Gaps Dist `json:"gap_ms"` // gaps between chunks, ms; gaps inside a burst are unknown and only counted
	ITL  Dist `json:"itl_ms"` // gaps per token, ms; N counts the gaps, not the tokens
	// The tokens of a chunk: "counted", or the "mean" of the response; absent without one.
	ITLFrom     ITLSource `json:"itl_from,omitempty"`
	GapsUnknown int       `json:"gaps_unknown"` // inside bursts

	Longest Value `json:"longest_gap_ms"`
	// LongestChunk is the index of the chunk after it, from 0, -1 without a known gap; in JSON from 1, and 0.
	LongestChunk int     `json:"longest_gap_chunk" form:"from1"`
	Stalls       []Stall `json:"stalls"`
	StallFactor  float64 `json:"stall_factor"`   // a gap is a stall above this × median …
	StallFloor   float64 `json:"stall_floor_ms"` // … and above this many ms
	// (last − first) minus the same number of median gaps, at least 0, ms.
	StallCost  Value   `json:"stall_cost_ms"`
	StallShare Value   `json:"stall_cost_share"` // StallCost / (last − first), 0..1
	LongGaps   Value   `json:"gaps_over_1s"`     // gaps longer than LongGap; N is the number of known gaps
	Bursts     []Burst `json:"bursts" form:"count"`
	// Share 0..1 of the decode time in which the reader had to wait.
	BelowReading Value  `json:"below_reading_share"`
	ReaderWait   Value  `json:"head_start_ms"`              // that time, ms; also the head start that avoids all waiting
	Trend        Value  `json:"gap_trend_percent_per_1000"` // of the median gap, per 1000 tokens (chunks)
	TrendSure    bool   `json:"gap_trend_sure"`             // Trend is more than chance (Kendall's test, 5 %)
	Predicted    Value  `json:"total_predicted_ms"`         // TTFT + (n−1)·TPOT
	Residual     Value  `json:"total_residual_ms"`          // Total − Predicted, ms
	Words        int    `json:"words"`                      // words of the content that arrived
	WordsFrom    string `json:"words_from"`                 // the rule of words; "" where none was applied
	WPM          Value  `json:"words_per_minute"`           // after the first chunk
	Pace         Pace   `json:"" form:"inline"`             // the reading pace compared with
	TimesReading Value  `json:"times_reading"`              // WPM / Pace.WPM
	// FirstSentence is Sent → the end of the first sentence, ms. SpeakerDry is
	// how long a speaker who begins then has nothing to say, ms, at SpeakerSlow
	// and at SpeakerFast.
	FirstSentence Value    `json:"first_sentence_ms"`
	SpeakerDry    [2]Value `json:"speaker_150_wpm_wait_ms|speaker_180_wpm_wait_ms"`
	Reasoning     Phase    `json:"reasoning,omitzero"`
	Answer        Phase    `json:"answer,omitzero"`
	// PrefillSpeed is prompt tokens that were not cached / TTFT, tok/s: a lower bound
	// of the server's own. The document of sweep --depth counts cached ones too.
	PrefillSpeed Value `json:"prefill_tok_per_s"`
	ServerTTFT   Value `json:"server_ttft_ms"`
	ServerSpeed  Value `json:"server_speed_tok_per_s"` // by the server's own times
	// LateShare is the share of events whose kernel and user stamps differ by more
	// than 1 ms.
	LateShare   Value       `json:"late_share"`
	SharedShare Value       `json:"shared_read_share"` // of chunks that shared a read with the previous one
	Delay       Delay       // this program's own lateness, where it shows in these figures
	Suspect     []Suspicion `json:"suspect,omitempty"`
}

// Pace is a speed of a human reader or speaker.
type Pace struct {
	Name string  `json:"pace"` // "reading", "speech", "skimming"
	WPM  float64 `json:"pace_words_per_minute"`
}

// Run is one ended request of the session with its figures.
type Run struct {
	Stream  Stream
	Figures Figures
	// Trimmed is nil while Stream has its chunks and its text (Trimmer).
	Trimmed *Trimmed
}
