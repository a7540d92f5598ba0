package lessons

import (
	"fmt"

	"tokscope/metrics"
	"tokscope/metrics/serving"
	"tokscope/probe/explain"
)

// Speculative decoding: bursts, and why the gain fades under load.
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
	rows: []row{rowTPOT, {"burst", "", func(o *explain.Outcome) metrics.Value { return o.Measured.PerStep }}},
	judge: func(got []*explain.Outcome) (string, bool) {
		if !shown(got, 0, 1, 2, 3) {
			return "", false
		}
		a, b, c, d := &got[0].Measured, &got[1].Measured, &got[2].Measured, &got[3].Measured
		if !known(a.TPOT, b.TPOT, c.TPOT, d.TPOT, b.PerStep) {
			return "", false
		}
		alone, loaded := a.TPOT.V/b.TPOT.V, c.TPOT.V/d.TPOT.V
		holds := alone > 1.4 && loaded < 1+(alone-1)/2 && b.PerStep.V > 1.5
		return fmt.Sprintf("bursts of %s made one user %s as fast, %d users %s: %s", number(b.PerStep),
			times(b.TPOT, a.TPOT), got[2].Config.Knobs.Users, times(d.TPOT, c.TPOT),
			or(holds, "the gain fades under load", "the claim does not hold")), holds
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
