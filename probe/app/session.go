package app

import (
	"errors"

	"tokscope/metrics"
	"tokscope/metrics/history"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
	"tokscope/probe/explain/runner"
	stored "tokscope/probe/history"
	"tokscope/probe/loadgen"
	"tokscope/probe/race"
	"tokscope/probe/result"
	"tokscope/probe/session"
	"tokscope/probe/sim"
	"tokscope/probe/sim/physics"
)

// Options configure a Session.
type Options struct {
	Engine   *client.Engine
	Resolver *endpoint.Resolver
	Target   endpoint.Target
	File     *session.File // nil: no recording
	// History receives the figures of ended requests; nil keeps none. Stored is the
	// history to read, nil without a place for it.
	History *stored.Writer
	Stored  *stored.Store
	// Embedded resolves the embedded endpoint with a model, "" for the default one; nil
	// without one.
	Embedded func(model string) (endpoint.Target, error)
	// Server returns the embedded endpoint as a server, for the Explain screen;
	// nil without one. The first call starts it.
	Server func() (*sim.Server, error)
	// Catalogue holds the machines and models of the embedded endpoint; nil
	// holds the built-in ones.
	Catalogue *physics.Catalogue
	// StateDir is the directory of the tour's progress and of the history; "" keeps none.
	StateDir string
	// Discover says whether Endpoints looks for servers on this machine.
	Discover bool
	// Notify is called when a stream begins or ends. It must not block.
	Notify  func()
	Version string
	// Sentences write the texts of what is saved.
	Sentences result.Sentences
}

var errNoDemo = errors.New("this session has no embedded endpoint")

// Path returns the recording's file, "" without one.
func (o *Options) Path() string {
	if o.File == nil {
		return ""
	}
	return o.File.Path()
}

// served returns t with the address of the embedded endpoint, which it starts, if t
// is on it; else t.
func (o *Options) served(t endpoint.Target) (endpoint.Target, error) {
	if t.Kind != metrics.EndpointEmbedded {
		return t, nil
	}
	if o.Embedded == nil {
		return t, errNoDemo
	}
	demo, err := o.Embedded(t.Model)
	demo.Connection, demo.Direct, demo.Claim = t.Connection, t.Direct, t.Claim
	return demo.WithRequest(&t), err
}

// Session is what one sitting of a person needs. It is the backend of the
// interface: a part for each screen, over one endpoint and one recording. It is
// safe for concurrent use.
type Session struct {
	*base
	*Live
	*Load
	*Race
	*runner.Runner // of the Explain screen: always on the embedded endpoint, never recorded
	*Replay
	*History
}

// New returns a session on o.Target.
func New(o Options) *Session {
	if o.Notify == nil {
		o.Notify = func() {}
	}
	if o.Server == nil {
		o.Server = func() (*sim.Server, error) { return nil, errNoDemo }
	}
	b := &base{o: o, target: o.Target}
	return &Session{base: b, Live: &Live{base: b, ended: o.History.Runs(history.Run)},
		Load: &Load{latest: latest[*loadgen.Load]{base: b}}, Race: &Race{latest: latest[*race.Race]{base: b}},
		Replay: &Replay{b, session.NewPlayer(b.Now, o.Engine.Number)}, History: &History{b},
		Runner: runner.New(runner.Options{Server: o.Server, Dir: o.StateDir, Catalogue: o.Catalogue, Notify: b.notify})}
}

// Wait stops a load and a race, closes the engines of Explain and of other users for
// good, and returns once every stream, load and user has ended.
func (s *Session) Wait() {
	s.Live.leave()
	s.Load.with((*loadgen.Load).Stop)
	s.RaceStop()
	s.Runner.Wait()
	s.wg.Wait()
}
