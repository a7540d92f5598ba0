package format

import "tokscope/metrics"

// Identity writes the sum that the time to the last chunk should be, with what
// it leaves over: "TTFT 41.0 ms + 199 × TPOT 8.51 ms, residual 0 ms". It is ""
// where the sum is unknown.
func Identity(f *metrics.Figures) string {
	if !f.Predicted.OK || !f.Residual.OK || !f.DecodeTokens.OK {
		return ""
	}
	return "TTFT " + Ms(f.TTFT.V) + " + " + Whole(f.DecodeTokens.V-1) +
		" × TPOT " + Ms(f.TPOT.V) + ", residual " + Ms(Residual(f.Residual.V))
}
