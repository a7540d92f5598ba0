package lessons

import (
	"fmt"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// A large aggregate over many users is little per user.
var share = lesson{
	key: "share", title: "Whose tokens per second", focus: "client",
	claim: "A large aggregate over many users can be slow for every one of them.",
	text: []string{
		"{model} in {precision} on {hardware}: {many.total} over {many.users} users. It sounds fast.",
		"While it streams a user gets {many.speed}, {many.reading} a reader's pace; one alone {one.speed}.",
		"Tokens per second mean nothing without the words per user or aggregate.",
	},
	try:   "Change the hardware: which one is fast for this many users?",
	knobs: []serving.Knob{serving.KnobHardware, serving.KnobUsers},
	set: func(k *serving.Knobs) {
		k.Model, k.Precision, k.Hardware = "llama-3.3-70b", "fp8", "rtxpro6000"
		k.Prompt, k.Output, k.Time = 200, 24, 1
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
		// The aggregate is many times the speed of a single user, and each user
		// has less than half of it.
		holds := b.Total.V > 4*a.Speed.V && b.Speed.V < a.Speed.V/2
		return fmt.Sprintf("%s over %d users was %s per user while it streams; one user: %s: %s",
			rate(b.Total), got[1].Config.Knobs.Users, rate(b.Speed), rate(a.Speed),
			or(holds, "the aggregate misled", "the aggregate does not mislead here")), holds
	},
}
