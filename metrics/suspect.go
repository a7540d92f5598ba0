package metrics

import "fmt"

// Codes of the notes in Figures.Suspect: what a reader must know before
// believing the figures, each with its evidence in the text. They are part of
// the JSON output.
const (
	SuspectBuffered      = "buffered"            // something between the model and us collects chunks
	SuspectTerminalBurst = "terminal_burst"      // one read brought most of the response
	SuspectHeld          = "held_back"           // a silence, then at once what was made meanwhile
	SuspectMultiToken    = "multi_token_chunks"  // a chunk is not a token
	SuspectFirstChunk    = "first_chunk_tokens"  // the first chunk carried several: TPOT is too small
	SuspectFewTokens     = "fewer_tokens"        // fewer tokens counted than chunks came
	SuspectUsageZero     = "usage_zero"          // the server's usage says 0 beside text
	SuspectHidden        = "hidden_reasoning"    // counted reasoning that was not sent
	SuspectCompressed    = "compressed"          // Content-Encoding: the coder buffers
	SuspectTruncated     = "truncated"           // ended without finish reason and [DONE]
	SuspectLate          = "observer_late"       // this program was late
	SuspectStopped       = "suspended"           // this program stood still
	SuspectMixed         = "mixed_stamps"        // kernel stamps partly missing
	SuspectBody          = "body_stamps"         // stamps of the body's reads only
	SuspectClock         = "clock_step"          // the wall clock moved
	SuspectServer        = "server_exceeds_wait" // the server tells more than the client waited
	SuspectCached        = "cached_prompt"       // the server had read most of the prompt before
	SuspectChoices       = "several_choices"     // figures are of one choice
	SuspectOrder         = "stamps_backwards"    // stamps that do not rise
)

// doubts fills Figures.Suspect.
func (m *Meter) doubts(out *Figures, s *Stream) {
	m.suspect = m.suspect[:0]
	m.doubtStream(out, s)
	m.doubtTokens(out, s)
	m.doubtStamps(out, s)
	f := &m.ingest
	out.LateShare = Unknown("no kernel stamps")
	if f.kernel > 0 {
		out.LateShare = Finite(float64(f.late)/float64(f.kernel), f.kernel)
	}
	out.SharedShare = Unknown(whyOneChunk)
	if f.chunks > 1 {
		out.SharedShare = Finite(float64(f.shared)/float64(f.chunks-1), f.chunks-1)
	}
	if len(m.suspect) > 0 {
		out.Suspect = m.suspect
	}
}

func (m *Meter) doubt(code, format string, args ...any) {
	m.suspect = append(m.suspect, Note{At: NoStamp, Code: code, Text: fmt.Sprintf(format, args...)})
}

// doubtStream looks at what lies between the model and us.
func (m *Meter) doubtStream(out *Figures, s *Stream) {
	f := &m.ingest
	late := observerLate(out, s) || stoodStill(s)
	if f.reads > 0 && !late {
		each := float64(f.chunks) / float64(f.reads)
		switch between := out.Gaps.P50; {
		case f.mostInRead >= terminalBurst && 2*f.mostInRead >= f.chunks:
			m.doubt(SuspectTerminalBurst, "%d of %d chunks came in one read: something held them back; gaps and speed are not the model's", f.mostInRead, f.chunks)
		case f.reads > 1 && between.OK && (each >= bufferedChunks && between.V >= bufferedWait || each >= bufferedMany && between.V >= bufferedSoon):
			m.doubt(SuspectBuffered, "%.1f chunks a read, %.0f ms between reads: a proxy or the server collects them", each, between.V)
		case f.mostInFlood >= terminalBurst && between.OK && float64(f.mostInFlood)*between.V >= floodFactor*floodFor:
			m.doubt(SuspectHeld, "after a silence of %.0f ms %d chunks came within %.0f ms: the server or something on the way held them back",
				f.floodSilence, f.mostInFlood, floodFor)
		}
	}
	if s.Conn.Encoding != "" {
		m.doubt(SuspectCompressed, "the response came with Content-Encoding %q although none was offered: the coder may hold chunks back", s.Conn.Encoding)
	}
	if s.State == Truncated {
		m.doubt(SuspectTruncated, "the stream ended without a finish reason and without [DONE] after %d chunks", f.all)
	}
	serverMs := 0.0
	for _, p := range m.wait {
		if p.Server {
			serverMs += p.Ms.V
		}
	}
	if f.firstAny.Known() && out.TTFT.OK && serverMs > out.TTFT.V {
		m.doubt(SuspectServer, "the server tells %.1f ms before the first token, the client waited %.1f ms", serverMs, out.TTFT.V)
	}
	if prompt, cached := out.PromptTokens, out.CachedTokens; prompt.OK && cached.OK && cached.V > 0 && cached.V >= cachedShare*prompt.V {
		m.doubt(SuspectCached, "%.0f of %.0f prompt tokens came from the server's cache: TTFT is not that of a new prompt", cached.V, prompt.V)
	}
	if out.Choices > 1 {
		m.doubt(SuspectChoices, "%d choices at once: gaps, TPOT, speed and words are those of choice %d", out.Choices, f.choice)
	}
}

// doubtTokens looks at the counts.
func (m *Meter) doubtTokens(out *Figures, s *Stream) {
	f := &m.ingest
	if f.all == 0 {
		return
	}
	if s.Usage.Completion == 0 {
		m.doubt(SuspectUsageZero, "the server's usage says 0 output tokens beside %d chunks: not used", f.all)
	}
	if out.TokenSource == TokensUsage && f.hiddenReasoning(&s.Usage) {
		m.doubt(SuspectHidden, "%d reasoning tokens were counted and not sent: left out of TPOT and speed", s.Usage.Reasoning)
	}
	if out.TokenSource == TokensEstimated || !out.TokensPerChunk.OK {
		return
	}
	if per := out.TokensPerChunk.V; f.chunks >= multiTokenChunks && per >= multiTokens {
		m.doubt(SuspectMultiToken, "a chunk stands for %.2f tokens: a gap between chunks is not a gap between tokens", per)
	} else if f.chunks >= multiTokenChunks && per < fewTokens {
		m.doubt(SuspectFewTokens, "%.0f tokens counted for %d chunks: the count may leave something out", out.DecodeTokens.V, f.chunks)
	}
	if n := float64(f.firstTokens); n > 1 && out.TPOT.OK && out.DecodeTokens.V > n {
		m.doubt(SuspectFirstChunk, "the first chunk carried %d tokens: by (last − first)/(n − 1) TPOT is %.1f %% too small", f.firstTokens,
			100*(1-(out.DecodeTokens.V-n)/(out.DecodeTokens.V-1)))
	}
}

// observerLate reports whether this program's lag can be seen in the gaps.
// Kernel stamps are unaffected unless segments merged.
func observerLate(out *Figures, s *Stream) bool {
	late := float64(s.Observer.LateP99) / 1e6
	return late > lateFloor && (!out.Gaps.P50.OK || late > out.Gaps.P50.V/2)
}

// stoodStill reports whether this program stopped running for at least
// stoppedMs.
func stoodStill(s *Stream) bool { return float64(s.Observer.LateMax)/1e6 >= stoppedMs }

// doubtStamps looks at our own side.
func (m *Meter) doubtStamps(out *Figures, s *Stream) {
	f := &m.ingest
	if stoodStill(s) {
		m.doubt(SuspectStopped, "this program stood still for %.1f s (suspended, or the machine was): a gap that spans it is not the server's", s.Observer.LateMax.Seconds())
	} else if observerLate(out, s) {
		which := "stamps and gaps may be late by as much"
		if s.Stamps == SourceKernel {
			which = "the kernel's stamps stand, but chunks may have merged into one read"
		}
		m.doubt(SuspectLate, "this program itself was late by %.1f ms (p99 of %d beats): %s", float64(s.Observer.LateP99)/1e6, s.Observer.N, which)
	}
	switch {
	case s.Stamps == SourceMixed || f.kernel > 0 && f.user > 0:
		m.doubt(SuspectMixed, "%d chunks have the kernel's stamp, %d our own: gaps across the two are less exact", f.kernel, f.user)
	case s.Stamps == SourceBody && f.all > 0:
		m.doubt(SuspectBody, "stamps are those of the body's reads, above HTTP/2: later than arrival")
	}
	if step := float64(s.Observer.ClockStep.Abs()) / 1e6; step > clockStep && f.kernel > 0 {
		m.doubt(SuspectClock, "the wall clock moved by %.1f ms: kernel stamps may be off by as much", step)
	}
	if f.backwards > 0 {
		m.doubt(SuspectOrder, "%d chunks have a stamp that is not after the one before: their gaps are unknown", f.backwards)
	}
}
