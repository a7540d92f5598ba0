package say

import (
	"cmp"
	"strconv"
	"strings"

	"tokscope/metrics/pick"
	"tokscope/metrics/serving"
	"tokscope/ui/format"
)

// knobs are the words of the knobs and their positions in a word. Acceptance is "–"
// without a draft model.
var knobs = [serving.NumKnobs]struct {
	word string
	at   func(*serving.Knobs) string
}{
	serving.KnobHardware:    {"hardware", func(k *serving.Knobs) string { return k.Hardware }},
	serving.KnobModel:       {"model", func(k *serving.Knobs) string { return k.Model }},
	serving.KnobPrecision:   {"quantization", func(k *serving.Knobs) string { return k.Precision }},
	serving.KnobTP:          {"tensor parallel", func(k *serving.Knobs) string { return numberOr(k.TP, automatic) }},
	serving.KnobUsers:       {"users", func(k *serving.Knobs) string { return format.Count(k.Users) }},
	serving.KnobPrompt:      {"prompt", func(k *serving.Knobs) string { return format.Count(k.Prompt) }},
	serving.KnobOutput:      {"output", func(k *serving.Knobs) string { return format.Count(k.Output) }},
	serving.KnobMode:        {"batching", func(k *serving.Knobs) string { return k.Mode }},
	serving.KnobBudget:      {"chunk budget", func(k *serving.Knobs) string { return numberOr(k.Budget, automatic) }},
	serving.KnobPrefixCache: {"prefix cache", func(k *serving.Knobs) string { return onOff(k.PrefixCache) }},
	serving.KnobDraft:       {"draft", func(k *serving.Knobs) string { return numberOr(k.DraftK, "off") }},
	serving.KnobAccept: {"acceptance", func(k *serving.Knobs) string {
		return format.Either(k.DraftK > 0, format.Percent(k.Accept), format.Unknown)
	}},
	serving.KnobTime:      {"time", func(k *serving.Knobs) string { return format.Exact(k.Time) + "x" }},
	serving.KnobSoftware:  {"software", func(k *serving.Knobs) string { return cmp.Or(k.Software, automatic) }},
	serving.KnobSharing:   {"sharing", func(k *serving.Knobs) string { return cmp.Or(k.Sharing, "tensor") }},
	serving.KnobKV:        {"KV format", func(k *serving.Knobs) string { return cmp.Or(k.KV, automatic) }},
	serving.KnobCPU:       {"CPU experts", func(k *serving.Knobs) string { return numberOr(k.CPULayers, "off") }},
	serving.KnobDraftHead: {"draft head", func(k *serving.Knobs) string { return cmp.Or(k.DraftHead, automatic) }},
	serving.KnobAsync:     {"async scheduling", func(k *serving.Knobs) string { return onOff(k.Async) }},
}

// automatic is the position of a knob that the engine chooses.
const automatic = "auto"

// Knob is the word of a knob, "" of one that does not exist.
func Knob(k serving.Knob) string {
	if k >= serving.NumKnobs {
		return ""
	}
	return knobs[k].word
}

// KnobPosition is the position of a knob in a word: "h100", "64", "off",
// "0.1x"; "" of a knob that does not exist.
func KnobPosition(knob serving.Knob, k *serving.Knobs) string {
	if knob >= serving.NumKnobs {
		return ""
	}
	return knobs[knob].at(k)
}

func onOff(on bool) string { return format.Either(on, "on", "off") }

func numberOr(n int, none string) string { return format.Either(n > 0, format.Count(n), none) }

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
	return strings.Join(pick.Each(serving.Changed(from, to), func(k *serving.Knob) string { return Knob(*k) }), ", ")
}

// KnobChanges describes the differences between two positions of the knobs:
// "quantization bf16 → q4, users 1 → 8". It is "" without one.
func KnobChanges(from, to *serving.Knobs) string {
	return strings.Join(pick.Each(serving.Changed(from, to), func(k *serving.Knob) string {
		return Knob(*k) + " " + KnobPosition(*k, from) + " → " + KnobPosition(*k, to)
	}), ", ")
}

// AppendLesson appends a text of a lesson and writes the figures that
// serving.LessonFigure has put in. Braces without a figure stay.
func AppendLesson(b []byte, text string) []byte {
	for {
		head, rest, ok := strings.Cut(text, "{")
		b = append(b, head...)
		if !ok {
			return b
		}
		inner, tail, ok := strings.Cut(rest, "}")
		if !ok {
			return append(append(b, '{'), rest...)
		}
		if with, ok := appendLessonFigure(b, inner); ok {
			b = with
		} else {
			b = append(append(append(b, '{'), inner...), '}')
		}
		text = tail
	}
}

// Lesson is AppendLesson as a string.
func Lesson(text string) string {
	if strings.IndexByte(text, '{') < 0 {
		return text
	}
	return string(AppendLesson(nil, text))
}

// lessonFigures write the figures of lessons, by their unit.
var lessonFigures = map[string]func(b []byte, v float64) []byte{
	serving.LessonMs: format.AppendMs, serving.LessonLimit: format.AppendLimit, serving.LessonShare: format.AppendPercent,
	serving.LessonTimes: format.AppendFactor, serving.LessonCount: format.AppendWhole,
	serving.LessonNumber: format.AppendNumber,
	serving.LessonRate:   func(b []byte, v float64) []byte { return append(format.AppendNumber(b, v), " tok/s"...) },
	serving.LessonBytes:  func(b []byte, v float64) []byte { return format.AppendAmount(b, v, "B") },
}

func appendLessonFigure(b []byte, figure string) ([]byte, bool) {
	unit, number, known := strings.Cut(figure, " ")
	write := lessonFigures[unit]
	if write == nil || !known {
		return append(b, format.Unknown...), write != nil
	}
	v, err := strconv.ParseFloat(number, 64)
	if err != nil {
		return b, false
	}
	return write(b, v), true
}
