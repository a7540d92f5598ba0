package explain

import (
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics/serving"
)

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

// Changes describes the differences between two positions of the knobs, for a
// mark on the timeline: "quantization bf16 → q4, users 1 → 8". It returns ""
// without a difference.
func Changes(from, to serving.Knobs) string {
	var parts []string
	for k := range serving.NumKnobs {
		if k == serving.KnobAccept && (from.DraftK == 0 || to.DraftK == 0) {
			continue // has no effect without a draft model
		}
		if a, b := position(k, from), position(k, to); a != b {
			parts = append(parts, fmt.Sprintf("%s %s → %s", k, a, b))
		}
	}
	return strings.Join(parts, ", ")
}

// position describes the position of a knob in a word.
func position(k serving.Knob, v serving.Knobs) string {
	switch k {
	case serving.KnobHardware:
		return v.Hardware
	case serving.KnobModel:
		return v.Model
	case serving.KnobPrecision:
		return v.Precision
	case serving.KnobTP:
		return orWord(v.TP, "automatic")
	case serving.KnobUsers:
		return strconv.Itoa(v.Users)
	case serving.KnobPrompt:
		return strconv.Itoa(v.Prompt)
	case serving.KnobOutput:
		return strconv.Itoa(v.Output)
	case serving.KnobMode:
		return v.Mode
	case serving.KnobBudget:
		return orWord(v.Budget, "the engine's own")
	case serving.KnobPrefixCache:
		if v.PrefixCache {
			return "on"
		}
		return "off"
	case serving.KnobDraft:
		return orWord(v.DraftK, "off")
	case serving.KnobAccept:
		return percent(v.Accept)
	case serving.KnobTime:
		return factor(v.Time)
	}
	return ""
}

func orWord(n int, zero string) string {
	if n == 0 {
		return zero
	}
	return strconv.Itoa(n)
}

func percent(share float64) string { return strconv.FormatFloat(100*share, 'f', 0, 64) + " %" }

func factor(t float64) string { return strconv.FormatFloat(t, 'g', 3, 64) + "x" }
