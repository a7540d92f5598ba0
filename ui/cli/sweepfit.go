package cli

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics"
	"tokscope/ui/sanitize"
)

// printFits tells for each step what of TTFT belongs to the length of the
// prompt, where prompts vary. What holds for all steps is told once.
func printFits(w io.Writer, r *SweepReport) {
	var names, texts []string
	for i := range r.Steps {
		if s := &r.Steps[i]; s.Point.Fit != nil {
			names, texts = append(names, s.Name()), append(texts, sanitize.Line(fitText(s.Point.Fit), 200))
		}
	}
	if len(texts) == 0 {
		return
	}
	row(w, "ttft", "= a + b · prompt tokens; R² is how much of its spread the length explains")
	if why := sameReason(r); why != "" {
		row(w, "", "every step: – (%s)", sanitize.Line(why, 200))
		return
	}
	for i := range texts {
		row(w, "", "%s: %s", names[i], texts[i])
	}
}

// sameReason is why no step has a fit, "" when one has, there is but one step,
// or they have different reasons.
func sameReason(r *SweepReport) string {
	why := ""
	for i := range r.Steps {
		f := r.Steps[i].Point.Fit
		if f == nil || f.B.OK || i > 0 && f.B.Why != why {
			return ""
		}
		why = f.B.Why
	}
	if len(r.Steps) < 2 {
		return ""
	}
	return why
}

// fitText is a fit in words: both terms, from which to which length they were
// seen, how well they fit and by how many requests, or why there is none.
func fitText(f *metrics.TTFTFit) string {
	if !f.A.OK || !f.B.OK {
		why := f.B.Why
		if f.N > 0 {
			why += fmt.Sprintf("; n %d", f.N)
		}
		return "– (" + why + ")"
	}
	sign, b := "+", f.B.V*1000
	if b < 0 {
		sign, b = "−", -b
	}
	return fmt.Sprintf("%s ms %s %s ms/1k (%.0f..%.0f tokens), half within %s ms, R² %s, n %d",
		strings.Replace(number(f.A.V), "-", "−", 1), sign, number(b), f.Low, f.High, cell(f.Off), share(f.R2), f.N)
}

// share is a number from 0 to 1 with two digits; what is not all is never 1.
func share(v metrics.Value) string {
	if !v.OK {
		return "–"
	}
	if v.V < 1 {
		return fmt.Sprintf("%.2f", min(v.V, 0.99))
	}
	return "1"
}
