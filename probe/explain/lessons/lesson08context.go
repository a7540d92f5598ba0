package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// Gaps grow with the context.
var past = lesson{
	key: "context", title: "The cost of context", focus: "step",
	claim: "Every token reads the whole context again: gaps grow with it.",
	text: []string{
		"A token of context is {kvtoken} of cache, and every step reads all of it, of all users.",
		"With prompts of {short.prompt} that is {short.kvread} of a decode step, with {long.prompt} {long.kvread}:",
		"gaps go from {short.gap} to {long.gap}, for the same weights and users.",
	},
	try:   "Change the users: all share the weights, none shares the cache.",
	knobs: []serving.Knob{serving.KnobPrompt, serving.KnobUsers},
	set:   func(k *serving.Knobs) { k.Users, k.Output, k.Time = 8, 60, 1 },
	stages: []stage{
		prompted("short", 500), prompted("middle", 4000), prompted("long", 12000),
	},
	rows: []row{
		{"usual gap", "ms", func(o *explain.Outcome) metrics.Value { return o.Measured.Gap50 }},
		{"KV read", "%", func(o *explain.Outcome) metrics.Value { return hundred(o.Measured.KVRead) }},
	},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 2) {
			return "", false
		}
		a, b := &got[0].Measured, &got[2].Measured
		if !known(a.Gap50, b.Gap50, a.KVRead, b.KVRead) {
			return "", false
		}
		holds := b.Gap50.V > 1.2*a.Gap50.V && b.KVRead.V > 2*a.KVRead.V
		return fmt.Sprintf("the median gap went from %s to %s, the cache's share of a step from %s to %s: %s",
			ms(a.Gap50), ms(b.Gap50), pct(a.KVRead), pct(b.KVRead),
			or(holds, "context costs time", "context costs little here")), holds
	},
}
