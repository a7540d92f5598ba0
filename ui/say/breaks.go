package say

import "tokscope/metrics/loadstat"

// Breaks writes what loadstat.BreaksFirst returned, for a mark in a chart: "ttft
// breaks", "too many fail".
func Breaks(name string) string {
	if name == loadstat.Failures {
		return "too many fail"
	}
	return name + " breaks"
}

// BreaksFirst is Breaks in a sentence that ends with the load: "ttft breaks first",
// "too many requests fail".
func BreaksFirst(name string) string {
	if name == loadstat.Failures {
		return "too many requests fail"
	}
	return name + " breaks first"
}
