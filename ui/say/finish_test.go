package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/request"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
)

// TestFinishWords holds what is said of how answers ended, and that a server's own
// word cannot reach the terminal as it is.
func TestFinishWords(t *testing.T) {
	is(t, Finishes(map[string]int{"content_filter": 1, "stop": 2, metrics.NoFinish: 1}),
		"2 stop, 1 content filter, 1 no finish reason")
	is(t, Finishes(nil), "")
	is(t, FinishReason("a\x1b[31m_b"), "a␛[31m b")
	for want, f := range map[string]verdict.Finding{
		"No visible answer: all 100 tokens were reasoning, the limit was reached.":                 {Code: verdict.Unseen, Part: "length", N: 100},
		"No visible answer: about 31 tokens were reasoning or white space, the limit was reached.": {Code: verdict.Unseen, Part: "max_tokens", N: 31, About: true, Mixed: true},
		"No visible answer: all 7 chunks were reasoning.":                                          {Code: verdict.Unseen, Part: "stop", N: 7, Chunks: true},
		"No visible answer: 1 token was reasoning, and no finish reason came: it may be cut.":      {Code: verdict.Unseen, Part: "none", N: 1},
		"In 3 of 12 requests, no visible answer: reasoning or white space, the limit was reached.": {Code: verdict.Unseen, Part: "length", Having: 3, Among: 12, Mixed: true},
		"No visible answer: reasoning or white space.":                                             {Code: verdict.Unseen, Part: "stop", Having: 4, Among: 4, Mixed: true},
		"Ended by a content filter after 12 tokens.":                                               {Code: verdict.Finish, Part: "content_filter", N: 12},
		"In 1 of 4 requests, ended by a content filter.":                                           {Code: verdict.Finish, Part: "safety", Having: 1, Among: 4},
		"No finish reason after 20 tokens: the answer may be cut.":                                 {Code: verdict.Finish, Part: "none", N: 20},
		"In 2 of 4 requests, no finish reason: the answer may be cut.":                             {Code: verdict.Finish, Part: "none", Having: 2, Among: 4},
		"Finish reason insufficient system resource after about 20 tokens.":                        {Code: verdict.Finish, Part: "insufficient_system_resource", N: 20, About: true},
		"The model refused, in 12 tokens.":                                                         {Code: verdict.Refused, Part: "stop", N: 12},
		"The model refused, in 1 chunk.":                                                           {Code: verdict.Refused, Part: "none", N: 1, Chunks: true},
		"In 2 of 5 requests, the model refused.":                                                   {Code: verdict.Refused, Having: 2, Among: 5},
		"The model refused.":                                                                       {Code: verdict.Refused, Having: 3, Among: 3},
		"Misses the chat lens: no visible text.":                                                   {Code: verdict.Lens, Name: "chat", Verdict: &slo.LensVerdict{Grade: slo.GradeMisses, Case: slo.CaseTextless, Requests: 1, Textless: 1}},
		"Barely meets the voice lens: no visible text in 1 of 4.":                                  {Code: verdict.Lens, Name: "voice", Verdict: &slo.LensVerdict{Grade: slo.GradeClose, Case: slo.CaseTextless, Requests: 4, Textless: 1}},
	} {
		is(t, Conclusion([]verdict.Finding{f}), want)
	}
	is(t, RequestRemarks(&request.Row{State: metrics.Done, Refused: true}), "the model refused")
	v := slo.LensVerdict{Metric: slo.LensTTFT, Measured: metrics.Known(100, 1), Case: slo.CaseTextless, Requests: 1, Textless: 1, Lens: "chat"}
	is(t, Verdict(&v), "first token after 100 ms: no visible text, which chat needs")
}
