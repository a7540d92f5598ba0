package say

import (
	"tokscope/metrics"
	"tokscope/ui/format"
)

// Use writes what tokscope took of the machine, to be appended to its lag: "; used 0.31
// of 2 cores, 118 of 1,024 descriptors". What is unknown is left out; "" when
// all of it is.
func Use(u *metrics.Use) string {
	text := ""
	if v := u.CPUUsed(); v.OK {
		text = "; used " + format.Number(v.V) + " of " + format.Plural(u.Cores, "core", "cores")
	}
	if u.Descriptors > 0 && u.DescriptorLimit > 0 {
		if text == "" {
			text = "; used "
		} else {
			text += ", "
		}
		text += format.Count(u.Descriptors) + " of " + format.Count(u.DescriptorLimit) + " descriptors"
	}
	return text
}
