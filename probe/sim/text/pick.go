package text

import (
	"math"
	"strings"
	"sync"
	"unicode"
)

// Pick chooses the first passage of an answer to the prompt, as an index into
// Passages(language). It prefers passages that share words with the prompt,
// and rare words count more. seed decides among passages about as good as the
// best, or among all if none matches.
func Pick(language, prompt string, seed uint64) int {
	all := Passages(language)
	if len(all) == 0 {
		return 0
	}
	asked, x := words(lastParagraph(prompt)), index()[language]
	scores := make([]float64, len(all))
	best := 0.0
	for i := range all {
		for w := range asked {
			if x.in[i][w] {
				scores[i] += math.Log(float64(len(all)) / float64(x.known[w]))
			}
		}
		best = max(best, scores[i])
	}
	var fit []int
	for i, s := range scores {
		if s >= 0.7*best {
			fit = append(fit, i)
		}
	}
	return fit[seed%uint64(len(fit))]
}

// wordIndex holds the words of a language's passages.
type wordIndex struct {
	in    []map[string]bool // by passage
	known map[string]int    // number of passages with the word
}

var index = sync.OnceValue(func() map[string]wordIndex {
	all := map[string]wordIndex{}
	for language, list := range library() {
		x := wordIndex{known: map[string]int{}}
		for _, p := range list {
			set := words(p.Title + " " + p.Body)
			x.in = append(x.in, set)
			for w := range set {
				x.known[w]++
			}
		}
		all[language] = x
	}
	return all
})

// lastParagraph returns the last paragraph, where a long prompt has its
// question.
func lastParagraph(s string) string {
	s = strings.TrimSpace(s)
	if i := strings.LastIndex(s, "\n\n"); i >= 0 {
		s = s[i+2:]
	}
	const most = 2000
	if len(s) > most {
		s = s[len(s)-most:]
	}
	return s
}

// words returns the words of four letters and more, in lower case and without
// a plural ending.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) >= 4 {
			set[strings.TrimSuffix(w, "s")] = true
		}
	}
	return set
}
