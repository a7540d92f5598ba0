package explain

import "tokscope/metrics/serving"

// Bounds of the knobs.
const (
	MaxUsers  = 256    // of the closed loop: more would measure this machine
	maxPrompt = 32_000 // tokens
	maxOutput = 8_000
	maxDraft  = 7
	minTime   = 0.01
)

// Default returns the initial knobs: an engine busy enough to show a batch,
// at a fifth of its real speed.
func Default() serving.Knobs {
	return serving.Knobs{
		Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", Users: 8, Prompt: 1000, Output: 200,
		Mode: "continuous", Accept: 0.8, Time: 0.2,
	}
}
