package session

import (
	"tokscope/metrics/loadstat"
	"tokscope/probe/result"
)

// Mark implements loadgen.Entries. Marks count against the bound of points.
func (e *Load) Mark(m *loadstat.Mark) {
	if e.room() {
		e.line("load_mark", m.At, "mark", result.LoadMarkOf(m))
	}
}

// Setting returns what the load did at its begin.
func (q *RecordedLoad) Setting() loadstat.Setting {
	v := q.Begin()
	return loadstat.Setting{Work: v.Work, Input: v.Input,
		Output: v.Output, Endpoint: v.Endpoint, SLOs: v.SLOs, Drive: v.Drive}
}

// Restore returns the marks of q in order, and the works of the load as
// loadstat.View.Setups has them.
func (q *RecordedLoad) Restore() (marks []loadstat.Mark, setups []loadstat.Setting) {
	return result.RestoreMarks(q.Setting(), q.Marks)
}
