package cli

import (
	"context"
	"errors"

	"tokscope/metrics/loadstat"
	"tokscope/metrics/request"
	"tokscope/ui/report"
)

// Run carries out `tokscope probe`: it sends the requests and prints the
// results. The error is an *Exit where a request failed or a limit was
// missed.
func (o *Probe) Run(ctx context.Context, j *Job, p Prober) error {
	w, err := o.Workload(ctx, j.defaults(), j.In)
	if err != nil {
		return err
	}
	plan, err := NewPlan(j.Settings.Int("defaults.requests"),
		j.Settings.Int("defaults.concurrency"), j.Settings.String("defaults.slo"))
	if err != nil {
		return err
	}
	var endLines func(context.Context) error
	if o.NDJSON {
		endLines = p.Lines(j.Out)
	}
	j.announceMetrics(!o.Quiet)
	form, warmup := o.form(plan, j.Recording), (*loadstat.Warmup)(nil)
	form.ASCII = j.Settings.Bool("ui.ascii")
	progress := NewProgress(j.Err, plan.Requests, !o.Quiet && j.ErrTerminal)
	progress.warmup = o.Warmup
	stop := progress.Start()
	runs := p.Probe(ctx, loadstat.ProbePlan{
		Work: w, Requests: plan.Requests, Concurrency: plan.Concurrency, SamePrompt: o.SamePrompt, Pace: j.pace(),
		Began: progress.Began, Chunks: progress.Chunks, Ended: progress.Ended,
		Warmup: o.Warmup, WarmupEnded: progress.WarmupEnded, Warmed: func(w loadstat.Warmup) { warmup = &w },
	})
	stop()
	interrupted := ctx.Err() != nil
	switch {
	case o.NDJSON:
		err = endLines(ctx)
	case o.JSON:
		document := loadstat.ProbeForm{SLOs: plan.SLOs, Texts: o.Text,
			Warmup: warmup, Requests: plan.Requests, Interrupted: interrupted}
		if o.Lens.On() {
			document.Lens, document.Task = o.Lens.Of(), o.Lens.Task
		}
		err = p.WriteRuns(j.Out, runs, document)
	case o.CSV:
		err = report.ProbeCSV(j.Out, runs)
	default:
		form.Warmup, form.Asked, form.Interrupted = warmup, plan.Requests, interrupted
		err = errors.Join(report.Probe(j.Out, runs, form), o.Lens.Print(j.Out, runs))
	}
	if err != nil {
		return &Exit{ExitFailed, err}
	}
	return exitWith(CodeOfRuns(runs, plan.SLOs, interrupted))
}

// form is what the text says beside the runs.
func (o *Probe) form(plan Plan, path string) report.Form {
	f := report.Form{SLOs: plan.SLOs, Path: path, By: origin(), Histogram: o.Histogram}
	if o.Given("list") {
		list, _ := request.ParseFilter(o.List) // checkList did
		f.List = &list
	}
	if o.Lens.On() {
		f.Lens, f.Task = o.Lens.Of().Key, o.Lens.Task
	}
	return f
}

// exitWith is the error of a command that has already printed everything.
func exitWith(code int) error {
	if code == ExitOK {
		return nil
	}
	return &Exit{Code: code}
}

// listAll is the value of --list without a filter. It is a filter that matches
// all requests, in the order of sending.
const listAll = "sort:number"

// maxWarmup bounds --warmup.
const maxWarmup = 10_000

// checkForm refuses more than one form of output.
func (o *Probe) checkForm() error {
	switch {
	case o.JSON && o.NDJSON:
		return Usage("--json and --ndjson exclude each other: choose one")
	case o.CSV && (o.JSON || o.NDJSON):
		return Usage("--csv and JSON exclude each other: choose one")
	case o.CSV && o.Lens.On():
		return Usage("--csv has a line for every request, --lens judges all of them: choose one")
	case o.Histogram && (o.JSON || o.NDJSON || o.CSV):
		return Usage("--histogram is for the text; --json and --csv have every request: choose one")
	}
	return nil
}

// checkList refuses wrong values of --list and --warmup.
func (o *Probe) checkList() error {
	if o.Warmup < 0 || o.Warmup > maxWarmup {
		return Usage("--warmup %d: give 0 to %d", o.Warmup, maxWarmup)
	}
	if !o.Given("list") {
		return nil
	}
	if o.JSON || o.NDJSON || o.CSV {
		return Usage("--list is for the text; --json and --csv have every request: choose one")
	}
	if _, err := request.ParseFilter(o.List); err != nil {
		return &Exit{ExitUsage, err}
	}
	return nil
}
