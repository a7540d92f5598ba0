package sim

import (
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/enginetest"
)

// played runs a preset in virtual time, as it is served.
func played(t *testing.T, id string, w engine.Workload) enginetest.Result {
	t.Helper()
	f := testkit.Must(find(nil, id))(t)
	return enginetest.Run(t, engine.Options{Config: engine.Config{Setup: f.setup, Mode: f.mode}}, w)
}

// TestPresetsMatchTheirDescriptions compares the figures in each preset's
// About with its simulation.
func TestPresetsMatchTheirDescriptions(t *testing.T) {
	speed := func(id string, users, prompt, output int) (each, all float64) {
		r := played(t, id, engine.Workload{Users: users, Prompt: prompt, Output: output})
		return 1 / r.TPOT, r.Throughput
	}
	within := func(what string, got, low, high float64) {
		t.Helper()
		t.Logf("%s: %.1f", what, got)
		testkit.That(t, got >= low && got <= high, "%s: %.1f, want %v to %v", what, got, low, high)
	}
	const reading = 238 * 4. / 3 / 60 // tok/s: words a minute at 0.75 words a token
	laptop, _ := speed("llama-3.1-8b-q4@laptop", 1, 200, 100)
	within("laptop, times reading", laptop/reading, 1.8, 2.6)
	long := played(t, "llama-3.1-8b-q4@laptop", engine.Workload{Users: 1, Requests: 1, Prompt: 1000, Output: 1})
	within("laptop, seconds until a prompt of 1000 tokens is read", long.TTFT, 10, 60)

	one := played(t, "llama-2-7b@a100-40", engine.Workload{Users: 1, Prompt: 512, Output: 64, LockStep: true})
	many := played(t, "llama-2-7b@a100-40", engine.Workload{Users: 64, Prompt: 512, Output: 64, LockStep: true})
	within("seesaw, throughput", many.Throughput/one.Throughput, 14.5, 15.5)
	within("seesaw, latency", many.E2E/one.E2E, 3.6, 4.5)

	each, all := speed("llama-3.3-70b-fp8@h200", 64, 5000, 500)
	within("crowded, each", each, 8.5, 9.5)
	within("crowded, all", all, 480, 580)

	sn, _ := speed("gpt-oss-120b@16xsn40l", 1, 1000, 300)
	within("the 713 tok/s endpoint", sn, 713*.93, 713*1.07)

	plain, _ := speed("llama-3.3-70b@4xh100", 1, 500, 300)
	guessed, _ := speed("llama-3.3-70b@4xh100+draft", 1, 500, 300)
	within("draft, times the plain half", guessed/plain, 1.5, 2.1)

	alone, _ := speed("llama-3.3-70b-fp8@groq", 1, 500, 300)
	shared, _ := speed("llama-3.3-70b-fp8@groq", 8, 500, 300)
	within("groq: 300 tok/s published", alone, 280, 320)
	within("groq: what a neighbour leaves", shared/alone, .9, 1.001)

	wafer, _ := speed("gpt-oss-120b@cerebras", 1, 500, 300)
	within("cerebras: 1700 to 1840 published", wafer, 1500, 1900)

	mtp, _ := speed("deepseek-r1-nvfp4@8xb200+mtp3", 1, 1024, 2048)
	within("deepseek with three guesses: 253 published", mtp, 200, 280)
}
