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

func TestUse(t *testing.T) {
	for _, c := range []struct {
		u    metrics.Use
		want string
		busy bool
	}{
		{metrics.Use{}, "", false},
		{metrics.Use{Cores: 2}, "", false},
		{metrics.Use{CPU: 0.31, Seconds: 5, Cores: 2}, "; used 0.310 of 2 cores", false},
		{metrics.Use{CPU: 1.6, Seconds: 1, Cores: 2}, "; used 1.60 of 2 cores", true},
		{metrics.Use{Descriptors: 118, DescriptorLimit: 1024}, "; used 118 of 1,024 descriptors", false},
		{metrics.Use{CPU: 0.9, Seconds: 1, Cores: 1, Descriptors: 900, DescriptorLimit: 1024}, "; used 0.900 of 1 core, 900 of 1,024 descriptors", true},
		{metrics.Use{Descriptors: 118}, "", false},
	} {
		if got := Use(&c.u); got != c.want || c.u.Busy() != c.busy {
			t.Errorf("%+v: %q, busy %v", c.u, got, c.u.Busy())
		}
	}
}
