package cli

import (
	"context"
	"errors"

	"tokscope/metrics/loadstat"
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
	plan, err := NewPlan(j.Settings.Int("defaults.requests"), j.Settings.Int("defaults.concurrency"), j.Settings.String("defaults.slo"))
	if err != nil {
		return err
	}
	var endLines func(context.Context) error
	if o.NDJSON {
		endLines = p.Lines(j.Out)
	}
	j.announceMetrics(!o.Quiet)
	progress := NewProgress(j.Err, plan.Requests, !o.Quiet && j.ErrTerminal)
	stop := progress.Start()
	runs := p.Probe(ctx, loadstat.ProbePlan{
		Work: w, Requests: plan.Requests, Concurrency: plan.Concurrency, SamePrompt: o.SamePrompt, Pace: j.pace(),
		Began: progress.Began, Chunks: progress.Chunks, Ended: progress.Ended,
	})
	stop()
	interrupted := ctx.Err() != nil
	switch {
	case o.NDJSON:
		err = endLines(ctx)
	case o.JSON:
		form := loadstat.ProbeForm{SLOs: plan.SLOs, Texts: o.Text}
		if o.Lens.On() {
			form.Lens, form.Task = o.Lens.Of(), o.Lens.Task
		}
		err = p.WriteRuns(j.Out, runs, form)
	default:
		err = errors.Join(report.Probe(j.Out, runs, o.form(plan, j.Recording)), o.Lens.Print(j.Out, runs))
	}
	if err != nil {
		return &Exit{ExitFailed, err}
	}
	return exitWith(CodeOfRuns(runs, plan.SLOs, interrupted))
}

// form is what the text says beside the runs.
func (o *Probe) form(plan Plan, path string) report.Form {
	f := report.Form{SLOs: plan.SLOs, Path: path, By: origin()}
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
