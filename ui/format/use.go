package format

import "tokscope/metrics"

// Use writes what tokscope took of the machine, to be appended to its lag: "; used 0.31
// of 2 cores, 118 of 1,024 descriptors". What is unknown is left out; "" when
// all of it is.
func Use(u *metrics.Use) string {
	text := ""
	if v := u.CPUUsed(); v.OK {
		text = "; used " + Number(v.V) + " of " + Plural(u.Cores, "core", "cores")
	}
	if u.Descriptors > 0 && u.DescriptorLimit > 0 {
		if text == "" {
			text = "; used "
		} else {
			text += ", "
		}
		text += Count(u.Descriptors) + " of " + Count(u.DescriptorLimit) + " descriptors"
	}
	return text
}
