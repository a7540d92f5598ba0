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
	Metric    string   `json:"metric"`
	Unit      string   `json:"unit"`     // ms, or tok/s
	Limit     *float64 `json:"limit"`    // null: no limit
	AtLeast   bool     `json:"at_least"` // the figure must reach the limit; else it must not pass it
	Measured  *float64 `json:"measured"`
	Unknown   string   `json:"unknown,omitempty"` // why measured is null
	Estimated bool     `json:"estimated"`         // the server did not count its tokens
	Used      *float64 `json:"used"`              // share of the budget: above 1 it is missed
	Verdict   string   `json:"verdict"`           // meets, close, misses, unknown or no limit
	Say       string   `json:"say"`
	Why       string   `json:"why"` // of the budget
	Source    string   `json:"source"`
}

// AgentCost splits the time of an agent's task. With TTFT or TPOT unknown all
// fields are null.
type AgentCost struct {
	Steps       int      `json:"steps"`
	Tokens      int      `json:"tokens_per_step"`
	Time        *float64 `json:"time_ms"`
	Waiting     *float64 `json:"waiting_ms"`  // time for first tokens
	Decoding    *float64 `json:"decoding_ms"` // time for the other tokens
	WaitShare   *float64 `json:"waiting_share"`
	DecodeShare *float64 `json:"decoding_share"`
	HalfTTFT    *float64 `json:"with_half_ttft_ms"`
	HalfTPOT    *float64 `json:"with_half_tpot_ms"`
	Matters     string   `json:"matters,omitempty"` // the figure whose halving saves more: TTFT or TPOT
	Say         string   `json:"say"`
}

// WithLens adds the verdicts of l on the requests. task is the agent's.
func (d *Document) WithLens(runs []metrics.Run, l *slo.Lens, task slo.AgentTask, say Sentences) {
	s := metrics.Summarize(runs)
	f := slo.LensOfSummary(&s)
	d.Lens = &Lens{Key: l.Key, About: say.about(l.Key), Requests: f.Requests}
	for _, v := range l.Judge(f, task) {
		e := LensVerdict{
			Metric: v.Metric, Unit: "ms", AtLeast: v.Budget.AtLeast,
			Measured: value(v.Measured), Estimated: v.Estimated, Used: value(v.Used),
			Verdict: v.Grade.String(), Say: say.verdict(&v),
		}
		e.Why, e.Source = say.budget(&v.Budget)
		if v.Metric == slo.LensSpeed || v.Metric == slo.LensThroughput {
			e.Unit = "tok/s"
		}
		if e.Measured == nil {
			e.Unknown = say.why(v.Measured.Why)
		}
		if v.Budget.Limit > 0 {
			e.Limit = finite(v.Budget.Limit)
		}
		d.Lens.Verdicts = append(d.Lens.Verdicts, e)
	}
	if l.Key == "agent" {
		c := task.Cost(f.TTFT.Typical, f.TPOT.Typical)
		d.Lens.Agent = &AgentCost{
			Steps: task.Steps, Tokens: task.Tokens, Time: value(c.Time), Waiting: value(c.Waiting), Decoding: value(c.Decoding),
			WaitShare: value(c.WaitShare), DecodeShare: value(c.DecodeShare),
			HalfTTFT: value(c.HalfTTFT), HalfTPOT: value(c.HalfTPOT),
			Matters: c.Matters, Say: say.cost(&c),
		}
	}
}
