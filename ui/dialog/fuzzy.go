package dialog

import (
	"slices"
	"strings"
	"unicode"
)

// What a letter of a search is worth. A letter that begins a word is worth more
// than any number of letters that do not: "pl" finds "previous lesson" before
// "pplane".
const (
	anyLetter   = 1
	afterLetter = 3 // follows the letter before it
	beginsWord  = 8
	beginsName  = 10
	fuzzyMost   = 64 // letters that are compared; a longer name is cut
)

// inOrder returns how well the letters of search, blanks left out, occur in
// name in their order: the best of all ways. 0 is not at all; an empty search
// fits everything equally. Case does not count.
func inOrder(search, name string) int {
	want := slices.DeleteFunc([]rune(strings.ToLower(search)), unicode.IsSpace)
	have := []rune(strings.ToLower(name))
	have = have[:min(len(have), fuzzyMost)]
	if len(want) > len(have) {
		return 0
	}
	// best[j] is the worth of the letters so far when the last one is have[j];
	// 0 is impossible. Worth begins at 1.
	best := make([]int, len(have))
	for i, w := range want {
		next := make([]int, len(have))
		before := 0 // the best that ends left of j-1
		for j, h := range have {
			if j >= 2 {
				before = max(before, best[j-2])
			}
			if h != w {
				continue
			}
			from := before
			switch {
			case i == 0:
				from = 1
			case j > 0 && best[j-1] > 0:
				from = max(from, best[j-1]+afterLetter-anyLetter)
			}
			if from > 0 {
				next[j] = from + worth(have, j)
			}
		}
		best = next
	}
	if len(want) == 0 {
		return 1
	}
	return slices.Max(append(best, 0))
}

// worth is that of letter j by its place.
func worth(name []rune, j int) int {
	switch {
	case j == 0:
		return beginsName
	case !letter(name[j-1]) && letter(name[j]):
		return beginsWord
	}
	return anyLetter
}

func letter(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }

// wordsBegin reports whether each word of search begins a word of text.
func wordsBegin(search, text string) bool {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !letter(r) })
	for _, s := range strings.Fields(strings.ToLower(search)) {
		if !slices.ContainsFunc(words, func(w string) bool { return strings.HasPrefix(w, s) }) {
			return false
		}
	}
	return true
}
