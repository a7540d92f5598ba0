package metrics

// Price is the configured price of a million prompt tokens and of a million
// output tokens. The zero value is unknown.
type Price struct {
	In, Out  float64
	Currency string // "USD"; "" without a price
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
	case p.In <= 0 && p.Out <= 0:
		return Unknown(WhyNoPrice)
	case !f.PromptTokens.OK:
		return f.PromptTokens
	case !f.Tokens.OK:
		return f.Tokens
	case f.TokenSource == TokensEstimated:
		return Unknown(WhyNotCounted)
	}
	return Finite((f.PromptTokens.V*p.In+f.Tokens.V*p.Out)/1e6, 0)
}
