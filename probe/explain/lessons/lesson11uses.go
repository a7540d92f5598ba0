package lessons

import (
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

// timeOf is how long a task takes, in ms.
func timeOf(t slo.AgentTask, o *explain.Outcome) metrics.Value {
	return t.Time(o.Measured.TTFT, o.Measured.TPOT)
}

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
	rows: []row{{"silence", "ms", "ttft"}, {"diff", "s", "task"}},
	verdict: "long prompt: silence {long.ttft}, not {slow.ttft}; diff {long.task}, not {slow.task}. " +
		"Fast decode: diff {fast.task}, agent {fast.agent}, not {slow.agent}",
	yes: "each use has its own number", no: "the claim does not hold",
	// The long prompt multiplies the silence and hardly affects the diff; the fast decode
	// helps the diff and the agent.
	holds: func(of func(string) float64) bool {
		return of("long.ttft") > 4*of("slow.ttft") && of("long.task") < 1.2*of("slow.task") &&
			of("fast.task") < of("slow.task")/4 && of("fast.agent") < of("slow.agent")/4
	},
}
