package lessons

import (
	"fmt"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// TTFT grows with the prompt, TPOT does not.
var longPrompt = lesson{
	key: "prompt", title: "A longer prompt", focus: "timeline",
	claim: "TTFT grows with the prompt; TPOT does not.",
	text: []string{
		"The first token waits for the prompt: {short.ttft} for {short.prompt} tokens, {long.ttft} for {long.prompt}.",
		"Two FLOPs per parameter per token, {params}: {long.floor} at the datasheet's peak.",
		"Each token after it reads the same weights: {short.tpot}, {long.tpot}.",
	},
	try:    "Change the prompt length, or the prefix cache: cached tokens are not computed.",
	knobs:  []serving.Knob{serving.KnobPrompt, serving.KnobPrefixCache},
	set:    func(k *serving.Knobs) { k.Users, k.Output, k.Time = 1, 40, 0.2 },
	stages: []stage{prompted("short", 250), prompted("middle", 1000), prompted("long", 4000)},
	rows:   []row{rowTTFT, rowTPOT},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 2) {
			return "", false
		}
		a, b := &got[0].Measured, &got[2].Measured
		if !known(a.TTFT, b.TTFT, a.TPOT, b.TPOT) {
			return "", false
		}
		holds := b.TTFT.V > 2*a.TTFT.V && b.TPOT.V < 1.15*a.TPOT.V
		return fmt.Sprintf("TTFT went from %s to %s, TPOT from %s to %s: %s",
			ms(a.TTFT), ms(b.TTFT), ms(a.TPOT), ms(b.TPOT),
			or(holds, "only TTFT pays for the prompt", "the claim does not hold")), holds
	},
}

// prompted returns a stage with prompts of n tokens.
func prompted(key string, n int) stage {
	return stage{key: key, label: "{prompt} tokens",
		turn: "send prompts of {prompt} tokens", set: func(k *serving.Knobs) { k.Prompt = n }}
}
