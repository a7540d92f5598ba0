package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// Prefill computes, decode reads.
var twoPhases = lesson{
	key: "two-phases", title: "Two phases", focus: "roofline",
	claim: "A request has two phases with opposite limits: compute in prefill, memory in decode.",
	text: []string{
		"Prefill sends {prompt} prompt tokens through the weights at once: compute limits it.",
		"Decode sends one at a time; each reads {stepbytes} of weights: bandwidth limits it.",
		"{hardware} computes at {compute} of its peak in one phase, {decode.compute} in the other.",
	},
	try:   "Change the prompt length and watch the dot on the roofline.",
	knobs: []serving.Knob{serving.KnobPrompt, serving.KnobTime},
	set:   func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 1, 4000, 2, 0.1 },
	stages: []stage{
		{key: "prefill", label: "prefill"},
		{key: "decode", label: "decode", turn: "a short prompt, {output} tokens out",
			set: func(k *serving.Knobs) { k.Prompt, k.Output = 32, 60 }},
	},
	rows: []row{
		{"computing", "%", func(o *explain.Outcome) metrics.Value { return hundred(o.Measured.Compute) }},
		{"reading", "%", func(o *explain.Outcome) metrics.Value { return hundred(o.Measured.Bandwidth) }},
	},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1) {
			return "", false
		}
		a, b := &got[0].Measured, &got[1].Measured
		if !known(a.Compute, a.Bandwidth, b.Compute, b.Bandwidth) {
			return "", false
		}
		// Each phase uses at least twice as much of its own resource.
		holds := a.Compute.V > 2*a.Bandwidth.V && b.Bandwidth.V > 2*b.Compute.V
		return fmt.Sprintf("prefill used %s of the arithmetic and %s of the bandwidth, decode %s and %s: %s",
			pct(a.Compute), pct(a.Bandwidth), pct(b.Compute), pct(b.Bandwidth),
			or(holds, "opposite limits", "limits not opposite here")), holds
	},
}
