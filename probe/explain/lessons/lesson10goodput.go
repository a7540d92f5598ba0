package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// Goodput: two objectives, one curve.
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
	rows: []row{
		{"both met", "%", func(o *explain.Outcome) metrics.Value { return hundred(o.Measured.Goodput) }},
		{"good", "req/s", func(o *explain.Outcome) metrics.Value { return o.Measured.GoodRate }},
	},
	curve: true,
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1, 2) {
			return "", false
		}
		a, b, c := &got[0].Measured, &got[1].Measured, &got[2].Measured
		if !known(a.GoodRate, b.GoodRate, c.GoodRate, b.Total, c.Total) {
			return "", false
		}
		holds := b.GoodRate.V > 1.5*a.GoodRate.V && c.GoodRate.V < b.GoodRate.V/2 && c.Total.V > b.Total.V
		return fmt.Sprintf("%d, %d and %d users: %s, %s and %s good requests a second, aggregate at the end %s: %s",
			got[0].Config.Knobs.Users, got[1].Config.Knobs.Users, got[2].Config.Knobs.Users,
			number(a.GoodRate), number(b.GoodRate), number(c.GoodRate), rate(c.Total),
			or(holds, "goodput has a peak", "goodput has no peak here")), holds
	},
}
