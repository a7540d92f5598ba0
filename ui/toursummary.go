package ui

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/safe"
)

// verdict is what a lesson came to.
type verdict struct {
	title, text string
	holds       bool
}

// verdictMost is how long one may be in the summary, in columns.
const verdictMost = 300

// judge keeps the verdict of the lesson that is shown; it may change with what
// is still measured.
func (e *explaining) judge(t *metrics.TourView) {
	n := t.Lesson.Number
	if !t.On || t.Verdict == "" || n < 1 || n > t.Lessons {
		return
	}
	for len(e.verdicts) < n {
		e.verdicts = append(e.verdicts, verdict{})
	}
	e.verdicts[n-1] = verdict{t.Lesson.Title, t.Verdict, t.Holds}
}

// TourSummary is what stays of the tour in the scrollback after Run: each
// lesson that came to its verdict, with it. It is "" when none did.
func (m *Model) TourSummary() string {
	var b strings.Builder
	for i, v := range m.explain.verdicts {
		if v.text == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\ntour, predicted by the model and measured on the embedded engine\n")
		}
		sign := "holds"
		if !v.holds {
			sign = "did not hold"
		}
		fmt.Fprintf(&b, "  %2d  %s: %s. %s\n", i+1, safe.Line(v.title, verdictMost), sign, safe.Line(v.text, verdictMost))
	}
	return b.String()
}
