package say

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

// Peak writes the largest speed over a second of one stream, such as
// "140 tok/s in its fastest second", or the reason why it is unknown. A peak
// that one read may have brought in part from before that second has a ≤.
func Peak(f *metrics.Figures) string {
	switch {
	case !f.Peak.OK:
		return format.Reason(f.Peak)
	case f.PeakRead > 0:
		return "≤" + format.Rate(f.Peak.V) + " in its fastest second: one read brought " + format.Whole(f.PeakRead)
	}
	return format.Rate(f.Peak.V) + " in its fastest second"
}
