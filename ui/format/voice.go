package format

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Voice says when the first sentence could be spoken, and whether a speaker
// then waits for more: "first sentence after 640 ms; a speaker at 150 to 180
// wpm never waits". It is "" without a stream.
func Voice(v *slo.Voice) string {
	if !v.Known() {
		return ""
	}
	if !v.Sentence.OK {
		return "first sentence: " + Reason(v.Sentence)
	}
	slow, fast := v.Dry[0], v.Dry[1]
	speaker := "; a speaker at " + Range(metrics.SpeakerSlow, metrics.SpeakerFast, Exact) + " wpm"
	text := "first sentence after " + Ms(v.Sentence.V)
	switch {
	case !slow.OK || !fast.OK:
		return text
	case fast.V == 0:
		return text + speaker + " never waits"
	case slow.V == 0:
		return text + "; a speaker at " + Exact(metrics.SpeakerFast) +
			" wpm waits " + Ms(fast.V) + ", at " + Exact(metrics.SpeakerSlow) + " never"
	}
	return text + speaker + " waits " + Range(slow.V, fast.V, Ms)
}
