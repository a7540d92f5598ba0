package cli

import (
	"bytes"
	"context"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/testkit"
	"tokscope/ui/report"
)

func TestSweepFlags(t *testing.T) {
	for _, x := range []struct {
		args  string
		check func(o *Sweep) bool
	}{
		{"", func(o *Sweep) bool {
			return len(o.Users) == 7 && slices.Max(o.Users) == 64 && o.Duration == 20*time.Second
		}},
		{"--users 1,8 --duration 5s", func(o *Sweep) bool { return len(o.Users) == 2 && o.Duration == 5*time.Second }},
		{"--rate 0.5,2 --poisson", func(o *Sweep) bool { return len(o.Rates) == 2 && len(o.Users) == 0 && o.Poisson }},
		{"--users 1", func(o *Sweep) bool { return o.ServerMetrics == "auto" && o.RequestLines == "" }},
		{"--server-metrics off --request-lines r.ndjson",
			func(o *Sweep) bool { return o.ServerMetrics == "off" && o.RequestLines == "r.ndjson" }},
		{"--server-metrics https://h:9000/metrics",
			func(o *Sweep) bool { return o.ServerMetrics == "https://h:9000/metrics" }},
		{"-n 10", func(o *Sweep) bool { return o.Requests == 10 && o.Duration == 0 }},
		{"--output-tokens 100..400",
			func(o *Sweep) bool { return o.Output.String() == "100..400" && o.Output.Expected() == 250 }},
		{"--output-tokens 200", func(o *Sweep) bool { return o.Output.String() == "200" && !o.Output.Varies() }},
		{"--output-tokens 100,400", func(o *Sweep) bool { return o.Output.Varies() }},
		{"--input-tokens 1000", func(o *Sweep) bool { return o.Input.String() == "1000" && !o.Input.Varies() }},
		{"--input-tokens 200..4000",
			func(o *Sweep) bool { return o.Input.String() == "200..4000" && o.Input.Expected() == 2100 }},
		{"--input-tokens 200-4000", func(o *Sweep) bool { return o.Input.String() == "200..4000" }},
		{"--input-tokens 1000±200", func(o *Sweep) bool { return o.Input.String() == "1000±200" }},
		{"--input-tokens 1000+-200", func(o *Sweep) bool { return o.Input.String() == "1000±200" }},
		{"--input-tokens 100,1000,10000", func(o *Sweep) bool { return o.Input.Expected() == 3700 }},
		{"--ramp 1-64/2m", func(o *Sweep) bool {
			return o.Ramp == loadstat.Drive{Users: 1, To: 64, Within: 2 * time.Minute} && len(o.Users) == 1 &&
				o.Duration == 2*time.Minute
		}},
		{"--ramp 0.5-20/s/30s --poisson", func(o *Sweep) bool {
			return o.Ramp == loadstat.Drive{Rate: 0.5, To: 20, Within: 30 * time.Second, Poisson: true} && len(o.Users) == 0 &&
				o.Rates[0] == 20 && o.Loop() == "open loop, Poisson, ramp from 0.5 to 20 requests/s in 30s"
		}},
		{"--depth 1k,4k,16000", func(o *Sweep) bool {
			return slices.Equal(o.Depths, []int{1000, 4000, 16_000}) && o.Requests == 3 && slices.Equal(o.Users, []int{1}) &&
				o.Duration == 0
		}},
		{"--depth 1k --users 8", func(o *Sweep) bool { return o.Users[0] == 8 && o.Requests == 8 }},
		{"--depth 1k --users 2 -n 5 --output-tokens 50 --json",
			func(o *Sweep) bool { return o.Requests == 5 && o.JSON && o.Output.String() == "50" }},
	} {
		var got *Sweep
		take := func(_ context.Context, o *Sweep) error { got = o; return nil }
		err := execute(t, Actions{Sweep: take}, append([]string{"sweep"}, strings.Fields(x.args)...)...)
		testkit.That(t, err == nil && x.check(got), "%q came to %+v, %v", x.args, got, err)
	}
	o := &Sweep{SweepPlan: loadstat.SweepPlan{UntilBreaks: true}}
	err := o.Run(t.Context(), &Job{Settings: settings{}}, nil)
	testkit.That(t, err != nil && strings.Contains(err.Error(), "--slo"), "--until-slo-breaks without limits: %v", err)
}

func TestConsent(t *testing.T) {
	for _, x := range []struct {
		name, answer  string
		terminal, yes bool
		code          int
	}{
		{"yes is given", "", false, true, ExitOK},
		{"no terminal", "", false, false, ExitUsage},
		{"y", "y\n", true, false, ExitOK},
		{"YES", "YES\n", true, false, ExitOK},
		{"n", "n\n", true, false, ExitUsage},
		{"just enter", "\n", true, false, ExitUsage},
		{"the input ends", "", true, false, ExitUsage},
	} {
		var asked bytes.Buffer
		c := Console{Err: &asked, In: strings.NewReader(x.answer), InTerminal: x.terminal, ErrTerminal: x.terminal}
		err := c.consent(t.Context(), x.yes, "64 users at \x1b[31mhost?", "", "nothing was sent")
		testkit.Is(t, CodeOf(err), x.code, x.name, "exit code", err)
		testkit.That(t, !strings.ContainsRune(asked.String(), 0x1b),
			"%s: an escape reached the terminal: %q", x.name, asked.String())
		testkit.That(t, x.terminal || x.yes || strings.Contains(err.Error(), "--yes"),
			"%s: %v does not say --yes", x.name, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	r, w := io.Pipe()
	defer func() { _ = w.Close() }()
	if code := CodeOf((&Console{Err: io.Discard, In: r, InTerminal: true, ErrTerminal: true}).consent(ctx, false, "?", "",
		"")); code != ExitInterrupted {
		t.Errorf("interrupted at the question: exit code %d", code)
	}
}

func TestSweepProgressLine(t *testing.T) {
	p := &steps{of: 7}
	testkit.Is(t, p.line(time.Now()), "", "a line before the first step")
	p.begin(3, metrics.LoadStep{Users: 8}, func() loadstat.View {
		return loadstat.View{Live: loadstat.Point{Requests: 12, Failed: 1, Total: metrics.Known(900, 1),
			Why: loadstat.Unsteady{Code: loadstat.UnsteadyFew, N: 5, Of: 8}}}
	})
	have := p.line(p.from.Add(4 * time.Second))
	testkit.Is(t, have, "step 3 of 7: 8 users, 4 s, 12 ended, 1 failed, 900 tok/s aggregate; 5 requests measured, 8 "+
		"needed")
}

// Without a flag for the workload a sweep sends the Load screen's workload.
func TestSweepSendsWhatTheLoadScreenSends(t *testing.T) {
	for _, x := range []struct {
		args   []string
		preset string // of the configuration
		want   string
	}{
		{nil, "", "1k in"},
		{nil, "code", "code"},
		{[]string{"--workload", "chat"}, "", "chat"},
		{[]string{"--input-tokens", "500"}, "", "custom"}, // of the same prose
		{[]string{"--prompt", "why?"}, "", "custom"},
	} {
		var name string
		a := Actions{Sweep: func(_ context.Context, o *Sweep) error {
			preset := x.preset
			if o.Given("workload") {
				preset = "chat" // the settings have read the flag
			}
			w, err := o.work(t.Context(), &Job{Settings: settings{"defaults.workload": preset}})
			name = w.Name
			return err
		}}
		if err := execute(t, a, append([]string{"sweep"}, x.args...)...); err != nil || name != x.want {
			t.Errorf("%q: %q, %v; want %q", x.args, name, err, x.want)
		}
	}
}

// A file of prompts is sent in rotation, in place of the workload's one.
func TestSweepPrompts(t *testing.T) {
	file := func(text string) string {
		path := filepath.Join(t.TempDir(), "prompts.txt")
		testkit.OK(t, os.WriteFile(path, []byte(text), 0o600))
		return path
	}
	var in metrics.Lengths
	run := func(args ...string) (got []string, w metrics.Workload, err error) {
		err = execute(t, Actions{Sweep: func(_ context.Context, o *Sweep) error {
			got, w = o.Prompts, o.Bound(metrics.Workload{Name: "1k in", InputTokens: 1000, MaxTokens: 200})
			in = o.Input
			return nil
		}}, append([]string{"sweep"}, args...)...)
		return got, w, err
	}
	got, w, err := run("--prompts", file("Why?\n\n  How long is the Rhine?\r\nlast"))
	if err != nil || !slices.Equal(got, []string{"Why?", "How long is the Rhine?", "last"}) || w.Prompt != "Why?" ||
		w.Name != "custom" || w.InputTokens != 0 || w.MaxTokens != 200 {
		t.Errorf("%q, %+v, %v", got, w, err)
	}
	// A length that is asked for holds for the prompts of a file too: fixed, it is the workload's.
	if _, w, err = run("--prompts", file("Why?\nHow?"), "--input-tokens", "500"); err != nil || w.InputTokens != 500 ||
		in.Varies() {
		t.Errorf("%+v, %v, %v", w, in, err)
	}
	if _, w, err = run("--prompts", file("Why?\nHow?"), "--input-tokens", "500,600"); err != nil || w.InputTokens != 0 ||
		!in.Varies() {
		t.Errorf("%+v, %v, %v", w, in, err)
	}
	for _, args := range [][]string{{"--prompts", file("\n\n")}, {"--prompts", filepath.Join(t.TempDir(), "none")}} {
		if _, _, err := run(args...); err == nil {
			t.Errorf("%q was taken", args)
		}
	}
}

// judged is a sweep with a step for each count of the 40 requests that miss o.
func judged(o slo.Objective, missed ...int) *report.Sweep {
	r := &report.Sweep{Plan: loadstat.SweepPlan{SLOs: []slo.Objective{o}}}
	for i, n := range missed {
		r.Steps = append(r.Steps, loadstat.SweepStep{Point: loadstat.Point{
			Users: i + 1, Steady: true, Requests: 40, GoodShare: metrics.Known(1-float64(n)/40, 40),
			Misses: []loadstat.Miss{{SLO: o, N: n}},
		}})
	}
	return r
}

// A connection that could not be made in time is an endpoint that was not
// reached, at every stage of it; a slow answer is a failed request.
func TestCodeOfTimeouts(t *testing.T) {
	for bound, want := range map[string]int{"connect 10 s": ExitUnreachable, "TLS handshake 250 ms": ExitUnreachable,
		"first byte 120 s": ExitFailed, "idle 30 s": ExitFailed, "request": ExitFailed} {
		testkit.Is(t, codeOfFault(&metrics.Fault{Kind: metrics.FaultTimeout, Bound: bound}), want, bound, "exit code")
	}
}

func TestSweepCode(t *testing.T) {
	ttft := slo.Objective{Name: "ttft", Limit: 500}
	of := func(points ...loadstat.Point) *report.Sweep {
		r := &report.Sweep{}
		for _, p := range points {
			r.Steps = append(r.Steps, loadstat.SweepStep{Point: p, Extra: loadstat.StepExtra{AllFailed: len(p.Faults) > 0}})
		}
		return r
	}
	failed := func(kind metrics.FaultKind) *report.Sweep {
		return of(loadstat.Point{Users: 1, Failed: 3, Faults: []metrics.FaultCount{{Kind: kind, N: 3}}})
	}
	missed := judged(slo.Objective{Name: "speed", Limit: 1000, AtLeast: true}, 40)
	stopped, refused, plain := *missed, report.Sweep{}, judged(ttft, 0)
	stopped.Interrupted, refused.Fault, plain.Plan.SLOs = true, &metrics.Fault{Kind: metrics.FaultAuth}, nil
	unsteady := func(r *report.Sweep, ramp *loadstat.Ramp) *report.Sweep {
		if ramp != nil {
			r.Plan.Ramp = loadstat.Drive{Users: 1, To: 2, Within: 1}
		}
		for i := range r.Steps {
			r.Steps[i].Point.Steady, r.Steps[i].Point.Ramp = false, ramp
		}
		return r
	}
	depth := func(kind metrics.FaultKind, rows ...loadstat.DepthRow) *report.Sweep {
		return &report.Sweep{SweepOutcome: loadstat.SweepOutcome{Depth: &loadstat.DepthOutcome{Rows: rows,
			Fault: &metrics.Fault{Kind: kind}}}}
	}
	row := func(good, failed int) loadstat.DepthRow {
		return loadstat.DepthRow{TooLong: good+failed == 0, Cold: loadstat.DepthSide{Ended: good, Failed: failed}}
	}
	none := []loadstat.Point{{Users: 4}, {Users: 3, Requests: 4}}
	slice := &loadstat.Ramp{From: 1, To: 2}
	for _, x := range []struct {
		name string
		r    *report.Sweep
		want int
	}{
		{"well", plain, ExitOK},
		{"the SLOs are met for a while", judged(ttft, 0, 40), ExitOK},
		{"no step meets them", missed, ExitSLO},
		{"no step is steady", unsteady(judged(ttft, 0, 40), nil), ExitOK},
		{"a ramp meets them", unsteady(judged(ttft, 0, 0), slice), ExitOK},
		{"a ramp meets them for a while", unsteady(judged(ttft, 0, 40), slice), ExitOK},
		{"a ramp misses them", unsteady(judged(ttft, 40, 40), slice), ExitSLO},
		{"interrupted", &stopped, ExitInterrupted},
		{"the key is wrong", failed(metrics.FaultAuth), ExitConfig},
		{"too many open files", failed(metrics.FaultLocal), ExitConfig},
		{"nobody listens", failed(metrics.FaultConnect), ExitUnreachable},
		{"all are reset", failed(metrics.FaultReset), ExitFailed},
		{"some are reset", of(loadstat.Point{Users: 1, Requests: 1, Failed: 3}), ExitOK},
		{"nothing was sent", of(), ExitOK},
		{"nothing ended in a step", of(none...), ExitOK},
		{"nothing ended in a slice", unsteady(of(none...), slice), ExitOK},
		{"a failure before the first step", &refused, ExitConfig},
		{"a length is left out", depth("", row(3, 0), row(0, 0)), ExitOK},
		{"one of three at a length failed", depth(metrics.FaultAuth, row(2, 1)), ExitOK},
		{"a length failed", depth(metrics.FaultAuth, row(3, 0), row(0, 3)), ExitConfig},
		{"all lengths are left out", depth("", row(0, 0)), ExitFailed},
	} {
		testkit.Is(t, CodeOfSweep(x.r), x.want, x.name, "exit code")
	}
}

// askedDepth is a sweep that needs consent and counts its runs.
type askedDepth struct {
	Sweeper
	runs int
}

func (d *askedDepth) Warning() string { return "" }
func (d *askedDepth) Close() error    { return nil }

func (d *askedDepth) Question() (loadstat.Question, bool) {
	return loadstat.Question{Endpoint: "it", Forecast: loadstat.Forecast{Users: 1, Basis: loadstat.BasisCount, Count: 6,
		Prompt: 1e6}}, true
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
		testkit.That(t, CodeOf(err) == x.code && d.runs == x.runs && strings.Contains(out.String(), x.out),
			"%s: error %v, %d runs, %q", x.args, err, d.runs, out.String())
		if plan.Work.MaxTokens != 200 || plan.Requests != 3 || plan.Users[0] != 1 || !slices.Equal(plan.Depths, []int{1000}) {
			t.Errorf("%s: plan %+v", x.args, plan)
		}
	}
}

// What the machine does not hold is refused before anything is sent.
func TestNoRoom(t *testing.T) {
	j := Job{Room: metrics.Room{FileLimit: 100}}
	testkit.That(t, CodeOf(j.room(101, false)) == ExitConfig && j.room(80, false) == nil, "%v", j.room(101, false))
}
