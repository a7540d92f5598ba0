package metrics_test

import (
	"testing"

	"pgregory.net/rapid"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// What fits needs no more open files and ports than there are, and one more would.
func TestRoom(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		number := func(name string, most int) int { return rapid.IntRange(0, most).Draw(t, name) }
		r := metrics.Room{Files: number("files", 3000), FileLimit: number("limit", 9000), Each: number("each", 2),
			Ports: number("ports", 5000)}
		n := r.Fits()
		fit := func(n int) bool {
			return (r.FileLimit == 0 || r.Needs(n) <= r.FileLimit) && (r.Ports == 0 || n <= r.Ports)
		}
		testkit.Given(t, n == 0 || fit(n), "%d do not fit into %+v", n, r)
		testkit.Given(t, !fit(n+1) || r.FileLimit+r.Ports == 0, "more than %d fit into %+v", n, r)
	})
}
