package cli

import (
	"tokscope/metrics"
	"tokscope/metrics/slo"
	"tokscope/ui/cli/handover"
)

// LoadOf returns the load that a sweep's flags describe.
func LoadOf(o *Sweep, e metrics.Endpoint, w metrics.Workload, slos []slo.Objective) handover.Load {
	in := o.Input
	if in.IsZero() {
		in = metrics.FixedLength(w.InputTokens)
	}
	return handover.Load{
		Endpoint: e, Work: w, Input: in, Output: o.Output, File: o.PromptsFile,
		Prompts: o.Prompts, Users: o.Users, Rates: o.Rates, Poisson: o.Poisson,
		Duration: o.Duration, Requests: o.Requests, Think: o.Think, Shared: o.Shared, SLOs: slos,
	}
}
