package app

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/probe/loadgen"
	"tokscope/probe/record"
)

// These values are part of the key of --resume: a change would refuse the
// files of earlier runs.
func TestSweepLoadOfACurve(t *testing.T) {
	for _, x := range []struct {
		name  string
		curve loadgen.Curve
		want  record.SweepLoad
	}{
		{"users", loadgen.Curve{Users: []int{1}, Bounds: loadgen.Bounds{Most: 20 * time.Second}}, record.SweepLoad{DurationMs: 20_000}},
		{"rates", loadgen.Curve{Rates: []float64{1}, Bounds: loadgen.Bounds{Requests: 5}, Config: loadgen.Config{Shape: loadgen.Shape{Poisson: true}}},
			record.SweepLoad{Open: true, Poisson: true, Requests: 5}},
		{"a file of prompts", loadgen.Curve{Config: loadgen.Config{Prompts: []string{"a", "b"}}}, record.SweepLoad{Prompts: "2, sha256 7e18f737311b2dc3b2f269dd78396b0351f14fb66efa879f768cb23181883c78"}},
		{"one length", loadgen.Curve{Config: loadgen.Config{Output: metrics.FixedLength(200), SharedPrefix: true}}, record.SweepLoad{Output: "200", SharedPrefix: true}},
		{"a range", loadgen.Curve{Config: loadgen.Config{Output: metrics.Lengths{Low: 100, High: 400}, Shape: loadgen.Shape{Think: 1500 * time.Microsecond}}},
			record.SweepLoad{Output: "100..400", ThinkMs: 1.5}},
		{"prompts of one length", loadgen.Curve{Config: loadgen.Config{Input: metrics.FixedLength(1000)}}, record.SweepLoad{}}, // the workload says it
		{"prompts of a range", loadgen.Curve{Config: loadgen.Config{Input: metrics.Lengths{Low: 200, High: 4000}}}, record.SweepLoad{Input: "200..4000"}},
		{"prompts of a normal distribution", loadgen.Curve{Config: loadgen.Config{Input: metrics.Lengths{Low: 400, High: 1600, Mean: 1000, SD: 200}}}, record.SweepLoad{Input: "1000±200"}},
		{"prompts of some lengths", loadgen.Curve{Config: loadgen.Config{Input: metrics.Lengths{Choices: []int{100, 1000}}}}, record.SweepLoad{Input: "100,1000"}},
	} {
		if diff := cmp.Diff(x.want, record.SweepLoadOf(SweepPlanOf(&x.curve))); diff != "" {
			t.Errorf("%s: %s", x.name, diff)
		}
	}
}

func TestSweepDataOfACurve(t *testing.T) {
	c := loadgen.Curve{Users: []int{1, 8}, Config: loadgen.Config{Work: metrics.Workload{Name: "chat"}}}
	o := loadgen.Outcome{
		SweepResult: loadgen.SweepResult{Stopped: metrics.Ending{Code: metrics.EndingInterrupted}, Points: []loadgen.SweepPoint{{Point: loadstat.Point{Users: 1}, Resumed: true}}},
		Endpoint:    metrics.Endpoint{Name: "h"}, View: loadstat.View{Seed: 1<<64 - 1}, Interrupted: true,
	}
	d := SweepDataOf(time.Unix(0, 0), &c, &o)
	if d.Planned != 2 || d.Stopped.Code != metrics.EndingInterrupted || !d.Interrupted || d.Seed != "18446744073709551615" || d.Endpoint.Name != "h" || d.Work.Name != "chat" {
		t.Errorf("%+v", d)
	}
	if len(d.Steps) != 1 || !d.Steps[0].Resumed || d.Steps[0].Point.Users != 1 {
		t.Errorf("steps %+v", d.Steps)
	}
	if d.Knee != -1 || d.Largest != -1 || d.BreaksAt != -1 {
		t.Errorf("steps that nobody has judged point at %d, %d, %d", d.Knee, d.Largest, d.BreaksAt)
	}
}
