package loadgen

import (
	"slices"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

// budget holds the used and the allowed amounts of a load: tokens,
// cost by their price, and the remaining time. It has no lock: its owner is
// the load, under the load's mutex.
type budget struct {
	begun int // requests

	max, prompt, output float64    // tokens; prompt and output: used by ended requests
	used, reserved      float64    // tokens; reserved for running requests
	account             *account   // of the requests to come
	accounts            []*account // all of them, the first one first
	lastPrompt          float64    // ratio of the server's prompt tokens to the expected ones, in the last request
	estimated           bool       // some of used are not the server's count
}

// use is the tokens of a running request: the expected ones of its prompt, 0
// until it is sent, and the received ones.
type use struct{ prompt, output float64 }

// account counts the tokens used at one price.
type account struct {
	price          metrics.Price
	prompt, output float64 // of ended requests
	running        use     // of all running ones, as of the last view
}

// newBudget returns the budget of c.
func newBudget(c *Config) budget {
	a := &account{price: c.Price}
	return budget{max: c.MaxTokens, account: a, accounts: []*account{a}, lastPrompt: 1}
}

// allow sets how many tokens may be used in addition; 0: no cap.
func (b *budget) allow(more float64) {
	if b.max = 0; more > 0 {
		b.max = b.used + b.reserved + more
	}
}

// price counts the requests to come at that price.
func (b *budget) price(p metrics.Price) {
	for _, a := range b.accounts {
		if a.price == p {
			b.account = a
			return
		}
	}
	b.account = &account{price: p}
	b.accounts = append(b.accounts, b.account)
}

// cost returns the cost of everything used. It is unknown where some of it has
// no price, or prices have different currencies.
func (b *budget) cost() (cost metrics.Value, currency string) {
	if len(b.accounts) == 1 {
		a := b.account
		return a.cost(), a.price.Currency
	}
	cost = metrics.Unknown(metrics.WhyNoPrice)
	for _, a := range b.accounts {
		v := a.cost()
		switch {
		case a.prompt+a.output+a.running.prompt+a.running.output <= 0: // nothing was used there
		case !v.OK || cost.OK && currency != a.price.Currency:
			return metrics.Unknown(metrics.WhyNoPrice), ""
		default:
			cost, currency = metrics.Known(cost.V+v.V, 0), a.price.Currency
		}
	}
	return cost, currency
}

// cost returns the cost of everything used at the price of a.
func (a *account) cost() metrics.Value {
	return a.price.Of(a.prompt+a.running.prompt, a.output+a.running.output)
}

// expect returns the most tokens that a request can use.
func (b *budget) expect(w metrics.Workload) float64 {
	out := float64(w.MaxTokens)
	if out <= 0 {
		out = assumedOutput
	}
	return workPrompt(w)*b.lastPrompt + out
}

// refuse returns why a request that may use expected tokens must not begin,
// zero where it may.
func (b *budget) refuse(expected float64) metrics.Ending {
	if b.max <= 0 || b.used+b.reserved+expected <= b.max {
		return metrics.Ending{}
	}
	return metrics.Ending{Code: metrics.EndingCap,
		Tokens: metrics.CapUse{Max: b.max, Used: b.used, Reserved: b.reserved, Next: expected}}
}

// reserve counts a new request that may use expected tokens.
func (b *budget) reserve(expected float64) {
	b.begun++
	b.reserved += expected
}

// charge counts the usage of an ended request, however it ended: by the count of
// the server, else what is expected of its prompt and what u has received. The
// prompt counts once it is sent, unless the server refuses it.
func (b *budget) charge(u *user, v *metrics.Stream, f *metrics.Figures) {
	b.reserved = max(b.reserved-u.reserved, 0)
	u.reserved = 0
	prompt := 0.0
	if guess := workPrompt(v.Work); f.PromptTokens.OK {
		prompt = f.PromptTokens.V
		b.lastPrompt = min(max(prompt/guess, 0.2), 10)
	} else if v.Marks.Sent.Known() && (v.Fault == nil || !slices.Contains(refused, v.Fault.Kind)) {
		prompt = guess * b.lastPrompt
		b.estimated = true
	}
	output := u.lane.tokens
	if f.Tokens.OK {
		output = f.Tokens.V
	}
	b.estimated = b.estimated || output > 0 && f.TokenSource != metrics.TokensUsage
	b.prompt += prompt
	b.output += output
	u.account.prompt += prompt
	u.account.output += output
	b.used += prompt + output
}

// refused are the answers of a server that has not read the prompt.
var refused = []metrics.FaultKind{metrics.FaultHTTP, metrics.FaultAuth, metrics.FaultRateLimit, metrics.FaultRedirect}

// view returns the budget for a screen, with what the running requests of users have used
// so far; rate is the tokens used per second.
func (b *budget) view(users []*user, rate float64) loadstat.Budget {
	out := loadstat.Budget{Tokens: b.used, MaxTokens: b.max, Estimated: b.estimated}
	for _, a := range b.accounts {
		a.running = use{}
	}
	for _, u := range users {
		if !u.busy {
			continue
		}
		used := u.use()
		used.prompt *= b.lastPrompt
		u.account.running.prompt += used.prompt
		u.account.running.output += used.output
		out.Tokens += used.prompt + used.output
		out.Estimated = out.Estimated || used.prompt+used.output > 0
	}
	out.Cost, out.Currency = b.cost()
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
