package result

import "tokscope/metrics"

// Group is what the requests of equal conditions show together: one endpoint,
// One model, one workload and one kind of connection.
type Group struct {
	Endpoint   metrics.Endpoint `json:"endpoint"`
	Model      string           `json:"model_reported,omitempty"`
	Workload   metrics.Workload `json:"workload"`
	Link       Link             `json:"connection"`
	Requests   []int            `json:"requests"` // their ids
	Conclusion string           `json:"conclusion"`
	Findings   []Finding        `json:"findings"`
	Summary    Summary          `json:"summary"`
}

// Link is the kind of connection that the requests of a group share.
type Link struct {
	Reused   *bool  `json:"reused"` // null: no connection was there
	Protocol string `json:"protocol,omitempty"`
	Proxy    string `json:"proxy,omitempty"`
}

// SessionDocumentOf returns the document of the ended requests of a session,
// which must not be empty. Where their conditions differ, it has a summary for
// each group of equal ones, and none over several: the summary, the conclusion
// and the findings at its head are those of the last request's group.
func SessionDocumentOf(version string, runs []metrics.Run, say Sentences) RunsDocument {
	d := DocumentOf(version, runs, say)
	groups := metrics.GroupRuns(runs)
	if len(groups) < 2 {
		return d
	}
	last := runs[len(runs)-1].Stream.ID
	for i := range groups {
		g := &groups[i]
		part := DocumentOf(version, g.Runs, say)
		c := g.Conditions
		out := Group{
			Endpoint: part.Endpoint, Model: c.Answered, Workload: part.Workload, Link: Link{Protocol: c.Proto, Proxy: c.Proxy},
			Conclusion: part.Conclusion, Findings: part.Findings, Summary: part.Summary,
		}
		if c.Connected {
			out.Link.Reused = &c.Reused
		}
		for j := range g.Runs {
			id := g.Runs[j].Stream.ID
			out.Requests = append(out.Requests, id)
			if id == last {
				d.Conclusion, d.Findings, d.Summary = part.Conclusion, part.Findings, part.Summary
			}
		}
		d.Groups = append(d.Groups, out)
	}
	return d
}
