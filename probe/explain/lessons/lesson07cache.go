package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// The KV cache fills: preemption.
var fullCache = lesson{
	key: "cache", title: "The cache fills", focus: "kv",
	claim: "Users share the memory that the weights leave free; when it is full, one is preempted.",
	text: []string{
		"{weights} of weights leave {hardware} room for {capacity} tokens: {most} users at their fullest.",
		"{over.users} are too many: the last one is preempted, others queue: TTFT {over.ttft}, not {fits.ttft}.",
		"In {freed.precision} the weights take {freed.weights}, and {freed.most} users fit.",
	},
	try:   "Raise prompt or output until the map is full, then quantize.",
	knobs: []serving.Knob{serving.KnobUsers, serving.KnobOutput, serving.KnobPrecision},
	set: func(k *serving.Knobs) {
		k.Hardware, k.Prompt, k.Output, k.Time = "rtx4090", 300, 80, 1
	},
	stages: []stage{
		withUsers("fits", 48), withUsers("over", 128),
		{key: "freed", label: "{users}, {precision}", turn: "quantize to {precision}",
			set: func(k *serving.Knobs) { k.Users, k.Precision = 128, "fp8" }},
	},
	rows: []row{
		{"cache", "%", func(o *explain.Outcome) metrics.Value { return hundred(o.Measured.KV) }},
		{"preempted", "/s", func(o *explain.Outcome) metrics.Value { return o.Measured.Evicted }},
	},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1, 2) {
			return "", false
		}
		a, b, c := &got[0].Measured, &got[1].Measured, &got[2].Measured
		if !known(a.KV, b.KV, c.KV) {
			return "", false
		}
		holds := a.Preempted == 0 && b.Preempted > 0 && c.Preempted == 0 && b.KV.V > 0.95 && c.KV.V < b.KV.V
		return fmt.Sprintf("cache %s with %d users, %s with %d, %s in %s; preempted %d, %d and %d: %s",
			pct(a.KV), got[0].Config.Knobs.Users,
			pct(b.KV), got[1].Config.Knobs.Users, pct(c.KV),
			got[2].Config.Setup.Precision.Name, a.Preempted, b.Preempted, c.Preempted,
			or(holds, "more room, more users", "the claim does not hold")), holds
	},
}
