package metrics

import (
	"cmp"
	"math"
)

// SuspectCode names a kind of doubt about the figures: one of the constants
// below. The codes are part of the JSON output; ui/format has the sentences.
type SuspectCode string

// The codes, each with the fields of Suspicion that it fills.
const (
	// something between the model and the client collects chunks: Ratio
	// chunks a burst, Ms between bursts, Buffering; Name is the front; TTFT may be late by
	// Limit ms, in which the first burst was collected
	SuspectBuffered      SuspectCode = "buffered"
	SuspectTerminalBurst SuspectCode = "terminal_burst" // one read held most of the response: N of Of chunks
	SuspectHeld          SuspectCode = "held_back"      // a silence of Ms, then N chunks within Limit ms
	SuspectHeldDecode    SuspectCode = "held_decode"    // the server decoded for Ms, its chunks came within Limit ms
	SuspectOneChunk      SuspectCode = "one_chunk"      // the whole answer, about N tokens, was one chunk after Ms
	// the end of a silence of Ms brought about N tokens, made meanwhile: those of the call
	// Name, or "". Ratio is the pace that stayed, tok/s, or 0. Of is how many silences
	// ended so, 0 for this one alone
	SuspectWithheld SuspectCode = "withheld"
	// nothing for Ms before chunk N of Of, with too few gaps to say more
	SuspectSilence    SuspectCode = "long_silence"
	SuspectMultiToken SuspectCode = "multi_token_chunks" // a chunk is not a token but Ratio tokens
	// the first chunk carried N tokens: TPOT is too small by the share Ratio
	SuspectFirstChunk SuspectCode = "first_chunk_tokens"
	// the first chunk may carry Ratio tokens, by the mean or its text: TPOT is Ms to Limit
	SuspectFirstMean SuspectCode = "first_chunk_mean"
	SuspectFewTokens SuspectCode = "fewer_tokens" // N tokens counted, fewer than the Of chunks
	SuspectUsageZero SuspectCode = "usage_zero"   // the server's usage says 0 despite N chunks
	// the server counts N output tokens, more than the Of that the stream can carry
	SuspectUsageOver SuspectCode = "usage_impossible"
	// the server counts N output tokens, far more than the text and the Of asked for
	SuspectUsageAsked SuspectCode = "usage_over_limit"
	SuspectUsageUnder SuspectCode = "usage_under"       // the server counts N output tokens for Of words
	SuspectUsageFell  SuspectCode = "usage_fell"        // the server's count of output tokens fell from Of to N
	SuspectPromptOver SuspectCode = "prompt_impossible" // the server counts N prompt tokens, Of bytes were sent
	SuspectPromptCut  SuspectCode = "prompt_cut"        // the server counts N prompt tokens, at least Of were sent
	SuspectHidden     SuspectCode = "hidden_reasoning"  // N counted reasoning tokens that were not sent
	SuspectCompressed SuspectCode = "compressed"        // Content-Encoding is Name: the coder buffers
	SuspectTruncated  SuspectCode = "truncated"         // ended after N chunks without a finish reason
	SuspectLeftOpen   SuspectCode = "left_open"         // the answer was whole; its end marker Name never came
	SuspectCutOff     SuspectCode = "cut_off"           // the same, and the connection broke in its place
	SuspectLate       SuspectCode = "observer_late"     // this program was late: Delay
	SuspectStopped    SuspectCode = "suspended"         // this program did not run for Ms
	SuspectMixed      SuspectCode = "mixed_stamps"      // N chunks have kernel stamps, Of have not
	SuspectBody       SuspectCode = "body_stamps"       // stamps of body reads only
	SuspectClock      SuspectCode = "clock_step"        // the wall clock moved by Ms
	// the server reports Ms before the first token, the client waited Limit ms
	SuspectServer  SuspectCode = "server_exceeds_wait"
	SuspectCached  SuspectCode = "cached_prompt"    // N of Of prompt tokens were in the server's cache
	SuspectChoices SuspectCode = "several_choices"  // N choices; figures are of choice Of
	SuspectOrder   SuspectCode = "stamps_backwards" // the stamps of N chunks do not rise
	// reasoning of N counted tokens came as a summary of about Of: figures are the answer's, Ms its TPOT or 0
	SuspectSummarized SuspectCode = "summarized_reasoning"
	// the server counts N output tokens, its text has about Of
	SuspectUnsent SuspectCode = "tokens_not_sent"
	// the server's Of output tokens left out N reasoning tokens: added
	SuspectExcluded SuspectCode = "reasoning_excluded"
	// the first N chunks, from Ms after sent on, have no id and no model: another sender's, not counted
	SuspectOthers SuspectCode = "other_sender"
)

// Excludes reports whether c keeps a request out of baselines and comparisons: its
// figures then say something about the path, a cache or tokscope, and not about the
// endpoint.
func (c SuspectCode) Excludes() bool {
	switch c {
	case SuspectBuffered, SuspectTerminalBurst, SuspectHeld, SuspectHeldDecode,
		SuspectCompressed, SuspectCached, SuspectClock, SuspectOrder:
		return true
	}
	return c.Lag()
}

// Holds reports whether c says that something held chunks back before they came
// here, or that the server does not stream.
func (c SuspectCode) Holds() bool {
	switch c {
	case SuspectBuffered, SuspectTerminalBurst, SuspectHeld, SuspectHeldDecode, SuspectOneChunk:
		return true
	}
	return false
}

// Lag reports whether tokscope itself is the reason. A watch excludes for nothing
// else: what a proxy does to the stream belongs to the endpoint that is watched.
func (c SuspectCode) Lag() bool { return c == SuspectLate || c == SuspectStopped }

// Suspicion is a doubt about the figures with its evidence. A code fills only
// the fields that its constant names; the others are zero.
type Suspicion struct {
	Code      SuspectCode
	N, Of     int     // counts
	Ms, Limit float64 // times, ms
	Ratio     float64 // a factor, or a share of 1
	Name      string  // as the server sent it
	Chunk     int     // the chunk that came at the end of what was held back
	Delay     Delay
	Buffering Buffering
}

// doubts fills Figures.Suspect.
func (m *Meter) doubts(out *Figures, s *Stream) {
	m.suspect = append(m.suspect[:0], m.incredible...)
	m.doubtStream(out, s)
	m.doubtTokens(out, s)
	m.doubtStamps(out, s)
	f := &m.ingest
	out.LateShare = Unknown(WhyNoKernelStamps)
	if f.stamps.kernel > 0 {
		out.LateShare = Finite(float64(f.stamps.late)/float64(f.stamps.kernel), f.stamps.kernel)
	}
	out.SharedShare = Unknown(WhyOneChunk)
	switch {
	case s.Stamps == SourceTool:
		out.SharedShare = Unknown(WhyNotRecorded)
	case f.chunks > 1:
		out.SharedShare = Finite(float64(f.reads.shared)/float64(f.chunks-1), f.chunks-1)
	}
	if len(m.suspect) > 0 {
		out.Suspect = m.suspect
	}
}

func (m *Meter) doubt(s Suspicion) { m.suspect = append(m.suspect, s) }

// doubtStream checks the path between the model and the client.
func (m *Meter) doubtStream(out *Figures, s *Stream) {
	f := &m.ingest
	late := out.Delay.Code != "" || stoodStill(s)
	if f.reads.n > 0 && !late {
		each, apart, collected := f.flush.collected()
		switch between := out.Gaps.P50; {
		case f.reads.mostly(f.chunks):
			m.doubt(Suspicion{Code: SuspectTerminalBurst, N: f.reads.most, Of: f.chunks})
		case m.held.Code != "":
			m.doubt(m.held)
		case f.all == 1 && s.State.Ended() && f.carried(out, s, 1) >= wholeTokens:
			m.doubt(Suspicion{Code: SuspectOneChunk, N: round(f.carried(out, s, 1)), Ms: out.TTFT.V})
		case collected:
			m.doubt(Suspicion{Code: SuspectBuffered, Ratio: each, Ms: apart, Limit: min(apart, out.TTFT.V),
				Buffering: f.flush.judge(), Name: string(cmp.Or(s.Fronts...))})
		case f.flood.most >= terminalBurst && between.OK &&
			float64(f.flood.most)*between.V >= floodFactor*floodFor && !s.Path.heldByLoss(f.flood.mostAfter):
			m.doubt(Suspicion{Code: SuspectHeld, Ms: f.flood.mostAfter, N: f.flood.most, Limit: floodFor})
		case m.withheld.Code != "":
			m.doubt(m.withheld)
		}
	}
	if s.Conn.Encoding != "" {
		m.doubt(Suspicion{Code: SuspectCompressed, Name: s.Conn.Encoding})
	}
	if s.State == Truncated {
		m.doubt(Suspicion{Code: SuspectTruncated, N: f.all})
	}
	if code := s.Conn.Unended(); code != "" {
		m.doubt(Suspicion{Code: code, Name: endMarker(s)})
	}
	serverMs := 0.0
	for _, p := range m.wait {
		if p.Server {
			serverMs += p.Ms.V
		}
	}
	if f.moments.first.Known() && out.TTFT.OK && serverMs > out.TTFT.V {
		m.doubt(Suspicion{Code: SuspectServer, Ms: serverMs, Limit: out.TTFT.V})
	}
	if mostlyCached(out) {
		m.doubt(Suspicion{Code: SuspectCached, N: int(out.CachedTokens.V), Of: int(out.PromptTokens.V)})
	}
	if s.Others > 0 && s.Others <= len(s.Chunks) {
		from, _ := stampMs(s.Chunks[0].At, s.Marks.Sent)
		m.doubt(Suspicion{Code: SuspectOthers, N: s.Others, Ms: from})
	}
	if out.Choices > 1 {
		m.doubt(Suspicion{Code: SuspectChoices, N: out.Choices, Of: int(f.choice)})
	}
}

// endMarker returns what should follow the whole answer of s: Anthropic's finish reasons
// differ from OpenAI's, and Gemini sends no event at the end.
func endMarker(s *Stream) string {
	switch s.Finish {
	case "end_turn", "max_tokens", "stop_sequence", "tool_use", "refusal", "pause_turn", "model_context_window_exceeded":
		return "message_stop"
	}
	if s.Endpoint.API == "gemini" {
		return "the end of the body"
	}
	return "[DONE]"
}

// mostlyCached reports whether most of the prompt came from the server's cache, as it
// says.
func mostlyCached(f *Figures) bool {
	cached := f.CachedTokens
	return f.PromptTokens.OK && cached.OK && cached.V > 0 && cached.V >= cachedShare*f.PromptTokens.V
}

// doubtTokens checks the counts.
func (m *Meter) doubtTokens(out *Figures, s *Stream) {
	f := &m.ingest
	if f.all == 0 {
		return
	}
	if s.Usage.Completion == 0 {
		m.doubt(Suspicion{Code: SuspectUsageZero, N: f.all})
	}
	switch n := s.Usage.Reasoning; {
	case s.Thinking > 0 && n < 0: // an estimate: no count yet, or SuspectUnsent
	case s.Thinking > 0:
		m.doubt(Suspicion{Code: SuspectHidden, N: n})
	case f.answerOnly:
		m.doubt(Suspicion{Code: SuspectSummarized, N: n, Of: round(f.thoughtTokens(s)), Ms: out.TPOT.V})
	case s.Usage.Completion > 0 && out.TokenSource != TokensEstimated && f.hiddenReasoning(&s.Usage):
		m.doubt(Suspicion{Code: SuspectHidden, N: n})
	}
	if out.TokenSource == TokensEstimated || f.textOnly || !out.TokensPerChunk.OK {
		return
	}
	if per := out.TokensPerChunk.V; f.chunks >= multiTokenChunks && per >= multiTokens {
		m.doubt(Suspicion{Code: SuspectMultiToken, Ratio: per})
	} else if f.chunks >= multiTokenChunks && per < fewTokens {
		m.doubt(Suspicion{Code: SuspectFewTokens, N: int(math.Round(out.DecodeTokens.V)), Of: f.chunks})
	}
	// With k tokens in it, n − k came after it in place of the n − 1 of TPOT.
	k, n := out.TokensPerChunk.V, out.DecodeTokens.V
	if text := float64(len(s.Text)); text > 0 && !s.TextRemoved {
		byText := n * float64(len(s.ChunkText(f.first))) / text
		if k = min(k, carriedMost*byText); k >= multiTokens {
			k = max(k, min(byText, n-1))
		}
	}
	if f.media == 0 && f.counted.first < 0 && out.TPOT.OK && k >= multiTokens && k-1 > firstShare*(n-k) {
		m.doubt(Suspicion{Code: SuspectFirstMean, Ratio: k, Ms: out.TPOT.V, Limit: out.TPOT.V * (n - 1) / (n - k)})
	}
	if n := float64(f.counted.first); n > 1 && out.TPOT.OK && out.DecodeTokens.V > n {
		m.doubt(Suspicion{Code: SuspectFirstChunk, N: int(f.counted.first),
			Ratio: 1 - (out.DecodeTokens.V-n)/(out.DecodeTokens.V-1)})
	}
}

// stoodStill reports whether this program stopped running for at least
// stoppedMs.
func stoodStill(s *Stream) bool { return float64(s.Observer.LateMax)/1e6 >= stoppedMs }

// doubtStamps checks the stamps and the program's own lag.
func (m *Meter) doubtStamps(out *Figures, s *Stream) {
	f := &m.ingest
	if stoodStill(s) {
		m.doubt(Suspicion{Code: SuspectStopped, Ms: float64(s.Observer.LateMax) / 1e6})
	} else if out.Delay.Code != "" {
		m.doubt(Suspicion{Code: SuspectLate, Delay: out.Delay})
	}
	switch {
	case s.Stamps == SourceMixed || f.stamps.kernel > 0 && f.stamps.user > 0:
		m.doubt(Suspicion{Code: SuspectMixed, N: f.stamps.kernel, Of: f.stamps.user})
	case s.Stamps == SourceBody && f.all > 0:
		m.doubt(Suspicion{Code: SuspectBody})
	}
	if step := float64(s.Observer.ClockStep.Abs()) / 1e6; step > clockStep && f.stamps.kernel > 0 {
		m.doubt(Suspicion{Code: SuspectClock, Ms: step})
	}
	if f.gaps.backwards > 0 {
		m.doubt(Suspicion{Code: SuspectOrder, N: f.gaps.backwards})
	}
}
