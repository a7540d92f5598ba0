package metrics

import "tokscope/metrics/pick"

// Paces are the human speeds to compare a stream with. The first is the
// default.
//
// Sources: Brysbaert 2019, "How many words do we read per minute?", Journal
// of Memory and Language 109 (190 studies, 18 573 people; reading aloud: 77
// studies). For conversation: Wingfield 2006. The skimming speed is quoted
// from memory of Carver's work, without such evidence: it is unsure.
var Paces = []Pace{
	{Name: "reading", WPM: 238},  // silent, English non-fiction; most adults 175-300
	{Name: "fiction", WPM: 260},  // silent, English fiction; most adults 200-320
	{Name: "aloud", WPM: 183},    // Brysbaert
	{Name: "speech", WPM: 150},   // ordinary conversation, 140-180
	{Name: "skimming", WPM: 450}, // no good evidence
}

// PaceByName returns the pace of that name.
func PaceByName(name string) (Pace, bool) {
	return pick.Value(Paces, func(p *Pace) bool { return p.Name == name })
}

// WordsPerToken is the usual number of English words in a token (OpenAI's
// help center). It is used only where no text can be counted, and the output
// then says so.
const WordsPerToken = 0.75

// TokensPerSecond returns the pace in tokens per second at WordsPerToken: 238
// wpm are 5.3 tok/s.
func (p Pace) TokensPerSecond() float64 { return p.WPM / 60 / WordsPerToken }

// orDefault returns p, or Paces[0] if p's speed lies outside of 1 to a
// million words a minute.
func (p Pace) orDefault() Pace {
	if p.WPM >= 1 && p.WPM <= 1e6 {
		return p
	}
	return Paces[0]
}
