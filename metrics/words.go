package metrics

import (
	"math"
	"unicode"
	"unicode/utf8"
)

// How words are counted.
//
// In scripts with blanks between words, a word is a run of characters without
// white space that holds at least one letter or digit. "don't", "well-known"
// and "3.14" are one word each; "—" and "##" are none. Reading studies count
// their texts this way.
//
// Chinese and Japanese are counted by the character. IReST
// (Trauzettel-Klosinski and Dietz 2012) found 255 characters and 158 words a
// minute in Chinese, that is 1.6 characters a word. (Japanese, 357 and 193,
// would be 1.85: its words are over-counted by up to 15 %.) Thai, Lao, Khmer
// and Burmese also write words without blanks. Four letters count as a word,
// which is a guess, not a measurement.
const (
	charsPerWordHan = 1.6
	charsPerWordSEA = 4.0
)

// wordCounter counts words in a text that arrives in pieces, cut anywhere,
// even within a character. The zero value is ready.
type wordCounter struct {
	spaced   int // words of scripts with blanks
	han, sea int // characters of scripts without
	chars    int // all characters
	marks    int // of these, ASCII punctuation
	inRun    bool
	counted  bool // the current run has been counted
	nonspace bool // something other than white space has arrived
	carry    [utf8.UTFMax]byte
	carried  int
}

// add counts the next piece.
func (w *wordCounter) add(text []byte) {
	for w.carried > 0 && len(text) > 0 {
		w.carry[w.carried] = text[0]
		w.carried++
		text = text[1:]
		// A broken character may contain the start of another one, so the
		// remaining bytes wait for the next byte.
		at := 0
		for at < w.carried && utf8.FullRune(w.carry[at:w.carried]) {
			r, size := utf8.DecodeRune(w.carry[at:w.carried])
			w.rune(r)
			at += size
		}
		w.carried = copy(w.carry[:], w.carry[at:w.carried])
	}
	for i := 0; i < len(text); {
		b := text[i]
		if b < utf8.RuneSelf {
			w.ascii(b)
			i++
			continue
		}
		if !utf8.FullRune(text[i:]) {
			w.carried = copy(w.carry[:], text[i:])
			return
		}
		r, size := utf8.DecodeRune(text[i:])
		w.rune(r)
		i += size
	}
}

func (w *wordCounter) ascii(b byte) {
	w.chars++
	switch {
	case b == ' ' || b >= '\t' && b <= '\r':
		w.inRun = false
		return
	case !w.inRun:
		w.inRun, w.counted, w.nonspace = true, false, true
	}
	switch {
	case !(b|0x20 >= 'a' && b|0x20 <= 'z' || b >= '0' && b <= '9'):
		w.marks++
	case !w.counted:
		w.spaced++
		w.counted = true
	}
}

func (w *wordCounter) rune(r rune) {
	if r < utf8.RuneSelf {
		w.ascii(byte(r))
		return
	}
	w.chars++
	if unicode.IsSpace(r) {
		w.inRun = false
		return
	}
	w.nonspace = true
	switch scriptOf(r) {
	case scriptHan:
		w.han++
		w.inRun = false
		return
	case scriptSEA:
		w.sea++
		w.inRun = false
		return
	}
	if !w.inRun {
		w.inRun, w.counted = true, false
	}
	if !w.counted && (unicode.IsLetter(r) || unicode.IsNumber(r)) {
		w.spaced++
		w.counted = true
	}
}

// words returns the count by the rules above, with its fraction.
func (w *wordCounter) words() float64 {
	return float64(w.spaced) + float64(w.han)/charsPerWordHan + float64(w.sea)/charsPerWordSEA
}

// mostTokens returns about the most tokens that the text can be: 0.75 words each, an
// ideograph each, and each punctuation mark.
func (w *wordCounter) mostTokens() float64 {
	return (float64(w.spaced)+float64(w.sea)/charsPerWordSEA)/WordsPerToken + float64(w.han+w.marks)
}

// The values of Figures.WordsFrom: the rule by which the words were counted.
const (
	WordsOfText       = "words"
	WordsOfCharacters = "characters"
	WordsOfBoth       = "words and characters"
	WordsOfTokens     = "0.75 words a token"
)

// from returns the rule by which the words were counted.
func (w *wordCounter) from() string {
	switch unspaced := w.han+w.sea > 0; {
	case unspaced && w.spaced == 0:
		return WordsOfCharacters
	case unspaced:
		return WordsOfBoth
	}
	return WordsOfText
}

// CountWords counts the words of text as WPM does: see words.go for the rule.
// A fraction of a word is rounded.
func CountWords(text []byte) int {
	var w wordCounter
	w.add(text)
	return int(math.Round(w.words()))
}

type script uint8

const (
	scriptSpaced script = iota
	scriptHan
	scriptSEA
)

// scriptOf classifies letters by whether their script puts blanks between
// words. Marks and punctuation of a script without blanks do not count as its
// characters.
func scriptOf(r rune) script {
	switch {
	case r < 0x0E00:
		return scriptSpaced
	case unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana):
		return scriptHan
	case unicode.In(r, unicode.Thai, unicode.Lao, unicode.Khmer, unicode.Myanmar) && unicode.IsLetter(r):
		return scriptSEA
	}
	return scriptSpaced
}
