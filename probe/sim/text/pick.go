package text

import (
	"math"
	"strings"
	"sync"
	"unicode"
)

// Pick chooses the passage with which an answer to the prompt begins: one that
// speaks of the same things, by the words they share, rare ones counting more.
// Among those that fit about as well as the best, and among all when none
// fits, seed decides. The result is an index into Passages(language).
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

// wordIndex is which words the passages of a language speak of.
type wordIndex struct {
	in    []map[string]bool // by passage
	known map[string]int    // in how many passages a word occurs
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

// lastParagraph is where a long prompt has its question.
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

// words are the words of four letters and more, lower-case, without the ending
// of a plural.
func words(s string) map[string]bool {
	set := map[string]bool{}
	for _, w := range strings.FieldsFunc(strings.ToLower(s), func(r rune) bool { return !unicode.IsLetter(r) }) {
		if len(w) >= 4 {
			set[strings.TrimSuffix(w, "s")] = true
		}
	}
	return set
}
