package keys

import (
	"cmp"
	"slices"
	"strings"
)

// Hint is one entry of a footer.
type Hint struct {
	Binding Intent
	Key     string
	Word    string
	Rank    int
}

// Hints appends to dst what can be done now in context c, most important
// first, and returns it. Of two keys that do the same now the first is named.
func Hints(dst []Hint, c Context, s State, ascii bool) []Hint {
	for i := range table {
		b := &table[i]
		if b.In != c || b.Word == nil {
			continue
		}
		if w := b.Word(s); w != "" {
			rank := b.Rank
			if b.RankNow != nil {
				rank = cmp.Or(b.RankNow(s), rank)
			}
			dst = append(dst, Hint{b.Do, b.footName(ascii), w, rank})
		}
	}
	slices.SortStableFunc(dst, func(a, b Hint) int { return cmp.Compare(a.Rank, b.Rank) })
	kept := dst[:0]
	for _, h := range dst {
		if !slices.ContainsFunc(kept, func(k Hint) bool { return k.Word == h.Word }) {
			kept = append(kept, h)
		}
	}
	return kept
}

// Markdown returns the keys of one context as the rows of a Markdown table
// with its head, for the README.
func Markdown(c Context) string {
	var b strings.Builder
	b.WriteString("| key | what it does |\n|---|---|\n")
	for _, k := range In(c) {
		b.WriteString("| `" + k.Show + "` | " + k.Help + " |\n")
	}
	return b.String()
}
