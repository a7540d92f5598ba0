package metrics

// Limits of what a count can be.
const (
	// countSlack is the number of tokens that a stream may have beyond what its
	// text can carry: ends of sequence, and marks of tools and of reasoning.
	countSlack = 64
	// askedShare and askedSlack: a server may pass the asked limit of output a
	// little, because it counts other tokens or ends in a batch.
	askedShare, askedSlack = 1.1, 16
	// textShare: an estimate from the text can be this wrong, for languages
	// without blanks and for random text.
	textShare = 3.0
	// A count from unsentFactor times the estimate of its text on, and unsentLeast more,
	// is of tokens that were not sent. Another script needs up to textShare times as many.
	unsentFactor, unsentLeast = 2.0, 8
	// fastest is more tokens a ms than any machine makes for one user: a count beyond it
	// cannot be, however much of it was not sent.
	fastest = 50.0
	// wordShare and wordSlack: hardly any token has several words, so an answer with
	// more words than this has more tokens.
	wordShare, wordSlack = 1.25, 8
	// fallSlack: a final count may leave out the end of the sequence.
	fallSlack = 2
	// promptSlack is the number of prompt tokens that a server or a gateway may
	// add, by its template, tools and instructions.
	promptSlack = 100_000
	// cutShare: fewer tokens than this share of the words that were sent mean
	// that the server cut the prompt. A token hardly ever has several words.
	// cutWords is the least number of words for that judgment.
	cutShare, cutWords = 0.9, 50
	// synthetic: a synthetic prompt has one word in so many tokens asked for.
	synthetic = 1.3
	// bytesPerToken is far above the usual size of a token of a synthetic prompt.
	bytesPerToken = 8
)

// credible returns s without counts that cannot be, and adds a doubt for each.
// Without such a count it returns s itself.
func (m *Meter) credible(s *Stream) *Stream {
	m.incredible, m.promptCut, m.ingest.textOnly = m.incredible[:0], false, false
	f := &m.ingest
	if s.TextRemoved {
		if f.textOnly = s.Unsent && f.all > 0; f.textOnly {
			m.incredible = append(m.incredible, Suspicion{Code: SuspectUnsent, N: s.Usage.Completion, Of: s.LiveTokens})
		}
		return s
	}
	u := s.Usage
	live := s.LiveTokens
	note := func(code SuspectCode, n, of int) {
		m.incredible = append(m.incredible, Suspicion{Code: code, N: n, Of: of})
	}
	drop := func(code SuspectCode, n, of int) {
		note(code, n, of)
		u.Completion, u.Reasoning, u.Total = -1, -1, -1
	}
	if f.leavesOut(&u) {
		note(SuspectExcluded, u.Reasoning, u.Completion)
		u.Completion += u.Reasoning
	}
	most := int(f.capacity()) + s.Events
	n := f.arrivedOf(&u)
	if u.Completion < 0 {
		n = live
	}
	hidden := max(u.Completion, n) - n
	over, asked := f.all > 0 && n > most, f.overAsked(s, n)
	if s.Images > 0 && s.made(n) { // an image may be more tokens than its bytes, and than the limit
		over, asked = false, false
	}
	switch {
	case u.Completion >= 0 && u.Peak > u.Completion+fallSlack:
		drop(SuspectUsageFell, u.Completion, u.Peak)
		if s.TokensFrom == TokensContinuous {
			live = -1
		}
	case f.all > 0 && f.media == 0 && (over || asked || f.unsent(s, n)) && s.made(n):
		f.textOnly = true
		note(SuspectUnsent, max(u.Completion, n), f.textTokens())
	case f.answerOnly && u.Completion > 0 && u.Reasoning < 0: // the thinking is not counted apart
		f.textOnly = f.chunks > 0
		note(SuspectUnsent, u.Completion, f.textTokens())
	case u.Completion < 0:
	case over:
		drop(SuspectUsageOver, u.Completion, most)
	case asked:
		drop(SuspectUsageAsked, u.Completion, s.Work.MaxTokens)
	case u.Completion > 0 && s.State.Ended() && f.hasMoreWords(u.Completion): // a running count may be behind
		drop(SuspectUsageUnder, u.Completion, f.visible.spaced)
	}
	if n := f.counted.excess; n > 0 && len(m.incredible) == 0 && !f.answerOnly {
		note(SuspectUsageOver, int(n), most)
	}
	if f.all > 0 && live-hidden > most && !f.textOnly {
		if len(m.incredible) == 0 {
			note(SuspectUsageOver, live, most)
		}
		live = -1
	}
	m.promptCredible(s, &u)
	if len(m.incredible) == 0 || u.Completion == s.Usage.Completion && u.Prompt == s.Usage.Prompt && live == s.LiveTokens {
		return s
	}
	m.mended = *s
	m.mended.Usage, m.mended.LiveTokens = u, live
	return &m.mended
}

// promptCredible judges the server's count of the prompt, and drops it from u if
// it cannot be.
func (m *Meter) promptCredible(s *Stream, u *Usage) {
	if u.Prompt <= 0 {
		return
	}
	w := &s.Work
	sent := len(w.System) + len(w.Prompt) + len(w.Messages) + len(w.Tools) + len(w.Nonce) + bytesPerToken*w.InputTokens
	if u.Prompt > sent+promptSlack {
		m.incredible = append(m.incredible, Suspicion{Code: SuspectPromptOver, N: u.Prompt, Of: sent})
		u.Prompt, u.Cached, u.Total = -1, -1, -1
		return
	}
	words := m.promptWords(w)
	if counted := float64(max(u.Prompt, u.Prompt+max(u.Cached, 0))); words >= cutWords &&
		counted < cutShare*float64(words) {
		m.promptCut = true
		m.incredible = append(m.incredible, Suspicion{Code: SuspectPromptCut, N: u.Prompt, Of: words})
	}
}

// promptWords returns the number of words that w sends, counting scripts with
// blanks alone. It keeps the count of the last prompt.
func (m *Meter) promptWords(w *Workload) int {
	if m.prompt != w.Prompt || m.system != w.System || m.messages != w.Messages {
		m.prompt, m.system, m.messages = w.Prompt, w.System, w.Messages
		var c wordCounter
		c.add([]byte(w.Text()))
		m.words = c.spaced
	}
	return max(m.words, int(float64(w.InputTokens)/synthetic))
}

// capacity returns the largest number of tokens that the chunks of all choices
// can carry: a byte of text each, or of the event where it has no text.
func (f *ingest) capacity() float64 { return f.counted.capacity + countSlack }

// arrivedOf returns the output tokens of u that must have arrived.
func (f *ingest) arrivedOf(u *Usage) int {
	if f.hiddenReasoning(u) {
		return u.Completion - u.Reasoning
	}
	return u.Completion
}

// overAsked reports whether n output tokens are more than s asked for, while its
// text is far from that many.
func (f *ingest) overAsked(s *Stream, n int) bool {
	asked := float64(s.Work.MaxTokens * max(f.spoken(), 1))
	return asked > 0 && float64(n) > askedShare*asked+askedSlack &&
		n > int(textShare)*f.mostSent()+askedSlack
}

// unsent reports whether n output tokens are far more than the text of s has in its
// words, punctuation, chunks and bytes. Of ASCII hardly any token has less than two.
func (f *ingest) unsent(s *Stream, n int) bool {
	bytes := len(s.Text) + f.all
	if f.visible.chars+f.thought.chars+f.tool.chars == len(s.Text) {
		bytes = len(s.Text) / 2
	}
	return n > bytes && n > int(textShare)*f.mostSent()+countSlack
}

// mostSent is textTokens where each punctuation mark and each chunk is a token.
func (f *ingest) mostSent() int {
	return max(f.textTokens(), round(f.visible.mostTokens()+f.thought.mostTokens()), f.all)
}

// textTokens estimates the tokens of the text of all choices.
func (f *ingest) textTokens() int {
	if f.spoken() > 1 {
		return round(f.estimate() * float64(f.all) / float64(f.chunks))
	}
	return round(f.estimate())
}

// made reports whether n tokens can have been made from the sending of s on, sent or
// not. Without these times it is false.
func (s *Stream) made(n int) bool {
	at := s.Now
	if s.State.Ended() && s.Marks.End.Known() {
		at = s.Marks.End
	}
	ms, ok := stampMs(at, s.Marks.Sent)
	return ok && float64(n) <= fastest*ms
}

// leavesOut reports whether the completion of u leaves out the reasoning: there is more
// reasoning than that, or the answer has more words than what remains has tokens.
func (f *ingest) leavesOut(u *Usage) bool {
	if u.Completion <= 0 || u.Reasoning <= 0 || f.phase[phaseAnswer].chunks == 0 {
		return false
	}
	return u.Reasoning > u.Completion || f.hasMoreWords(u.Completion-u.Reasoning)
}

// hasMoreWords reports whether the answer has more words than n tokens can be.
func (f *ingest) hasMoreWords(n int) bool {
	return float64(f.visible.spaced) > wordShare*float64(n)+wordSlack
}

// summarized reports whether s brought a summary of its reasoning, or an estimate of it
// alone: the server counts far more tokens than came.
func (f *ingest) summarized(s *Stream) bool {
	if s.Thinking > 0 {
		return f.spoken() == 1
	}
	u, sent := &s.Usage, f.thoughtTokens(s)
	return u.Completion > 0 && f.spoken() == 1 && s.made(u.Reasoning) && IsSummary(u.Reasoning, sent)
}

// IsSummary reports whether reasoning that looks like sent tokens is a summary of that many.
func IsSummary(counted int, sent float64) bool {
	return sent > 0 && float64(counted) >= max(unsentFactor*sent, sent+unsentLeast)
}

// thoughtTokens estimates the tokens of the reasoning that came: each chunk and each
// punctuation mark is one, and a word is as many as in the answer.
func (f *ingest) thoughtTokens(s *Stream) float64 {
	sent := float64(f.phase[phaseReasoning].chunks)
	if s.TextRemoved {
		return sent
	}
	answer, perWord := s.Usage.Completion, 1.0
	if !f.leavesOut(&s.Usage) {
		answer -= s.Usage.Reasoning
	}
	if text := f.visible.mostTokens(); text >= unsentLeast {
		perWord = min(max(float64(answer)/text, 1), textShare)
	}
	return max(sent, f.thought.mostTokens()*perWord)
}
