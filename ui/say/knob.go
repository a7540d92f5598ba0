package say

import (
	"cmp"
	"strconv"
	"strings"

	"tokscope/metrics/serving"
	"tokscope/ui/format"
)

// knobs are the words of the knobs.
var knobs = [serving.NumKnobs]string{
	serving.KnobHardware: "hardware", serving.KnobModel: "model",
	serving.KnobPrecision: "quantization", serving.KnobTP: "tensor parallel",
	serving.KnobUsers: "users", serving.KnobPrompt: "prompt", serving.KnobOutput: "output", serving.KnobMode: "batching",
	serving.KnobBudget: "chunk budget", serving.KnobPrefixCache: "prefix cache",
	serving.KnobDraft: "draft", serving.KnobAccept: "acceptance",
	serving.KnobTime: "time", serving.KnobSoftware: "software",
	serving.KnobSharing: "sharing", serving.KnobKV: "KV format", serving.KnobCPU: "CPU experts",
	serving.KnobDraftHead: "draft head", serving.KnobAsync: "async scheduling",
}

// automatic is the position of a knob that the engine chooses.
const automatic = "auto"

// Knob is the word of a knob, "" of one that does not exist.
func Knob(k serving.Knob) string {
	if k >= serving.NumKnobs {
		return ""
	}
	return knobs[k]
}

// KnobPosition is the position of a knob in a word: "h100", "64", "off",
// "0.1x". Acceptance is "–" without a draft model.
func KnobPosition(knob serving.Knob, k *serving.Knobs) string {
	switch knob {
	case serving.KnobHardware:
		return k.Hardware
	case serving.KnobModel:
		return k.Model
	case serving.KnobPrecision:
		return k.Precision
	case serving.KnobTP:
		return numberOr(k.TP, automatic)
	case serving.KnobUsers:
		return format.Count(k.Users)
	case serving.KnobPrompt:
		return format.Count(k.Prompt)
	case serving.KnobOutput:
		return format.Count(k.Output)
	case serving.KnobMode:
		return k.Mode
	case serving.KnobBudget:
		return numberOr(k.Budget, automatic)
	case serving.KnobPrefixCache:
		return onOff(k.PrefixCache)
	case serving.KnobDraft:
		return numberOr(k.DraftK, "off")
	case serving.KnobAccept:
		if k.DraftK <= 0 {
			return format.Unknown
		}
		return format.Percent(k.Accept)
	case serving.KnobTime:
		return format.Exact(k.Time) + "x"
	}
	return optionPosition(knob, k)
}

// optionPosition is KnobPosition of an option.
func optionPosition(knob serving.Knob, k *serving.Knobs) string {
	switch knob {
	case serving.KnobSoftware:
		return cmp.Or(k.Software, automatic)
	case serving.KnobSharing:
		return cmp.Or(k.Sharing, "tensor")
	case serving.KnobKV:
		return cmp.Or(k.KV, automatic)
	case serving.KnobCPU:
		return numberOr(k.CPULayers, "off")
	case serving.KnobDraftHead:
		return cmp.Or(k.DraftHead, automatic)
	case serving.KnobAsync:
		return onOff(k.Async)
	}
	return ""
}

func onOff(on bool) string {
	if on {
		return "on"
	}
	return "off"
}

func numberOr(n int, none string) string {
	if n <= 0 {
		return none
	}
	return format.Count(n)
}

// KnobChoice is a position in the list of a knob: "H100", "Llama 3.3 70B (on
// 4)", "auto (2)", "gpt-oss 120B (CPU experts 24)".
func KnobChoice(knob serving.Knob, c *serving.KnobChoice) string {
	label := c.Name
	switch {
	case knob == serving.KnobAccept:
		label = format.Percent(c.Knobs.Accept)
	case label == "":
		label = KnobPosition(knob, &c.Knobs)
	case c.Auto > 1:
		return label + " (on " + strconv.Itoa(c.Auto) + ")"
	}
	switch {
	case c.CPU > 0:
		label += " (" + Knob(serving.KnobCPU) + " " + strconv.Itoa(c.CPU) + ")"
	case label == automatic && c.Auto > 0:
		label += " (" + strconv.Itoa(c.Auto) + ")"
	}
	return label
}

// KnobNames lists the knobs that differ: "model, quantization".
func KnobNames(from, to *serving.Knobs) string {
	var names []string
	for _, k := range serving.Changed(from, to) {
		names = append(names, Knob(k))
	}
	return strings.Join(names, ", ")
}

// KnobChanges describes the differences between two positions of the knobs:
// "quantization bf16 → q4, users 1 → 8". It is "" without one.
func KnobChanges(from, to *serving.Knobs) string {
	var parts []string
	for _, k := range serving.Changed(from, to) {
		parts = append(parts, Knob(k)+" "+KnobPosition(k, from)+" → "+KnobPosition(k, to))
	}
	return strings.Join(parts, ", ")
}
