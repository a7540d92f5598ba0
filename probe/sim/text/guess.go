package text

import (
	"strings"
	"unicode"
)

// marks are words that identify a language, each with blanks around it.
var marks = []struct {
	language string
	words    []string
}{
	{"code", []string{"code", "function", "golang", "python", "javascript",
		"rust", "sql", "program", "script", "class", "implement", "refactor"}},
	{"de",
		[]string{"der", "die", "das", "und", "ist", "nicht", "wie", "bitte", "ein", "eine", "auf", "deutsch", "german"}},
	{"fr", []string{"le", "la", "les", "est", "une", "des", "comment", "pourquoi", "bonjour", "français", "french"}},
	{"es", []string{"el", "los", "las", "una", "qué", "cómo", "por", "hola", "español", "spanish"}},
	{"zh", []string{"chinese"}},
	{"ja", []string{"japanese"}},
	{"ru", []string{"russian"}},
	{"ar", []string{"arabic"}},
	{"hi", []string{"hindi"}},
	{"ko", []string{"korean"}},
}

var scripts = []struct {
	table    *unicode.RangeTable
	language string
}{
	{unicode.Hiragana, "ja"},
	{unicode.Katakana, "ja"},
	{unicode.Hangul, "ko"},
	{unicode.Han, "zh"},
	{unicode.Cyrillic, "ru"},
	{unicode.Arabic, "ar"},
	{unicode.Devanagari, "hi"},
}

// Guess returns the language in which to answer a text. It goes by script or
// by words, returns "code" for a request for code, and else "en". It only
// returns languages that have passages.
func Guess(prompt string) string {
	const look = 2000
	if len(prompt) > look {
		prompt = prompt[len(prompt)-look:]
	}
	lib := library()
	for _, s := range scripts {
		if strings.IndexFunc(prompt, func(r rune) bool { return unicode.Is(s.table, r) }) >= 0 && lib[s.language] != nil {
			return s.language
		}
	}
	words := map[string]int{}
	total := 0
	for _, w := range strings.FieldsFunc(strings.ToLower(prompt), func(r rune) bool { return !unicode.IsLetter(r) }) {
		words[w]++
		total++
	}
	best, most := "en", 0
	for _, m := range marks {
		n := 0
		for _, w := range m.words {
			n += words[w]
		}
		// One or two foreign words in a long English text do not count. A request
		// for code may name it once and then continue with other words.
		least := 7
		if m.language == "code" {
			least = 15
		}
		if n > most && n*least >= total && lib[m.language] != nil {
			best, most = m.language, n
		}
	}
	return best
}
