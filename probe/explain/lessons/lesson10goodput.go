package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/explain"
)

// Goodput: two objectives, one curve.
var goodput = lesson{
	key: "goodput", title: "Goodput", focus: "seesaw",
	claim: "Throughput always looks better with more users; goodput has a best number of them.",
	text: []string{
		"Objectives for each request: TTFT at most {ttftlimit} and TPOT at most {tpotlimit}.",
		"They are met by {some.good} with {some.users} users, {many.good} with {many.users}, {over.good} with {over.users}.",
		"The total still rises, from {many.total} to {over.total}, for nobody's good.",
	},
	try:        "Turn the hardware or the model: where does the curve break then?",
	knobs:      []metrics.Knob{metrics.KnobUsers, metrics.KnobHardware, metrics.KnobBudget},
	set:        func(k *metrics.Knobs) { k.Prompt, k.Output, k.Time = 500, 60, 1 },
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
		return fmt.Sprintf("%d, %d and %d users: %s, %s and %s good requests a second, the total last %s: %s",
			got[0].Config.Knobs.Users, got[1].Config.Knobs.Users, got[2].Config.Knobs.Users,
			value(a.GoodRate, number), value(b.GoodRate, number), value(c.GoodRate, number), rate(c.Total),
			or(holds, "there is a best number", "no such best number here")), holds
	},
}
