package endpoint

import "strings"

// Closest returns the entry of list nearest to name, or "" if none is near.
// At most a third of the letters may differ, or one.
func Closest(name string, list []string) string {
	name = strings.ToLower(name)
	if len(name) > 64 {
		return ""
	}
	best, bestD := "", 1+max(1, len(name)/3)
	for _, s := range list {
		if d := distance(name, strings.ToLower(s)); d < bestD {
			best, bestD = s, d
		}
	}
	return best
}

// distance returns the number of insertions, deletions, substitutions and
// swaps of neighbors that turn a into b (optimal string alignment, in bytes).
func distance(a, b string) int {
	prev2, prev, row := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		row[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			row[j] = min(prev[j]+1, row[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				row[j] = min(row[j], prev2[j-2]+1)
			}
		}
		prev2, prev, row = prev, row, prev2
	}
	return prev[len(b)]
}
