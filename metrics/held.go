package metrics

// heldBack says why the times between chunks are not the model's: something
// held the answer back and let it go at its end. The zero Suspicion is no reason.
//
// D ms pass between the first and the last chunk of the measured choice, W ms
// before the first, and t tokens came after it. Such an answer looks held back:
//
//	D ≤ letGoShare · W  and  t ≥ rate · (D + letGoSlack)
//
// rate is letGoRate where W is letGoWait or more, or one read held most chunks,
// else instantRate. The server's own decode time shows it at any speed: with c
// of its T tokens in this choice, the chunks were held back when
//
//	D < decodeShare · decode · (c − 1) / T
//
// Undecided before the finish reason: the stream may go on at another pace.
func (f *ingest) heldBack(out *Figures, s *Stream) (d Suspicion) {
	ended := s.State.Ended() || s.Marks.FinishReason.Known()
	if s.Paced || !ended || !out.ChunkSpeed.OK || !out.TTFT.OK || out.TTFT.V < StallFloor {
		return d
	}
	span := float64(f.chunks-1) * 1000 / out.ChunkSpeed.V
	decode, ok := serverTime(s, ServerDecode)
	own := decode * (f.carried(out, s, 1) - 1) / out.Tokens.V
	counted := ok && out.TokenSource != TokensEstimated && out.Tokens.V > 0
	if counted && decode <= out.Total.V && own-span >= decodeSlack && span < decodeShare*own {
		return Suspicion{Code: SuspectHeldDecode, Ms: own, Limit: span}
	}
	rate := instantRate
	if out.TTFT.V >= letGoWait || f.reads.mostly(f.chunks) {
		rate = letGoRate
	}
	if letGo(f.carried(out, s, carriedMost)*(1-1/float64(f.chunks)), span, out.TTFT.V, rate) {
		return Suspicion{Code: SuspectHeld, Ms: out.TTFT.V, N: f.chunks, Limit: span}
	}
	return d
}

// letGo reports whether tokens that came within span ms, after a wait of wait ms,
// came faster than a model makes rate of them a ms, see heldBack.
func letGo(tokens, span, wait, rate float64) bool {
	return LetGoWithin(span, wait) && tokens >= rate*(span+letGoSlack)
}

// LetGoWithin reports whether the chunks of an answer that came within span ms, after a
// wait of wait ms, may have been held back and let go. Once they came over a longer time
// only the server's own decode time can show it.
func LetGoWithin(span, wait float64) bool { return span <= letGoShare*wait }

// MayBeHeld reports whether the tokens came within so little of the wait before them,
// and so fast, that they may have been held back and let go, see letGoShare. A model
// that reads much and writes little may look the same. So no figure is withheld for it,
// but none is to make another endpoint the slower one. It is false without TPOT.
func (f *Figures) MayBeHeld() bool {
	n := f.DecodeTokens.V
	span := f.TPOT.V * (n - 1)
	return f.TPOT.OK && f.TTFT.OK && LetGoWithin(span, f.TTFT.V) && span <= writePause+writeMost*n
}

// Among returns f, one of several answers of which the share came at once. From
// AtOnceShare on it is a copy without the figures of its pace if f may have been held
// back like them, for a longer time.
func (f *Figures) Among(share float64) *Figures {
	if share < AtOnceShare || f.AtOnce() || !f.MayBeHeld() {
		return f
	}
	c := *f
	c.withhold(WhyAtOnce)
	return &c
}

// carried returns the tokens of the measured choice, but at most that many times
// what its text looks like, or one a chunk: a count may include what was not sent.
func (f *ingest) carried(out *Figures, s *Stream, most float64) float64 {
	if s.TextRemoved {
		return out.DecodeTokens.V
	}
	words := f.visible.mostTokens()
	if !f.answerOnly {
		words += f.thought.mostTokens()
	}
	return min(out.DecodeTokens.V, max(most*max(words, f.estimate()), float64(f.chunks)))
}

// mostly reports whether one read held most of that many chunks.
func (r *readFold) mostly(chunks int) bool { return r.most >= terminalBurst && 2*r.most >= chunks }

// withhold makes all figures of the pace after the first chunk unknown.
func (f *Figures) withhold(why Why) {
	for _, v := range [...]*Value{
		&f.TPOT, &f.Speed, &f.Predicted, &f.Residual, &f.WPM, &f.TimesReading,
		&f.Reasoning.TPOT, &f.Reasoning.Speed, &f.Answer.TPOT, &f.Answer.Speed,
	} {
		*v = Unknown(why)
	}
	f.WithholdGaps(why)
}

// WithholdGaps makes all figures unknown that are made of chunks other than the first and the
// last.
func (f *Figures) WithholdGaps(why Why) {
	for _, v := range [...]*Value{
		&f.ChunkSpeed, &f.LiveSpeed, &f.Peak, &f.Trend, &f.Longest, &f.StallCost, &f.StallShare, &f.LongGaps,
		&f.BelowReading, &f.ReaderWait,
	} {
		*v = Unknown(why)
	}
	f.Gaps, f.ITL, f.ITLFrom = emptyDist(why), emptyDist(why), ITLUnknown
	f.Stalls, f.LongestChunk, f.TrendSure, f.PeakRead = nil, -1, false, 0
}

// AtOnce reports whether the answer came at once, so that the figures of its pace
// are withheld: its gaps are not the model's.
func (f *Figures) AtOnce() bool { return f.TPOT.Why == WhyAtOnce }

// made compares the text that came within floodFor of the end of the gap g with
// what the pace of the rest of the stream allows for its length, both in bytes.
// brought is without what that pace brings in the same time. It is 0 where that is
// less than madeShare of it, or little more than a usual chunk: the time was lost.
func (f *ingest) made(out *Figures, s *Stream, g gapPoint) (brought, allowed float64) {
	whole, ok := stampMs(s.Chunks[f.prev].At, s.Chunks[f.first].At)
	if !ok || out.Choices > 1 || s.TextRemoved {
		return 0, 0
	}
	c, last, took := &s.Chunks[g.chunk], g.chunk, 0.0
	for i := g.chunk + 1; i <= f.prev; i++ {
		ms, _ := stampMs(s.Chunks[i].At, c.At)
		if ms > floodFor {
			break
		}
		last, took = i, ms
	}
	text := float64(s.Chunks[last].TextEnd - s.Chunks[g.chunk-1].TextEnd)
	rest, time := float64(s.Chunks[f.prev].TextEnd-s.Chunks[f.first].TextEnd)-text, whole-g.ms-took
	if !(rest > 0 && time > 0) {
		return 0, 0
	}
	brought, allowed = text-rest/time*took, rest/time*g.ms
	if brought < madeShare*allowed || brought < madeLeast+rest/float64(f.chunks) {
		return 0, allowed
	}
	return brought, allowed
}

// withheld describes a silence of ms before chunk i, whose end brought so many bytes.
func (f *ingest) withheld(out *Figures, s *Stream, i int, brought, ms float64) Suspicion {
	d := Suspicion{Code: SuspectWithheld, Ms: ms, Ratio: out.Speed.V, Chunk: i}
	if text := s.Chunks[f.prev].TextEnd; text > 0 && out.DecodeTokens.OK {
		d.N = round(out.DecodeTokens.V * brought / float64(text))
	}
	if c := &s.Chunks[i]; c.Kind == ToolCall && c.Name == 0 {
		for i--; i >= 0 && s.Chunks[i].Kind == ToolCall && d.Name == ""; i-- {
			d.Name = string(s.ChunkText(i)[:min(int(s.Chunks[i].Name), len(s.ChunkText(i)))])
		}
	}
	return d
}

// silence returns the doubt about the longest gap of an ended stream with too few of
// them for a median: a call's arguments came at once, or nothing is known of it. It is
// empty for one of less than LongGap.
func (f *ingest) silence(out *Figures, s *Stream) Suspicion {
	if !s.State.Ended() || !out.Longest.OK || out.Longest.V < LongGap {
		return Suspicion{}
	}
	i := out.LongestChunk
	if text := float64(len(s.ChunkText(i))); text >= madeLeast && !s.TextRemoved {
		if d := f.withheld(out, s, i, text, out.Longest.V); d.Name != "" {
			d.Ratio = 0
			return d
		}
	}
	return Suspicion{Code: SuspectSilence, N: i + 1, Of: len(s.Chunks), Ms: out.Longest.V}
}
