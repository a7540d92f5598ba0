package lessons

import "tokscope/metrics/serving"

var longPrompt = lesson{
	key: "prompt", title: "A longer prompt", focus: "timeline",
	claim: "TTFT grows with the prompt; TPOT does not.",
	text: []string{
		"The first token waits for the prompt: {short.ttft} for {short.prompt} tokens, {long.ttft} for {long.prompt}.",
		"Two FLOPs per parameter per token, {billions} billion parameters: {long.floor} at the datasheet's peak.",
		"Each token after it reads the same weights: {short.tpot}, {long.tpot}.",
	},
	try:     "Change the prompt length, or the prefix cache: cached tokens are not computed.",
	knobs:   []serving.Knob{serving.KnobPrompt, serving.KnobPrefixCache},
	set:     func(k *serving.Knobs) { k.Users, k.Output, k.Time = 1, 40, 0.2 },
	stages:  []stage{prompted("short", 250), prompted("middle", 1000), prompted("long", 4000)},
	rows:    []row{rowTTFT, rowTPOT},
	verdict: "TTFT went from {short.ttft} to {long.ttft}, TPOT from {short.tpot} to {long.tpot}",
	yes:     "only TTFT pays for the prompt", no: "the claim does not hold",
	holds: func(of func(string) float64) bool {
		return of("long.ttft") > 2*of("short.ttft") && of("long.tpot") < 1.15*of("short.tpot")
	},
}

// prompted returns a stage with prompts of n tokens.
func prompted(key string, n int) stage {
	return stage{key: key, label: "{prompt} tokens",
		turn: "send prompts of {prompt} tokens", set: func(k *serving.Knobs) { k.Prompt = n }}
}
