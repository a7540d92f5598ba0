package stats

import (
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// BenchmarkShareAbove holds that the bound of a limit takes no longer in proportion
// to the baseline: a watch that adopts a baseline asks for hundreds. A tail that is
// summed to its end would take ten times as long for ten times the values.
func BenchmarkShareAbove(b *testing.B) {
	const most = 5
	bound := func(m int) func() {
		return func() { ShareAbove(m, m*9/10, 0.9) }
	}
	for b.Loop() {
		r := testkit.Ratio(time.Now, bound(28_800), bound(2880))
		if b.ReportMetric(r, "of-a-tenth"); r > most {
			b.Fatalf("ten times the values take %.1f times as long, more than %v", r, most)
		}
	}
}
