package lessons

import "tokscope/metrics/serving"

var twoPhases = lesson{
	key: "two-phases", title: "Two phases", focus: "roofline",
	claim: "A request has two phases with opposite limits: compute in prefill, memory in decode.",
	text: []string{
		"Prefill sends {prompt} prompt tokens at once: compute limits it.",
		"After {decode.prompt}, decode sends one at a time; " +
			"each reads {stepbytes} of weights: bandwidth limits it.",
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
	rows: []row{{"computing", "%", "compute"}, {"reading", "%", "read"}},
	verdict: "prefill used {prefill.compute} of the arithmetic and {prefill.read} of the bandwidth, " +
		"decode {decode.compute} and {decode.read}",
	yes: "opposite limits", no: "limits not opposite here",
	holds: func(of func(string) float64) bool { // each uses at least twice as much of its own resource
		return of("prefill.compute") > 2*of("prefill.read") && of("decode.read") > 2*of("decode.compute")
	},
}
