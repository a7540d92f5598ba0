package ui

import (
	"fmt"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/draw"
	"tokscope/ui/sanitize"
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
func (s *explaining) judge(t *metrics.TourView) {
	n := t.Lesson.Number
	if !t.On || t.Verdict == "" || n < 1 || n > t.Lessons {
		return
	}
	for len(s.verdicts) < n {
		s.verdicts = append(s.verdicts, verdict{})
	}
	s.verdicts[n-1] = verdict{t.Lesson.Title, t.Verdict, t.Holds}
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
		text := fmt.Sprintf("%s: %s. %s", sanitize.Line(v.title, verdictMost), sign, sanitize.Line(v.text, verdictMost))
		fmt.Fprintf(&b, "  %2d  %s\n", i+1, strings.Join(broken(text, m.w-tourIndent), "\n"+strings.Repeat(" ", tourIndent)))
	}
	return b.String()
}

// summaryIndent is the width of what stands before a verdict in the summary, and
// summaryLeast that of the narrowest row: below it the terminal breaks it.
const tourIndent, summaryLeast = 6, 20

// broken breaks a text between its words, into rows of at most w columns.
func broken(s string, w int) []string {
	w = max(w, summaryLeast)
	var out []string
	row := ""
	for _, word := range strings.Fields(s) {
		switch {
		case row == "":
			row = word
		case draw.Width(row)+1+draw.Width(word) <= w:
			row += " " + word
		default:
			out, row = append(out, row), word
		}
	}
	return append(out, row)
}
