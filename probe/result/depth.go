package result

import (
	"io"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// DepthSchema names the format of the document of `tokscope sweep --depth --json`.
const DepthSchema = "tokscope/depth/v1"

// Depth is the output of `tokscope sweep --depth --json`: prefill and decode over
// the length of the prompt. Unknown figures are null, and unknown has the reason
// under the figure's name.
type Depth struct {
	Schema   string           `json:"schema"`
	Tool     Tool             `json:"tool"`
	Started  time.Time        `json:"started"`
	Workload metrics.Workload `json:"workload"` // its length is that of each row
	Users    int              `json:"users"`    // prompts sent at the same time
	Requests int              `json:"requests"` // prompts of each depth; each is sent twice
	Asked    []int            `json:"depths"`   // prompt tokens asked for
	*loadstat.DepthOutcome
	Lag Lag `json:"lag"` // of tokscope
}

// WriteDepth writes the document of a sweep over prompt lengths.
func WriteDepth(w io.Writer, version string, started time.Time,
	p *loadstat.SweepPlan, o *loadstat.DepthOutcome, say Sentences) error {
	work := p.Work
	work.Concurrency, work.InputTokens = p.Users[0], 0
	return say.WriteDocument(w, &Depth{
		Schema: DepthSchema, Tool: ToolOf(version), Started: started, Workload: work, Users: p.Users[0],
		Requests: p.Requests, Asked: p.Depths, DepthOutcome: o, Lag: Lag{Observer: o.Observer},
	})
}
