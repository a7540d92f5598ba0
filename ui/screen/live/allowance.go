package live

import (
	"net/netip"
	"net/url"
	"strings"

	"tokscope/metrics"
)

// The bound of auto on an endpoint that may cost somebody else money or time.
const (
	// autoTokens is enough for some 80 runs of the first preset, and a few cents
	// at most providers.
	autoTokens = 20_000.0
	// autoMoney is in the currency of the price. It ends auto sooner only where
	// tokens are dear.
	autoMoney = 1.0
	// openOutput is the expected answer of a request without an output limit,
	// in tokens.
	openOutput = 1000.0
)

// allowance bounds what auto may use: tokens, and money where a price is
// known. Its zero value is unbounded.
type allowance struct {
	bounded                bool
	tokens, money          float64 // the bounds
	usedTokens, usedMoney  float64
	price                  metrics.Price
	promptMost, outputMost float64 // of one run so far, as counted
}

// newAllowance returns the allowance for e: none for this machine, unless a
// price is configured.
func newAllowance(e metrics.Endpoint) allowance {
	a := allowance{price: e.Price}
	if a.bounded = !onThisMachine(e) || a.priced(); a.bounded {
		a.tokens, a.money = autoTokens, autoMoney
	}
	return a
}

// onThisMachine reports whether requests to e stay on this machine: the
// embedded endpoint, and addresses of loopback.
func onThisMachine(e metrics.Endpoint) bool {
	if e.Kind == metrics.EndpointEmbedded {
		return true
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func (a *allowance) priced() bool { return a.price.In > 0 || a.price.Out > 0 }

// cost returns what tokens cost, 0 without a price.
func (a *allowance) cost(prompt, output float64) float64 {
	return (prompt*a.price.In + output*a.price.Out) / 1e6
}

// expect returns the most that one more request of w is expected to use: the
// prompt as the server counted the largest so far, else one token for three
// bytes; the output limit, without one openOutput or the largest so far.
func (a *allowance) expect(w *metrics.Workload) (prompt, output float64) {
	prompt = float64(len(w.System)+len(w.Prompt))/3 + 50 // the nonce, and the chat's own tokens
	if w.InputTokens > 0 {
		prompt = float64(w.InputTokens)*1.1 + 50
	}
	if a.promptMost > 0 {
		prompt = a.promptMost
	}
	if output = float64(w.MaxTokens); w.MaxTokens <= 0 {
		output = max(openOutput, a.outputMost)
	}
	return prompt, output
}

// fits reports whether one more request of w stays within the bounds.
func (a *allowance) fits(w *metrics.Workload) bool {
	if !a.bounded {
		return true
	}
	prompt, output := a.expect(w)
	return a.usedTokens+prompt+output <= a.tokens && a.usedMoney+a.cost(prompt, output) <= a.money
}

// passed reports whether a running request has gone beyond the bounds with
// that many chunks. A chunk is at least a token.
func (a *allowance) passed(w *metrics.Workload, chunks int) bool {
	if !a.bounded {
		return false
	}
	prompt, _ := a.expect(w)
	return a.usedTokens+prompt+float64(chunks) > a.tokens || a.usedMoney+a.cost(prompt, float64(chunks)) > a.money
}

// charge counts an ended request. What the server did not count is charged as
// expected. A refused request costs nothing.
func (a *allowance) charge(r *metrics.Run) {
	s, f := &r.Stream, &r.Figures
	if p := s.Endpoint.Price; !a.priced() && (p.In > 0 || p.Out > 0) {
		a.price = p // of the model that the server chose
	}
	prompt, _ := a.expect(&s.Work)
	switch {
	case f.PromptTokens.OK:
		prompt = f.PromptTokens.V
		a.promptMost = max(a.promptMost, prompt)
	case len(s.Chunks) == 0 && (!s.Marks.Sent.Known() || s.Fault != nil && s.Fault.Status != 0):
		prompt = 0
	}
	output := float64(f.Chunks)
	if f.Tokens.OK {
		output = max(f.Tokens.V, 0)
		a.outputMost = max(a.outputMost, output)
	}
	a.usedTokens += prompt + output
	a.usedMoney += a.cost(prompt, output)
}

// left returns what remains of the bounds, less what a running request has
// used so far.
func (a *allowance) left(w *metrics.Workload, running bool, chunks int) (tokens, money float64) {
	tokens, money = a.tokens-a.usedTokens, a.money-a.usedMoney
	if running {
		prompt, _ := a.expect(w)
		tokens -= prompt + float64(chunks)
		money -= a.cost(prompt, float64(chunks))
	}
	return max(tokens, 0), max(money, 0)
}

// raise returns by how much the bounds must grow for the next request of w and
// some more after it.
func (a *allowance) raise(w *metrics.Workload) (tokens, money float64) {
	prompt, output := a.expect(w)
	tokens = autoTokens
	for a.usedTokens+prompt+output > a.tokens+tokens {
		tokens += autoTokens
	}
	if money = autoMoney; !a.priced() {
		return tokens, 0
	}
	for a.usedMoney+a.cost(prompt, output) > a.money+money {
		money += autoMoney
	}
	return tokens, money
}
