package lessons

import "tokscope/metrics/serving"

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
	rows: []row{{"cache", "%", "kv"}, {"preempted", "/s", "evicted"}},
	verdict: "cache {fits.kv} with {fits.users} users, {over.kv} with {over.users}, {freed.kv} in {freed.precision}; " +
		"preempted {fits.preempted}, {over.preempted} and {freed.preempted}",
	yes: "more room, more users", no: "the claim does not hold",
	holds: func(of func(string) float64) bool {
		return of("fits.preempted") == 0 && of("over.preempted") > 0 && of("freed.preempted") == 0 &&
			of("over.kv") > 0.95 && of("freed.kv") < of("over.kv")
	},
}
