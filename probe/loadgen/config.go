package loadgen

import (
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Shape describes the sequence of requests.
type Shape struct {
	// Users is the initial number of users of a closed loop; each sends its
	// next request when its last has ended. In an open loop it bounds the
	// simultaneous requests; 0 is MaxUsers.
	Users int
	// Rate > 0 makes it an open loop: a schedule sends Rate requests per
	// second, independently of the endpoint.
	Rate float64
	// Poisson draws the distances of an open loop from an exponential
	// distribution; without it they are equal.
	Poisson bool
	// Join is the time over which users that are added together begin. Users
	// that begin at once with answers of one length stay in step, and their
	// prompts meet in the server's queue. It takes longer where more than
	// mostJoins per second would begin. 0: one every 2 ms.
	Join time.Duration
	// Think is how long a user of a closed loop waits between two requests.
	Think time.Duration
	// Requests ends the load after this number of requests; 0: when it is
	// stopped.
	Requests int
	// Ramp and RampTo change the number of users from Users to RampTo evenly
	// over Ramp. A Resize ends the ramp.
	Ramp   time.Duration
	RampTo int
}

// Price is the price of tokens, per million.
type Price struct {
	Prompt, Output float64
	Currency       string // "USD"
}

// PriceOf returns the price of t in the configuration; zero without one.
func PriceOf(t endpoint.Target) Price {
	p := t.Price()
	return Price{Prompt: p.In, Output: p.Out, Currency: p.Currency}
}

// Or returns p with prompt and output replacing its own prices where they are
// above 0.
func (p Price) Or(prompt, output float64) Price {
	if prompt > 0 {
		p.Prompt = prompt
	}
	if output > 0 {
		p.Output = output
	}
	return p
}

// known reports whether a price is set.
func (p Price) known() bool { return p.Prompt > 0 || p.Output > 0 }

// Config describes a load. Engine, Target and Work must be set; the zero value
// of everything else is a closed loop of one user with a prompt of its own for
// every request.
type Config struct {
	Engine *client.Engine
	Target endpoint.Target
	Work   metrics.Workload
	// Prompts are sent in rotation, in place of Work.Prompt; nil: that one.
	Prompts []string
	// Input and Output are the lengths of synthetic prompts and the bounds of
	// answers; the zero Lengths leave what Work says.
	Input, Output metrics.Lengths
	// SharedPrefix leaves out the line that makes every prompt different from
	// its first token on: a prefix cache of the server then flatters.
	SharedPrefix bool
	Shape        Shape
	SLOs         []metrics.Objective
	// Seed repeats lengths, nonces, arrivals and jitter; 0 draws one, which
	// LoadView.Seed tells.
	Seed uint64
	// MaxTokens is a hard cap: no request begins that could pass it. 0: none.
	MaxTokens float64
	// Price is what the tokens cost; the zero value takes that of Target.
	Price Price
	Pace  metrics.Pace
	// Window is how far back a point looks at most, MinWindow how long it must
	// be to be steady; 0: DefaultWindow, up to a minute where answers are long,
	// and DefaultMinWindow.
	Window, MinWindow time.Duration
	// Journal records the load; nil: nothing is.
	Journal Journal
	// Ended, when set, is told of every request that has ended, on the goroutine
	// of its user: it must not wait for the load.
	Ended func(user int, v *metrics.Stream, f *metrics.Figures)
	// Guarded holds the load to FreeUsers and FreeTokens until Consent is
	// called: for targets that somebody pays for.
	Guarded bool
}

// promptsVary reports whether prompts can differ in length: drawn lengths, or
// a list of prompts without a common length.
func (c *Config) promptsVary() bool {
	return c.Input.Varies() || len(c.Prompts) > 1 && c.Input.IsZero() && c.Work.InputTokens == 0
}
