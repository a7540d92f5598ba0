// Command tokscope is an oscilloscope for LLM token streams.
//
// This file only wires: the command tree, the configuration, the engine and
// the interface. It is the only place that exits and that handles signals.
package main

import (
	"context"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"runtime/debug"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"time"

	tea "charm.land/bubbletea/v2"
	"charm.land/fang/v2"
	"github.com/charmbracelet/x/term"

	"tokscope/metrics"
	"tokscope/probe"
	"tokscope/probe/endpoint"
	"tokscope/probe/load"
	"tokscope/probe/record"
	"tokscope/probe/session"
	"tokscope/probe/sim"
	"tokscope/probe/wire"
	"tokscope/themes"
	"tokscope/ui"
	"tokscope/ui/cli"
	"tokscope/ui/plain"
	"tokscope/ui/prompts"
	"tokscope/ui/safe"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	// The first signal ends what runs in order; a second one ends it at once.
	context.AfterFunc(ctx, stop)
	root := cli.New(cli.Actions{
		Live: live, Probe: headless, ShowConfig: showConfig,
		Themes: themeNames(), Targets: targetNames, Sample: endpoint.Sample(),
	}, version())
	err := fang.Execute(ctx, root, fang.WithVersion(version()), fang.WithErrorHandler(printError))
	stop()
	os.Exit(cli.CodeOf(err))
}

// app is what every command that measures needs, built from flags,
// environment and file.
type app struct {
	common   *cli.Common
	settings endpoint.Settings
	resolver *endpoint.Resolver
	target   endpoint.Target
	engine   *probe.Engine
	file     *record.File // nil when nothing is recorded
	warning  string       // why nothing is recorded although it should be
	pace     metrics.Pace

	startDemo func() (*sim.Server, error)
}

// open reads the configuration, finds the target and starts the engine. It
// touches no network.
func open(ctx context.Context, c *cli.Common) (_ *app, err error) {
	config, settings, err := configuration(c)
	if err != nil {
		return nil, err
	}
	a := &app{common: c, settings: settings, startDemo: sync.OnceValues(func() (*sim.Server, error) { return sim.Start(sim.Options{}) })}
	defer func() {
		if err != nil {
			a.close()
		}
	}()
	a.resolver = &endpoint.Resolver{
		Config: config, Env: os.Getenv, Stdin: os.Stdin, Ctx: ctx, Target: settings.String("defaults.target"),
		Flags: endpoint.Flags{
			Model: c.Model, APIKeyFile: c.APIKeyFile, APIKeyEnv: c.APIKeyEnv, InsecureHTTP: c.InsecureHTTP,
			CACert: c.CACert, HTTP2: settings.Bool("defaults.http2"), MaxTokens: settings.Int("defaults.max_tokens"),
		},
	}
	if a.target, err = a.resolver.Resolve(c.Target); err != nil {
		return nil, err
	}
	if a.target.Kind == metrics.EndpointEmbedded {
		if a.target, err = a.demo(a.target.Model); err != nil {
			return nil, err
		}
	}
	for _, w := range a.target.Warnings {
		fmt.Fprintln(os.Stderr, "tokscope:", safe.Line(w, 300))
	}
	pace, ok := metrics.PaceByName(settings.String("defaults.pace"))
	if !ok {
		return nil, cli.Usage("pace %q: give one of %s", settings.String("defaults.pace"), cli.PaceNames())
	}
	a.pace = pace
	if name := settings.String("defaults.theme"); name != "" {
		if _, ok := themes.ByName(name); !ok {
			return nil, cli.Usage("theme %q: give one of %s", name, strings.Join(themeNames(), ", "))
		}
	}
	roots, err := roots(a.target.CACert)
	if err != nil {
		return nil, err
	}
	mode := wire.StampsAuto
	if settings.String("defaults.stamps") == "user" {
		mode = wire.StampsUser
	}
	bounds := wire.DefaultBounds()
	bounds.Connect, bounds.TLS = settings.Duration("timeouts.connect"), settings.Duration("timeouts.tls")
	bounds.FirstByte, bounds.Idle = settings.Duration("timeouts.first_byte"), settings.Duration("timeouts.idle")
	a.engine = probe.New(probe.Options{Stamps: mode, HTTP2: a.target.HTTP2, RootCAs: roots, Bounds: bounds, Timeout: c.Timeout})
	if settings.Bool("defaults.record") {
		a.record()
	}
	return a, nil
}

// configuration merges the file, the environment and the flags.
func configuration(c *cli.Common) (*endpoint.Config, endpoint.Settings, error) {
	path := c.ConfigPath
	if path == "" {
		path = endpoint.DefaultPath(os.Getenv)
	}
	config, err := endpoint.Load(path)
	if err != nil {
		return nil, endpoint.Settings{}, err
	}
	settings, err := config.Settings(c.Changed(), os.Getenv)
	return config, settings, err
}

// record opens the session file. A measurement does not fail for want of one:
// the reason is kept and shown.
func (a *app) record() {
	dir := a.settings.String("defaults.state_dir")
	var err error
	if dir == "" {
		dir, err = record.StateDir(os.Getenv)
	}
	if err == nil {
		a.file, err = record.Create(dir, version(), time.Now())
	}
	if err != nil {
		a.warning = "nothing is recorded: " + err.Error()
		return
	}
	a.engine.AddSink(a.file)
}

// demo starts the embedded endpoint, once, and returns it as a target.
func (a *app) demo(model string) (endpoint.Target, error) {
	s, err := a.startDemo()
	if err != nil {
		return endpoint.Target{}, fmt.Errorf("start the embedded endpoint: %w", err)
	}
	if model == "" {
		model = sim.DefaultModel
	}
	return endpoint.Target{
		Endpoint: metrics.Endpoint{
			Kind: metrics.EndpointEmbedded, Name: "demo", URL: s.URL(), Model: model, Ready: true, Note: presetNote(model),
		},
		Auth: endpoint.AuthNone, Server: "tokscope",
	}, nil
}

// close ends everything, in the order in which it depends on each other.
func (a *app) close() {
	if a.engine != nil {
		a.engine.Close()
	}
	if a.file != nil {
		if err := a.file.Close(); err != nil {
			fmt.Fprintln(os.Stderr, "tokscope:", err)
		}
	}
	if a.target.Kind == metrics.EndpointEmbedded {
		if s, err := a.startDemo(); err == nil {
			ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
			defer cancel()
			_ = s.Close(ctx)
		}
	}
}

// workload is what the flags ask to be sent: a preset, changed by them.
func (a *app) workload() (metrics.Workload, error) {
	w := prompts.Default()
	if name := a.settings.String("defaults.workload"); name != "" {
		p, ok := prompts.ByName(name)
		if !ok {
			return w, cli.Usage("workload %q: give one of %s", name, presetNames())
		}
		w = p.Work
	}
	c := a.common
	text, ok, err := c.ReadPrompt(os.Stdin)
	if err != nil {
		return w, err
	}
	if ok {
		w.Name, w.Prompt, w.InputTokens = prompts.Custom, text, 0
	}
	if c.System != "" {
		w.System = c.System
	}
	if c.Given("input-tokens") {
		w.InputTokens = c.InputTokens
	}
	if n := a.settings.Int("defaults.max_tokens"); n > 0 {
		w.MaxTokens = n
	} else if a.target.MaxTokens > 0 {
		w.MaxTokens = a.target.MaxTokens
	}
	if c.Given("temperature") {
		w.Temperature = &c.Temperature
	}
	if c.Given("seed") {
		w.Seed = &c.Seed
	}
	switch a.settings.String("defaults.connection") {
	case "cold":
		w.Connection = metrics.ReuseCold
	case "warm":
		w.Connection = metrics.ReuseWarm
	}
	return w, nil
}

// live is `tokscope [TARGET]`: the terminal interface, or its lines.
func live(ctx context.Context, o *cli.Live) error {
	a, err := open(ctx, &o.Common)
	if err != nil {
		return err
	}
	defer a.close()
	w, err := a.workload()
	if err != nil {
		return err
	}
	tty := term.IsTerminal(os.Stdout.Fd()) && term.IsTerminal(os.Stdin.Fd())
	isPlain := a.settings.Bool("ui.plain")
	if !tty && !isPlain {
		return cli.Usage("this is no terminal: use `tokscope probe` for figures, or --plain for lines")
	}
	s := session.New(session.Options{
		Engine: a.engine, Resolver: a.resolver, Target: a.target, File: a.file, Version: version(),
		Embedded: func() (endpoint.Target, error) { return a.demo("") }, Discover: a.settings.Bool("defaults.discover"),
	})
	color, err := themes.ParseChoice(a.settings.String("ui.color"))
	if err != nil {
		return cli.Usage("%v", err)
	}
	if isPlain {
		err = plain.Run(ctx, s, os.Stdout, plain.Options{Work: w})
	} else {
		m := ui.New(s, ui.Options{
			Theme: a.settings.String("defaults.theme"), Profile: color.Profile(os.Getenv, tty), ASCII: a.settings.Bool("ui.ascii"),
			ReducedMotion: a.settings.Bool("ui.reduced_motion"), Mouse: a.settings.Bool("ui.mouse"), FPS: a.fps(),
			Work: w, Pace: a.pace.Name, Units: a.settings.String("ui.units"), Start: true,
		})
		s.SetNotify(m.Notify)
		err = m.Run(ctx, tea.WithoutSignalHandler())
	}
	s.Stop()
	s.Wait()
	if !isPlain {
		fmt.Fprint(os.Stdout, ui.Summary(s.Runs(), s.SessionPath()))
	}
	if a.warning != "" {
		fmt.Fprintln(os.Stderr, "tokscope:", safe.Line(a.warning, 300))
	}
	if err != nil {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	if ctx.Err() != nil {
		return &cli.Exit{Code: cli.ExitInterrupted}
	}
	return nil
}

func (a *app) fps() int {
	if n := a.settings.Int("ui.fps"); n > 0 {
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
	defer a.close()
	w, err := a.workload()
	if err != nil {
		return err
	}
	plan, err := cli.NewPlan(a.settings.Int("defaults.requests"), a.settings.Int("defaults.concurrency"), a.settings.String("defaults.slo"))
	if err != nil {
		return err
	}
	if a.warning != "" {
		fmt.Fprintln(os.Stderr, "tokscope:", safe.Line(a.warning, 300))
	}
	var lines *record.Live
	if o.NDJSON {
		lines = record.NewLive(os.Stdout)
		a.engine.AddSink(lines)
	}
	progress := cli.NewProgress(os.Stderr, plan.Requests, !o.Quiet && term.IsTerminal(os.Stderr.Fd()))
	a.engine.AddSink(progressSink{progress})
	stop := progress.Start()
	runs := load.Run(ctx, a.engine, load.Plan{
		Requests: plan.Requests, Concurrency: plan.Concurrency, Target: a.target, Work: w,
		Nonces: !o.SamePrompt && plan.Requests > 1, Seed: uint64(time.Now().UnixNano()), Pace: a.pace,
		Ended: func(_ int, r metrics.Run) { progress.Ended(r) },
	})
	stop()
	interrupted := ctx.Err() != nil
	switch {
	case o.NDJSON:
		err = lines.Err()
	case o.JSON:
		doc := record.DocumentOf(version(), runs)
		doc.WithSLO(runs, plan.SLOs)
		if o.Text {
			doc.WithTexts(runs)
		}
		err = doc.Write(os.Stdout)
	default:
		path := ""
		if a.file != nil {
			path = a.file.Path()
		}
		err = cli.PrintSummary(os.Stdout, runs, plan.SLOs, path)
	}
	if err != nil {
		return &cli.Exit{Code: cli.ExitFailed, Err: err}
	}
	if code := cli.CodeOfRuns(runs, plan.SLOs, interrupted); code != cli.ExitOK {
		return &cli.Exit{Code: code}
	}
	return nil
}

// progressSink tells the progress line of streams that begin and of chunks.
type progressSink struct{ p *cli.Progress }

func (s progressSink) Begin(v metrics.Stream) { s.p.Began(v.ID) }
func (s progressSink) Event(f *probe.Folded)  { s.p.Chunks(len(f.Chunks)) }
func (s progressSink) Flush()                 {}
func (s progressSink) End(v metrics.Stream)   {}

// showConfig is `tokscope config show`.
func showConfig(_ context.Context, c *cli.Common, origin bool) error {
	config, settings, err := configuration(c)
	if err != nil {
		return err
	}
	rows := [][3]string{}
	for _, s := range append(settings.All(), config.Show()...) {
		rows = append(rows, [3]string{s.Name, s.Value, s.Origin})
	}
	return cli.PrintSettings(os.Stdout, config.Path(), rows, origin)
}

// roots are the certificates of a private authority, nil for the system's.
func roots(path string) (*x509.CertPool, error) {
	if path == "" {
		return nil, nil
	}
	pem, err := os.ReadFile(path)
	if err != nil {
		return nil, &cli.Exit{Code: cli.ExitConfig, Err: fmt.Errorf("the certificate authority cannot be read: %w", err)}
	}
	pool, err := x509.SystemCertPool()
	if err != nil {
		pool = x509.NewCertPool()
	}
	if !pool.AppendCertsFromPEM(pem) {
		return nil, &cli.Exit{Code: cli.ExitConfig, Err: fmt.Errorf("%s holds no certificate in PEM form", path)}
	}
	return pool, nil
}

// printError writes the last words of a command. Outside strings may stand in
// an error, so it is made safe for a terminal; keys are gone already.
func printError(w io.Writer, _ fang.Styles, err error) {
	var x *cli.Exit
	if errors.As(err, &x) && x.Err == nil {
		return
	}
	fmt.Fprintln(w, "tokscope:", safe.Line(err.Error(), 2000))
}

func themeNames() []string {
	var names []string
	for _, t := range themes.All() {
		names = append(names, t.Name)
	}
	return names
}

func presetNames() string {
	var names []string
	for _, p := range prompts.All() {
		names = append(names, strconv.Quote(p.Name))
	}
	return strings.Join(names, ", ")
}

// presetNote is the line that tells a person what a model of the embedded
// endpoint stands for.
func presetNote(model string) string {
	for _, p := range sim.Presets {
		if p.ID == model {
			return p.About
		}
	}
	return ""
}

// targetNames completes TARGET: profiles, then providers.
func targetNames() []string {
	var names []string
	if config, _, err := configuration(&cli.Common{}); err == nil {
		for name := range config.Profiles {
			names = append(names, name)
		}
	}
	for _, p := range endpoint.Providers() {
		names = append(names, p.Name)
	}
	return names
}

// version is the module's version, or the commit it was built from.
func version() string {
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return "unknown"
	}
	if v := info.Main.Version; v != "" && v != "(devel)" {
		return v
	}
	for _, s := range info.Settings {
		if s.Key == "vcs.revision" && len(s.Value) >= 12 {
			return "devel " + s.Value[:12]
		}
	}
	return "devel"
}
