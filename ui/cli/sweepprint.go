package cli

import (
	"io"

	"tokscope/metrics"
	"tokscope/ui/prompts"
	"tokscope/ui/report"
)

// Bound returns w with the lengths of the flags. MaxTokens becomes the upper
// limit of the answers. InputTokens becomes 0 when prompt lengths vary.
func (o *Sweep) Bound(w metrics.Workload) metrics.Workload {
	if !o.Output.IsZero() {
		_, w.MaxTokens = o.Output.Bounds()
	}
	if !o.Input.IsZero() {
		if _, w.InputTokens = o.Input.Bounds(); o.Input.Varies() {
			w.Name, w.InputTokens = prompts.Custom, 0 // "1k in" would be untrue
		}
	}
	return o.rotate(w)
}

// Print writes r in the requested form: the JSON of document, CSV, Markdown,
// or text for a person. ascii limits the bars of the text to ASCII.
func (o *Sweep) Print(w io.Writer, r *report.Sweep, ascii bool, document func(io.Writer) error) error {
	switch {
	case o.JSON:
		return document(w)
	case o.CSV:
		return report.SweepCSV(w, r)
	case o.Markdown:
		return report.SweepMarkdown(w, r)
	}
	return report.SweepText(w, r, ascii)
}
