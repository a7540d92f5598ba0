package lessons

import (
	"fmt"

	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// One user wastes the machine; batching uses it: the seesaw.
var seesaw = lesson{
	key: "seesaw", title: "The seesaw", focus: "seesaw",
	claim: "One user wastes the machine: a batch raises the aggregate far more than it slows each user.",
	text: []string{
		"A step reads the weights once, however many share it. Alone, a user gets {one.speed}.",
		"{many.users} users in a batch get {many.speed} per user, but {many.total} aggregate:",
		"per-user speed falls slowly, the aggregate rises fast.",
	},
	try:   "Add users: where does the aggregate stop rising?",
	knobs: []serving.Knob{serving.KnobUsers},
	set:   func(k *serving.Knobs) { k.Prompt, k.Output, k.Time = 250, 60, 0.2 },
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
		return fmt.Sprintf("%d users: %s per user, %s aggregate; one user: %s. %s the aggregate at %s the time a token: %s",
			got[2].Config.Knobs.Users,
			rate(b.Speed), rate(b.Total), rate(a.Speed), times(a.Total, b.Total), times(b.Speed, a.Speed),
			or(holds, "batching pays", "batching does not pay here")), holds
	},
}

// withUsers is a stage with so many users.
func withUsers(key string, users int) stage {
	word := "users"
	if users == 1 {
		word = "user"
	}
	return stage{key: key, label: "{users} " + word,
		turn: "make it {users} " + word, set: func(k *serving.Knobs) { k.Users = users }}
}
