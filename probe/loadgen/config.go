package loadgen

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/slo"
	"tokscope/metrics/turn"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Shape describes the sequence of requests.
type Shape struct {
	// Drive is what the load begins with. Any change of the load ends its ramp.
	loadstat.Drive
	// Join is the time over which users that are added together begin. Users
	// that begin at once with answers of one length stay in step, and their
	// prompts meet in the server's queue. It takes longer where more than
	// mostJoins per second would begin. 0: one every 2 ms.
	Join time.Duration
	// Think is how long a user of a closed loop waits between two requests.
	Think time.Duration
}

// Config describes a load. Engine, Target and Work must be set. The zero
// value of everything else is a closed loop of one user with a different
// prompt for every request.
type Config struct {
	Engine *client.Engine
	Target endpoint.Target
	Work   metrics.Workload
	// Prompts are sent in rotation instead of Work.Prompt; nil: Work.Prompt.
	Prompts []string
	// Input and Output are the lengths of synthetic prompts and the output
	// limits; the zero Lengths keep those of Work.
	Input, Output metrics.Lengths
	// SharedPrefix omits the line that makes every prompt different from its
	// first token on. A prefix cache of the server then improves the figures.
	SharedPrefix bool
	// Script is played by each user again and again, with texts of its own. What it does not
	// say is that of Work. nil: every request is of Work.
	Script *turn.Script
	Shape  Shape
	SLOs   []slo.Objective
	// Seed reproduces lengths, nonces, arrivals and jitter; 0 draws one, which
	// View.Seed returns.
	Seed uint64
	// Shard is the part of the load that this one is; zero: all of it. Rates and users are
	// those of the part, and Origin is when all parts begin, not in the future.
	Shard  loadstat.Shard
	Origin metrics.Stamp
	// MaxTokens is a hard cap: a request that could exceed it does not begin.
	// 0: no cap.
	MaxTokens float64
	// Price is the price of the tokens; the zero value means that of Target.
	Price metrics.Price
	Pace  metrics.Pace
	// Window is the longest time range of a point, MinWindow the shortest for a
	// steady one. 0: DefaultWindow (up to a minute where answers are long) and
	// DefaultMinWindow.
	Window, MinWindow time.Duration
	// Journal records the load; nil: no record.
	Journal Journal
	// Record is called before each request, from any goroutine. It returns the
	// number of the recorded load that the request belongs to. 0 hides the
	// request from sinks; nil hides all.
	Record func() int
	// Ended, when set, is called after every request, on the goroutine of its
	// user. It must not wait for the load.
	Ended func(user int, v *metrics.Stream, f *metrics.Figures)
	// List keeps a list of the ended requests, see Load.Requests.
	List bool
	// Guarded limits the load to FreeUsers and FreeTokens until Consent is
	// called: for targets that cost money.
	Guarded bool
}

// promptsVary reports whether prompts can differ in length: drawn lengths, or
// a list of prompts without a common length.
func (c *Config) promptsVary() bool {
	return c.Input.Varies() || len(c.Prompts) > 1 && c.Input.IsZero() && c.Work.InputTokens == 0
}
