package lessons

import "tokscope/metrics/serving"

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
	verdict: "{many.users} users: {many.speed} per user, {many.total} aggregate; one user: {one.speed}. " +
		"{many.total/one.total} the aggregate at {one.speed/many.speed} the time a token",
	yes: "batching pays", no: "batching does not pay here",
	holds: func(of func(string) float64) bool {
		return of("many.total/one.total") > 4*max(of("one.speed/many.speed"), 1)
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
