package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/metrics/slo"
	"tokscope/probe/explain"
)

// The tasks of this lesson: a diff of some files, and an agent whose steps
// wait for each other.
var (
	diff  = slo.AgentTask{Steps: 1, Tokens: 3000}
	agent = slo.AgentTask{Steps: 20, Tokens: 300}
)

func taskOf(o *explain.Outcome) metrics.Value  { return diff.Time(o.Measured.TTFT, o.Measured.TPOT) }
func agentOf(o *explain.Outcome) metrics.Value { return agent.Time(o.Measured.TTFT, o.Measured.TPOT) }
func waitOf(o *explain.Outcome) metrics.Value  { return o.Measured.TTFT }

// Chat, voice, agent: which number matters.
var uses = lesson{
	key: "uses", title: "Which number matters", focus: "lens",
	claim: "A voice app waits for TTFT, an agent for TPOT: good for one can be bad for the other.",
	text: []string{
		"A diff of {tasktokens} tokens at {slow.tpot} a token takes {slow.task}, at {fast.tpot} {fast.task}.",
		"An agent of {agentsteps} steps, {agenttokens} tokens each: {slow.agent}, or {fast.agent}.",
		"With {long.prompt} prompt tokens a voice app is silent for {long.ttft}, not {slow.ttft}; the diff hardly changes.",
	},
	try:   "Change the model: how slow may it be for your own use?",
	knobs: []serving.Knob{serving.KnobModel, serving.KnobHardware, serving.KnobPrompt},
	set: func(k *serving.Knobs) {
		k.Model, k.Hardware, k.TP, k.Users, k.Prompt, k.Output, k.Time = "llama-3.3-70b", "a100", 4, 1, 500, 40, 1
	},
	stages: []stage{
		{key: "slow", label: "{model}"},
		{key: "long", label: "{prompt} tokens", turn: "send prompts of {prompt} tokens",
			set: func(k *serving.Knobs) { k.Prompt = 8000 }},
		{key: "fast", label: "{hardware}", turn: "{model} on {hardware}", set: func(k *serving.Knobs) {
			k.Model, k.Precision, k.Hardware, k.TP, k.Time = "gpt-oss-120b", "mxfp4", "sn40l", 16, 0.2
		}},
	},
	rows: []row{
		{"silence", "ms", waitOf},
		{"diff", "s", func(o *explain.Outcome) metrics.Value { return seconds(taskOf(o)) }},
	},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1, 2) {
			return "", false
		}
		a, b, c := got[0], got[1], got[2]
		if !known(taskOf(a), taskOf(b), taskOf(c)) {
			return "", false
		}
		// The long prompt multiplies the silence and hardly affects the diff; the
		// fast decode helps the diff and the agent.
		holds := waitOf(b).V > 4*waitOf(a).V && taskOf(b).V < 1.2*taskOf(a).V &&
			taskOf(c).V < taskOf(a).V/4 && agentOf(c).V < agentOf(a).V/4
		return fmt.Sprintf("long prompt: silence %s, not %s; diff %s, not %s. Fast decode: diff %s, agent %s, not %s: %s",
			ms(waitOf(b)), ms(waitOf(a)), ms(taskOf(b)), ms(taskOf(a)), ms(taskOf(c)), ms(agentOf(c)), ms(agentOf(a)),
			or(holds, "each use has its own number", "the claim does not hold")), holds
	},
}
