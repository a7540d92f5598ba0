package record

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
)

// Lens is the verdict of a workload lens on the requests. It compares the
// budgets of a use with the medians of the requests that ended well.
type Lens struct {
	Key      string        `json:"key"` // chat, voice, agent or batch
	About    string        `json:"about"`
	Requests int           `json:"requests"` // number of requests in the medians
	Verdicts []LensVerdict `json:"verdicts"`
	Agent    *AgentCost    `json:"agent,omitempty"` // of the lens "agent" only
}

// LensVerdict is one figure against its budget.
type LensVerdict struct {
	Metric    string        `json:"metric"`
	Unit      string        `json:"unit"`     // ms, or tok/s
	Limit     *float64      `json:"limit"`    // null: no limit
	AtLeast   bool          `json:"at_least"` // the figure must reach the limit; else it must not pass it
	Measured  metrics.Value `json:"measured"`
	Estimated bool          `json:"estimated"`        // the server did not count its tokens
	Used      metrics.Value `json:"used" form:"bare"` // share of the budget: above 1 it is missed
	Verdict   string        `json:"verdict"`          // meets, close, misses, unknown or no limit
	Say       string        `json:"say"`
	Why       string        `json:"why"` // of the budget
	Source    string        `json:"source"`
}

// AgentCost splits the time of an agent's task.
type AgentCost struct {
	*slo.AgentCost
	Say string `json:"say"`
}

// WithLens adds the verdicts of l on the requests. task is the agent's.
func (d *Document) WithLens(runs []metrics.Run, l *slo.Lens, task slo.AgentTask, say Sentences) {
	s := metrics.Summarize(runs)
	f := slo.LensOfSummary(&s)
	d.Lens = &Lens{Key: l.Key, About: said(say.About, l.Key), Requests: f.Requests}
	for _, v := range l.Judge(f, task) {
		e := LensVerdict{
			Metric: v.Metric, Unit: "ms", AtLeast: v.Budget.AtLeast,
			Measured: v.Measured, Estimated: v.Estimated, Used: v.Used,
			Verdict: v.Grade.String(), Say: said(say.Verdict, &v),
		}
		if say.Budget != nil {
			e.Why, e.Source = say.Budget(&v.Budget)
		}
		if v.Metric == slo.LensSpeed || v.Metric == slo.LensThroughput {
			e.Unit = "tok/s"
		}
		if v.Budget.Limit > 0 {
			e.Limit = finite(v.Budget.Limit)
		}
		d.Lens.Verdicts = append(d.Lens.Verdicts, e)
	}
	if l.Key == "agent" {
		c := task.Cost(f.TTFT.Typical, f.TPOT.Typical)
		d.Lens.Agent = &AgentCost{&c, said(say.Cost, &c)}
	}
}
