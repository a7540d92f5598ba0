package result

import (
	"time"

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
	*slo.LensVerdict
	Unit   string `json:"unit"` // ms, or tok/s
	Say    string `json:"say"`
	Why    string `json:"why"` // of the budget
	Source string `json:"source"`
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
	d.Lens = &Lens{Key: l.Key, About: say.One(l), Requests: f.Requests}
	for _, v := range l.Judge(f, task) {
		basis := say.all(&v.Budget, time.Time{}, 2)
		e := LensVerdict{&v, "ms", say.One(&v), basis[0], basis[1]}
		if v.Metric == slo.LensSpeed || v.Metric == slo.LensThroughput {
			e.Unit = "tok/s"
		}
		d.Lens.Verdicts = append(d.Lens.Verdicts, e)
	}
	if l.Key == "agent" {
		c := task.Cost(f.TTFT.Typical, f.TPOT.Typical)
		d.Lens.Agent = &AgentCost{&c, say.One(&c)}
	}
}
