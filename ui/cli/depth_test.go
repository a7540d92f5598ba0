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

func TestDepthFlags(t *testing.T) {
	for _, x := range []struct {
		args  string
		wrong string // a part of the error; "" when they are right
		check func(o *Sweep) bool
	}{
		{"--depth 1k,4k,16000", "", func(o *Sweep) bool {
			return slices.Equal(o.Depths, []int{1000, 4000, 16_000}) && o.Requests == 3 && slices.Equal(o.Users, []int{1}) && o.Duration == 0
		}},
		{"--depth 1k --users 8", "", func(o *Sweep) bool { return o.Users[0] == 8 && o.Requests == 8 }},
		{"--depth 1k --users 2 -n 5 --output-tokens 50 --json", "", func(o *Sweep) bool { return o.Requests == 5 && o.JSON && o.Output.String() == "50" }},
		{"--depth=", "is not a number of tokens", nil},
		{"--depth 4k,1k", "1000 is not above 4000", nil},
		{"--depth 1M", "is not a number of tokens", nil},
		{"--depth 9223372036854775807k", "is not a number of tokens", nil},
		{"--depth 3000k", "is not a number of tokens", nil},
		{"--depth -1k", "is not a number of tokens", nil},
		{"--depth 1k,1k\x1b[2J", "is not a number of tokens", nil},
		{"--depth 1k --rate 1", "--depth and --rate exclude each other", nil},
		{"--depth 1k --users 1,2", "give one number of users, such as --users 1", nil},
		{"--depth 1k --users 4 -n 2", "give 4 to 1000", nil},
		{"--depth 1k -n 0", "give 1 to 1000", nil},
		{"--depth 1k --output-tokens 10..50", "one number", nil},
		{"--depth 1k --output-tokens 10 --max-tokens 10", "exclude each other", nil},
		{"--depth 1k --json --csv", "choose one", nil},
		{"--depth 1k --price-in -1", "negative", nil},
		{"--depth 1k --cold --warm", "exclude each other", nil},
		{"--depth 1k --poisson", "--depth and --poisson", nil},
		{"--depth 1k --duration 1s", "--depth and --duration", nil},
		{"--depth 1k --think 1s", "--depth and --think", nil},
		{"--depth 1k --input-tokens 5", "--depth and --input-tokens", nil},
		{"--depth 1k --prompts f", "--depth and --prompts", nil},
		{"--depth 1k --shared-prefix", "--depth and --shared-prefix", nil},
		{"--depth 1k --slo ttft=1s", "--depth and --slo", nil},
		{"--depth 1k --until-slo-breaks", "--depth and --until-slo-breaks", nil},
		{"--depth 1k --resume f", "--depth and --resume", nil},
		{"--depth 1k --request-lines f", "--depth and --request-lines", nil},
		{"--depth 1k --server-metrics off", "--depth and --server-metrics", nil},
		{"--depth 1k --handover", "--depth and --handover", nil},
	} {
		var got *Sweep
		cmd := New(Actions{Sweep: func(_ context.Context, o *Sweep) error { got = o; return nil }}, "test")
		cmd.SetArgs(append([]string{"sweep"}, strings.Fields(x.args)...))
		cmd.SetOut(io.Discard)
		err := cmd.Execute()
		switch {
		case x.wrong == "" && err != nil:
			t.Errorf("%q: %v", x.args, err)
		case x.wrong == "" && !x.check(got):
			t.Errorf("%q came to %+v", x.args, got)
		case x.wrong != "" && (err == nil || !strings.Contains(err.Error(), x.wrong)):
			t.Errorf("%q: error %v, want %q in it", x.args, err, x.wrong)
		case x.wrong != "" && CodeOf(err) != ExitUsage:
			t.Errorf("%q: exit code %d", x.args, CodeOf(err))
		}
	}
}

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
		cmd := New(Actions{Sweep: func(ctx context.Context, o *Sweep) error {
			j := &Job{Console: Console{In: strings.NewReader(""), Out: &out, Err: &say}, Settings: noSettings{}}
			return o.RunDepth(ctx, j, func(p loadstat.DepthPlan) DepthSweeper { plan = p; return &d })
		}}, "test")
		cmd.SetArgs(append([]string{"sweep"}, strings.Fields(x.args)...))
		cmd.SetOut(io.Discard)
		cmd.SetErr(io.Discard)
		err := cmd.Execute()
		if CodeOf(err) != x.code || d.runs != x.runs || !strings.Contains(out.String(), x.out) {
			t.Errorf("%s: error %v, %d runs, %q", x.args, err, d.runs, out.String())
		}
		if plan.Work.MaxTokens != 200 || plan.Requests != 3 || plan.Users != 1 || !slices.Equal(plan.Depths, []int{1000}) {
			t.Errorf("%s: plan %+v", x.args, plan)
		}
	}
}
