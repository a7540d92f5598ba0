package record

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/metrics/verdict"
)

// Finding is the JSON form of a verdict.Finding: what a request shows. Numbers
// that its code does not have are absent; times are ms.
type Finding struct {
	Code     string   `json:"code"`
	Grade    string   `json:"grade"`
	Evidence []string `json:"evidence"`
	Owner    string   `json:"owner,omitempty"` // whose a time was; absent: server, proxy or network, undecided
	Ms       *float64 `json:"ms,omitempty"`
	Part     string   `json:"part,omitempty"` // of Ms, or the stage of a wait
	PartMs   *float64 `json:"part_ms,omitempty"`
	AtMs     *float64 `json:"at_ms,omitempty"` // since the request was sent
	Low      *float64 `json:"low,omitempty"`
	High     *float64 `json:"high,omitempty"`
	// Of earlier runs: ms, or the rate, lies above high; else below low.
	Above    bool               `json:"above,omitempty"`
	Rate     *float64           `json:"rate_per_s,omitempty"`
	Unit     string             `json:"rate_unit,omitempty"` // "tokens" or "chunks"
	About    bool               `json:"estimated,omitempty"`
	Ratio    *float64           `json:"ratio,omitempty"`
	N        int                `json:"n,omitempty"`
	Of       int                `json:"of,omitempty"`
	Chunk    int                `json:"chunk,omitempty"` // at the end of the longest stall, from 1; figures count from 0
	Name     string             `json:"name,omitempty"`
	Fault    string             `json:"fault,omitempty"`
	Metric   string             `json:"metric,omitempty"` // of a lens
	Limit    *float64           `json:"limit,omitempty"`
	Measured *float64           `json:"measured,omitempty"`
	Buffer   *metrics.Buffering `json:"buffer,omitempty"` // of buffered
}

// nonzero returns v, nil for 0 and where it is not finite.
func nonzero(v float64) *float64 {
	if v == 0 {
		return nil
	}
	return finite(v)
}

// FindingsOf returns the JSON form of found.
func FindingsOf(found []verdict.Finding) []Finding {
	out := make([]Finding, 0, len(found))
	for i := range found {
		f := &found[i]
		j := Finding{
			Code: string(f.Code), Grade: f.Grade.String(), Evidence: f.Evidence.Names(), Owner: string(f.Owner),
			Ms: nonzero(f.Ms), Part: f.Part, PartMs: nonzero(f.PartMs),
			AtMs: nonzero(f.AtMs), Low: nonzero(f.Low), High: nonzero(f.High), Above: f.Above,
			Rate: nonzero(f.Rate), About: f.About, Ratio: nonzero(f.Ratio), N: f.N, Of: f.Of, Chunk: f.Chunk, Name: f.Name,
		}
		if j.Rate != nil {
			j.Unit = "tokens"
			if f.Chunks {
				j.Unit = "chunks"
			}
		}
		if f.Fault != nil {
			j.Fault = string(f.Fault.Kind)
		}
		if v := f.Verdict; v != nil {
			j.Metric, j.Limit, j.Measured = v.Metric, nonzero(v.Budget.Limit), value(v.Measured)
		}
		if d := f.Suspect; d != nil {
			j.N, j.Of, j.Ms, j.Ratio, j.Limit, j.Name = d.N, d.Of, nonzero(d.Ms), nonzero(d.Ratio), nonzero(d.Limit), d.Name
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
	return FindingsOf(found), said(say.Conclude, found)
}

// conclude adds what the requests show together.
func (d *Document) conclude(runs []metrics.Run, s *metrics.Summary, say Sentences) {
	if len(runs) > 0 {
		found := verdict.OfRuns(runs, s, "", slo.DefaultAgentTask)
		d.Findings, d.Conclusion = FindingsOf(found), said(say.Conclude, found)
	}
}
