package app

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"tokscope/metrics/pick"
	"tokscope/probe/endpoint"
	"tokscope/probe/session"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
)

// Serving holds the options of a standalone embedded endpoint.
type Serving struct {
	Sim      sim.Options // Serve fills in Mode, Key, Answers and Log
	Mode     string      // name of the batching mode; "" is the default
	Draft    string      // speculative decoding: WHAT:GUESSES[:ACCEPTANCE]; "" none
	Hardware string      // hardware for Sim.Model; "" means that Sim.Model is a preset
	// ConfigPath is the configuration with the person's machines and models; ""
	// is the usual place.
	ConfigPath string
	KeyEnv     string // variable with the key that clients must send; "" requires none
	// Replay are recordings whose answers are served instead of an engine's;
	// ReplayID is the request in them, 0 for all.
	Replay   []*session.Recording
	ReplayID int
	Env      func(string) string
	Out      io.Writer // receives the address, one line
	// Ready is called after that, with the address and the model that answers where a
	// request names none, "" for recordings; nil: nobody is told.
	Ready func(url, model string)
	Log   io.Writer // receives the log
}

// servingEndsWithin bounds the time for open answers after the end.
const servingEndsWithin = 5 * time.Second

// ErrTaken reports that the address cannot be listened on.
var ErrTaken = errors.New("choose another with --addr")

// Serve runs the embedded endpoint until ctx ends. It returns a
// *metrics.Fault for a missing key or a wrong configuration, and ErrTaken for an unavailable address.
// Any other error is about the options.
func Serve(ctx context.Context, s Serving) error {
	complete := (*Serving).engine
	if len(s.Replay) > 0 {
		complete = (*Serving).recorded
	}
	if err := complete(&s); err != nil {
		return err
	}
	s.Sim.Log = slog.New(slog.NewTextHandler(s.Log, nil))
	srv, err := sim.Start(s.Sim)
	var taken *net.OpError
	if errors.As(err, &taken) {
		return fmt.Errorf("%w; %w", err, ErrTaken)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Out, srv.URL())
	if s.Ready != nil {
		s.Ready(srv.URL(), srv.Model())
	}
	<-ctx.Done()
	grace, cancel := context.WithTimeout(context.Background(), servingEndsWithin)
	defer cancel()
	return srv.Close(grace)
}

// engine completes the options of an engine's answers.
func (s *Serving) engine() error {
	o := &s.Sim
	cfg, _, err := Configuration(s.ConfigPath, nil, s.Env)
	if err != nil {
		return err
	}
	if o.Catalogue, err = Catalogue(cfg, s.Env); err != nil {
		return err
	}
	if o.Mode, err = engine.ModeOf(s.Mode); err != nil {
		return err
	}
	if s.KeyEnv != "" {
		if o.Key = s.Env(s.KeyEnv); o.Key == "" {
			return endpoint.Refuse("the variable "+s.KeyEnv+" is empty", "set it to the key that clients must send")
		}
	}
	if s.Hardware != "" {
		o.Model += "@" + s.Hardware
	}
	if s.Draft != "" {
		o.Model = cmp.Or(o.Model, sim.DefaultModel) + "+draft:" + s.Draft
	}
	return nil
}

// recorded completes the options of recorded answers.
func (s *Serving) recorded() error {
	if s.KeyEnv != "" {
		return endpoint.Refuse("a recording is served without a key", "leave out --require-key-env")
	}
	h, err := session.NewHandler(s.ReplayID, s.Replay...)
	if err == nil { // a nil handler is none of an interface
		s.Sim.Answers = h
	}
	return err
}

// Presets returns the name and description of each ready-made model on
// hardware.
func Presets() [][2]string {
	return pick.Each(sim.Presets, func(p *sim.Preset) [2]string { return [2]string{p.ID, p.About} })
}

// Scenarios returns the name and description of each ready-made scenario.
func Scenarios() (rows [][2]string) {
	for _, s := range sim.Scenarios() {
		rows = append(rows, [2]string{s.Name, s.About})
	}
	return rows
}
