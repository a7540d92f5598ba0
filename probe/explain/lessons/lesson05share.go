package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/explain"
)

// An aggregate over many users is little for each.
var share = lesson{
	key: "share", title: "Whose tokens per second", focus: "client",
	claim: "A large total over many users can be a crawl for each of them.",
	text: []string{
		"{model} in {precision} on {hardware}: {many.total} over {many.users} users. It sounds fast.",
		"While it streams each gets {many.speed}, {many.reading} a reader's pace; one alone {one.speed}.",
		"Tokens a second say nothing until they say whose: per user, or in total.",
	},
	try:   "Turn the hardware: which one is fast for each of so many?",
	knobs: []metrics.Knob{metrics.KnobHardware, metrics.KnobUsers},
	set: func(k *metrics.Knobs) {
		k.Model, k.Precision, k.Hardware = "llama-3.3-70b", "fp8", "rtxpro6000"
		k.Prompt, k.Output, k.Time = 150, 24, 1
	},
	stages: []stage{withUsers("one", 1), withUsers("many", 64)},
	rows:   []row{rowTotal, rowSpeed},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1) {
			return "", false
		}
		a, b := &got[0].Measured, &got[1].Measured
		if !known(a.Speed, b.Speed, b.Total) {
			return "", false
		}
		// The total is many times what one alone had, and each has less than half.
		holds := b.Total.V > 4*a.Speed.V && b.Speed.V < a.Speed.V/2
		return fmt.Sprintf("%s over %d users was %s for each while it streams; one alone had %s: %s", rate(b.Total), got[1].Config.Knobs.Users, rate(b.Speed), rate(a.Speed),
			or(holds, "the total hid it", "here the total hides nothing")), holds
	},
}
