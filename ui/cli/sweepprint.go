package cli

import (
	"io"

	"tokscope/metrics"
)

// Bound returns w with the bound of the output that the flags ask for.
func (o *Sweep) Bound(w metrics.Workload) metrics.Workload {
	if o.Output != (Span{}) {
		w.MaxTokens = o.Output.Max
	}
	return o.rotate(w)
}

// Print writes r in the form that was asked for: the JSON that document writes,
// CSV, Markdown, or text for a person; ascii keeps that to ASCII's bars.
func (o *Sweep) Print(w io.Writer, r *SweepReport, ascii bool, document func(io.Writer) error) error {
	switch {
	case o.JSON:
		return document(w)
	case o.CSV:
		return PrintSweepCSV(w, r)
	case o.Markdown:
		return PrintSweepMarkdown(w, r)
	}
	return PrintSweep(w, r, ascii)
}
