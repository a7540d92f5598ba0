package tour

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/lab"
)

// The KV cache fills: preemption.
var fullCache = lesson{
	key: "cache", title: "The cache fills", focus: "kv",
	claim: "Memory that is not weights is room for users; when it is full, somebody is thrown out.",
	text: []string{
		"{weights} of weights leave {hardware} room for {capacity} tokens: {most} users at their fullest.",
		"{over.users} are too many: the last one in is thrown out and computed again later, others queue:",
		"TTFT {over.ttft} in place of {fits.ttft}. In {freed.precision} the weights take {freed.weights}: {freed.most} users fit.",
	},
	try:   "Turn prompt or output up until the map is full, then the quantisation.",
	knobs: []metrics.Knob{metrics.KnobUsers, metrics.KnobOutput, metrics.KnobPrecision},
	set: func(k *metrics.Knobs) {
		k.Hardware, k.Prompt, k.Output, k.Time = "rtx4090", 300, 80, 1
	},
	stages: []stage{
		crowd("fits", 48), crowd("over", 104),
		{key: "freed", label: "{users} users, {precision}", turn: "quantise to {precision}", set: func(k *metrics.Knobs) { k.Users, k.Precision = 104, "fp8" }},
	},
	rows: []row{
		rowKV,
		{"users that fit, by arithmetic", "", func(o *lab.Outcome) metrics.Value { return metrics.Known(float64(o.MostUsers), 0) }},
		{"thrown out, a second", "", func(o *lab.Outcome) metrics.Value { return o.Measured.Evicted }},
		rowTTFT, rowTotal,
	},
	judge: func(got []*lab.Outcome) (string, bool) {
		if !shown(got, 0, 1, 2) {
			return "", false
		}
		a, b, c := &got[0].Measured, &got[1].Measured, &got[2].Measured
		if !known(a.KV, b.KV, c.KV) {
			return "", false
		}
		holds := a.Preempted == 0 && b.Preempted > 0 && c.Preempted == 0 && b.KV.V > 0.95 && c.KV.V < b.KV.V
		return fmt.Sprintf("%d users held %s of the cache and nobody was thrown out; with %d it was %s and %d; in %s %s and %d: %s",
			got[0].Rig.Knobs.Users, pct(a.KV), got[1].Rig.Knobs.Users, pct(b.KV), b.Preempted, got[2].Rig.Setup.Precision.Name, pct(c.KV), c.Preempted,
			or(holds, "room is users", "that is not what the claim says")), holds
	},
}
