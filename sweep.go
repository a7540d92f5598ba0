package main

import (
	"context"
	"errors"
	"os"
	"strconv"
	"time"

	"github.com/charmbracelet/x/term"

	"tokscope/metrics"
	"tokscope/probe/load"
	"tokscope/probe/record"
	"tokscope/ui/cli"
)

// sweeping is one run of `tokscope sweep`: the flags with what they came to.
type sweeping struct {
	o       *cli.Sweep
	app     *app
	work    metrics.Workload
	slos    []metrics.SLO
	config  load.Config
	file    *record.SweepFile // nil without --resume
	fault   *metrics.Fault    // an example, nil when nothing failed
	started time.Time
}

// sweep is `tokscope sweep [TARGET]`.
func sweep(ctx context.Context, o *cli.Sweep) error {
	a, err := open(ctx, &o.Common)
	if err != nil {
		return err
	}
	defer a.end()
	s := &sweeping{o: o, app: a, started: time.Now()}
	if s.work, err = a.workload(); err != nil {
		return err
	}
	if o.Output != (cli.Span{}) {
		s.work.MaxTokens = o.Output.Max
	}
	if s.slos, err = cli.PlanSweep(o, a.Settings.String("defaults.slo")); err != nil {
		return err
	}
	if o.Handover {
		return cli.PrintHandover(os.Stdout, s.handovers(a.Target.Endpoint))
	}
	s.config = s.bounds().Tune(load.Config{
		Engine: a.Engine, Target: a.Target, Work: s.work, Output: load.Lengths{Low: o.Output.Min, High: o.Output.Max},
		SharedPrefix: o.Shared, Shape: load.Shape{Poisson: o.Poisson, Think: o.Think}, SLOs: s.slos,
		MaxTokens: o.MaxTokens, Price: load.Price{Prompt: o.PriceIn, Output: o.PriceOut, Currency: "at these prices"}, Pace: a.pace,
	})
	if o.Resume != "" {
		key := record.SweepKeyOf(a.Target.Endpoint, s.work, s.shape(), s.slos)
		s.file, err = record.OpenSweep(o.Resume, version(), s.started, key)
		if err != nil {
			return &cli.Exit{Code: cli.ExitUsage, Err: err}
		}
		defer func() { _ = s.file.Close() }()
	}
	if err := s.consent(ctx); err != nil {
		return err
	}
	return s.run(ctx)
}

// bounds says how long a step lasts.
func (s *sweeping) bounds() load.Bounds {
	return load.Bounds{Most: s.o.Duration, Requests: s.o.Requests}
}

// steps are the steps asked for.
func (s *sweeping) steps() []load.Step { return s.bounds().Steps(s.o.Users, s.o.Rates) }

// have returns a step that an earlier run has finished.
func (s *sweeping) have(step load.Step) (load.SweepPoint, bool) {
	if s.file == nil {
		return load.SweepPoint{}, false
	}
	p, lag, ok := s.file.Have(step.Users, step.Rate)
	return load.SweepPoint{Step: step, Point: p, Lag: lag}, ok
}

// left are the steps that must be measured.
func (s *sweeping) left() (out []load.Step) {
	for _, step := range s.steps() {
		if _, ok := s.have(step); !ok {
			out = append(out, step)
		}
	}
	return out
}

// consent asks the person before a load on somebody else's machine.
func (s *sweeping) consent(ctx context.Context) error {
	question, needed := load.NeedsConsent(s.app.Target, load.EstimateSteps(s.config, s.left()))
	if !needed {
		return nil
	}
	terminal := term.IsTerminal(os.Stdin.Fd()) && term.IsTerminal(os.Stderr.Fd())
	return cli.Consent(ctx, os.Stderr, os.Stdin, terminal, s.o.Yes, question)
}

// run measures and prints.
func (s *sweeping) run(ctx context.Context) error {
	steps := s.steps()
	var m load.Measurer = nothing{}
	var l *load.Load
	if left := s.left(); len(left) > 0 {
		c := s.config
		c.Shape.Rate = left[0].Rate
		l = load.Start(ctx, c)
		defer func() {
			l.Stop()
			l.Wait()
		}()
		m = load.Spread(l)
	}
	progress := cli.NewSweepProgress(os.Stderr, len(steps), !s.o.Quiet && term.IsTerminal(os.Stderr.Fd()))
	stop := progress.Start()
	plan := load.Sweep{
		Steps: steps, SLOs: s.slos, UntilBreaks: s.o.UntilBreaks, Have: s.have,
		Begin: func(i int, step load.Step) { progress.Step(i+1, step.String(), m.View) },
		Ended: func(p load.SweepPoint) error {
			if s.file == nil || p.Resumed {
				return nil
			}
			return s.file.Add(p.Step.Users, p.Step.Rate, &p.Point, p.Lag, time.Now())
		},
	}
	result, err := plan.Run(ctx, m)
	stop()
	if l != nil {
		s.fault = faultOf(l)
	}
	if perr := s.print(&result, m.View(), ctx.Err() != nil); perr != nil {
		err = errors.Join(err, perr)
	}
	if err != nil {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	report := s.report(&result, m.View())
	if code := report.Code(ctx.Err() != nil); code != cli.ExitOK {
		return &cli.Exit{Code: code}
	}
	return nil
}

// report is the result as it is printed.
func (s *sweeping) report(r *load.SweepResult, v metrics.LoadView) *cli.SweepReport {
	e := s.app.Target.Endpoint
	if v.Endpoint.Model != "" {
		e = v.Endpoint
	}
	out := &cli.SweepReport{
		Endpoint: e, Work: s.work, Loop: s.o.Loop(), Open: len(s.o.Rates) > 0, SLOs: s.slos, Planned: s.o.Steps(), Stopped: r.Stopped,
		Budget: v.Budget, Observer: v.Observer, Limits: v.ClientLimits, Resume: s.o.Resume, Fault: s.fault,
	}
	for _, p := range r.Points {
		out.Steps = append(out.Steps, cli.SweepStep{Rate: p.Step.Rate, Point: p.Point, Resumed: p.Resumed, Lag: p.Lag})
	}
	return out
}

// print writes the result in the form that was asked for.
func (s *sweeping) print(r *load.SweepResult, v metrics.LoadView, interrupted bool) error {
	report := s.report(r, v)
	switch {
	case s.o.JSON:
		doc := s.document(report, v, interrupted)
		return doc.Write(os.Stdout)
	case s.o.CSV:
		return cli.PrintSweepCSV(os.Stdout, report)
	case s.o.Markdown:
		return cli.PrintSweepMarkdown(os.Stdout, report)
	}
	return cli.PrintSweep(os.Stdout, report, s.app.Settings.Bool("ui.ascii"))
}

// document is the result as JSON.
func (s *sweeping) document(r *cli.SweepReport, v metrics.LoadView, interrupted bool) record.Sweep {
	says := r.Verdicts()
	d := record.SweepData{
		Started: s.started, Work: s.work, Endpoint: r.Endpoint, Load: s.shape(), SLOs: s.slos, Planned: r.Planned, Stopped: r.Stopped,
		Interrupted: interrupted, Fault: s.fault, View: v, Summary: says.Sentence, Knee: says.Knee, Largest: says.Largest, Breaks: says.Breaks,
		BreaksAt: says.BreaksStep, Seed: strconv.FormatUint(v.Seed, 10),
	}
	for i := range r.Steps {
		d.Steps = append(d.Steps, record.SweepStepData{Point: r.Steps[i].Point, Lag: r.Steps[i].Lag, Resumed: r.Steps[i].Resumed})
	}
	for _, h := range s.handovers(r.Endpoint) {
		d.Handover = append(d.Handover, record.Handover{Tool: h.Tool, Checked: h.Checked, Command: h.Command, Notes: h.Notes})
	}
	return record.SweepOf(version(), d)
}

// shape says how requests follow each other, for the records.
func (s *sweeping) shape() record.SweepLoad {
	return record.SweepLoad{
		Open: len(s.o.Rates) > 0, Poisson: s.o.Poisson, ThinkMs: float64(s.o.Think) / 1e6, DurationMs: float64(s.o.Duration) / 1e6,
		Requests: s.o.Requests, SharedPrefix: s.o.Shared, Output: s.o.Output.String(),
	}
}

func (s *sweeping) handovers(e metrics.Endpoint) []cli.Handover {
	return cli.Handovers(cli.LoadOf(s.o, e, s.work, s.slos))
}

// faultOf is an example of why requests of l failed: the last fault of the
// first user that has one.
func faultOf(l *load.Load) *metrics.Fault {
	v := l.View()
	if v.Failed == 0 {
		return nil
	}
	for _, lane := range v.Lanes {
		if st, ok := l.Stream(lane.User); ok && st.Fault != nil && st.Fault.Kind != metrics.FaultCancelled {
			return st.Fault
		}
	}
	return nil
}

// nothing is the load of a sweep whose steps are all finished.
type nothing struct{}

func (nothing) MeasureStep(context.Context, load.Step) metrics.LoadPoint {
	return metrics.LoadPoint{Why: "no load was started"}
}
func (nothing) View() metrics.LoadView { return metrics.LoadView{} }
