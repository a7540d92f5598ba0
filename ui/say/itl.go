package say

import "tokscope/metrics"

// ITLSource says how the tokens of a gap are known.
func ITLSource(s metrics.ITLSource) string {
	switch s {
	case metrics.ITLCounted:
		return "counted"
	case metrics.ITLMean:
		return "by the mean"
	}
	return "unknown"
}
