package app

import (
	"strconv"
	"time"

	"tokscope/probe/loadgen"
	"tokscope/probe/record"
)

// SweepPlanOf returns the sequence of requests of c.
func SweepPlanOf(c *loadgen.Curve) record.SweepPlan {
	shape := c.Config.Shape
	return record.SweepPlan{
		Open: c.Open(), Poisson: shape.Poisson, Think: shape.Think, Most: c.Bounds.Most, Requests: c.Bounds.Requests,
		SharedPrefix: c.Config.SharedPrefix, Input: c.Config.Input, Output: c.Config.Output, Prompts: c.Config.Prompts,
	}
}

// SweepDataOf returns the results of c. The caller fills in the verdicts
// (Summary, Knee, Largest, Breaks) and Handover: the indices are -1.
func SweepDataOf(started time.Time, c *loadgen.Curve, o *loadgen.Outcome) record.SweepData {
	d := record.SweepData{
		Started: started, Work: c.Config.Work, Endpoint: o.Endpoint,
		Load: record.SweepLoadOf(SweepPlanOf(c)), SLOs: c.Config.SLOs,
		Planned: c.Planned(), Stopped: o.Stopped, Interrupted: o.Interrupted, Fault: o.Fault, View: o.View,
		Knee: -1, Largest: -1, BreaksAt: -1, Seed: strconv.FormatUint(o.View.Seed, 10),
	}
	for _, p := range o.Points {
		d.Steps = append(d.Steps, record.SweepStepData{Point: p.Point, Lag: p.Lag, Resumed: p.Resumed, Extra: p.Extra})
	}
	return d
}
