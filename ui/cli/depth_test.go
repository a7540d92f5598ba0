package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics/loadstat"
)

// askedDepth is a sweep that needs consent and counts its runs.
type askedDepth struct {
	Sweeper
	runs int
}

func (d *askedDepth) Warning() string { return "" }
func (d *askedDepth) Close() error    { return nil }

func (d *askedDepth) Question() (loadstat.Question, bool) {
	return loadstat.Question{Endpoint: "it", Forecast: loadstat.Forecast{Users: 1, Basis: loadstat.BasisCount, Count: 6, Prompt: 1e6}}, true
}
func (d *askedDepth) Run(context.Context) (loadstat.SweepOutcome, error) {
	d.runs++
	return loadstat.SweepOutcome{Depth: &loadstat.DepthOutcome{
		Rows: []loadstat.DepthRow{{Depth: 1000, Cold: loadstat.DepthSide{Ended: 1}}}}}, nil
}
func (d *askedDepth) Write(out io.Writer, _ loadstat.SweepVerdicts, _ []string, _ []loadstat.Handover) error {
	_, err := io.WriteString(out, "{}\n")
	return err
}

// Nothing is sent without consent.
func TestDepthAsks(t *testing.T) {
	for _, x := range []struct {
		args string
		runs int
		code int
		out  string
	}{
		{"--depth 1k", 0, ExitUsage, ""},
		{"--depth 1k --yes", 1, ExitOK, "1,000"},
		{"--depth 1k --yes --json", 1, ExitOK, "{}"},
		{"--depth 1k --yes --csv", 1, ExitOK, "depth_tokens"},
		{"--depth 1k --yes --markdown", 1, ExitOK, "| asked tokens |"},
	} {
		var d askedDepth
		var out, say bytes.Buffer
		var plan loadstat.SweepPlan
		err := execute(t, Actions{Sweep: func(ctx context.Context, o *Sweep) error {
			j := &Job{Console: Console{In: strings.NewReader(""), Out: &out, Err: &say}, Settings: settings{}}
			return o.Run(ctx, j, func(p loadstat.SweepPlan) (Sweeper, error) { plan = p; return &d, nil })
		}}, append([]string{"sweep"}, strings.Fields(x.args)...)...)
		if CodeOf(err) != x.code || d.runs != x.runs || !strings.Contains(out.String(), x.out) {
			t.Errorf("%s: error %v, %d runs, %q", x.args, err, d.runs, out.String())
		}
		if plan.Work.MaxTokens != 200 || plan.Requests != 3 || plan.Users[0] != 1 || !slices.Equal(plan.Depths, []int{1000}) {
			t.Errorf("%s: plan %+v", x.args, plan)
		}
	}
}
