package tour

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/lab"
)

// Gaps grow with the context.
var past = lesson{
	key: "context", title: "The weight of the past", focus: "step",
	claim: "Every token reads the whole context again: gaps grow with it.",
	text: []string{
		"A token of context is {kvtoken} of cache, and a decode step reads all of it, of all users.",
		"With {short.prompt} tokens each that is {short.kvread} of the step, with {long.prompt} it is {long.kvread}.",
		"So the gap between tokens goes from {short.gap} to {long.gap}, for the same weights and the same users.",
	},
	try:   "Turn the users: the weights are shared by all, the cache is not.",
	knobs: []metrics.Knob{metrics.KnobPrompt, metrics.KnobUsers},
	set:   func(k *metrics.Knobs) { k.Users, k.Output, k.Time = 8, 60, 1 },
	stages: []stage{
		prompted("short", 500), prompted("middle", 4000), prompted("long", 12000),
	},
	rows: []row{
		rowStep,
		{"of a decode step, reading the cache", "%", func(o *lab.Outcome) metrics.Value { return hundred(o.Measured.KVRead) }},
		rowTTFT, rowKV,
	},
	judge: func(got []*lab.Outcome) (string, bool) {
		if !shown(got, 0, 2) {
			return "", false
		}
		a, b := &got[0].Measured, &got[2].Measured
		if !known(a.Gap50, b.Gap50, a.KVRead, b.KVRead) {
			return "", false
		}
		holds := b.Gap50.V > 1.2*a.Gap50.V && b.KVRead.V > 2*a.KVRead.V
		return fmt.Sprintf("with %d tokens of prompt in place of %d the median gap was %s in place of %s, of which the cache took %s in place of %s: %s",
			got[2].Rig.Knobs.Prompt, got[0].Rig.Knobs.Prompt, ms(b.Gap50), ms(a.Gap50), pct(b.KVRead), pct(a.KVRead),
			or(holds, "the past weighs", "it does not weigh here")), holds
	},
}
