package say

import (
	"strconv"
	"strings"

	"tokscope/metrics/serving"
	"tokscope/ui/format"
)

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
