package app

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sim"
	"tokscope/probe/sim/engine"
)

// Serving is what a command line says of the embedded endpoint when it runs
// alone.
type Serving struct {
	Sim      sim.Options // Mode, Key and Log are filled in here
	Mode     string      // how it batches, by name; "": the usual one
	Hardware string      // what Sim.Model runs on; "": Sim.Model is a preset
	KeyEnv   string      // variable with the key that clients must send; "": none need one
	Env      func(string) string
	Out      io.Writer // takes the address, a line
	Log      io.Writer // takes what happens
}

// servingEndsWithin bounds how long answers in flight may go on after the end.
const servingEndsWithin = 5 * time.Second

// ErrTaken says that the address cannot be listened on.
var ErrTaken = errors.New("choose another with --addr")

// Serve runs the embedded endpoint until ctx ends. A *metrics.Fault says that
// the key is missing, ErrTaken that the address is not to be had; any other
// error is of the options.
func Serve(ctx context.Context, s Serving) error {
	o := s.Sim
	var err error
	if o.Mode, err = engine.ModeOf(s.Mode); err != nil {
		return err
	}
	if s.KeyEnv != "" {
		if o.Key = s.Env(s.KeyEnv); o.Key == "" {
			return &metrics.Fault{Kind: metrics.FaultConfig, Message: "the variable " + s.KeyEnv + " is empty", Next: "put the key that clients must send into it"}
		}
	}
	if s.Hardware != "" {
		o.Model += "@" + s.Hardware
	}
	o.Log = slog.New(slog.NewTextHandler(s.Log, nil))
	srv, err := sim.Start(o)
	var taken *net.OpError
	if errors.As(err, &taken) {
		return fmt.Errorf("%w: %w", err, ErrTaken)
	}
	if err != nil {
		return err
	}
	fmt.Fprintln(s.Out, srv.URL())
	<-ctx.Done()
	grace, cancel := context.WithTimeout(context.Background(), servingEndsWithin)
	defer cancel()
	return srv.Close(grace)
}

// Presets are the ready-made models on hardware, name and explanation each.
func Presets() (rows [][2]string) {
	for _, p := range sim.Presets {
		rows = append(rows, [2]string{p.ID, p.About})
	}
	return rows
}

// Scenarios are the faults and shapes that every answer can be given, name and
// explanation each.
func Scenarios() (rows [][2]string) {
	for _, s := range sim.Scenarios() {
		rows = append(rows, [2]string{s.Name, s.About})
	}
	return rows
}
