package result

import (
	"tokscope/metrics"
	"tokscope/metrics/verdict"
)

// Finding is the JSON form of a verdict.Finding: what a request shows. Numbers
// that its code does not have are absent; times are ms.
type Finding struct {
	*verdict.Finding
	Evidence []string           `json:"evidence"`
	Unit     string             `json:"rate_unit,omitempty"` // "tokens" or "chunks"
	Fault    metrics.FaultKind  `json:"fault,omitempty"`
	Metric   string             `json:"metric,omitempty"` // of a lens
	Limit    float64            `json:"limit,omitempty" form:"null=zero"`
	Measured *float64           `json:"measured,omitempty"`
	Buffer   *metrics.Buffering `json:"buffer,omitempty"` // of buffered
}

// FindingsOf returns the JSON form of found.
func FindingsOf(found []verdict.Finding) []Finding {
	out := make([]Finding, 0, len(found))
	for i := range found {
		f := found[i]
		j := Finding{Finding: &f, Evidence: f.Evidence.Names()}
		if f.Rate != 0 {
			j.Unit = "tokens"
			if f.Chunks {
				j.Unit = "chunks"
			}
		}
		if f.Fault != nil {
			j.Fault = f.Fault.Kind
		}
		if v := f.Verdict; v != nil {
			j.Metric, j.Limit, j.Measured = v.Metric, v.Budget.Limit, value(v.Measured)
		}
		if d := f.Suspect; d != nil {
			f.N, f.Of, f.Ms, f.Ratio, j.Limit, f.Name = d.N, d.Of, d.Ms, d.Ratio, d.Limit, d.Name
			if d.Code == metrics.SuspectBuffered {
				j.Buffer = &d.Buffering
			}
		}
		out = append(out, j)
	}
	return out
}

// mostEarlier bounds the requests that one is compared with, so that a document
// of many thousands takes no minutes.
const mostEarlier = 100

// findingsOfRun returns what run i shows, compared with those before it, and its
// conclusion.
func findingsOfRun(runs []metrics.Run, i int, say Sentences) ([]Finding, string) {
	r := &runs[i]
	found := verdict.Of(verdict.Input{Stream: &r.Stream, Figures: &r.Figures,
		Now: r.Stream.Marks.End, Earlier: runs[max(i-mostEarlier, 0):i]})
	return FindingsOf(found), say.One(found)
}
