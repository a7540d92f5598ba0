package keys

import (
	"cmp"
	"slices"
)

// Hint is one entry of a footer.
type Hint struct {
	Binding *Binding
	Key     string
	Word    string
	Rank    int
}

// Hints appends the active keys of table to dst, most important first, and
// returns it. Of two active keys with the same action it names the first.
func Hints(dst []Hint, table []Binding, ascii bool) []Hint {
	for i := range table {
		b := &table[i]
		if b.Word == nil {
			continue
		}
		if w := b.Word(); w != "" {
			rank := b.Rank
			if b.RankNow != nil {
				rank = cmp.Or(b.RankNow(), rank)
			}
			foot := Binding{Show: b.Foot, Keys: b.Keys}
			dst = append(dst, Hint{b, foot.Name(ascii), w, rank})
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
