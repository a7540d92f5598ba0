package say

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/format"
)

// Voice says when the first sentence could be spoken, and whether a speaker
// then waits for more: "first sentence after 640 ms; a speaker at 150 to 180
// wpm never waits". It is "" without a stream.
func Voice(v *slo.Voice) string {
	if !v.Known() {
		return ""
	}
	if !v.Sentence.OK {
		return "first sentence: " + format.Reason(v.Sentence)
	}
	slow, fast := v.Dry[0], v.Dry[1]
	speaker := "; a speaker at " + format.Range(metrics.SpeakerSlow, metrics.SpeakerFast, format.Exact) + " wpm"
	text := "first sentence after " + format.Ms(v.Sentence.V)
	switch {
	case !slow.OK || !fast.OK:
		return text
	case fast.V == 0:
		return text + speaker + " never waits"
	case slow.V == 0:
		return text + "; a speaker at " + format.Exact(metrics.SpeakerFast) +
			" wpm waits " + format.Ms(fast.V) + ", at " + format.Exact(metrics.SpeakerSlow) + " never"
	}
	return text + speaker + " waits " + format.Range(slow.V, fast.V, format.Ms)
}
