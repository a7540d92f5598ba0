package tour

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/lab"
)

// Prefill computes, decode reads.
var twoPhases = lesson{
	key: "two-phases", title: "Two phases", focus: "roofline",
	claim: "A request has two phases with opposite limits: prefill computes, decode reads.",
	text: []string{
		"Prefill sends all {prompt} tokens of the prompt through the weights together: arithmetic limits.",
		"Decode sends one at a time, and each needs all {stepbytes} of weights: reading limits.",
		"So {hardware} computes at {prefillcompute} of its peak in one phase, at {decodecompute} in the other.",
	},
	try:   "Turn the prompt and look at where the dot lies on the roofline.",
	knobs: []metrics.Knob{metrics.KnobPrompt, metrics.KnobTime},
	set:   func(k *metrics.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 1, 4000, 40, 0.1 },
	stages: []stage{
		{key: "one", label: "{users} user"},
	},
	rows: []row{
		{"prefill: of the peak arithmetic", "%", func(o *lab.Outcome) metrics.Value { return hundred(o.Measured.PrefillCompute) }},
		{"prefill: of the memory bandwidth", "%", func(o *lab.Outcome) metrics.Value { return hundred(o.Measured.PrefillBandwidth) }},
		{"decode: of the peak arithmetic", "%", func(o *lab.Outcome) metrics.Value { return hundred(o.Measured.DecodeCompute) }},
		{"decode: of the memory bandwidth", "%", func(o *lab.Outcome) metrics.Value { return hundred(o.Measured.DecodeBandwidth) }},
		rowTTFT, rowTPOT,
	},
	judge: func(got []*lab.Outcome) (string, bool) {
		if !shown(got, 0) {
			return "", false
		}
		f := &got[0].Measured
		if !known(f.PrefillCompute, f.PrefillBandwidth, f.DecodeCompute, f.DecodeBandwidth) {
			return "", false
		}
		// Each phase uses at least twice as much of the one as of the other.
		holds := f.PrefillCompute.V > 2*f.PrefillBandwidth.V && f.DecodeBandwidth.V > 2*f.DecodeCompute.V
		return fmt.Sprintf("prefill used %s of the arithmetic and %s of the bandwidth, decode %s and %s: %s",
			pct(f.PrefillCompute), pct(f.PrefillBandwidth), pct(f.DecodeCompute), pct(f.DecodeBandwidth),
			or(holds, "opposite limits", "not opposite here")), holds
	},
}
