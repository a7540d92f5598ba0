package lessons

import "tokscope/metrics/serving"

var draft = lesson{
	key: "draft", title: "Guess and verify", focus: "client",
	claim: "A draft model turns spare compute into speed: much for one user, little for many.",
	text: []string{
		"{on.drafter} guesses {on.guesses} tokens, {model} checks them in one step: bursts of {on.burst}.",
		"For one user the check costs little, the weights are read anyway: TPOT {off.tpot}, then {on.tpot}.",
		"With {crowdoff.users} users the arithmetic is needed: {crowdoff.tpot}, then {crowdon.tpot}.",
	},
	try:   "Change the acceptance: prose is hard to guess, code is easy.",
	knobs: []serving.Knob{serving.KnobDraft, serving.KnobAccept, serving.KnobUsers},
	set: func(k *serving.Knobs) {
		k.Model, k.TP, k.Prompt, k.Output, k.Accept, k.Time = "llama-3.3-70b", 4, 200, 60, 0.8, 0.5
	},
	stages: []stage{
		guessing("off", 1, 0), guessing("on", 1, 3), guessing("crowdoff", 128, 0), guessing("crowdon", 128, 3),
	},
	rows: []row{rowTPOT, {"burst", "", "burst"}},
	verdict: "bursts of {on.burst} made one user {off.tpot/on.tpot} as fast, " +
		"{crowdoff.users} users {crowdoff.tpot/crowdon.tpot}",
	yes: "the gain fades under load", no: "the claim does not hold",
	holds: func(of func(string) float64) bool {
		alone, loaded := of("off.tpot/on.tpot"), of("crowdoff.tpot/crowdon.tpot")
		return alone > 1.4 && loaded < 1+(alone-1)/2 && of("on.burst") > 1.5
	},
}

// guessing returns a stage with that many users and guesses.
func guessing(key string, users, k int) stage {
	s := stage{key: key, label: "{users}, no draft", turn: "{users} users, no draft",
		set: func(n *serving.Knobs) { n.Users, n.DraftK = users, k }}
	if users > 1 {
		// many users take long enough at full speed
		s.set = func(n *serving.Knobs) { n.Users, n.DraftK, n.Time = users, k, 1 }
	}
	if k > 0 {
		s.label, s.turn = "{users}, draft", "guess {guesses} tokens ahead"
	}
	return s
}
