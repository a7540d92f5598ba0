package metrics

// SpeakerSlow and SpeakerFast are the speeds of ordinary speech, in words per
// minute: those of a voice that reads an answer aloud while it arrives.
const (
	SpeakerSlow = 150.0
	SpeakerFast = 180.0
)

// sentenceFold finds the end of the first visible sentence, and lets two
// speakers read the text aloud from there on.
//
// A sentence ends with . ! ? or …, closing quotes and brackets included, and the
// white space behind it confirms the end: its chunk has the stamp. 。！？ need no
// white space. No end is a point after an abbreviation, a capital letter
// (except I) or the number of a list item, nor one within a number.
type sentenceFold struct {
	ended bool
	at    Stamp // of the chunk that confirmed the end
	// The state of the search.
	candidate, saved bool
	last             [3]byte
	word             [16]byte // the run since the last white space
	length           int      // of word; more than it holds is no abbreviation
	notFirst         bool     // the line has a word before this one

	slow, fast readingFold
}

// add takes a visible chunk; words is the count of all the text so far.
func (f *sentenceFold) add(c *Chunk, text []byte, words float64) {
	for i := 0; i < len(text) && !f.ended; i++ {
		if f.confirms(text[i]) {
			f.ended, f.at = true, c.At
			f.slow.reset(Pace{WPM: SpeakerSlow})
			f.fast.reset(Pace{WPM: SpeakerFast})
		}
	}
	if f.ended {
		f.slow.add(c.At, words, c.Read)
		f.fast.add(c.At, words, c.Read)
	}
}

// confirms takes one byte and reports whether it confirms the end of a sentence.
func (f *sentenceFold) confirms(b byte) bool {
	f.last = [3]byte{f.last[1], f.last[2], b}
	switch b {
	case ' ', '\n', '\t', '\r':
		if f.candidate {
			return true
		}
		f.notFirst = b != '\n' && (f.notFirst || f.length > 0)
		f.length = 0
		return false
	case '.':
		f.candidate = !f.abbreviation()
	case '!', '?':
		f.candidate = true
	case ')', ']', '"', '\'', '*', '_':
		return false // closes what has ended
	case 0xe2, 0xe3, 0xef:
		f.saved, f.candidate = f.candidate, false
	default:
		f.candidate = false
	}
	switch string(f.last[:]) {
	case "。", "！", "？":
		return true
	case "…":
		f.candidate = true
	case "”", "’":
		f.candidate = f.saved
	}
	if f.length < len(f.word) {
		f.word[f.length] = b
	}
	f.length++
	return false
}

// abbreviations are words before a point that ends no sentence.
var abbreviations = map[string]bool{
	"e.g": true, "i.e": true, "etc": true, "cf": true, "vs": true, "al": true, "approx": true, "fig": true, "vol": true,
	"mr": true, "mrs": true, "ms": true, "dr": true, "prof": true, "st": true, "sr": true, "jr": true,
	"inc": true, "ltd": true, "corp": true, "dept": true, "a.m": true, "p.m": true, "u.s": true, "u.k": true, "ph.d": true,
}

// abbreviation reports whether the point behind the word ends no sentence.
func (f *sentenceFold) abbreviation() bool {
	if f.length == 0 || f.length > len(f.word) {
		return false
	}
	var lower [len(f.word)]byte
	n, digits := 0, 0
	for _, b := range f.word[:f.length] {
		switch {
		case b >= 'A' && b <= 'Z':
			b += 'a' - 'A'
		case b >= '0' && b <= '9':
			digits++
		case n == 0 && (b == '(' || b == '[' || b == '"' || b == '\'' || b == '*' || b == '_'):
			continue
		}
		lower[n] = b
		n++
	}
	if digits == n && n > 0 && !f.notFirst {
		return true // "1." begins a list item
	}
	upper := f.word[f.length-1]
	return abbreviations[string(lower[:n])] || n == 1 && upper >= 'A' && upper <= 'Z' && upper != 'I'
}

// sentence computes the figures of a voice.
//
//	FirstSentence  sent → the white space that confirms the first sentence's end;
//	               without one, sent → the finish reason
//	SpeakerDry     the time for which a speaker who begins then has no text to
//	               speak, ms, at SpeakerSlow and at SpeakerFast
//
// Only visible text counts: an answer of tool calls alone has no sentence.
func (f *ingest) sentence(out *Figures, s *Stream) {
	v := &f.voice
	why := WhyNoSentence
	switch {
	case f.all == 0:
		why = f.noChunk(s)
	case !f.visible.nonspace:
		why = byEnd(s, WhyNoText, WhyNoTextEnd)
	}
	if s.TextRemoved && f.all > 0 {
		why = WhyTextRemoved
	}
	out.FirstSentence = Unknown(why)
	out.SpeakerDry = [2]Value{Unknown(why), Unknown(why)}
	switch {
	case s.TextRemoved:
	case v.ended:
		if out.FirstSentence = Since(s.Marks.Sent, v.at, WhyNoStamp); out.FirstSentence.OK {
			out.SpeakerDry = [2]Value{Known(v.slow.waited, 0), Known(v.fast.waited, 0)}
		}
	case s.State == Done && f.visible.nonspace && s.Marks.FinishReason.Known():
		if out.FirstSentence = Since(s.Marks.Sent, s.Marks.FinishReason, WhyNoStamp); out.FirstSentence.OK {
			out.SpeakerDry = [2]Value{Known(0, 0), Known(0, 0)}
		}
	}
}
