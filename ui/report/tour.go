package report

import "tokscope/ui/format"

// Verdict is the result of a lesson; an empty text means no result yet.
type Verdict struct {
	Title, Text string
	Holds       bool
}

// Tour lists each lesson with a verdict, in order, for the scrollback of a terminal.
// It is empty without any.
func Tour(verdicts []Verdict) *Doc {
	t := &Table{Title: "tour, predicted by the model and measured on the embedded engine",
		Cols: append(figures(""), words("")...)}
	for i, v := range verdicts {
		if v.Text == "" {
			continue
		}
		sign := format.Either(!v.Holds, "did not hold", "holds")
		t.row(format.Count(i+1), v.Title+": "+sign+". "+v.Text)
	}
	d := &Doc{}
	d.table(t)
	return d
}
