package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"strings"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/pick"
	"tokscope/probe/client"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
	"tokscope/probe/export"
	"tokscope/probe/result"
	"tokscope/probe/secret"
	"tokscope/probe/session"
	"tokscope/probe/sim"
	"tokscope/probe/sim/physics"
	"tokscope/probe/transport"
)

// CommandLine holds the options of a command line.
type CommandLine struct {
	ConfigPath string            // "" is the usual place
	Changed    map[string]string // given flags by name; they override environment and file
	Target     string            // as typed
	Messages   []byte            // of a conversation or a request's body, for all targets; nil without one
	metrics.Flags
	// RecordLimit is the size of the session file in bytes from which details
	// are left out; 0 is no limit.
	RecordLimit int64
	Env         func(string) string
	Stdin       io.Reader
	Version     string
	Sentences   result.Sentences // of the recording
}

// App holds everything that was set up. Close it.
type App struct {
	Options  // of its sessions
	Settings config.Settings
	Pasted   *metrics.Workload // of a pasted curl command or of Messages; nil without either
	// Warnings are sentences for a person, for example why nothing is recorded,
	// or that other users can read a key file.
	Warnings []string

	stamps  *session.StampDump // nil when none is asked for
	timeout time.Duration      // of a whole request; 0 is no bound

	mu   sync.Mutex
	demo *sim.Server // the embedded endpoint, nil before it is needed

	exports
}

// Configuration merges the file, the environment and the flags. A path of ""
// is the usual place, where the file may be missing. A named file must exist.
func Configuration(path string, changed map[string]string,
	env func(string) string) (*config.Config, config.Settings, error) {
	if path == "" {
		path = config.DefaultPath(env)
	} else if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		// A file in the usual place may be missing, a named one may not.
		return nil, config.Settings{}, endpoint.Refuse("no configuration file "+path,
			"check --config; tokscope config sample prints one to start from")
	}
	cfg, err := config.Load(path)
	if err != nil {
		return nil, config.Settings{}, err
	}
	settings, err := cfg.Settings(changed, env)
	return cfg, settings, err
}

// Open reads the configuration, resolves the target and creates the engine.
// It does not use the network. Errors are for a person and hold no key.
func Open(ctx context.Context, o CommandLine) (*App, error) {
	a := &App{timeout: o.Timeout}
	err := a.resolve(ctx, &o)
	if err == nil {
		err = a.engage(&o)
	}
	if err != nil {
		_ = a.Close()
		return nil, err
	}
	if a.Settings.Bool("defaults.record") || a.Settings.String("defaults.record") == config.RecordRaw {
		a.record(o)
	}
	a.Stored, a.History, err = openHistory(a.Settings, o.Env, o.Version, a.Path())
	if err != nil && HistoryOn(a.Settings) && a.File != nil { // else the recording has said it
		a.Warnings = append(a.Warnings, "no history is kept: "+err.Error())
	}
	if a.exporter != nil {
		a.exporter.NameSession(a.Path())
		a.Engine.AddSink(exportSink{a.exporter})
	}
	return a, nil
}

// resolve sets settings, resolver and target, and what a pasted command or messages send. It
// starts the embedded endpoint where that is the target.
func (a *App) resolve(ctx context.Context, o *CommandLine) error {
	cfg, settings, err := Configuration(o.ConfigPath, o.Changed, o.Env)
	if err != nil {
		return err
	}
	cat, err := Catalogue(cfg, o.Env)
	if err != nil {
		return err
	}
	a.Settings = settings
	a.Options = Options{Version: o.Version, Sentences: o.Sentences, Catalogue: cat,
		Discover: settings.Bool("defaults.discover"), Embedded: a.Demo, Server: a.server}
	a.Resolver = &endpoint.Resolver{
		Profiles: cfg.Profiles, Env: o.Env, Stdin: o.Stdin, Ctx: ctx,
		Target: settings.String("defaults.target"), Flags: o.Flags,
		HTTP2: settings.Bool("defaults.http2"), MaxTokens: settings.Int("defaults.max_tokens"),
		Embedded: func(id string) (bool, error) { return embeddedModel(cat, id) },
		Claim:    func(machine, size string) (*metrics.Claim, error) { return sim.Claim(cat, machine, size) },
	}
	if len(o.Messages) > 0 {
		body, err := endpoint.ParseBody(o.Messages)
		if err != nil {
			return fmt.Errorf("--messages: %w", err)
		}
		a.Resolver.Body, a.Pasted = &body, &body.Work
	}
	if o.Curl != "" {
		err = a.fromCurl(o)
	} else {
		a.Target, err = a.Resolver.Resolve(o.Target)
	}
	if err != nil {
		return err
	}
	a.Resolver.Flags.Machine, a.Resolver.Flags.ModelSize = "", "" // no claim about what a person chooses later
	if err := a.connection(o); err != nil {
		return err
	}
	a.Target, err = a.served(a.Target)
	a.Warnings = append(a.Warnings, a.Target.Warnings...)
	return err
}

// engage creates the engine for the target, and what its requests are told to.
func (a *App) engage(o *CommandLine) (err error) {
	if a.stamps, err = stampDump(o.Env); err != nil {
		return err
	}
	bounds, within := transport.DefaultBounds(), a.Settings.Duration
	bounds.Connect, bounds.TLS = within("timeouts.connect"), within("timeouts.tls")
	bounds.FirstByte, bounds.Idle = within("timeouts.first_byte"), within("timeouts.idle")
	bounds.FirstToken = within("timeouts.first_token")
	c := client.Options{UserStamps: a.Settings.String("defaults.stamps") == "user", Bounds: bounds, Timeout: o.Timeout,
		NoPathProbe: a.Settings.Bool("defaults.no_path_probe"), Scrub: secret.NewScrubber()}
	notes, err := a.start(&o.Export, o.InsecureHTTP, export.Options{Version: o.Version, Scrub: c.Scrub}, o.Env)
	if err != nil {
		return err
	}
	a.Warnings = append(a.Warnings, notes...)
	if a.stamps != nil {
		c.Ended = a.stamps.Ended
	}
	a.Engine = client.New(c)
	return a.Engine.Prepare(a.Target)
}

// connection puts the connection that the target was named with into the
// settings, where it comes before the file. It must not contradict a flag.
func (a *App) connection(o *CommandLine) error {
	if o.Several || a.Target.Connection == metrics.ReuseAuto {
		return nil
	}
	word := a.Target.Connection.String()
	if flag, given := o.Changed["connection"]; given && flag != word {
		return endpoint.Refuse("the target ends with +"+word+", and --"+flag+" is given", "keep one of them")
	}
	changed := map[string]string{"connection": word}
	maps.Copy(changed, o.Changed)
	var err error
	_, a.Settings, err = Configuration(o.ConfigPath, changed, o.Env)
	return err
}

// record opens the recording. A failure becomes a warning, because a
// measurement also works without it.
func (a *App) record(o CommandLine) {
	dir, err := stateDir(a.Settings, o.Env)
	if err == nil {
		a.File, err = session.Create(dir, session.Options{
			Version: o.Version, Started: time.Now(),
			Raw: a.Settings.String("defaults.record") == config.RecordRaw, Limit: o.RecordLimit,
		})
		if err == nil {
			a.File.Sentences = o.Sentences
		}
	}
	if err != nil {
		a.Warnings = append(a.Warnings, "nothing is recorded: "+err.Error())
		return
	}
	a.StateDir = dir
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

// embeddedModel reports whether id is MODEL@MACHINE: at least one of the two
// is known. The error says why it cannot be served.
func embeddedModel(cat *physics.Catalogue, id string) (bool, error) {
	id = strings.ToLower(strings.TrimSpace(id))
	if err := sim.Check(cat, id); err == nil {
		return true, nil
	} else if sim.Known(cat, id) {
		return true, err
	}
	return false, nil
}

// server starts the embedded endpoint, once.
func (a *App) server() (*sim.Server, error) {
	a.mu.Lock()
	defer a.mu.Unlock()
	var err error
	if a.demo == nil {
		a.demo, err = sim.Start(sim.Options{Catalogue: a.Catalogue})
	}
	return a.demo, err
}

// note returns the description of a model of the embedded endpoint, for a
// person.
func note(model string) string {
	if p, ok := pick.Value(sim.Presets, func(p *sim.Preset) bool { return p.ID == model }); ok {
		return p.About
	}
	return model
}

// demoEndsWithin bounds the time the embedded endpoint may take to end
// requests whose clients have left.
const demoEndsWithin = 2 * time.Second

// Close closes everything that was opened, dependents first, and returns the
// first error of the recording.
func (a *App) Close() error {
	if a.Engine != nil {
		a.Engine.Close()
	}
	if err := a.CloseExport(); err != nil {
		a.Warnings = append(a.Warnings, err.Error())
	}
	err := a.History.Close(historyWithin)
	a.Warnings = append(a.Warnings, a.History.Store().Notes()...)
	if a.File != nil {
		err = errors.Join(err, a.File.Close())
	}
	if a.stamps != nil {
		err = errors.Join(err, a.stamps.Close())
	}
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.demo != nil {
		ctx, cancel := context.WithTimeout(context.Background(), demoEndsWithin)
		defer cancel()
		_ = a.demo.Close(ctx)
	}
	return err
}

// Session returns a new interactive run on this setup.
func (a *App) Session() *Session { return New(a.Options) }
