package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/probe/explain"
)

// One user wastes the machine, batching pays: the seesaw.
var seesaw = lesson{
	key: "seesaw", title: "The seesaw", focus: "seesaw",
	claim: "One user wastes the machine: in a batch the total rises far more than each user loses.",
	text: []string{
		"A step reads the weights once, however many share it. Alone, a user gets {one.speed}.",
		"{many.users} users in a batch get {many.speed} each, but {many.total} in total:",
		"one end of the seesaw sinks slowly, the other shoots up.",
	},
	try:   "Turn the users on: where does the total stop rising?",
	knobs: []metrics.Knob{metrics.KnobUsers},
	set:   func(k *metrics.Knobs) { k.Prompt, k.Output, k.Time = 250, 60, 0.2 },
	stages: []stage{
		withUsers("one", 1), withUsers("some", 8), withUsers("many", 64),
	},
	rows:  []row{rowSpeed, rowTotal},
	curve: true,
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 2) {
			return "", false
		}
		a, b := &got[0].Measured, &got[2].Measured
		if !known(a.Speed, b.Speed, a.Total, b.Total) {
			return "", false
		}
		gain, loss := b.Total.V/a.Total.V, a.Speed.V/b.Speed.V
		holds := gain > 4*loss && gain > 4
		return fmt.Sprintf("%d users: %s in total, %s for each; one alone had %s. %s the total at %s the time a token: %s", got[2].Config.Knobs.Users,
			rate(b.Total), rate(b.Speed), rate(a.Speed), times(a.Total, b.Total), times(b.Speed, a.Speed),
			or(holds, "batching pays", "batching does not pay here")), holds
	},
}

// crowd is a stage with so many users.
func withUsers(key string, users int) stage {
	word := "users"
	if users == 1 {
		word = "user"
	}
	return stage{key: key, label: "{users} " + word, turn: "make it {users} " + word, set: func(k *metrics.Knobs) { k.Users = users }}
}
