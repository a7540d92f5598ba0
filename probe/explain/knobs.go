package explain

import (
	"fmt"
	"strconv"
	"strings"

	"tokscope/metrics"
)

// Bounds of the knobs.
const (
	MaxUsers  = 256    // of the closed loop: more would measure this machine
	maxPrompt = 32_000 // tokens
	maxOutput = 8_000
	maxDraft  = 7
	minTime   = 0.01
)

// Default is how the knobs stand when nobody has turned any: an engine that is
// busy enough to show a batch, five times slower than it is.
func Default() metrics.Knobs {
	return metrics.Knobs{
		Model: "llama-3.1-8b", Precision: "bf16", Hardware: "h100", Users: 8, Prompt: 1000, Output: 200,
		Mode: "continuous", Accept: 0.8, Time: 0.2,
	}
}

// Changes says what differs between two positions of the knobs, for a mark on
// the timeline: "quantisation bf16 → q4, users 1 → 8"; "" when nothing does.
func Changes(from, to metrics.Knobs) string {
	var parts []string
	for k := range metrics.NumKnobs {
		if k == metrics.KnobAccept && (from.DraftK == 0 || to.DraftK == 0) {
			continue // without a draft model it changes nothing
		}
		if a, b := position(k, from), position(k, to); a != b {
			parts = append(parts, fmt.Sprintf("%s %s → %s", k, a, b))
		}
	}
	return strings.Join(parts, ", ")
}

// position is where a knob stands, in a word.
func position(k metrics.Knob, v metrics.Knobs) string {
	switch k {
	case metrics.KnobHardware:
		return v.Hardware
	case metrics.KnobModel:
		return v.Model
	case metrics.KnobPrecision:
		return v.Precision
	case metrics.KnobTP:
		return orWord(v.TP, "automatic")
	case metrics.KnobUsers:
		return strconv.Itoa(v.Users)
	case metrics.KnobPrompt:
		return strconv.Itoa(v.Prompt)
	case metrics.KnobOutput:
		return strconv.Itoa(v.Output)
	case metrics.KnobMode:
		return v.Mode
	case metrics.KnobBudget:
		return orWord(v.Budget, "the engine's own")
	case metrics.KnobPrefixCache:
		if v.PrefixCache {
			return "on"
		}
		return "off"
	case metrics.KnobDraft:
		return orWord(v.DraftK, "off")
	case metrics.KnobAccept:
		return percent(v.Accept)
	case metrics.KnobTime:
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
