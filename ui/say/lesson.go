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

func appendLessonFigure(b []byte, figure string) ([]byte, bool) {
	unit, number, known := strings.Cut(figure, " ")
	v := 0.0
	if known {
		var err error
		if v, err = strconv.ParseFloat(number, 64); err != nil {
			return b, false
		}
	}
	from := len(b)
	switch unit {
	case serving.LessonMs:
		b = format.AppendMs(b, v)
	case serving.LessonLimit:
		b = format.AppendLimit(b, v)
	case serving.LessonRate:
		b = append(format.AppendNumber(b, v), " tok/s"...)
	case serving.LessonBytes:
		b = format.AppendAmount(b, v, "B")
	case serving.LessonShare:
		b = format.AppendPercent(b, v)
	case serving.LessonTimes:
		b = format.AppendFactor(b, v)
	case serving.LessonCount:
		b = format.AppendWhole(b, v)
	case serving.LessonNumber:
		b = format.AppendNumber(b, v)
	default:
		return b, false
	}
	if !known {
		b = append(b[:from], format.Unknown...)
	}
	return b, true
}
