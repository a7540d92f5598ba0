package report

import (
	"fmt"
	"io"
	"strings"

	"tokscope/metrics/loadstat"
	"tokscope/ui/format"
	"tokscope/ui/sanitize"
)

// printFits prints for each step the part of TTFT that depends on the
// prompt's length, where prompts vary. A statement that holds for all steps
// is printed once.
func printFits(w io.Writer, r *Sweep) {
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

// sameReason is the common reason why no step has a fit. It is "" when one
// has a fit, when there is only one step, or when reasons differ.
func sameReason(r *Sweep) string {
	why := ""
	for i := range r.Steps {
		f := r.Steps[i].Point.Fit
		if f == nil || f.B.OK || i > 0 && format.Why(f.B.Why) != why {
			return ""
		}
		why = format.Why(f.B.Why)
	}
	if len(r.Steps) < 2 {
		return ""
	}
	return why
}

// fitText describes a fit: both terms, the range of lengths, its quality and
// its number of requests. Without a fit it gives the reason.
func fitText(f *loadstat.TTFTFit) string {
	if !f.A.OK || !f.B.OK {
		why := format.Why(f.B.Why)
		if f.N > 0 {
			why += "; n " + format.Count(f.N)
		}
		return "– (" + why + ")"
	}
	sign, b := "+", f.B.V*1000
	if b < 0 {
		sign, b = "−", -b
	}
	bends := ""
	if f.Bends() {
		bends = "; no line: the longest prompts are " + format.Change(f.Longest.V) + " off"
	}
	return fmt.Sprintf("%s %s %s per 1,000 tokens (%s), half within %s, R² %s, n %s",
		strings.Replace(format.Ms(f.A.V), "-", "−", 1), sign, format.Ms(b),
		format.Range(f.Low, f.High, func(v float64) string { return format.Whole(v) + " tokens" }),
		format.Known(f.Off, format.Ms), format.Known(f.R2, format.Ratio), format.Count(f.N)) + bends
}
