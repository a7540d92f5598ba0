package cli

import (
	"bytes"
	"context"
	"io"
	"slices"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

func TestDepthCode(t *testing.T) {
	row := func(good, failed int) loadstat.DepthRow {
		return loadstat.DepthRow{Cold: loadstat.DepthSide{Ended: good, Failed: failed}}
	}
	auth := &metrics.Fault{Kind: metrics.FaultAuth}
	for _, x := range []struct {
		name string
		o    loadstat.DepthOutcome
		want int
	}{
		{"well", loadstat.DepthOutcome{Rows: []loadstat.DepthRow{row(3, 0), {TooLong: true}}}, ExitOK},
		{"one of three failed", loadstat.DepthOutcome{Rows: []loadstat.DepthRow{row(2, 1)}, Fault: auth}, ExitOK},
		{"a depth failed", loadstat.DepthOutcome{Rows: []loadstat.DepthRow{row(3, 0), row(0, 3)}, Fault: auth}, ExitConfig},
		{"all are left out", loadstat.DepthOutcome{Rows: []loadstat.DepthRow{{TooLong: true}}}, ExitFailed},
		{"interrupted", loadstat.DepthOutcome{Interrupted: true, Fault: auth}, ExitInterrupted},
	} {
		if have := CodeOfDepth(&x.o); have != x.want {
			t.Errorf("%s: exit code %d, want %d", x.name, have, x.want)
		}
	}
}

// askedDepth is a sweep that needs consent and counts its runs.
type askedDepth struct{ runs int }

func (d *askedDepth) Question() (loadstat.Question, bool) {
	return loadstat.Question{Endpoint: "it", Forecast: loadstat.Forecast{Users: 1, Basis: loadstat.BasisCount, Count: 6, Prompt: 1e6}}, true
}
func (d *askedDepth) Run(context.Context) loadstat.DepthOutcome {
	d.runs++
	return loadstat.DepthOutcome{Rows: []loadstat.DepthRow{{Depth: 1000, Cold: loadstat.DepthSide{Ended: 1}}}}
}
func (d *askedDepth) Write(out io.Writer) error { _, err := io.WriteString(out, "{}\n"); return err }

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
		var plan loadstat.DepthPlan
		err := execute(t, Actions{Sweep: func(ctx context.Context, o *Sweep) error {
			j := &Job{Console: Console{In: strings.NewReader(""), Out: &out, Err: &say}, Settings: settings{}}
			return o.RunDepth(ctx, j, func(p loadstat.DepthPlan) DepthSweeper { plan = p; return &d })
		}}, append([]string{"sweep"}, strings.Fields(x.args)...)...)
		if CodeOf(err) != x.code || d.runs != x.runs || !strings.Contains(out.String(), x.out) {
			t.Errorf("%s: error %v, %d runs, %q", x.args, err, d.runs, out.String())
		}
		if plan.Work.MaxTokens != 200 || plan.Requests != 3 || plan.Users != 1 || !slices.Equal(plan.Depths, []int{1000}) {
			t.Errorf("%s: plan %+v", x.args, plan)
		}
	}
}
