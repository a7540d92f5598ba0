package metrics

import (
	"math/bits"
	"slices"
)

// tokens computes the counts.
//
//	Tokens          output tokens of all choices, from the best source: the
//	                server's usage, else the sum over the chunks' counts,
//	                else the server's running count, else an estimate from the
//	                text (parts.go). TokenSource names the source.
//	DecodeTokens    the tokens that arrived through the measured choice: the n
//	                of TPOT. It excludes other choices, and reasoning that the
//	                server counted but did not send, or sent as a summary. It
//	                is estimated where the count has more than came, and unknown
//	                beside an image, which the count does not tell from text.
//	TokensPerChunk  DecodeTokens / chunks of the measured choice
//
// A usage of 0 tokens beside text is no count (some servers send zeros where
// they have none), and neither is one that cannot be (Meter.credible). Unknown before the first chunk.
func (f *ingest) tokens(out *Figures, s *Stream) {
	out.Chunks = f.all
	out.Choices = f.spoken()
	u := &s.Usage
	out.PromptTokens = reported(s, u.Prompt)
	out.CachedTokens = reported(s, u.Cached)
	out.ReasonTokens = reported(s, u.Reasoning)

	if f.all == 0 {
		why := f.noChunk(s)
		out.Tokens, out.DecodeTokens, out.TokensPerChunk = Unknown(why), Unknown(why), Unknown(why)
		if u.Completion > 0 {
			out.Tokens, out.TokenSource = Known(float64(u.Completion), 0), TokensUsage
		}
		return
	}
	share := float64(f.chunks) / float64(f.all) // of the measured choice
	if f.answerOnly {                           // there is no other choice
		share = 1
	}
	var total, decode float64
	switch {
	case u.Completion > 0:
		total, out.TokenSource = float64(u.Completion), TokensUsage
		if s.TokensFrom == TokensContinuous {
			out.TokenSource = TokensContinuous
		}
		decode = float64(f.arrivedOf(u))
		if out.Choices > 1 && f.counted.everyMeasured {
			decode = f.counted.measured
		} else {
			decode *= share
		}
	case f.counted.everyChunk && f.counted.all > 0 && f.counted.all <= f.capacity():
		total, decode, out.TokenSource = f.counted.all, f.counted.measured, s.TokensFrom
	case s.LiveTokens > 0:
		total, out.TokenSource = float64(s.LiveTokens), s.TokensFrom
		decode = total * share
	case f.media > 0:
		out.Tokens, out.DecodeTokens, out.TokensPerChunk = Unknown(WhyMedia), Unknown(WhyMedia), Unknown(WhyMedia)
		return
	case s.Tool != nil && s.TextRemoved: // a file without counts and texts
		u := Unknown(WhyNotRecorded)
		out.Tokens, out.DecodeTokens, out.TokensPerChunk = u, u, u
		return
	default:
		decode = f.estimate()
		total, out.TokenSource = decode/share+float64(s.Thinking), TokensEstimated
	}
	if f.textOnly {
		if decode = f.estimate(); s.Unsent {
			decode = float64(s.LiveTokens)
		}
	}
	out.Tokens = Finite(total, 0)
	if s.Images > 0 { // its tokens came at once, the others one by one
		out.DecodeTokens, out.TokensPerChunk = Unknown(WhyImage), Unknown(WhyImage)
		return
	}
	out.DecodeTokens = Finite(decode, 0)
	out.TokensPerChunk = Finite(decode/float64(f.chunks), f.chunks)
}

// Estimated reports whether DecodeTokens, and with it TPOT and Speed, are an estimate
// from the text. Tokens may still be the server's count.
func (f *Figures) Estimated() bool {
	return f.TokenSource == TokensEstimated || f.Suspects(SuspectUnsent)
}

// About reports whether TPOT and Speed are less certain than they read: they are an
// estimate, or something held the chunks back, so that the first of them brought
// tokens without their time.
func (f *Figures) About() bool {
	return f.Estimated() || slices.ContainsFunc(f.Suspect, func(s Suspicion) bool { return s.Code.Holds() })
}

// BurstsHide reports whether most gaps are unknown because their chunks came in one read.
func (f *Figures) BurstsHide() bool { return f.GapsUnknown > f.Gaps.N }

// Suspects reports whether there is a doubt of that code.
func (f *Figures) Suspects(code SuspectCode) bool {
	return slices.ContainsFunc(f.Suspect, func(s Suspicion) bool { return s.Code == code })
}

// spoken returns the number of choices that have a chunk.
func (f *ingest) spoken() (n int) {
	for _, w := range f.choices {
		n += bits.OnesCount64(w)
	}
	return n
}

func reported(s *Stream, n int) Value {
	if n < 0 {
		return Unknown(byEnd(s, WhyNotReported, WhyNotReportedEnd))
	}
	return Known(float64(n), 0)
}

// hiddenReasoning reports whether the server counted reasoning that it did not
// stream, or of which it streamed a summary. Those tokens were made before the
// answer: counting them into the speed of what came after it would be too good
// by as much.
func (f *ingest) hiddenReasoning(u *Usage) bool {
	return u.Reasoning > 0 && u.Reasoning <= u.Completion && (f.answerOnly ||
		u.Reasoning < u.Completion && f.phase[phaseReasoning].chunks == 0)
}

// estimate guesses the tokens of the measured choice from its chunks and its text.
func (f *ingest) estimate() float64 {
	return float64(round(max(f.parts.tokens(), float64(f.tool.chars)/charsPerToken)))
}

// speed computes
//
//	TPOT       = (last chunk − first chunk) / (n − 1)     ms, n = DecodeTokens
//	Speed      = 1000 / TPOT                              tokens per second of one user
//	ChunkSpeed = 1000 · (chunks − 1) / (last − first)
//	Predicted  = TTFT + (n − 1) · TPOT
//	Residual   = Total − Predicted
//
// of the measured choice. TPOT is undefined for n < 2, for fewer than two
// chunks, when all chunks arrived in one read, when the stamps do not rise, and
// beside an image. When the first chunk carries m > 1 tokens, only n − m arrived after
// it. TPOT is then too small by (n − m)/(n − 1): the formula stays, and
// Suspect notes it. Predicted is Total by construction. A residual other than
// rounding means that another choice began or ended the stream.
//
// Of an answer whose reasoning was summarized or hidden they are those of Figures.Answer:
// runs count apart (phases), and the residual is the time of the reasoning. A gap in
// which a tool of the server worked is left out in the same way.
//
// The formula is that of vLLM, SGLang, AIPerf and GuideLLM's ITL, but for the
// end: ours is the last chunk, not the last byte or the usage event.
func (f *ingest) speed(out *Figures, s *Stream) {
	u, runs := Unknown(f.noPace(s)), 1.0
	span, ok := 0.0, false
	if f.chunks > 0 {
		span, ok = stampMs(s.Chunks[f.prev].At, s.Chunks[f.first].At)
	}
	if g := &f.phase[phaseAnswer]; f.answerOnly {
		runs, span = float64(g.runs), g.span
	} else {
		runs, span = runs+float64(f.pauses), span-f.paused
	}
	switch {
	case u.Why != 0:
	case !ok:
		u = Unknown(WhyNoStamp)
	case span < 0:
		u = Unknown(WhyBackwards)
	case span == 0:
		u = Unknown(WhyOneStamp)
	case s.Images > 0:
		u = Unknown(WhyImage)
	default:
		u = Value{OK: true}
	}
	if !u.OK {
		out.TPOT, out.Speed, out.ChunkSpeed, out.Predicted, out.Residual = u, u, u, u, u
		return
	}
	out.ChunkSpeed = Finite((float64(f.chunks)-runs)*1000/span, f.chunks)
	n := out.DecodeTokens
	switch {
	case !n.OK:
		out.TPOT = n
	case n.V < runs+1:
		out.TPOT = Unknown(WhyOneToken)
	default:
		out.TPOT = Finite(span/(n.V-runs), round(n.V))
	}
	out.Speed, out.Predicted, out.Residual = out.TPOT, out.TPOT, out.TPOT
	if !out.TPOT.OK {
		return
	}
	out.Speed = Finite(1000/out.TPOT.V, round(n.V))
	out.Predicted, out.Residual = out.TTFT, out.TTFT
	if out.TTFT.OK {
		out.Predicted = Finite(out.TTFT.V+(n.V-1)*out.TPOT.V, round(n.V))
		out.Residual = Unknown(out.Total.Why)
		if out.Total.OK {
			out.Residual = Finite(out.Total.V-out.Predicted.V, 0)
		}
	}
}

// phases computes the same of reasoning and of the answer (everything else):
//
//	First, Last   ms from Sent to its first and last chunk
//	TPOT          time within the phase / (tokens − uninterrupted runs)
//
// which is (last − first)/(n − 1) for a phase in one piece. Tokens are those of
// its chunks if those carry counts, else the server's split, else the phase's share
// of the chunks. Undefined as TPOT is.
func (f *ingest) phases(out *Figures, s *Stream) {
	for i, p := range []*Phase{&out.Reasoning, &out.Answer} {
		g := &f.phase[i]
		p.Chunks = g.chunks
		if g.chunks == 0 {
			u := Unknown(WhyNoContent)
			p.First, p.Last, p.TPOT, p.Speed, p.Tokens = u, u, u, u, u
			continue
		}
		p.First = Since(s.Marks.Sent, g.first, WhyNoStamp)
		p.Last = Since(s.Marks.Sent, g.last, WhyNoStamp)
		p.Tokens = f.phaseTokens(i, out, s)
		n := p.Tokens.V - float64(g.runs)
		switch {
		case i == phaseReasoning && f.answerOnly:
			p.TPOT = Unknown(WhySummarized)
		case !p.Tokens.OK:
			p.TPOT = p.Tokens
		case g.chunks == g.runs:
			p.TPOT = Unknown(WhyOneChunk)
		case f.reads.n < 2:
			p.TPOT = Unknown(WhyOneRead)
		case !(n > 0):
			p.TPOT = Unknown(WhyOneToken)
		case !(g.span > 0):
			p.TPOT = Unknown(WhyOneStamp)
		default:
			p.TPOT = Finite(g.span/n, round(p.Tokens.V))
		}
		p.Speed = p.TPOT
		if p.TPOT.OK {
			p.Speed = Finite(1000/p.TPOT.V, p.TPOT.N)
		}
	}
}

func (f *ingest) phaseTokens(i int, out *Figures, s *Stream) Value {
	g, u := &f.phase[i], &s.Usage
	switch {
	case !out.DecodeTokens.OK:
		return out.DecodeTokens
	case i == phaseReasoning && f.answerOnly:
		return reported(s, u.Reasoning)
	case g.chunks == f.chunks: // the only phase
		return out.DecodeTokens
	case f.counted.everyMeasured:
		return Known(g.tokens, 0)
	case out.Choices == 1 && !f.textOnly && u.Reasoning > 0 && u.Completion > u.Reasoning:
		if i == phaseReasoning {
			return Known(float64(u.Reasoning), 0)
		}
		return Known(float64(u.Completion-u.Reasoning), 0)
	}
	return Finite(out.DecodeTokens.V*float64(g.chunks)/float64(f.chunks), g.chunks)
}
