package say

import "tokscope/metrics"

// AnsweredBy says which model answered, "" if that is the one asked for.
func AnsweredBy(asked, answered string) string {
	if metrics.CompareModels(asked, answered) == metrics.ModelAsIs {
		return ""
	}
	return "answered by " + answered
}
