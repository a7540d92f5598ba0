package sim

import (
	"cmp"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"strings"
	"time"

	"tokscope/probe/endpoint"
	"tokscope/probe/sim/engine"
	"tokscope/probe/sim/physics"
)

// Options configures a server. The zero value is the demo: the default model
// on loopback, in real time, without a key.
type Options struct {
	// Addr is the address to listen on; "" is 127.0.0.1:0, or [::1]:0 without IPv4. An address other
	// than loopback needs Remote.
	Addr   string
	Remote bool
	// AllowHosts are further names in the Host header of a request, without
	// port. Loopback, and the address that the server listens on, are always
	// allowed. "*" allows every name.
	AllowHosts []string
	// AllowOrigins are further origins of web pages that may send requests,
	// such as https://chat.example. Pages of this machine always may. "*"
	// allows every page.
	AllowOrigins []string
	// Model is the id for requests without a model; "" is DefaultModel.
	Model string
	// Catalogue holds the machines and models that requests can name; nil holds
	// the built-in ones.
	Catalogue *physics.Catalogue
	// Speed is engine seconds per wall second, 0.001 to 1000; 0 means 1. At
	// 0.1, one engine second takes 10 s.
	Speed float64
	// Mode is the batching mode of every engine. Presets with a mode keep
	// theirs.
	Mode engine.Mode
	// Seed makes random choices repeatable: accepted guesses, the order of the
	// texts.
	Seed uint64
	// Key, unless "", must be sent as bearer token or api-key.
	Key string
	// NoPrefixCache makes every prompt cost its full prefill, also a repeated
	// one.
	NoPrefixCache bool
	// Scenario changes every answer: the name of a ready-made one, or
	// directives (see Scenario). A request's X-Sim-Scenario header overrides
	// it.
	Scenario string
	// MaxQueue bounds the requests that wait in one engine. Beyond it, the
	// server answers 503. 0 means 4096.
	MaxQueue int
	// Listener, unless nil, is served instead of Addr. It is for tests.
	Listener net.Listener
	// Sleep sleeps for a few milliseconds. nil sleeps exactly, in the kernel.
	// Tests in virtual time (testing/synctest) need time.Sleep, because kernel
	// sleeps ignore the bubble.
	Sleep func(time.Duration)
	// Answers, unless nil, answers all requests instead of engines: Addr, Remote and the
	// allowed names and pages alone hold for it.
	Answers http.Handler
	// Log receives messages for the operator; nil discards them.
	Log *slog.Logger
}

const (
	minSpeed = 0.001
	maxSpeed = 1000
)

func (o Options) complete() (Options, error) {
	o.Addr = cmp.Or(o.Addr, "127.0.0.1:0")
	host, _, err := net.SplitHostPort(o.Addr)
	if err != nil {
		return o, fmt.Errorf("address %q: %w", o.Addr, err)
	}
	if !o.Remote && !endpoint.IsLoopback(host) {
		return o, fmt.Errorf("address %q is reachable from other machines: add --remote to allow it", o.Addr)
	}
	if o.Model = strings.ToLower(strings.TrimSpace(o.Model)); o.Model == "" {
		o.Model = DefaultModel
	}
	o.Speed = cmp.Or(o.Speed, 1)
	if err := checkSpeed(o.Speed); err != nil {
		return o, err
	}
	o.MaxQueue = cmp.Or(o.MaxQueue, 4096)
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Sleep == nil {
		o.Sleep = sleepExactly
	}
	return o, nil
}
