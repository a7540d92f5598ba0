package sim

import (
	"fmt"
	"log/slog"
	"net"
	"strings"
	"time"

	"tokscope/probe/sim/engine"
)

// Options choose a server. The zero value is the demo: the default model on
// loopback, in real time, without a key.
type Options struct {
	// Addr to listen on; "" is 127.0.0.1:0. Anything but loopback needs Remote.
	Addr   string
	Remote bool
	// Model is the id that a request without a model gets; "" is DefaultModel.
	Model string
	// Speed slows the engine down or speeds it up: at 0.1 a second of the
	// engine takes ten on the wall. 0 means 1; allowed are 0.001 to 1000.
	Speed float64
	// Mode of batching of every engine; presets that name their own keep it.
	Mode engine.Mode
	// Seed of everything random: the acceptance of guesses, the texts' order.
	Seed uint64
	// Key, when set, must be sent as bearer token or api-key.
	Key string
	// NoPrefixCache makes every prompt cost its prefill, also the second time.
	NoPrefixCache bool
	// Scenario bends every answer: the name of a ready-made one, or directives
	// (see Scenario). A request's X-Sim-Scenario header goes before it.
	Scenario string
	// MaxQueue bounds the requests that wait in one engine; beyond it a request
	// is refused with 503. 0 means 4096.
	MaxQueue int
	// Listener, when set, is served instead of Addr: for tests.
	Listener net.Listener
	// Nap sleeps for a few milliseconds; nil is a sharp sleep in the kernel,
	// which virtual time (testing/synctest) does not see: there it is time.Sleep.
	Sleep func(time.Duration)
	// Log receives what an operator should know; nil discards it.
	Log *slog.Logger
}

const (
	minSpeed = 0.001
	maxSpeed = 1000
)

func (o Options) complete() (Options, error) {
	if o.Addr == "" {
		o.Addr = "127.0.0.1:0"
	}
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return o, fmt.Errorf("address %q: %w", o.Addr, err)
	}
	if !o.Remote && !loopback(host) {
		return o, fmt.Errorf("address %q is reachable from other machines: say so explicitly to allow it", o.Addr)
	}
	if o.Model = strings.ToLower(strings.TrimSpace(o.Model)); o.Model == "" {
		o.Model = DefaultModel
	}
	if o.Speed == 0 {
		o.Speed = 1
	}
	if !(o.Speed >= minSpeed && o.Speed <= maxSpeed) {
		return o, fmt.Errorf("speed %v: between %v and %v", o.Speed, minSpeed, maxSpeed)
	}
	if o.MaxQueue == 0 {
		o.MaxQueue = 4096
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	return o, nil
}

func loopback(host string) bool {
	if host == "localhost" {
		return true
	}
	ip := net.ParseIP(host)
	return ip != nil && ip.IsLoopback()
}
