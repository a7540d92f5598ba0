// Command tokscope is an oscilloscope for LLM token streams.
//
// This file only connects command tree, configuration, engine and interface.
// It is the only place that exits and that handles signals.
package main

import (
	"cmp"
	"context"
	"errors"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/turn"
	"tokscope/probe/app"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
	"tokscope/probe/explain/lessons"
	"tokscope/probe/result"
	"tokscope/probe/session"
	"tokscope/probe/sim"
	"tokscope/probe/transport"
	"tokscope/themes"
	"tokscope/ui/cli"
	"tokscope/ui/say"
)

func main() {
	transport.SpareProcs()
	app.BoundHeap()
	log.SetOutput(io.Discard) // net/http logs parts of responses; they must not reach the screen
	ctx, stop := interruptible()
	root := cli.New(cli.Actions{
		Live: live, Probe: probe, Sweep: sweep, Race: race, Watch: watch,
		Doctor: doctor, Definitions: definitions, Serve: serve, Models: models,
		History: history, Compare: compare, Merge: merge, Replay: replay, Tap: tap, ShowConfig: showConfig,
		Sample: config.Sample(), Agents: app.TapAgents(),
		Themes: themes.Names(), Fields: app.FieldNames(), Targets: app.TargetNames, Named: app.CatalogueNames,
		Lessons: lessons.Headings(), Presets: app.Presets(), Scenarios: app.Scenarios(),
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

// program is what was put together for one command.
type program struct {
	*app.App
	job *cli.Job
}

// process is the console of this process.
func process() cli.Console {
	c := cli.Process()
	c.Page = app.WritePage
	return c
}

// recordings opens session files.
func recordings() app.Recordings {
	return app.Recordings{Version: cli.Version(), Sentences: say.Texts}
}

// open sets up a command that measures. It does not use the network.
func open(ctx context.Context, c *cli.Common) (*program, error) {
	messages, err := c.ReadMessages(ctx, os.Stdin)
	if err == nil {
		err = c.ReadCurl(ctx, process())
	}
	if err != nil {
		return nil, err
	}
	a, err := app.Open(ctx, app.CommandLine{
		ConfigPath: c.ConfigPath, Changed: c.Changed(), Target: c.Target, Flags: c.Flags, Messages: messages,
		Env: os.Getenv, Stdin: os.Stdin, Version: cli.Version(), Sentences: say.Texts,
		RecordLimit: int64(c.RecordLimit) << 20,
	})
	if bad, ok := errors.AsType[*endpoint.CurlError](err); ok {
		_, _ = io.WriteString(os.Stderr, bad.Excerpt+"\n")
	}
	if ctx.Err() != nil && err != nil {
		return nil, &cli.Exit{Code: cli.ExitInterrupted}
	}
	if err != nil {
		return nil, err
	}
	return &program{a, &cli.Job{Console: process(), Settings: a.Settings, Endpoint: a.Engine.Shown(a.Target),
		MaxTokens: a.Target.MaxTokens, Pasted: a.Pasted, Check: a.Target.CheckWork,
		Recording: a.Path(), Metrics: a.MetricsURL(), Room: app.Room(&a.Target),
		Script: func(file string) (*turn.Script, error) { return app.ReadScript(file, os.Stdin) }}}, nil
}

// end closes the program. It prints on stderr what went wrong with the recording.
func (p *program) end() {
	if err := p.Close(); err != nil {
		p.Warnings = append(p.Warnings, err.Error())
	}
	cli.Warn(os.Stderr, p.Warnings...)
}

// with opens the program for one command, calls f, and closes it.
func with(ctx context.Context, c *cli.Common, f func(*program) error) error {
	p, err := open(ctx, c)
	if err == nil {
		defer p.end()
		err = f(p)
	}
	return err
}

// live is `tokscope [TARGET]` and `tokscope tour`. The functions below are the commands of their names.
func live(ctx context.Context, o *cli.Live) error {
	return with(ctx, &o.Common, func(p *program) error {
		return o.Run(ctx, p.job, func() cli.Session { return p.Session() }, transport.Yield)
	})
}

func probe(ctx context.Context, o *cli.Probe) error {
	return with(ctx, &o.Common, func(p *program) error {
		if err := p.Target.NeedsKey(); err != nil {
			return err
		}
		return p.sent(o.Run(ctx, p.job, p))
	})
}

// sent returns err, the outcome of a command that ends by itself. Where that is nil, it
// is that of the collector that a flag names.
func (p *program) sent(err error) error {
	if lost := p.CloseExport(); err == nil && lost != nil {
		return &cli.Exit{Code: cli.ExitFailed, Err: lost}
	} else if lost != nil {
		p.Warnings = append(p.Warnings, lost.Error())
	}
	return err
}

func sweep(ctx context.Context, o *cli.Sweep) error {
	return with(ctx, &o.Common, func(p *program) error {
		if err := p.Target.NeedsKey(); err != nil {
			return err
		}
		return p.sent(o.Run(ctx, p.job,
			func(plan loadstat.SweepPlan) (cli.Sweeper, error) { return p.Sweep(plan) }))
	})
}

func race(ctx context.Context, o *cli.Race) error {
	return with(ctx, &o.Common, func(p *program) error {
		return o.Run(ctx, p.job, func() cli.RaceSession { return p.Session() }, transport.Yield)
	})
}

func watch(ctx context.Context, o *cli.Watch) error {
	return with(ctx, &o.Common, func(p *program) error { return o.Run(ctx, p.job, p.NewWatch(), transport.Yield) })
}

func doctor(ctx context.Context, o *cli.Doctor) error {
	return with(ctx, &o.Common, func(p *program) error { return o.Run(ctx, p.job, p) })
}

func definitions(ctx context.Context, o *cli.Definitions) error {
	files := cli.DefinitionsFiles{Replayer: recordings(), Write: func(w io.Writer, runs []metrics.Run) error {
		return result.WriteDefinitions(w, runs, cli.Version(), say.Texts)
	}}
	if o.File != "" {
		return o.RunFile(ctx, process(), files)
	}
	return with(ctx, &o.Common, func(p *program) error { return o.Run(ctx, p.job, p, files) })
}

func serve(ctx context.Context, o *cli.Serve) error {
	recordings, err := cli.Reading(ctx, process(), o.Replay,
		func() ([]*session.Recording, error) { return app.OpenRecordings(o.Replay, os.Stdin) })
	if err != nil {
		return err
	}
	err = app.Serve(ctx, app.Serving{
		Sim: sim.Options{
			Addr: o.Addr, Remote: o.Remote, Model: cmp.Or(o.Preset, o.Model), Speed: o.Speed, Seed: o.Seed,
			Scenario: o.Scenario, NoPrefixCache: o.NoPrefixCache, AllowHosts: o.AllowHosts, AllowOrigins: o.AllowOrigins,
		}, Hardware: o.Hardware, Mode: o.Mode, Draft: o.Draft, ConfigPath: o.ConfigPath, KeyEnv: o.KeyEnv,
		Replay: recordings, ReplayID: o.ReplayID, Env: os.Getenv, Out: os.Stdout, Log: os.Stderr,
		Ready: func(url, model string) { o.Try(os.Stderr, url, model) },
	})
	if errors.Is(err, app.ErrTaken) {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	return err
}

func history(ctx context.Context, o *cli.History) error {
	h, err := app.NewHistoryStore(o.ConfigPath, o.Changed(), os.Getenv, cli.Version())
	if err == nil {
		err = o.Run(ctx, process(), h)
	}
	return err
}

func models(_ context.Context, o *cli.Models) error { return o.Run(app.Models, result.WriteModels) }

func compare(ctx context.Context, o *cli.Compare) error {
	return o.Run(ctx, process(), app.ReadSample, result.Sentences(say.Texts).WriteComparison)
}

func merge(ctx context.Context, o *cli.Merge) error {
	return o.Run(ctx, cli.Process(), &session.Merger{Version: cli.Version(), Sentences: say.Texts})
}

func replay(ctx context.Context, o *cli.Replay) error {
	return o.Run(ctx, process(), live, recordings(), openPane)
}

func tap(ctx context.Context, o *cli.Tap) error {
	tapping := app.Tapping{Words: o.Words, To: o.To, ConfigPath: o.ConfigPath, Changed: o.Changed(),
		Export: o.Export, InsecureHTTP: o.InsecureHTTP, Env: os.Getenv, Version: cli.Version(),
		Sentences: say.Texts}
	if o.Alone() {
		running, err := app.RunningTaps(tapping)
		if err != nil {
			return err
		}
		return o.ShowRunning(ctx, running, openPane, live)
	}
	t, err := app.OpenTap(ctx, tapping)
	if err == nil {
		err = o.Run(ctx, process(), t)
	}
	return err
}

// openPane opens the session of a tap.
func openPane(path string) (cli.TapPane, error) {
	p, err := app.OpenPane(path)
	if err != nil {
		return nil, err
	}
	p.Version, p.Sentences = cli.Version(), say.Texts
	return p, nil
}

func showConfig(_ context.Context, c *cli.Common, origin bool) error {
	file, rows, err := app.InForce(c.ConfigPath, c.Changed(), os.Getenv)
	if err == nil {
		err = cli.PrintSettings(os.Stdout, file, rows, origin)
	}
	return err
}
