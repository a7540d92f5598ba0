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
	N                                  int
	Min, Mean, P50, P90, P95, P99, Max Value
	StdDev                             Value
	Method                             string // the quantile method by name
	// Missing says what is not in N, of gaps and times per token: the gaps
	// inside reads. The mean has them, because their sum is known.
	Missing Missing
}

// Stall is a gap far above the median.
type Stall struct {
	Chunk  int     // index of the late chunk
	At     Stamp   // when that chunk arrived
	Ms     float64 // the gap
	Factor float64 // gap / median gap
}

// StalledFor is how much longer the stalls took than as many median gaps, ms:
//
//	Σ (stall − median gap)
//
// It is 0 without a stall. Unlike StallCost it leaves out other uneven gaps.
// Unknown without a known gap.
func (f *Figures) StalledFor() Value {
	if !f.Gaps.P50.OK {
		return f.Gaps.P50
	}
	excess := 0.0
	for i := range f.Stalls {
		excess += f.Stalls[i].Ms - f.Gaps.P50.V
	}
	return Finite(max(excess, 0), len(f.Stalls))
}

// Burst is a run of chunks that arrived in one read:
// Chunks[First..First+Count).
type Burst struct {
	First, Count int
}

// Phase holds the figures of one part of the output (reasoning, answer).
type Phase struct {
	Chunks int
	First  Value // ms from Sent to its first chunk
	Last   Value // ms from Sent to its last chunk
	TPOT   Value // ms
	Speed  Value // tok/s
	Tokens Value
}

// Share is one part of a time span, for the phase bar.
type Share struct {
	Name   string // "dns", "tcp", "tls", "send", "queue", "prefill", "unexplained", "wait", …
	Ms     Value
	Server bool // reported by the server; else measured here
}

// Figures holds every figure computed from one Stream. The file of each
// family has formula and source. Times are milliseconds.
type Figures struct {
	// Client-side times from Marks.Sent.
	TTFB, TTFE, TTFT, TTFC Value
	// FirstInk is the first visible content other than white space.
	FirstInk Value
	// Connection set-up and sending, apart from the above.
	DNS, TCP, TLS, Send Value
	// Wait splits the time from the start of the request to the first chunk
	// into measured and server-reported parts. While the wait lasts it ends at
	// now.
	Wait []Share
	// Elapsed is Sent → now while the stream runs, Sent → last chunk after the
	// end.
	Elapsed Value
	// Total is Sent → last chunk.
	Total Value
	// Trailer is last chunk → end of the body: finish, usage, [DONE].
	Trailer Value

	Chunks         int
	Choices        int         // choices that spoke; figures of gaps, TPOT, speed and words are of one (see ingest)
	Tokens         Value       // output tokens
	DecodeTokens   Value       // tokens that the chunks brought: the n of TPOT
	TokenSource    TokenSource // of Tokens
	TokensPerChunk Value       // tokens per chunk and their source
	PromptTokens   Value
	CachedTokens   Value
	ReasonTokens   Value

	TPOT  Value // ms per output token after the first
	Speed Value // 1000/TPOT, per-user tok/s
	// ChunkSpeed is chunks per second after the first. It is the only speed
	// while tokens are unknown.
	ChunkSpeed Value
	// LiveSpeed is tok/s (or chunks/s when LiveIsChunks) over about the last
	// second of the stream. The needle shows it.
	LiveSpeed    Value
	LiveIsChunks bool
	// Peak is the largest number of tokens in any second, and at least Speed:
	// tok/s of one user. PeakRead is the part of it that one read of several
	// chunks may have brought from before that second, 0 without such a read.
	Peak     Value
	PeakRead float64

	Gaps    Dist // gaps between chunks, ms; gaps inside a burst are unknown and only counted
	ITL     Dist // gaps per token, ms; N counts the gaps, not the tokens
	ITLFrom ITLSource
	// GapsUnknown counts the gaps inside bursts.
	GapsUnknown int

	Longest      Value // longest gap, ms
	LongestChunk int   // index of the chunk after it, -1 when none
	Stalls       []Stall
	StallFactor  float64 // a gap is a stall above this × median …
	StallFloor   float64 // … and above this many ms
	StallCost    Value   // (last − first) minus the same number of median gaps, at least 0, ms
	StallShare   Value   // StallCost / (last − first), 0..1
	LongGaps     Value   // gaps longer than LongGap; N is the number of known gaps
	Bursts       []Burst
	BelowReading Value // share 0..1 of the decode time in which the reader had to wait
	ReaderWait   Value // that time, ms; also the head start that avoids all waiting
	Trend        Value // change of the gap over the response, % of the median per 1000 tokens (chunks)
	TrendSure    bool  // Trend is more than chance (Kendall's test, 5 %)
	Predicted    Value // TTFT + (n−1)·TPOT
	Residual     Value // Total − Predicted, ms
	Words        int   // words of the content that arrived
	WordsFrom    string
	WPM          Value // words per minute after the first chunk
	Pace         Pace  // the reading pace compared with
	TimesReading Value // WPM / Pace.WPM
	// FirstSentence is Sent → the end of the first sentence, ms. SpeakerDry is
	// how long a speaker who begins then has nothing to say, ms, at SpeakerSlow
	// and at SpeakerFast.
	FirstSentence Value
	SpeakerDry    [2]Value
	Reasoning     Phase
	Answer        Phase
	PrefillSpeed  Value // prompt tokens that were not cached / TTFT, tok/s: a lower bound of the server's own
	ServerTTFT    Value
	ServerSpeed   Value // tok/s by the server's own times
	LateShare     Value // share of events whose kernel and user stamps differ by more than 1 ms
	SharedShare   Value // share of chunks that shared a read with the previous one
	Delay         Delay // this program's own lateness, where it shows in these figures
	Suspect       []Suspicion
	ChunkGaps     []ChunkGap // one per chunk of the stream; nil unless Options.PerChunk
}

// Pace is a speed of a human reader or speaker.
type Pace struct {
	Name string  // "reading", "speech", "skimming"
	WPM  float64 // words per minute
}

// Run is one ended request of the session with its figures.
type Run struct {
	Stream  Stream
	Figures Figures
	// Trimmed is nil while Stream has its chunks and its text (Trimmer).
	Trimmed *Trimmed
}
