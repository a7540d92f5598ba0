package record

import "tokscope/metrics"

// Figures is the JSON form of metrics.Figures. An unknown figure is null, and
// Unknown has its reason under the figure's name.
type Figures struct {
	TTFB *float64 `json:"ttfb_ms"`
	TTFE *float64 `json:"ttfe_ms"`
	TTFT *float64 `json:"ttft_ms"`
	TTFC *float64 `json:"ttfc_ms"`
	// FirstInk is the first visible content other than white space.
	FirstInk *float64 `json:"first_ink_ms"`

	DNS  *float64 `json:"dns_ms"`
	TCP  *float64 `json:"tcp_ms"`
	TLS  *float64 `json:"tls_ms"`
	Send *float64 `json:"send_ms"`

	Total     *float64 `json:"total_ms"`
	Trailer   *float64 `json:"trailer_ms"` // last chunk to the end of the body
	Predicted *float64 `json:"total_predicted_ms"`
	Residual  *float64 `json:"total_residual_ms"`

	TPOT       *float64 `json:"tpot_ms"`
	Speed      *float64 `json:"speed_tok_per_s"`
	ChunkSpeed *float64 `json:"chunks_per_s"`
	Peak       *float64 `json:"peak_tok_per_s"` // most tokens of any second, at least the speed
	// part of the peak that one read may have brought from before that second
	PeakRead float64 `json:"peak_read_tokens,omitempty"`

	Chunks         int      `json:"chunks"`
	Choices        int      `json:"choices"`       // that spoke; gaps, TPOT, speed and words are of one
	DecodeTokens   *float64 `json:"decode_tokens"` // that the chunks brought: the n of tpot_ms
	Tokens         *float64 `json:"output_tokens"`
	TokenSource    string   `json:"output_tokens_source"`
	TokensPerChunk *float64 `json:"tokens_per_chunk"`
	PromptTokens   *float64 `json:"prompt_tokens"`
	CachedTokens   *float64 `json:"cached_tokens"`
	ReasonTokens   *float64 `json:"reasoning_tokens"`

	Gaps Dist `json:"gap_ms"`
	ITL  Dist `json:"itl_ms"`
	// the tokens of a chunk: "counted", or the "mean" of the response; absent without one
	ITLFrom     string `json:"itl_from,omitempty"`
	GapsUnknown int    `json:"gaps_unknown"`

	Longest      *float64 `json:"longest_gap_ms"`
	LongestChunk int      `json:"longest_gap_chunk"` // the chunk at its end, from 0; -1 without a known gap
	Stalls       []Stall  `json:"stalls"`
	StallFactor  float64  `json:"stall_factor"`
	StallFloor   float64  `json:"stall_floor_ms"`
	StallCost    *float64 `json:"stall_cost_ms"`    // (last − first chunk) − gaps · median gap
	StallShare   *float64 `json:"stall_cost_share"` // of last − first chunk, 0..1
	LongGaps     *float64 `json:"gaps_over_1s"`
	Bursts       int      `json:"bursts"`
	BelowReading *float64 `json:"below_reading_share"`
	HeadStart    *float64 `json:"head_start_ms"` // that a reader at the pace needs to never wait
	Trend        *float64 `json:"gap_trend_percent_per_1000"`
	TrendSure    bool     `json:"gap_trend_sure"` // more than chance: Kendall's test, 5 %

	Words        int      `json:"words"`
	WordsFrom    string   `json:"words_from"` // the rule of words; "" where none was applied
	WPM          *float64 `json:"words_per_minute"`
	PaceName     string   `json:"pace"`
	PaceWPM      float64  `json:"pace_words_per_minute"`
	TimesReading *float64 `json:"times_reading"`

	FirstSentence *float64 `json:"first_sentence_ms"`
	SpeakerSlow   *float64 `json:"speaker_150_wpm_wait_ms"`
	SpeakerFast   *float64 `json:"speaker_180_wpm_wait_ms"`

	Reasoning *Phase `json:"reasoning,omitempty"`
	Answer    *Phase `json:"answer,omitempty"`

	// PrefillSpeed is prompt tokens / TTFT, without those found in the server's cache.
	// The document of sweep --depth counts them too.
	PrefillSpeed *float64 `json:"prefill_tok_per_s"`
	ServerTTFT   *float64 `json:"server_ttft_ms"`
	ServerSpeed  *float64 `json:"server_speed_tok_per_s"`
	LateShare    *float64 `json:"late_share"`
	SharedShare  *float64 `json:"shared_read_share"`

	Wait    []Share           `json:"wait"`
	Suspect []Note            `json:"suspect,omitempty"`
	Unknown map[string]string `json:"unknown,omitempty"`
}

// Dist is the JSON form of metrics.Dist; the name of its field gives the
// unit. A percentile with too small an n is null.
type Dist struct {
	N      int      `json:"n"`
	Min    *float64 `json:"min"`
	Mean   *float64 `json:"mean"`
	StdDev *float64 `json:"stddev"`
	P50    *float64 `json:"p50"`
	P90    *float64 `json:"p90"`
	P95    *float64 `json:"p95"`
	P99    *float64 `json:"p99"`
	Max    *float64 `json:"max"`
	Method string   `json:"method"` // of the quantiles; "" where nothing was to be counted
	// Missing is about gaps inside reads, which are not in n: absent without any.
	// The mean has them.
	Missing *Missing `json:"missing,omitempty"`
	// Unknown has the reason of each null figure.
	Unknown map[string]string `json:"unknown,omitempty"`
}

// Missing says between what the percentiles of all values lie, the unknown ones
// included.
type Missing struct {
	N     int     `json:"n"`                           // gaps of unknown length
	Share float64 `json:"known_share"`                 // 0..1
	First bool    `json:"first_read_shared,omitempty"` // some of them are inside the first read of a request
	P50   *Bound  `json:"p50,omitempty"`
	P90   *Bound  `json:"p90,omitempty"`
	P95   *Bound  `json:"p95,omitempty"`
	P99   *Bound  `json:"p99,omitempty"`
	Max   *Bound  `json:"max,omitempty"`
}

// Bound is the range in which a figure must lie.
type Bound struct {
	Low  float64 `json:"low"`
	High float64 `json:"high"`
}

// missingOf returns the JSON form of d.Missing, nil for none.
func missingOf(d *metrics.Dist) *Missing {
	m := &d.Missing
	if m.N == 0 {
		return nil
	}
	return &Missing{m.N, d.KnownShare(), m.First, boundOf(m.P50),
		boundOf(m.P90), boundOf(m.P95), boundOf(m.P99), boundOf(m.Max)}
}

func boundOf(b metrics.Bound) *Bound {
	if !b.OK {
		return nil
	}
	return &Bound{b.Low, b.High}
}

// missing returns what m was made from.
func (m *Missing) missing() metrics.Missing {
	if m == nil {
		return metrics.Missing{}
	}
	return metrics.Missing{N: m.N, First: m.First, P50: m.P50.bound(),
		P90: m.P90.bound(), P95: m.P95.bound(), P99: m.P99.bound(), Max: m.Max.bound()}
}

func (b *Bound) bound() metrics.Bound {
	if b == nil {
		return metrics.Bound{}
	}
	return metrics.Bound{Low: b.Low, High: b.High, OK: true}
}

// Stall is the JSON form of metrics.Stall.
type Stall struct {
	Chunk  int     `json:"chunk"` // the late one, from 0
	AtNs   int64   `json:"at_ns"`
	Ms     float64 `json:"gap_ms"`
	Factor float64 `json:"factor"`
}

// Phase is the JSON form of metrics.Phase.
type Phase struct {
	Chunks int      `json:"chunks"`
	First  *float64 `json:"first_ms"`
	Last   *float64 `json:"last_ms"`
	TPOT   *float64 `json:"tpot_ms"`
	Speed  *float64 `json:"speed_tok_per_s"`
	Tokens *float64 `json:"tokens"`
}

// Share is the JSON form of metrics.Share.
type Share struct {
	Name string   `json:"name"`
	Ms   *float64 `json:"ms"`
	By   string   `json:"by"` // "client" or "server"
}

// value returns v's number, nil when it is unknown.
func value(v metrics.Value) *float64 {
	if !v.OK {
		return nil
	}
	return finite(v.V)
}

// distOf returns the JSON form of d.
func distOf(d metrics.Dist, say Sentences) Dist {
	out := Dist{d.N, value(d.Min), value(d.Mean), value(d.StdDev), value(d.P50),
		value(d.P90), value(d.P95), value(d.P99), value(d.Max), d.Method, missingOf(&d), nil}
	for _, x := range []struct {
		name string
		v    metrics.Value
	}{{"min", d.Min}, {"mean", d.Mean}, {"stddev", d.StdDev}, {"p50", d.P50},
		{"p90", d.P90}, {"p95", d.P95}, {"p99", d.P99}, {"max", d.Max}} {
		if x.v.OK {
			continue
		}
		if out.Unknown == nil {
			out.Unknown = map[string]string{}
		}
		out.Unknown[x.name] = say.why(x.v.Why)
	}
	return out
}

func phaseOf(p metrics.Phase) *Phase {
	if p.Chunks == 0 {
		return nil
	}
	return &Phase{p.Chunks, value(p.First), value(p.Last), value(p.TPOT), value(p.Speed), value(p.Tokens)}
}

// FiguresOf returns the JSON form of f.
func FiguresOf(f *metrics.Figures, say Sentences) Figures {
	g := Figures{
		Chunks: f.Chunks, TokenSource: f.TokenSource.String(), Gaps: distOf(f.Gaps, say),
		ITL: distOf(f.ITL, say), ITLFrom: f.ITLFrom.String(), GapsUnknown: f.GapsUnknown,
		Choices: f.Choices, TrendSure: f.TrendSure,
		LongestChunk: f.LongestChunk, Stalls: []Stall{},
		StallFactor: f.StallFactor, StallFloor: f.StallFloor, Bursts: len(f.Bursts),
		PeakRead: f.PeakRead, Words: f.Words, WordsFrom: f.WordsFrom, PaceName: f.Pace.Name, PaceWPM: f.Pace.WPM,
		Reasoning: phaseOf(f.Reasoning), Answer: phaseOf(f.Answer), Wait: []Share{}, Suspect: say.suspicions(f.Suspect),
	}
	for _, x := range []struct {
		name string
		v    metrics.Value
		to   **float64
	}{
		{"ttfb_ms", f.TTFB, &g.TTFB}, {"ttfe_ms", f.TTFE, &g.TTFE}, {"ttft_ms", f.TTFT, &g.TTFT},
		{"ttfc_ms", f.TTFC, &g.TTFC}, {"first_ink_ms", f.FirstInk, &g.FirstInk},
		{"trailer_ms", f.Trailer, &g.Trailer}, {"decode_tokens", f.DecodeTokens, &g.DecodeTokens},
		{"stall_cost_ms", f.StallCost, &g.StallCost},
		{"stall_cost_share", f.StallShare, &g.StallShare}, {"gaps_over_1s", f.LongGaps, &g.LongGaps},
		{"head_start_ms", f.ReaderWait, &g.HeadStart},
		{"dns_ms", f.DNS, &g.DNS}, {"tcp_ms", f.TCP, &g.TCP}, {"tls_ms", f.TLS, &g.TLS}, {"send_ms", f.Send, &g.Send},
		{"total_ms", f.Total, &g.Total}, {"total_predicted_ms", f.Predicted, &g.Predicted},
		{"total_residual_ms", f.Residual, &g.Residual},
		{"tpot_ms", f.TPOT, &g.TPOT}, {"speed_tok_per_s", f.Speed, &g.Speed},
		{"chunks_per_s", f.ChunkSpeed, &g.ChunkSpeed}, {"peak_tok_per_s", f.Peak, &g.Peak},
		{"output_tokens", f.Tokens, &g.Tokens}, {"tokens_per_chunk", f.TokensPerChunk, &g.TokensPerChunk},
		{"prompt_tokens", f.PromptTokens, &g.PromptTokens}, {"cached_tokens", f.CachedTokens, &g.CachedTokens},
		{"reasoning_tokens", f.ReasonTokens, &g.ReasonTokens},
		{"longest_gap_ms", f.Longest, &g.Longest}, {"below_reading_share", f.BelowReading, &g.BelowReading},
		{"gap_trend_percent_per_1000", f.Trend, &g.Trend},
		{"words_per_minute", f.WPM, &g.WPM}, {"times_reading", f.TimesReading, &g.TimesReading},
		{"first_sentence_ms", f.FirstSentence, &g.FirstSentence}, {"speaker_150_wpm_wait_ms",
			f.SpeakerDry[0], &g.SpeakerSlow}, {"speaker_180_wpm_wait_ms", f.SpeakerDry[1], &g.SpeakerFast},
		{"prefill_tok_per_s", f.PrefillSpeed, &g.PrefillSpeed}, {"server_ttft_ms", f.ServerTTFT, &g.ServerTTFT},
		{"server_speed_tok_per_s", f.ServerSpeed, &g.ServerSpeed},
		{"late_share", f.LateShare, &g.LateShare}, {"shared_read_share", f.SharedShare, &g.SharedShare},
	} {
		*x.to = value(x.v)
		if *x.to == nil {
			if g.Unknown == nil {
				g.Unknown = map[string]string{}
			}
			g.Unknown[x.name] = say.why(x.v.Why)
		}
	}
	for _, s := range f.Stalls {
		g.Stalls = append(g.Stalls, Stall{s.Chunk, int64(s.At), s.Ms, s.Factor})
	}
	for _, s := range f.Wait {
		by := "client"
		if s.Server {
			by = "server"
		}
		g.Wait = append(g.Wait, Share{s.Name, value(s.Ms), by})
	}
	return g
}
