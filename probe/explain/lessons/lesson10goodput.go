package lessons

import (
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

var goodput = lesson{
	key: "goodput", title: "Goodput", focus: "seesaw",
	claim: "Throughput keeps rising with more users; goodput peaks at some number of users.",
	text: []string{
		"Objectives of a request: TTFT at most {ttftlimit} and TPOT at most {tpotlimit}.",
		"They are met by {some.good} with {some.users} users, {many.good} with {many.users}, {over.good} with {over.users}.",
		"The aggregate still rises, from {many.total} to {over.total}, and nobody benefits.",
	},
	try:        "Change the hardware or the model: where does goodput peak then?",
	knobs:      []serving.Knob{serving.KnobUsers, serving.KnobHardware, serving.KnobBudget},
	set:        func(k *serving.Knobs) { k.Prompt, k.Output, k.Time = 500, 60, 1 },
	objectives: explain.Objectives{TTFT: 200, TPOT: 20},
	stages:     []stage{withUsers("some", 8), withUsers("many", 64), withUsers("over", 192)},
	rows:       []row{{"both met", "%", "good"}, {"good", "req/s", "goodrate"}},
	curve:      true,
	verdict: "{some.users}, {many.users} and {over.users} users: {some.goodrate}, {many.goodrate} and {over.goodrate} " +
		"good requests a second, aggregate at the end {over.total}",
	yes: "goodput has a peak", no: "goodput has no peak here",
	holds: func(of func(string) float64) bool {
		return of("many.goodrate") > 1.5*of("some.goodrate") && of("over.goodrate") < of("many.goodrate")/2 &&
			of("over.total") > of("many.total")
	},
}
