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
	m.incredible, m.promptCut = m.incredible[:0], false
	if s.TextRemoved {
		return s
	}
	u := s.Usage
	live := s.LiveTokens
	drop := func(d Suspicion) {
		m.incredible = append(m.incredible, d)
		u.Completion, u.Reasoning, u.Total = -1, -1, -1
	}
	most := int(m.ingest.capacity()) + s.Events
	switch n := m.ingest.arrivedOf(&u); {
	case u.Completion < 0:
	case u.Peak > u.Completion+fallSlack:
		drop(Suspicion{Code: SuspectUsageFell, N: u.Completion, Of: u.Peak})
		if s.TokensFrom == TokensContinuous {
			live = -1
		}
	case m.ingest.all > 0 && n > most:
		drop(Suspicion{Code: SuspectUsageOver, N: u.Completion, Of: most})
	case m.ingest.overAsked(s, n):
		drop(Suspicion{Code: SuspectUsageAsked, N: u.Completion, Of: s.Work.MaxTokens})
	}
	if n := m.ingest.counted.excess; n > 0 && len(m.incredible) == 0 {
		m.incredible = append(m.incredible, Suspicion{Code: SuspectUsageOver, N: int(n), Of: most})
	}
	if live > most {
		if len(m.incredible) == 0 {
			m.incredible = append(m.incredible, Suspicion{Code: SuspectUsageOver, N: live, Of: most})
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
	if sent := len(w.System) + len(w.Prompt) + len(w.Nonce) + bytesPerToken*w.InputTokens; u.Prompt > sent+promptSlack {
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
	if m.prompt != w.Prompt || m.system != w.System {
		m.prompt, m.system = w.Prompt, w.System
		var c wordCounter
		c.add([]byte(w.System))
		c.add([]byte{' '})
		c.add([]byte(w.Prompt))
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
	if asked <= 0 || float64(n) <= askedShare*asked+askedSlack {
		return false
	}
	text := 0.0
	if f.chunks > 0 {
		text = f.estimate() * float64(f.all) / float64(f.chunks)
	}
	return float64(n) > textShare*text+askedSlack
}
