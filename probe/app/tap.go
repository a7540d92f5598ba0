package app

import (
	"cmp"
	"context"
	"io"
	"maps"
	"net/url"
	"os"
	"path/filepath"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/config"
	"tokscope/probe/endpoint"
	"tokscope/probe/export"
	"tokscope/probe/files"
	stored "tokscope/probe/history"
	"tokscope/probe/program"
	"tokscope/probe/result"
	"tokscope/probe/session"
	"tokscope/probe/tap"
)

// Tapping holds the options of a tap.
type Tapping struct {
	Words []string // of the command that is tapped; none: clients that a person starts
	To    string   // upstream in place of the client's own, "" for that

	ConfigPath   string
	Changed      map[string]string // given flags by name; "record" may also be RecordText
	Export       metrics.Export    // the collector by its flag alone: the environment's is the client's
	InsecureHTTP bool              // headers of the collector may pass unencrypted
	Env          func(string) string
	Version      string
	Sentences    result.Sentences
}

// RecordText is the value of --record with which the session file of a tap has the texts too.
const RecordText = "text"

// recordLimit is the size of the session file of a tap from which details are left out, in bytes.
const recordLimit = 256 << 20

// Tap is `tokscope tap`: a tap that runs, and the command behind it.
type Tap struct {
	*tap.Tap
	about   turn.Tapped
	plan    *tap.Plan
	engine  *client.Engine
	history *stored.Writer // nil: nothing is stored
	record  func(*metrics.Stream, *metrics.Figures)
	file    *session.File // nil: nothing is recorded
	untell  func()        // ends the socket
	notes   []string      // for a person, at the end
	say     result.Sentences
	version string

	elsewhere atomic.Bool // see turn.Tapped
	exports
}

// TapAgents returns the clients that can be tapped, and those that cannot.
func TapAgents() []turn.Agent { return (*tap.Plan)(nil).Agents("http://127.0.0.1:PORT") }

// OpenTap begins a tap. The error says what is wrong with the command or with a setting, and
// the next step. The caller must Close the tap.
func OpenTap(ctx context.Context, o Tapping) (*Tap, error) {
	texts := o.Changed["record"] == RecordText
	if texts {
		o.Changed = maps.Clone(o.Changed)
		o.Changed["record"] = "true"
	}
	cfg, settings, err := Configuration(o.ConfigPath, o.Changed, o.Env)
	if err != nil {
		return nil, err
	}
	t := &Tap{say: o.Sentences, version: o.Version}
	if t.plan, err = tap.NewPlan(ctx, o.Words, o.To, os.Environ()); err != nil {
		return nil, err
	}
	t.engine = client.New(client.Options{Bounds: tap.Bounds(), UserStamps: settings.String("defaults.stamps") == "user",
		NoPathProbe: true})
	upstream := t.plan.Upstream()
	at := &url.URL{Scheme: upstream.Scheme, Host: upstream.Host, Path: upstream.Path}
	t.about.Upstream, t.about.Texts = at.String(), texts
	if r := t.plan.Recipe; r != nil {
		t.about.Agent = r.Agent
	}
	t.keep(settings, o)
	o.Export.OTLPEndpoint = cmp.Or(o.Export.OTLPEndpoint, "off")
	prices := endpoint.Resolver{Profiles: cfg.Profiles, Env: o.Env}
	opts := tap.Options{Engine: t.engine, Upstream: upstream, Hidden: t.plan.Recipe != nil,
		Socket: t.plan.Socket(), Price: prices.Prices(at.String())}
	if t.file != nil {
		opts.Also = t.file.Turns()
	}
	if _, err = t.start(&o.Export, o.InsecureHTTP,
		export.Options{Version: o.Version, Scrub: t.engine.Scrubber()}, o.Env); err == nil {
		t.Tap, err = tap.Open(opts)
	}
	if err != nil {
		t.engine.Close()
		t.Close()
		return nil, err
	}
	t.about.URL = t.URL()
	return t, nil
}

// keep opens the session file, the history and the socket that tells of the tap, where the
// settings want them. A tap works without: what fails is said at the end.
func (t *Tap) keep(settings config.Settings, o Tapping) {
	dir, err := stateDir(settings, o.Env)
	if err == nil {
		dir, err = filepath.Abs(dir)
	}
	if err == nil && (settings.Bool("defaults.record") || settings.String("defaults.record") == config.RecordRaw) {
		if t.file, err = session.Create(dir, session.Options{Version: o.Version, Started: time.Now(), Limit: recordLimit,
			Tap: &t.about, Texts: t.about.Texts}); err == nil {
			t.file.Sentences, t.about.File = o.Sentences, t.file.Path()
			t.engine.AddSink(t.file)
			t.untell, err = tell(t.about.File, t.about)
		}
	}
	if err != nil {
		t.notes = append(t.notes, "another terminal cannot follow this tap: "+err.Error())
	}
	t.about.Texts = t.about.Texts && t.file != nil
	if _, t.history, _ = openHistory(settings, o.Env, o.Version, t.about.File); t.history != nil {
		t.about.Stored, t.record = true, t.history.Runs(history.Tap)
	}
}

// About says what the tap stands between.
func (t *Tap) About() turn.Tapped {
	about := t.about
	about.Elsewhere = t.elsewhere.Load()
	return about
}

// Agents returns the clients that can be started for this tap, and how.
func (t *Tap) Agents() []turn.Agent { return t.plan.Agents(t.URL()) }

// Run runs the command to its end, in the terminal of this program, and returns its exit code.
func (t *Tap) Run() (code int, err error) {
	const https = 443
	ctx, stop := context.WithCancel(context.Background())
	defer stop()
	go func() { t.elsewhere.Store(t.Around(ctx, https)) }()
	return tap.Run(t.plan.Command(t.URL()))
}

// Record puts the figures and times of a turn whose answer has ended into the history, and
// exports them.
func (t *Tap) Record(v *turn.Turn) {
	if t.record != nil {
		t.record(v.Stream(), &v.Run.Figures)
	}
	t.exporter.AddUnrecorded(v.Stream(), &v.Run.Figures)
}

// Export exports the time of a turn behind which the next one has begun, or none comes.
func (t *Tap) Export(v *turn.Turn) { t.exporter.AddTurn(v) }

// End ends the tap and all its turns: View is then final.
func (t *Tap) End() error {
	err := t.Tap.Close()
	t.engine.Close()
	if t.file != nil {
		t.file.TapEnds(t.engine.Clock().Now())
	}
	return err
}

// Close closes everything after End. It returns sentences for a person.
func (t *Tap) Close() []string {
	notes, lost := t.exports.close()
	t.notes = append(t.notes, notes...)
	if lost != nil { // the exit code is the client's
		t.notes = append(t.notes, lost.Error())
	}
	if t.file != nil {
		if err := t.file.Close(); err != nil {
			t.notes = append(t.notes, err.Error())
		}
	}
	if t.untell != nil {
		t.untell()
	}
	_ = t.history.Close(historyWithin)
	return append(t.notes, t.history.Store().Notes()...)
}

// WriteTurn writes the line of a turn for --ndjson and --exec. event is what --exec is about.
func (t *Tap) WriteTurn(out io.Writer, v *turn.View, i int, event string) error {
	return t.say.WriteLine(out, result.TapTurnOf(v, i, event))
}

// WriteEnd writes the document of the session.
func (t *Tap) WriteEnd(out io.Writer, v *turn.View) error {
	return t.say.WriteDocument(out, result.TapOf(t.version, t.About(), v))
}

// Create opens a new file that the person named.
func (t *Tap) Create(path string) (io.WriteCloser, error) { return files.Create(path) }

// Exec runs a program of the person's, see program.Run.
func (t *Tap) Exec(ctx context.Context, words []string, in []byte) error {
	return program.Run(ctx, words, in, t.Redact)
}

// Redact returns text without keys.
func (t *Tap) Redact(text string) string { return t.engine.Scrubber().String(text) }
