package lessons

import "tokscope/metrics/serving"

var share = lesson{
	key: "share", title: "Whose tokens per second", focus: "client",
	claim: "A large aggregate over many users can be slow for every one of them.",
	text: []string{
		"{model} in {precision} on {hardware}: {many.total} over {many.users} users. It sounds fast.",
		"While it streams a user gets {many.speed}, {many.pace} times a reader's pace; one alone {one.speed}.",
		"Tokens per second mean nothing without the words per user or aggregate.",
	},
	try:   "Change the hardware: which one is fast for this many users?",
	knobs: []serving.Knob{serving.KnobHardware, serving.KnobUsers},
	set: func(k *serving.Knobs) {
		k.Model, k.Precision, k.Hardware = "llama-3.3-70b", "fp8", "rtxpro6000"
		k.Prompt, k.Output, k.Time = 200, 24, 1
	},
	stages:  []stage{withUsers("one", 1), withUsers("many", 64)},
	rows:    []row{rowTotal, rowSpeed},
	verdict: "{many.total} over {many.users} users was {many.speed} per user while it streams; one user: {one.speed}",
	yes:     "the aggregate misled", no: "the aggregate does not mislead here",
	holds: func(of func(string) float64) bool { // many times the speed of a single user, of which each has less than half
		return of("many.total") > 4*of("one.speed") && of("many.speed") < of("one.speed")/2
	},
}
