package say

import "testing"

// TestFit checks what a sentence loses where room is short: words first, then
// clauses by their rank, and a part of one last.
func TestFit(t *testing.T) {
	s := Sentence{{Text: "64 users"}, {Text: ": 65.2 tok/s", Brief: ": 65.2", Rank: 1}, {Text: ", 4,110 aggregate", Rank: 3},
		{Text: " (about)", Rank: 3}, {Text: "; alone 149 tok/s", Brief: "; alone 149", Rank: 2}}
	for w, want := range map[int]string{
		99: "64 users: 65.2 tok/s, 4,110 aggregate (about); alone 149 tok/s", 53: "64 users: 65.2, 4,110 aggregate (about); alone 149",
		49: "64 users: 65.2 tok/s; alone 149 tok/s", 36: "64 users: 65.2 tok/s; alone 149", 26: "64 users: 65.2; alone 149",
		20: "64 users: 65.2 tok/s", 19: "64 users: 65.2", 9: "64 users", 5: "64 u…", 0: "",
	} {
		is(t, s.Fit(w), want)
	}
	is(t, s.FitRows(17, 2), "64 users: 65.2 tok/s; alone 149")
	is(t, (Sentence{{Text: "12 wait"}}).then("; ", Sentence{{Text: "13 run", Brief: "13"}}.after(1)).Fit(12), "12 wait; 13")
}
