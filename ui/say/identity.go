package say

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

// Identity writes the sum that the time to the last chunk should be, with what
// it leaves over: "TTFT 41.0 ms + 199 × TPOT 8.51 ms, residual 0 ms". It is ""
// where the sum is unknown.
func Identity(f *metrics.Figures) string {
	if !f.Predicted.OK || !f.Residual.OK || !f.DecodeTokens.OK {
		return ""
	}
	return "TTFT " + format.Ms(f.TTFT.V) + " + " + format.Whole(f.DecodeTokens.V-1) +
		" × TPOT " + format.Ms(f.TPOT.V) + ", residual " + format.Ms(format.Residual(f.Residual.V))
}
