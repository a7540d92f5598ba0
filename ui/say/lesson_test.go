package say

import (
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/serving"
)

// A lesson's text has its figures as every text has them.
func TestLesson(t *testing.T) {
	figure := func(unit string, v float64) string { return serving.LessonFigure(unit, metrics.Known(v, 1)) }
	for text, want := range map[string]string{
		"no figure": "no figure",
		"first token after " + figure(serving.LessonMs, 41.26) + ", then " + figure(serving.LessonRate, 4114) + ".":                             "first token after 41.3 ms, then 4,110 tok/s.",
		figure(serving.LessonBytes, 15.04e9) + ", " + figure(serving.LessonShare, 0.004) + ", " + figure(serving.LessonTimes, 28.3):             "15.0 GB, <1 %, 28×",
		figure(serving.LessonCount, 12345) + " tokens, " + figure(serving.LessonNumber, 8.03) + " billion, " + figure(serving.LessonLimit, 200): "12,345 tokens, 8.03 billion, 200 ms",
		serving.LessonFigure(serving.LessonMs, metrics.Unknown(metrics.WhyNoCount)) + " a step":                                                 "– a step",
		"{name} stays, {ms many} too, { also": "{name} stays, {ms many} too, { also",
	} {
		if got := Lesson(text); got != want || string(AppendLesson([]byte("|"), text)) != "|"+want {
			t.Errorf("%q becomes %q, want %q", text, got, want)
		}
	}
}
