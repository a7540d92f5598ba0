package lessons

import "tokscope/metrics/serving"

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
	rows: []row{{"usual gap", "ms", "gap"}, {"KV read", "%", "kvread"}},
	verdict: "the median gap went from {short.gap} to {long.gap}, " +
		"the cache's share of a step from {short.kvread} to {long.kvread}",
	yes: "context costs time", no: "context costs little here",
	holds: func(of func(string) float64) bool {
		return of("long.gap") > 1.2*of("short.gap") && of("long.kvread") > 2*of("short.kvread")
	},
}
