package lessons

import "tokscope/metrics/serving"

var stall = lesson{
	key: "stall", title: "The neighbor's prompt", focus: "timeline",
	claim: "A long prompt stalls every other user; chunks help, and so does a second machine for prefill.",
	text: []string{
		"Prefill first: {whole.prompt} tokens of a prompt take the machine, all others wait up to {whole.maxgap}.",
		"In chunks of {chunks.budget} decodes ride along: {chunks.maxgap} at most, but TTFT {chunks.ttft}, not {whole.ttft}.",
		"Prefill on a second machine: {apart.maxgap}, for twice the hardware.",
	},
	try:   "Change the chunk budget: small chunks keep gaps short, but slow the prompt.",
	knobs: []serving.Knob{serving.KnobBudget, serving.KnobMode, serving.KnobPrompt},
	set:   func(k *serving.Knobs) { k.Users, k.Prompt, k.Output, k.Time = 4, 8000, 80, 0.5 },
	stages: []stage{
		{key: "whole", label: "prefill first", set: func(k *serving.Knobs) { k.Mode = "prefill-first" }},
		{key: "chunks", label: "chunks of {budget}", turn: "cut prompts into chunks",
			set: func(k *serving.Knobs) { k.Budget = 512 }},
		{key: "apart", label: "apart", turn: "prefill on a second {hardware}",
			set: func(k *serving.Knobs) { k.Mode = "disaggregated" }},
	},
	rows: []row{{"max gap", "ms", "maxgap"}, rowTTFT},
	verdict: "longest gap {whole.maxgap} where the median is {whole.gap}; " +
		"in chunks {chunks.maxgap}, disaggregated {apart.maxgap}",
	yes: "both help", no: "the claim does not hold",
	holds: func(of func(string) float64) bool {
		return of("whole.maxgap") > 5*of("whole.gap") &&
			max(of("chunks.maxgap"), of("apart.maxgap")) < of("whole.maxgap")/3
	},
}
