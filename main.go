// Command tokscope is an oscilloscope for LLM token streams.
//
// This file only wires: the command tree, the configuration, the engine and
// the interface. It is the only place that exits and that handles signals.
package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/x/term"

	"tokscope/metrics"
	setup "tokscope/probe/app"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	tour "tokscope/probe/explain/lessons"
	"tokscope/probe/loadgen"
	"tokscope/probe/record"
	"tokscope/probe/sim"
	"tokscope/probe/transport"
	"tokscope/themes"
	"tokscope/ui"
	"tokscope/ui/cli"
	"tokscope/ui/plain"
	"tokscope/ui/sanitize"
)

func main() {
	transport.SpareProcs()
	setup.BoundHeap()
	log.SetOutput(io.Discard) // net/http logs what servers send; nothing of that may reach the screen
	ctx, stop := interruptible()
	root := cli.New(cli.Actions{
		Live: live, Probe: headless, Sweep: sweep, Tour: guided, Serve: serve, ShowConfig: showConfig,
		Themes: themes.Names(), Targets: func() []string { return setup.TargetNames(os.Getenv) }, Sample: endpoint.Sample(),
	}, cli.Version())
	err := cli.Execute(ctx, root, cli.Version())
	stop()
	os.Exit(cli.CodeOf(err))
}

// interruptible returns a context that the first SIGINT, SIGTERM or SIGHUP
// ends, so that running work ends in order. A second SIGINT or SIGTERM ends
// the program at once. A second SIGHUP does not, because closing a terminal
// often sends two. SIGHUP stays ignored in a program started with nohup.
func interruptible() (context.Context, context.CancelFunc) {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop)
	if signal.Ignored(syscall.SIGHUP) {
		return ctx, stop
	}
	all, stopHangup := signal.NotifyContext(ctx, syscall.SIGHUP)
	return all, func() { stopHangup(); stop() }
}

// app is what was put together for one command, with the flags it came from.
type app struct {
	*setup.App
	common *cli.Common
	pace   metrics.Pace
}

// open puts together what a command that measures needs. It touches no network.
func open(ctx context.Context, c *cli.Common) (*app, error) {
	s, err := setup.Open(ctx, setup.CommandLine{
		ConfigPath: c.ConfigPath, Changed: c.Changed(), Target: c.Target, Timeout: c.Timeout,
		Flags: endpoint.Flags{Model: c.Model, APIKeyFile: c.APIKeyFile, APIKeyEnv: c.APIKeyEnv, InsecureHTTP: c.InsecureHTTP, CACert: c.CACert},
		Env:   os.Getenv, Stdin: os.Stdin, Version: cli.Version(),
	})
	if err != nil {
		return nil, err
	}
	a := &app{App: s, common: c}
	a.pace, _ = metrics.PaceByName(s.Settings.String("defaults.pace"))
	return a, nil
}

// end closes the app, and says on stderr what went wrong with the recording.
func (p *app) end() {
	if err := p.Close(); err != nil {
		p.Warnings = append(p.Warnings, err.Error())
	}
	for _, w := range p.Warnings {
		fmt.Fprintln(os.Stderr, "tokscope:", sanitize.Line(w, 300))
	}
}

// defaults are the settings that shape a workload.
func (a *app) defaults() cli.Defaults {
	return cli.Defaults{
		Preset: a.Settings.String("defaults.workload"), MaxTokens: a.Settings.Int("defaults.max_tokens"),
		TargetMax: a.Target.MaxTokens, Connection: a.Settings.String("defaults.connection"),
	}
}

// workload is what the flags ask to be sent.
func (a *app) workload() (metrics.Workload, error) {
	return a.common.Workload(a.defaults(), os.Stdin)
}

// live is `tokscope [TARGET]`: the terminal interface, or its lines.
func live(ctx context.Context, o *cli.Live) error {
	a, err := open(ctx, &o.Common)
	if err != nil {
		return err
	}
	defer a.end()
	tty := term.IsTerminal(os.Stdout.Fd()) && term.IsTerminal(os.Stdin.Fd())
	theme := a.Settings.String("defaults.theme")
	colors, err := cli.Look(theme, a.Settings.String("ui.color"), os.Getenv, tty)
	if err != nil {
		return err
	}
	w, err := a.workload()
	if err != nil {
		return err
	}
	if a.Target.Kind == metrics.EndpointEmbedded {
		w = o.FirstImpression(w, a.defaults(), !a.Settings.IsDefault("defaults.workload"))
	}
	isPlain := a.Settings.Bool("ui.plain")
	if !tty && !isPlain {
		return cli.Usage("this is no terminal: use %s, or --plain for lines", o.Headless())
	}
	s := a.Session(cli.Version())
	last := "" // words of the screen
	switch {
	case isPlain && o.Tour:
		err = plain.Tour(ctx, s, os.Stdout, plain.TourOptions{Lesson: o.Lesson})
	case isPlain:
		err = plain.Run(ctx, s, os.Stdout, plain.Options{Work: w})
	default:
		var loads metrics.Workload // zero: the Load screen's own
		if o.NamesWork() {
			loads = w
		}
		m := ui.New(s, ui.Options{
			LoadWork: loads,
			Theme:    theme, Profile: colors, ASCII: a.Settings.Bool("ui.ascii"),
			ReducedMotion: a.Settings.Bool("ui.reduced_motion"), Mouse: a.Settings.Bool("ui.mouse"), FPS: a.fps(),
			Work: w, Pace: a.pace.Name, Units: a.Settings.String("ui.units"), Start: !o.Tour, First: o.Tour, Lesson: o.Lesson, Yield: transport.Yield,
		})
		s.SetNotify(m.Notify)
		err = m.Run(ctx, tea.WithoutSignalHandler())
		last = m.TourSummary()
	}
	s.Stop()
	s.Wait()
	if !isPlain {
		fmt.Fprint(os.Stdout, ui.Runs(s.Runs(), s.SessionPath()), ui.Load(s.LoadView()), last)
	}
	interrupted := ctx.Err() != nil || errors.Is(err, ui.ErrInterrupted)
	if err != nil && !errors.Is(err, context.Canceled) && !errors.Is(err, ui.ErrInterrupted) {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	if interrupted {
		return &cli.Exit{Code: cli.ExitInterrupted}
	}
	return nil
}

// guided is `tokscope tour`: live, opened on the tour.
func guided(ctx context.Context, o *cli.Tour) (err error) {
	var lessons []cli.Lesson
	for _, h := range tour.Headings() {
		lessons = append(lessons, cli.Lesson(h))
	}
	if o.List {
		return cli.PrintLessons(os.Stdout, lessons)
	}
	o.Tour = true
	if o.Lesson, err = cli.LessonNumber(o.From, lessons); err != nil {
		return err
	}
	return live(ctx, &o.Live)
}

func (a *app) fps() int {
	if n := a.Settings.Int("ui.fps"); n > 0 {
		return n
	}
	return ui.FPSFor(os.Getenv)
}

// headless is `tokscope probe [TARGET]`.
func headless(ctx context.Context, o *cli.Probe) error {
	a, err := open(ctx, &o.Common)
	if err != nil {
		return err
	}
	defer a.end()
	w, err := a.workload()
	if err != nil {
		return err
	}
	plan, err := cli.NewPlan(a.Settings.Int("defaults.requests"), a.Settings.Int("defaults.concurrency"), a.Settings.String("defaults.slo"))
	if err != nil {
		return err
	}
	var lines *record.Live
	if o.NDJSON {
		lines = record.NewLive(os.Stdout)
		a.Engine.AddSink(lines)
	}
	progress := cli.NewProgress(os.Stderr, plan.Requests, !o.Quiet && term.IsTerminal(os.Stderr.Fd()))
	a.Engine.AddSink(client.CountingSink{Began: progress.Began, Chunks: progress.Chunks})
	stop := progress.Start()
	runs := loadgen.Run(ctx, a.Engine, loadgen.Plan{
		Requests: plan.Requests, Concurrency: plan.Concurrency, Target: a.Target, Work: w,
		Nonces: !o.SamePrompt && plan.Requests > 1, Seed: uint64(time.Now().UnixNano()), Pace: a.pace,
		Ended: func(_ int, r metrics.Run) { progress.Ended(r) },
	})
	stop()
	interrupted := ctx.Err() != nil
	switch {
	case o.NDJSON:
		err = lines.Err()
	case o.JSON:
		doc := record.DocumentOf(cli.Version(), runs)
		doc.WithSLO(runs, plan.SLOs)
		if o.Lens.On() {
			doc.WithLens(runs, o.Lens.Of(), o.Lens.Task)
		}
		if o.Text {
			doc.WithTexts(runs)
		}
		err = doc.Write(os.Stdout)
	default:
		err = errors.Join(cli.PrintSummary(os.Stdout, runs, plan.SLOs, a.Path()), o.Lens.Print(os.Stdout, runs))
	}
	if err != nil {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	if code := cli.CodeOfRuns(runs, plan.SLOs, interrupted); code != cli.ExitOK {
		return &cli.Exit{Code: code}
	}
	return nil
}

// sweep is `tokscope sweep [TARGET]`.
func sweep(ctx context.Context, o *cli.Sweep) error {
	a, err := open(ctx, &o.Common)
	if err != nil {
		return err
	}
	defer a.end()
	started := time.Now()
	w, err := a.common.Workload(o.Defaults(a.defaults()), os.Stdin)
	if err != nil {
		return err
	}
	w = o.Bound(w)
	slos, err := cli.PlanSweep(o, a.Settings.String("defaults.slo"))
	if err != nil {
		return err
	}
	if o.Handover {
		return cli.PrintHandover(os.Stdout, cli.Handovers(cli.LoadOf(o, a.Target.Endpoint, w, slos)))
	}
	curve := &loadgen.Curve{
		Config: loadgen.Config{
			Engine: a.Engine, Target: a.Target, Work: w, Prompts: o.Prompts, Input: o.Input, Output: o.Output,
			SharedPrefix: o.Shared, Shape: loadgen.Shape{Poisson: o.Poisson, Think: o.Think}, SLOs: slos, MaxTokens: o.MaxTokens,
			Price: loadgen.PriceOf(a.Target).Or(o.PriceIn, o.PriceOut), Pace: a.pace,
		},
		Bounds: loadgen.Bounds{Most: o.Duration, Requests: o.Requests}, Users: o.Users, Rates: o.Rates, UntilBreaks: o.UntilBreaks,
	}
	if o.Resume != "" {
		key := record.SweepKeyOf(a.Target.Endpoint, w, record.SweepLoadOf(curve), slos)
		file, err := record.OpenSweep(o.Resume, cli.Version(), started, key)
		if err != nil {
			return &cli.Exit{Code: cli.ExitUsage, Err: err}
		}
		defer func() { _ = file.Close() }()
		curve.Kept = file
	}
	terminal := term.IsTerminal(os.Stderr.Fd())
	if question, needed := curve.Question(); needed {
		if err := cli.Consent(ctx, os.Stderr, os.Stdin, terminal && term.IsTerminal(os.Stdin.Fd()), o.Yes, question); err != nil {
			return err
		}
	}
	progress := cli.NewSweepProgress(os.Stderr, o.Steps(), !o.Quiet && terminal)
	curve.Begin = progress.Step
	stop := progress.Start()
	r, err := curve.Run(ctx)
	stop()
	report := sweepReport(o, curve, &r)
	err = errors.Join(err, o.Print(os.Stdout, report, a.Settings.Bool("ui.ascii"), func(out io.Writer) error {
		doc := sweepDocument(o, record.SweepDataOf(started, curve, &r), report)
		return doc.Write(out)
	}))
	if err != nil {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	if code := report.Code(r.Interrupted); code != cli.ExitOK {
		return &cli.Exit{Code: code}
	}
	return nil
}

// sweepReport hands what came of a sweep to those who print it.
func sweepReport(o *cli.Sweep, c *loadgen.Curve, r *loadgen.Outcome) *cli.SweepReport {
	out := &cli.SweepReport{
		Endpoint: r.Endpoint, Work: c.Config.Work, Input: o.Input, Output: o.Output, Prompts: len(o.Prompts), Loop: o.Loop(), Open: c.Open(), SLOs: c.Config.SLOs, Planned: o.Steps(), Stopped: r.Stopped,
		Budget: r.View.Budget, Observer: r.View.Observer, Limits: r.View.ClientLimits, Resume: o.Resume, Fault: r.Fault,
	}
	for _, p := range r.Points {
		out.Steps = append(out.Steps, cli.Step{Rate: p.Step.Rate, Point: p.Point, Resumed: p.Resumed, Lag: p.Lag})
	}
	return out
}

// sweepDocument completes d with what the printed form says of the steps.
func sweepDocument(o *cli.Sweep, d record.SweepData, r *cli.SweepReport) record.Sweep {
	says := r.Verdicts()
	d.Summary, d.Knee, d.Largest, d.Breaks, d.BreaksAt = says.Sentence, says.Knee, says.Largest, says.Breaks, says.BreaksStep
	for _, h := range cli.Handovers(cli.LoadOf(o, r.Endpoint, r.Work, r.SLOs)) {
		d.Handover = append(d.Handover, record.Handover(h))
	}
	return record.SweepOf(cli.Version(), d)
}

// serve is `tokscope serve`.
func serve(ctx context.Context, o *cli.Serve) error {
	switch {
	case o.Preset == "list":
		return cli.PrintList(os.Stdout, setup.Presets())
	case o.Scenario == "list":
		return cli.PrintList(os.Stdout, setup.Scenarios())
	}
	err := setup.Serve(ctx, setup.Serving{
		Sim: sim.Options{
			Addr: o.Addr, Remote: o.Remote, Model: cmp.Or(o.Preset, o.Model), Speed: o.Speed, Seed: o.Seed,
			Scenario: o.Scenario, NoPrefixCache: o.NoPrefixCache,
		},
		Hardware: o.Hardware, Mode: o.Mode, KeyEnv: o.KeyEnv, Env: os.Getenv, Out: os.Stdout, Log: os.Stderr,
	})
	if errors.Is(err, setup.ErrTaken) {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	return err
}

// showConfig is `tokscope config show`.
func showConfig(_ context.Context, c *cli.Common, origin bool) error {
	file, rows, err := setup.InForce(c.ConfigPath, c.Changed(), os.Getenv)
	if err != nil {
		return err
	}
	return cli.PrintSettings(os.Stdout, file, rows, origin)
}
