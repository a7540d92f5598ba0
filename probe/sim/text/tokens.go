package text

import (
	"iter"
	"unicode"
	"unicode/utf8"
)

// Next returns the first token of s. It is "" only for an empty s. The tokens
// of any s joined are s.
//
// The rules imitate a byte-pair vocabulary of 100,000 and more entries. A
// word includes the space before it. Words of up to six letters are one
// token, longer ones are cut into pieces of three to five. Digits go by
// threes, punctuation by runs of one kind, ideographs one by one, letters of
// other alphabets in shorter pieces. English prose has 1.3 tokens a word and
// a little over four characters a token. This is an approximation, and every
// count on screen says so.
func Next(s string) string {
	if s == "" {
		return ""
	}
	lead := 0
	r, n := utf8.DecodeRuneInString(s)
	if r == '\n' {
		return s[:runOf(s, func(r rune) bool { return r == '\n' }, 4)]
	}
	if r == ' ' || r == '\t' {
		run := runOf(s, func(r rune) bool { return r == ' ' || r == '\t' }, 16)
		if run > 1 || run == len(s) {
			if run == len(s) || s[run] == '\n' {
				return s[:run]
			}
			return s[:run-1] // the last blank belongs to the word
		}
		lead = 1
		r, n = utf8.DecodeRuneInString(s[1:])
	}
	rest := s[lead:]
	switch {
	case isLatin(r):
		return s[:lead+latin(rest)]
	case unicode.IsDigit(r):
		return s[:lead+runOf(rest, unicode.IsDigit, 3)]
	case isIdeograph(r):
		return s[:lead+n]
	case unicode.IsLetter(r) || unicode.IsMark(r):
		return s[:lead+runOf(rest, foreign, foreignRun(r))]
	case unicode.IsSpace(r):
		return s[:lead+n]
	}
	return s[:lead+runOf(rest, func(x rune) bool { return x == r }, 8)]
}

// All returns the tokens of s.
func All(s string) iter.Seq[string] {
	return func(yield func(string) bool) {
		for s != "" {
			t := Next(s)
			if s = s[len(t):]; !yield(t) {
				return
			}
		}
	}
}

// Count returns the number of tokens in s.
func Count(s string) (n int) {
	for range All(s) {
		n++
	}
	return n
}

// runOf returns the length in bytes of the leading runes that satisfy is, at
// most runes of them.
func runOf(s string, is func(rune) bool, most int) int {
	k := 0
	for i, r := range s {
		if k == most || !is(r) {
			return i
		}
		k++
	}
	return len(s)
}

func isLatin(r rune) bool { return unicode.Is(unicode.Latin, r) }

func isIdeograph(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana)
}

func foreign(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsMark(r)) && !isLatin(r) && !isIdeograph(r)
}

// foreignRun returns the number of letters of r's script per token.
func foreignRun(r rune) int {
	switch {
	case unicode.Is(unicode.Hangul, r):
		return 2
	case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Devanagari, unicode.Bengali, unicode.Thai):
		return 3
	}
	return 4
}

// longestWord is the number of letters of a word that are looked at.
const longestWord = 64

// latin returns the length of a word's first token. That is the whole word up
// to six letters, else a piece. The piece's size depends only on the word, so
// the same word is always cut the same way.
func latin(s string) int {
	end, letters := len(s), 0
	var h uint32 = 2166136261
	for i, r := range s {
		if !isLatin(r) && !unicode.IsMark(r) {
			end = i
			break
		}
		letters++
		h = (h ^ uint32(r)) * 16777619
		if letters == longestWord {
			break // else a word of a megabyte would be read for each of its tokens
		}
	}
	if letters <= 6 {
		return end
	}
	want := 3 + int(h>>7%3)
	if letters-want < 2 {
		want = letters - 3
	}
	return runOf(s[:end], func(rune) bool { return true }, want)
}
