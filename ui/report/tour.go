package report

import (
	"fmt"
	"strings"

	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// Verdict is the result of a lesson; an empty text means no result yet.
type Verdict struct {
	Title, Text string
	Holds       bool
}

// verdictMost is the largest length of a verdict in the summary, in columns.
const verdictMost = 300

// tourIndent is the width before a verdict. tourLeast is the width of the
// narrowest row; below it the terminal wraps.
const tourIndent, tourLeast = 6, 20

// Tour is the text about the tour in the scrollback of a terminal of w
// columns: each lesson with a verdict, in order. It is "" without any.
func Tour(verdicts []Verdict, w int) string {
	var b strings.Builder
	for i, v := range verdicts {
		if v.Text == "" {
			continue
		}
		if b.Len() == 0 {
			b.WriteString("\ntour, predicted by the model and measured on the embedded engine\n")
		}
		sign := "holds"
		if !v.Holds {
			sign = "did not hold"
		}
		text := fmt.Sprintf("%s: %s. %s", sanitize.Line(v.Title, verdictMost), sign, sanitize.Line(v.Text, verdictMost))
		fmt.Fprintf(&b, "  %2d  %s\n", i+1,
			strings.Join(format.Wrap(text, max(w-tourIndent, tourLeast)), "\n"+strings.Repeat(" ", tourIndent)))
	}
	return b.String()
}
