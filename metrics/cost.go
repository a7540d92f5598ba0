package metrics

import "cmp"

// Price is the configured price of a million prompt tokens and of a million
// output tokens. The zero value is unknown.
type Price struct {
	In, Out float64
	// CacheRead and CacheWrite are those of a million prompt tokens that came from the
	// server's cache, and that it put there; 0: as In.
	CacheRead, CacheWrite float64
	Currency              string // "USD"; "" without a price
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

// OfUsage returns the cost of what a server counted, in p's currency:
//
//	((prompt − cached − written) · In + cached · CacheRead + written · CacheWrite
//	    + output · Out) / 1 000 000
//
// Unknown without a price, and where it did not count both prompt and output.
func (p Price) OfUsage(u *Usage) Value {
	if u.Prompt < 0 || u.Completion < 0 {
		return Unknown(WhyNotCounted)
	}
	cached := float64(min(max(u.Cached, 0), u.Prompt))
	written := min(float64(u.CacheWritten), float64(u.Prompt)-cached)
	v := p.Of(float64(u.Prompt)-cached-written, float64(u.Completion))
	v.V += (cached*cmp.Or(p.CacheRead, p.In) + written*cmp.Or(p.CacheWrite, p.In)) / 1e6
	return v
}

// Cost returns what a request cost at the endpoint's price, in its currency:
//
//	(prompt tokens · In + output tokens · Out) / 1 000 000
//
// Cached prompt tokens count in full, so it is the most that they can cost. It
// is unknown without a price, and where the server did not count both.
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
	return p.Of(f.PromptTokens.V, f.Tokens.V)
}
