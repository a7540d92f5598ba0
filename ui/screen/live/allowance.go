package live

import (
	"math"
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

// spend is an amount of tokens, and what they cost where a price is known.
type spend struct{ tokens, money float64 }

func (a spend) plus(b spend) spend  { return spend{a.tokens + b.tokens, a.money + b.money} }
func (a spend) within(b spend) bool { return a.tokens <= b.tokens && a.money <= b.money }

// allowance bounds what auto may use. Its zero value is unbounded.
type allowance struct {
	bounded                bool
	bound, used            spend
	price                  metrics.Price
	promptMost, outputMost float64 // of one run so far, as counted
}

// newAllowance returns the allowance for e: none for this machine, unless a
// price is configured.
func newAllowance(e metrics.Endpoint) allowance {
	a := allowance{price: e.Price}
	if a.bounded = !onThisMachine(e) || a.priced(); a.bounded {
		a.bound = spend{autoTokens, autoMoney}
	}
	return a
}

// onThisMachine reports whether requests to e stay on this machine: the
// embedded endpoint, unix sockets and addresses of loopback.
func onThisMachine(e metrics.Endpoint) bool {
	if e.Kind == metrics.EndpointEmbedded {
		return true
	}
	u, err := url.Parse(e.URL)
	if err != nil {
		return false
	}
	host := strings.TrimSuffix(strings.ToLower(u.Hostname()), ".")
	if host == "localhost" || u.Scheme == "unix" {
		return true
	}
	addr, err := netip.ParseAddr(host)
	return err == nil && addr.Unmap().IsLoopback()
}

func (a *allowance) priced() bool { return a.price.In > 0 || a.price.Out > 0 }

// cost returns what a run uses.
func (a *allowance) cost(prompt, output float64) spend {
	return spend{prompt + output, (prompt*a.price.In + output*a.price.Out) / 1e6}
}

// expect returns the most that one more request of w is expected to use: the
// prompt as the server counted the largest so far, else one token for three
// bytes; the output limit, without one openOutput or the largest so far.
func (a *allowance) expect(w *metrics.Workload) (prompt, output float64) {
	prompt = float64(len(w.Text())+len(w.Tools))/3 + 50 // the nonce, and the chat's own tokens
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

// with returns what is used after one more request of w, as expected.
func (a *allowance) with(w *metrics.Workload) spend { return a.used.plus(a.cost(a.expect(w))) }

// fits reports whether one more request of w stays within the bounds.
func (a *allowance) fits(w *metrics.Workload) bool { return !a.bounded || a.with(w).within(a.bound) }

// sofar returns what is used with a running request that has come to that many
// chunks. A chunk is at least a token.
func (a *allowance) sofar(w *metrics.Workload, chunks int) spend {
	prompt, _ := a.expect(w)
	return a.used.plus(a.cost(prompt, float64(chunks)))
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
	a.used = a.used.plus(a.cost(prompt, output))
}

// left returns what remains of the bounds, less what a running request has
// used so far.
func (a *allowance) left(w *metrics.Workload, running bool, chunks int) spend {
	used := a.used
	if running {
		used = a.sofar(w, chunks)
	}
	return spend{max(a.bound.tokens-used.tokens, 0), max(a.bound.money-used.money, 0)}
}

// raise returns by how much the bounds must grow for the next request of w and
// some more after it.
func (a *allowance) raise(w *metrics.Workload) spend {
	steps := func(over, step float64) float64 { return max(math.Ceil(over/step), 1) * step }
	next := a.with(w)
	more := spend{tokens: steps(next.tokens-a.bound.tokens, autoTokens)}
	if a.priced() {
		more.money = steps(next.money-a.bound.money, autoMoney)
	}
	return more
}
