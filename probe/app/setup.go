// Package setup puts together what every command that measures needs: the
// configuration merged from flags, environment and file, the target, the
// engine, the recording, and the embedded endpoint when it is the target.
package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/record"
	"tokscope/probe/sim"
	"tokscope/probe/transport"
)

// CommandLine are what a command line says.
type CommandLine struct {
	ConfigPath string            // "": the usual place
	Changed    map[string]string // flags that were given, by name: they win over environment and file
	Target     string            // as typed
	Flags      endpoint.Flags
	Timeout    time.Duration // of a whole request; 0: no bound
	Env        func(string) string
	Stdin      io.Reader
	Version    string
}

// App is everything that was put together. Close it.
type App struct {
	Config   *endpoint.Config
	Settings endpoint.Settings
	Resolver *endpoint.Resolver
	Target   endpoint.Target
	Engine   *client.Engine
	File     *record.File // nil when nothing is recorded
	// Warnings are sentences for a person: why nothing is recorded although it
	// should be, a key file that others can read.
	Warnings []string

	startDemo func() (*sim.Server, error)
	mu        sync.Mutex
	started   bool   // the embedded endpoint runs
	stateDir  string // of what is remembered between sessions, "" when nothing is
}

// Configuration merges the file, the environment and the flags. "" is the file
// in the usual place, which need not exist; one that is named must.
func Configuration(path string, changed map[string]string, env func(string) string) (*endpoint.Config, endpoint.Settings, error) {
	if path == "" {
		path = endpoint.DefaultPath(env)
	} else if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// The usual place may be empty; a file that somebody named may not.
		return nil, endpoint.Settings{}, &metrics.Fault{Kind: metrics.FaultConfig, Message: "there is no configuration file " + path, Next: "check --config; tokscope config sample prints one to start from"}
	}
	cfg, err := endpoint.Load(path)
	if err != nil {
		return nil, endpoint.Settings{}, err
	}
	settings, err := cfg.Settings(changed, env)
	return cfg, settings, err
}

// Open reads the configuration, finds the target and starts the engine. It
// asks nothing of any network. Errors are for a person and hold no key.
func Open(ctx context.Context, o CommandLine) (*App, error) {
	cfg, settings, err := Configuration(o.ConfigPath, o.Changed, o.Env)
	if err != nil {
		return nil, err
	}
	o.Flags.HTTP2 = settings.Bool("defaults.http2")
	o.Flags.MaxTokens = settings.Int("defaults.max_tokens")
	a := &App{
		Config: cfg, Settings: settings,
		Resolver: &endpoint.Resolver{
			Profiles: cfg, Env: o.Env, Stdin: o.Stdin, Ctx: ctx, Target: settings.String("defaults.target"), Flags: o.Flags,
		},
	}
	a.startDemo = sync.OnceValues(func() (*sim.Server, error) { return sim.Start(sim.Options{}) })
	if a.Target, err = a.Resolver.Resolve(o.Target); err != nil {
		return nil, err
	}
	if a.Target.Kind == metrics.EndpointEmbedded {
		if a.Target, err = a.Demo(a.Target.Model); err != nil {
			return nil, err
		}
	}
	a.Warnings = append(a.Warnings, a.Target.Warnings...)
	mode := transport.StampsAuto
	if settings.String("defaults.stamps") == "user" {
		mode = transport.StampsUser
	}
	bounds := transport.DefaultBounds()
	bounds.Connect, bounds.TLS = settings.Duration("timeouts.connect"), settings.Duration("timeouts.tls")
	bounds.FirstByte, bounds.Idle = settings.Duration("timeouts.first_byte"), settings.Duration("timeouts.idle")
	a.Engine = client.New(client.Options{Stamps: mode, Bounds: bounds, Timeout: o.Timeout})
	if err := a.Engine.Prepare(a.Target); err != nil {
		_ = a.Close()
		return nil, err
	}
	if settings.Bool("defaults.record") {
		a.record(o)
	}
	return a, nil
}

// record opens the session file. A measurement does not fail for want of one:
// the reason becomes a warning.
func (a *App) record(o CommandLine) {
	dir := a.Settings.String("defaults.state_dir")
	var err error
	if dir == "" {
		dir, err = record.StateDir(o.Env)
	}
	if err == nil {
		a.File, err = record.Create(dir, o.Version, time.Now())
	}
	if err != nil {
		a.Warnings = append(a.Warnings, "nothing is recorded: "+err.Error())
		return
	}
	a.stateDir = dir
	a.Engine.AddSink(a.File)
}

// Demo starts the embedded endpoint, once, and returns it as a target with
// that model. "" is the default model.
func (a *App) Demo(model string) (endpoint.Target, error) {
	s, err := a.server()
	if err != nil {
		return endpoint.Target{}, fmt.Errorf("start the embedded endpoint: %w", err)
	}
	if model == "" {
		model = sim.DefaultModel
	}
	return endpoint.Target{
		Endpoint: metrics.Endpoint{
			Kind: metrics.EndpointEmbedded, Name: "demo", URL: s.URL(), Model: model, Ready: true, Note: note(model),
		},
		Auth: endpoint.AuthNone, Server: "tokscope",
	}, nil
}

// server starts the embedded endpoint, once.
func (a *App) server() (*sim.Server, error) {
	s, err := a.startDemo()
	if err == nil {
		a.mu.Lock()
		a.started = true
		a.mu.Unlock()
	}
	return s, err
}

// note returns the description of a model of the embedded endpoint, for a
// person.
func note(model string) string {
	for _, p := range sim.Presets {
		if p.ID == model {
			return p.About
		}
	}
	return model
}

// demoEndsWithin bounds the time the embedded endpoint may take to end
// requests whose clients have left.
const demoEndsWithin = 2 * time.Second

// Close ends everything, in the order in which it depends on each other, and
// returns the first error of the recording.
func (a *App) Close() error {
	a.Engine.Close()
	var err error
	if a.File != nil {
		err = a.File.Close()
	}
	a.mu.Lock()
	started := a.started
	a.mu.Unlock()
	if started {
		if s, startErr := a.startDemo(); startErr == nil {
			ctx, cancel := context.WithTimeout(context.Background(), demoEndsWithin)
			defer cancel()
			_ = s.Close(ctx)
		}
	}
	return err
}

// Session returns a new interactive run on this setup.
func (a *App) Session(version string) *Session {
	return New(Options{
		Engine: a.Engine, Resolver: a.Resolver, Target: a.Target, File: a.File, Version: version,
		Embedded: func() (endpoint.Target, error) { return a.Demo("") }, Server: a.server, StateDir: a.stateDir, Discover: a.Settings.Bool("defaults.discover"),
	})
}

// Path returns the recording's file, or "".
func (a *App) Path() string {
	if a.File == nil {
		return ""
	}
	return a.File.Path()
}
