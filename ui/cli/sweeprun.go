package cli

import (
	"context"
	"errors"
	"fmt"
	"io"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/ui/cli/handover"
	"tokscope/ui/format"
	"tokscope/ui/report"
	"tokscope/ui/sanitize"
)

// Run carries out `tokscope sweep`: it asks for consent where needed,
// measures the steps and prints them. prepare prepares a plan; its error is a
// usage error.
func (o *Sweep) Run(ctx context.Context, j *Job, prepare func(loadstat.SweepPlan) (Sweeper, error)) error {
	w, err := o.Workload(ctx, o.Defaults(j.defaults()), j.In)
	if err != nil {
		return err
	}
	w = o.Bound(w)
	slos, err := PlanSweep(o, j.Settings.String("defaults.slo"))
	if err != nil {
		return err
	}
	if o.Handover {
		return handover.PrintHandover(j.Out, handover.Handovers(LoadOf(o, j.Endpoint, w, slos)))
	}
	progress := NewSweepProgress(j.Err, o.Steps(), !o.Quiet && j.ErrTerminal)
	sweep, err := prepare(o.plan(w, slos, j.pace(), progress))
	if err != nil {
		return &Exit{ExitUsage, err}
	}
	defer func() { _ = sweep.Close() }()
	if w := sweep.Warning(); w != "" {
		fmt.Fprintln(j.Err, "tokscope:", sanitize.Line(w, 300))
	}
	if question, needed := sweep.Question(); needed {
		if err := Consent(ctx, j.Err, j.In, j.ErrTerminal && j.InTerminal, o.Yes, format.Question(question)); err != nil {
			return err
		}
	}
	j.announceMetrics(!o.Quiet)
	stop := progress.Start()
	outcome, err := sweep.Run(ctx)
	stop()
	result := o.report(w, slos, &outcome)
	err = errors.Join(err, o.Print(j.Out, result, j.Settings.Bool("ui.ascii"), func(out io.Writer) error {
		var handovers []loadstat.Handover
		if o.Ramp.Ramps() { // no other tool has them
			return sweep.Write(out, result.Verdicts(), result.Warnings(), nil)
		}
		for _, h := range handover.Handovers(LoadOf(o, result.Endpoint, w, slos)) {
			handovers = append(handovers, loadstat.Handover(h))
		}
		return sweep.Write(out, result.Verdicts(), result.Warnings(), handovers)
	}))
	if err != nil {
		return &Exit{ExitFailed, err}
	}
	return exitWith(CodeOfSweep(result, outcome.Interrupted))
}

// plan returns the plan that the flags describe.
func (o *Sweep) plan(w metrics.Workload, slos []slo.Objective, pace metrics.Pace, p *SweepProgress) loadstat.SweepPlan {
	return loadstat.SweepPlan{
		Work: w, Input: o.Input, Output: o.Output, Prompts: o.Prompts, SharedPrefix: o.Shared,
		Users: o.Users, Rates: o.Rates, Ramp: o.Ramp, Poisson: o.Poisson,
		Think: o.Think, Duration: o.Duration, Requests: o.Requests,
		SLOs: slos, UntilBreaks: o.UntilBreaks, MaxTokens: o.MaxTokens, PriceIn: o.PriceIn, PriceOut: o.PriceOut,
		Pace: pace, Resume: o.Resume, ServerMetrics: o.ServerMetrics, RequestLines: o.RequestLines, Begin: p.Step,
	}
}

// report returns an outcome ready to print.
func (o *Sweep) report(w metrics.Workload, slos []slo.Objective, r *loadstat.SweepOutcome) *report.Sweep {
	out := &report.Sweep{
		Endpoint: r.Endpoint, Model: r.View.Model, Work: w, Input: o.Input,
		Output: o.Output, Prompts: len(o.Prompts), Loop: o.Loop(),
		Open: len(o.Rates) > 0, SLOs: slos, Planned: max(o.Steps(), r.Planned),
		Stopped: format.Ending(r.Stopped), Budget: r.View.Budget,
		Observer: r.View.Observer, Stamps: r.View.Stamps, Limits: format.ClientLimit(r.View.ClientLimits),
		Resume: o.Resume, Ramp: o.Ramp.Ramps(), Faults: r.View.Faults, Done: r.View.Done,
		Fault: r.Fault, ServerMetrics: r.ServerMetrics, RequestLines: o.RequestLines,
	}
	if r.Stopped.Code == metrics.EndingMissed {
		out.Missed = r.Stopped.SLO
	}
	for _, s := range r.Steps {
		out.Steps = append(out.Steps, report.Step(s))
	}
	return out
}
