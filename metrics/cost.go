package metrics

import "cmp"

// Price is the configured price of a million prompt tokens and of a million
// output tokens. The zero value is unknown.
type Price struct {
	In  float64 `toml:"in"`
	Out float64 `toml:"out"`
	// CacheRead and CacheWrite are those of a million prompt tokens that came from the
	// server's cache, and that it put there; 0: as In.
	CacheRead  float64 `toml:"cache_read"`
	CacheWrite float64 `toml:"cache_write"`
	Currency   string  `toml:"-"` // "USD"; "" without a price
}

// Known reports whether a price is set.
func (p Price) Known() bool { return p.In > 0 || p.Out > 0 }

// Or returns p with in and out replacing its own where they are above 0.
func (p Price) Or(in, out float64) Price {
	if in > 0 {
		p.In = in
	}
	if out > 0 {
		p.Out = out
	}
	return p
}

// Of returns the cost of tokens, in p's currency; unknown without a price.
func (p Price) Of(prompt, output float64) Value {
	if !p.Known() {
		return Unknown(WhyNoPrice)
	}
	return Finite((prompt*p.In+output*p.Out)/1e6, 0)
}

// Bill is what answers cost, by the price of their tokens, in Currency.
type Bill struct {
	Input      float64 `json:"input"`      // prompt tokens without those of the cache
	CacheRead  float64 `json:"cache_read"` // that came from it
	CacheWrite float64 `json:"cache_write"`
	Output     float64 `json:"output"`
	Currency   string  `json:"currency"`
	N          int     `json:"turns"` // the number of these answers; 0: nothing is known
	Total      float64 `json:"total"`
}

// Add adds a bill in the same currency; one in another is left out.
func (b *Bill) Add(o Bill) {
	switch {
	case b.N == 0:
		*b = o
	case o.Currency == b.Currency:
		*b = Bill{b.Input + o.Input, b.CacheRead + o.CacheRead, b.CacheWrite + o.CacheWrite, b.Output + o.Output,
			b.Currency, b.N + o.N, b.Total + o.Total}
	}
}

// OfUsage returns the cost of what a server counted: of the prompt tokens that were neither
// cached nor written at In, of the others at CacheRead and CacheWrite, and of the output at
// Out. It is zero without a price, and where it did not count both prompt and output.
func (p Price) OfUsage(u *Usage) Bill {
	if u.Prompt < 0 || u.Completion < 0 || !p.Known() {
		return Bill{}
	}
	cached := min(max(u.Cached, 0), u.Prompt)
	written := min(u.CacheWritten, u.Prompt-cached)
	of := func(tokens int, price float64) float64 { return float64(tokens) * price / 1e6 }
	b := Bill{of(u.Prompt-cached-written, p.In), of(cached, cmp.Or(p.CacheRead, p.In)),
		of(written, cmp.Or(p.CacheWrite, p.In)), of(u.Completion, p.Out), p.Currency, 1, 0}
	b.Total = b.Input + b.CacheRead + b.CacheWrite + b.Output
	return b
}

// Cost returns what a request cost at the endpoint's price, in its currency: see
// Price.OfUsage. It is unknown without a price, and where the server did not count both.
func Cost(s *Stream, f *Figures) Value {
	p := s.Endpoint.Price
	switch {
	case !p.Known():
		return Unknown(WhyNoPrice)
	case !f.PromptTokens.OK:
		return f.PromptTokens
	case !f.Tokens.OK:
		return f.Tokens
	case f.TokenSource == TokensEstimated:
		return Unknown(WhyNotCounted)
	}
	u := s.Usage
	u.Prompt, u.Completion = int(f.PromptTokens.V), int(f.Tokens.V)
	return Finite(p.OfUsage(&u).Total, 0)
}
