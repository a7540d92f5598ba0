package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/slo"
)

func TestVoice(t *testing.T) {
	ms := func(v float64) metrics.Value { return metrics.Known(v, 0) }
	for want, v := range map[string]slo.Voice{
		"": {},
		"first sentence after 640 ms; a speaker at 150–180 wpm never waits":            {Sentence: ms(640), Dry: [2]metrics.Value{ms(0), ms(0)}},
		"first sentence after 640 ms; a speaker at 180 wpm waits 1.20 s, at 150 never": {Sentence: ms(640), Dry: [2]metrics.Value{ms(0), ms(1200)}},
		"first sentence after 1.64 s; a speaker at 150–180 wpm waits 400–667 ms":       {Sentence: ms(1640), Dry: [2]metrics.Value{ms(400), ms(667)}},
		"first sentence: – (no sentence has ended)":                                    {Sentence: metrics.Unknown(metrics.WhyNoSentence)},
		"first sentence: – (no visible text)":                                          {Sentence: metrics.Unknown(metrics.WhyNoTextEnd)},
	} {
		if got := Voice(&v); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
