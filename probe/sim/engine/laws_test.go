package engine

import (
	"context"
	"math/rand/v2"
	"testing"

	"tokscope/metrics/stats"
	"tokscope/metrics/testkit"
	"tokscope/probe/sim/physics"
)

// long: play 3,000 random workloads, not 60; a short test plays 10.
var long = testkit.Long()

// workload is a burst whose requests fit one by one.
type workload struct {
	setup          *physics.Setup
	users          int
	prompt, output int
	vary           float64 // of the lengths, as Workload.Vary
	uncached       bool    // as Workload.Uncached
}

func randomWorkload(t *testing.T, r *rand.Rand, all []*physics.Setup, reserves bool) workload {
	t.Helper()
	s := *all[r.IntN(len(all))]
	s.Stack.Reserves = reserves
	w := workload{setup: &s, users: 2 + r.IntN(30), prompt: 2000 + r.IntN(14000), output: 50 + r.IntN(450)}
	s.Capacity = int(float64(s.Blocks(w.prompt+w.output))*(1.2+4*r.Float64())) * physics.Block
	return w
}

// play returns output tokens per second and the number of preemptions.
func (w workload) play(t *testing.T, m Mode) (rate float64, preempted uint64) {
	t.Helper()
	last := 0.0
	p := Player{Options: Options{Config: Config{Setup: w.setup, Mode: m}},
		Workload: Workload{Burst: true, Requests: w.users,
			Prompt: w.prompt, Output: w.output, Vary: w.vary, Uncached: w.uncached},
		Yield: func(y Emission) { last = max(last, y.Request.Last) }}
	st := testkit.Must(p.Play(context.Background()))(t)
	testkit.Given(t, w.vary != 0 || st.Tokens == uint64(w.users*w.output), "%d tokens of %d", st.Tokens, w.users*w.output)
	return float64(st.Tokens) / last, st.Preempted
}

func plays() int {
	if long {
		return 3000
	}
	if testing.Short() {
		return 10
	}
	return 60
}

// checkReserving holds what a reservation does to w. Software that reserves
// prompt and output preempts nobody, and serves at least as much as one request
// at a time. Software that reserves the prompt preempts each user once at most,
// where two requests do not fit to their ends. It then loses no more than the
// time of computing those prompts again, with what was generated.
func checkReserving(t *testing.T, w workload) {
	t.Helper()
	alone, _ := w.play(t, None)
	rate, preempted := w.play(t, Continuous)
	most := float64(w.users*w.output) / alone // seconds
	if preempted > 0 {
		again := workload{setup: w.setup, users: 1, prompt: w.prompt + w.output - 1, output: 1}
		each, _ := again.play(t, None)
		most += float64(preempted) / each
	}
	if elapsed := float64(w.users*w.output) / rate; elapsed > most*1.001 {
		t.Errorf("%s on %s, reserves %v, %d users with %d + %d tokens, room for %d: %.2f s, one at a time %.2f s, at most "+
			"%.2f s with %d preempted", w.setup.Model.Key, w.setup.Hardware.Key,
			w.setup.Stack.Reserves, w.users, w.prompt, w.output, w.setup.Capacity, elapsed, float64(w.users*w.output)/alone,
			most, preempted)
	}
	testkit.That(t, !w.setup.Stack.Reserves || preempted <= 0,
		"%d preempted where prompt and output are reserved", preempted)
	testkit.That(t, preempted <= uint64(w.users), "%d users preempted %d times", w.users, preempted)
}

func TestAReservingStackDoesNotThrash(t *testing.T) {
	all := pairs(t)
	r := testkit.Rand(t, 4)
	for range plays() {
		for _, reserves := range []bool{true, false} {
			w := randomWorkload(t, r, all, reserves)
			w.uncached = r.IntN(2) == 0
			checkReserving(t, w)
		}
	}
}

// Two prompts of 12,086 tokens fit, and 36 tokens of the 160 that follow. So
// every second request is preempted. Without a prefix cache its prompt is computed
// twice. Prompts take most of the time here: the engine serves a fifth less than one
// at a time. With the cache it finds nearly all of its blocks again.
func TestTwoPromptsThatFitAndDoNotEnd(t *testing.T) {
	s := *setup(t, "llama-2-7b", "bf16", "a100-40", 1)
	s.Capacity = 24208
	w := workload{setup: &s, users: 31, prompt: 12086, output: 80, uncached: true}
	alone, _ := w.play(t, None)
	rate, preempted := w.play(t, Continuous)
	testkit.That(t, preempted >= 15 && preempted <= 31 && rate <= 0.85*alone && rate >= 0.5*alone,
		"%.1f tok/s, one at a time %.1f, %d preempted", rate, alone, preempted)
	checkReserving(t, w)
	w.uncached = false
	if found, n := w.play(t, Continuous); n < 15 || found < alone {
		t.Errorf("with a prefix cache %.1f tok/s, one at a time %.1f, %d preempted", found, alone, n)
	}
}

// More memory never serves fewer tokens where the output is reserved too.
func TestMoreMemoryServesNoLess(t *testing.T) {
	all := pairs(t)
	r := testkit.Rand(t, 5)
	for range plays() {
		w := randomWorkload(t, r, all, true)
		less, _ := w.play(t, Continuous)
		w.setup.Capacity = w.setup.Capacity * 2
		more, _ := w.play(t, Continuous)
		if more < less*0.97 { // the last requests of a burst may share worse
			t.Errorf("%s on %s, %d users with %d + %d tokens: %.1f tok/s with room for %d, %.1f with half of it",
				w.setup.Model.Key, w.setup.Hardware.Key,
				w.users, w.prompt, w.output, more, w.setup.Capacity, less)
		}
	}
}

// Continuous batching never serves less than a static batch of the same size, for
// requests of different lengths, also in a pipeline. A burst may end with a few
// requests that share worse, which is the part that is allowed. With experts spread
// it may lose up to 15 %: all devices wait for the one that has a prompt, and a
// static batch has one on each. A prompt reads nearly all experts, and a static batch
// reads them once for all of its prompts: where answers are short and alike, this may
// cost more, in less than 1 % of these workloads.
func TestContinuousBatchingDoesNotLoseToStatic(t *testing.T) {
	all := pairs(t)
	r := testkit.Rand(t, 6)
	experts, lost := 0, 0
	for range plays() {
		w := randomWorkload(t, r, all, true)
		w.setup.MaxSeqs = min(w.setup.MaxSeqs, 16)
		w.prompt, w.output, w.users, w.vary = 100+r.IntN(2000), 50+r.IntN(450), 32+r.IntN(64), .5*r.Float64()
		w.setup.Capacity = w.setup.Blocks(w.prompt+w.output) * physics.Block * 100
		static, _ := w.play(t, Static)
		continuous, _ := w.play(t, Continuous)
		least := 0.97
		if w.setup.Sharing == physics.Expert {
			least = 0.85
		}
		if w.setup.Model.Experts > 0 {
			experts++
		}
		if continuous >= static*least {
			continue
		}
		report := t.Errorf
		if w.setup.Model.Experts > 0 {
			report = t.Logf
			lost++
		}
		report("%s on %d x %s by %v, %d users with %d + %d tokens: %.1f tok/s, static %.1f", w.setup.Model.Key,
			w.setup.TP, w.setup.Hardware.Key, w.setup.Sharing, w.users, w.prompt, w.output, continuous, static)
	}
	// With new seeds one run in a million fails without a cause.
	if least, _ := stats.ShareInterval(lost, experts, 1e-6); least > 0.01 {
		t.Errorf("of models with experts %d of %d workloads lose", lost, experts)
	}
}
