package lessons

import (
	"fmt"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// A long prompt stalls its neighbors; chunked prefill and disaggregation
// help.
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
	rows: []row{rowGap, rowTTFT},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1, 2) {
			return "", false
		}
		a, b, c := &got[0].Measured, &got[1].Measured, &got[2].Measured
		if !known(a.MaxGap, a.Gap50, b.MaxGap, c.MaxGap) {
			return "", false
		}
		holds := a.MaxGap.V > 5*a.Gap50.V && b.MaxGap.V < a.MaxGap.V/3 && c.MaxGap.V < a.MaxGap.V/3
		return fmt.Sprintf("longest gap %s where the median is %s; in chunks %s, disaggregated %s: %s",
			ms(a.MaxGap), ms(a.Gap50), ms(b.MaxGap), ms(c.MaxGap),
			or(holds, "both help", "the claim does not hold")), holds
	},
}
