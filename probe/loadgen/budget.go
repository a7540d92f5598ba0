package loadgen

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// budget holds the used and the allowed amounts of a load: requests, tokens,
// cost by their price, and the remaining time. It has no lock: its owner is
// the load, under the load's mutex.
type budget struct {
	requests int // that may begin; 0: unbounded
	begun    int

	max, prompt, output float64 // tokens; prompt and output: used by ended requests
	used, reserved      float64 // tokens; reserved for running requests
	price               Price
	lastPrompt          float64 // ratio of the server's prompt tokens to the expected ones, in the last request
}

// newBudget returns the budget of c.
func newBudget(c *Config) budget {
	return budget{requests: c.Shape.Requests, max: c.MaxTokens, price: c.Price, lastPrompt: 1}
}

// expect returns the most tokens that a request can use.
func (b *budget) expect(w metrics.Workload) float64 {
	out := float64(w.MaxTokens)
	if out <= 0 {
		out = assumedOutput
	}
	return workPrompt(w)*b.lastPrompt + out
}

// spent returns why no further request may begin, zero while one may.
func (b *budget) spent() metrics.Ending {
	if b.requests <= 0 || b.begun < b.requests {
		return metrics.Ending{}
	}
	return metrics.Ending{Code: metrics.EndingSent, Requests: b.requests}
}

// refuse returns why a request that may use expected tokens must not begin,
// zero where it may.
func (b *budget) refuse(expected float64) metrics.Ending {
	if b.max <= 0 || b.used+b.reserved+expected <= b.max {
		return metrics.Ending{}
	}
	return metrics.Ending{Code: metrics.EndingCap, Tokens: metrics.CapUse{Max: b.max, Used: b.used, Reserved: b.reserved, Next: expected}}
}

// reserve counts a new request that may use expected tokens.
func (b *budget) reserve(expected float64) {
	b.begun++
	b.reserved += expected
}

// charge counts the usage of an ended request.
func (b *budget) charge(u *user, v *metrics.Stream, f *metrics.Figures) {
	b.reserved = max(b.reserved-u.reserved, 0)
	u.reserved = 0
	prompt := 0.0
	if guess := workPrompt(v.Work); f.PromptTokens.OK {
		prompt = f.PromptTokens.V
		b.lastPrompt = min(max(prompt/guess, 0.2), 10)
	} else if v.Marks.FirstByte.Known() && len(v.Chunks) > 0 {
		prompt = guess * b.lastPrompt
	}
	output := 0.0
	if f.Tokens.OK {
		output = f.Tokens.V
	}
	b.prompt += prompt
	b.output += output
	b.used += prompt + output
}

// view returns the budget for a screen. running is the tokens received by
// running requests, rate the tokens used per second.
func (b *budget) view(running, rate float64) loadstat.Budget {
	out := loadstat.Budget{Tokens: b.used + running, MaxTokens: b.max, Cost: b.price.of(b.prompt, b.output+running), Currency: b.price.Currency}
	if left := b.max - out.Tokens; b.max > 0 && left > 0 && rate > 0 {
		out.Left = time.Duration(min(left/rate, 1e6) * float64(time.Second))
	}
	return out
}

// rate returns the tokens used per second, prompts included, at that rate of
// received tokens. It is 0 where received is unknown.
func (b *budget) rate(received metrics.Value) float64 {
	if !received.OK {
		return 0
	}
	if b.output > 0 {
		return received.V * (1 + b.prompt/b.output)
	}
	return received.V
}
