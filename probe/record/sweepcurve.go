package record

import (
	"crypto/sha256"
	"fmt"
	"strconv"
	"strings"
	"time"

	"tokscope/metrics"
	"tokscope/probe/loadgen"
)

// SweepLoadOf says how the requests of c follow each other.
func SweepLoadOf(p *loadgen.Curve) SweepLoad {
	shape := p.Config.Shape
	return SweepLoad{
		Open: p.Open(), Poisson: shape.Poisson, ThinkMs: float64(shape.Think) / 1e6, DurationMs: float64(p.Bounds.Most) / 1e6,
		Requests: p.Bounds.Requests, SharedPrefix: p.Config.SharedPrefix, Input: drawn(p.Config.Input), Output: p.Config.Output.String(), Prompts: promptsOf(p.Config.Prompts),
	}
}

// promptsOf describes a list of prompts; "" for an empty list.
func promptsOf(list []string) string {
	if len(list) == 0 {
		return ""
	}
	return fmt.Sprintf("%d, sha256 %x", len(list), sha256.Sum256([]byte(strings.Join(list, "\n"))))
}

// drawn returns the lengths in the form of --input-tokens, "" when all are
// equal: the workload has that length.
func drawn(l metrics.Lengths) string {
	if !l.Varies() {
		return ""
	}
	return l.String()
}

// SweepDataOf is what came of c. What the steps say together (Summary, Knee,
// Largest, Breaks) and Handover are left to the caller: the indices are -1.
func SweepDataOf(started time.Time, c *loadgen.Curve, o *loadgen.Outcome) SweepData {
	d := SweepData{
		Started: started, Work: c.Config.Work, Endpoint: o.Endpoint, Load: SweepLoadOf(c), SLOs: c.Config.SLOs,
		Planned: len(c.Steps()), Stopped: o.Stopped, Interrupted: o.Interrupted, Fault: o.Fault, View: o.View,
		Knee: -1, Largest: -1, BreaksAt: -1, Seed: strconv.FormatUint(o.View.Seed, 10),
	}
	for _, p := range o.Points {
		d.Steps = append(d.Steps, SweepStepData{Point: p.Point, Lag: p.Lag, Resumed: p.Resumed})
	}
	return d
}
