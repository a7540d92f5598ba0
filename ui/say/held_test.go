package say

import (
	"testing"

	"tokscope/metrics"
)

// TestHeldWords holds the words of silences that ended with what was made meanwhile,
// and of a large first chunk.
func TestHeldWords(t *testing.T) {
	for want, s := range map[string]metrics.Suspicion{
		"the arguments of write_file came at once, 5.00 s after its name: held back by the server's parser; the pace stayed 76.0 tok/s": {
			Code: metrics.SuspectWithheld, N: 380, Ms: 5000, Name: "write_file", Ratio: 76},
		"about 300 tokens came at once after a silence of 1.87 s: held back on the way": {
			Code: metrics.SuspectWithheld, N: 300, Ms: 1870},
		"the arguments of run_query came at once, 3.00 s after its name, the longest of 2 such waits: held back by the server's parser": {
			Code: metrics.SuspectWithheld, N: 300, Of: 2, Ms: 3000, Name: "run_query", Ratio: 102},
		"nothing for 2.50 s before chunk 2 of 3": {Code: metrics.SuspectSilence, N: 2, Of: 3, Ms: 2500},
		"TPOT is between 19.0 ms and 25.0 ms: the first chunk may carry 16.0 tokens": {
			Code: metrics.SuspectFirstMean, Ratio: 16, Ms: 19, Limit: 25},
	} {
		is(t, Suspicion(&s), want)
	}
}
