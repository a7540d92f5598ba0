package verdict

import "tokscope/metrics"

// Comparable reports whether the figures of two requests can be compared:
// same endpoint, model, workload, connection and proxy. A model that has not
// answered yet may be the same.
func Comparable(a, b *metrics.Stream) bool {
	x, y := &a.Work, &b.Work
	return a.Endpoint.URL == b.Endpoint.URL && a.Endpoint.Model == b.Endpoint.Model &&
		metrics.CompareModels(a.Model, b.Model) == metrics.ModelAsIs &&
		x.Prompt == y.Prompt && x.System == y.System && x.InputTokens == y.InputTokens && x.MaxTokens == y.MaxTokens &&
		max(x.Concurrency, 1) == max(y.Concurrency, 1) && a.Conn.Reused == b.Conn.Reused && a.Conn.Proxy == b.Conn.Proxy
}

// earlier compares with the range of at least minEarlier comparable runs that
// ended well: a figure counts as beyond it when it lies earlierBeyond past the
// nearer end. A wait that is not over counts from the moment at which it is
// longer than all of theirs.
func (r *rules) earlier() {
	s, f := r.Stream, r.Figures
	if s.State != metrics.Done && s.State != metrics.Decoding && s.State != metrics.Waiting {
		return
	}
	first := f.TTFT
	if s.State == metrics.Waiting && s.Marks.Sent.Known() {
		first = metrics.Known(r.since(s.Marks.Sent), 0)
	}
	var ttft, speed span
	for i := range r.Earlier {
		e := &r.Earlier[i]
		if e.Stream.ID == s.ID || e.Stream.State != metrics.Done || !Comparable(&e.Stream, s) {
			continue
		}
		ttft.add(e.Figures.TTFT)
		if e.Figures.TokenSource == f.TokenSource {
			speed.add(e.Figures.Speed)
		}
	}
	if c, ok := ttft.compare(first); ok && (c.Above || s.State != metrics.Waiting) {
		c.Code, c.Grade = Earlier, Good
		if c.Above {
			if c.Grade = Notable; c.Ms > earlierFar*c.High {
				c.Grade = Bad
			}
		}
		r.add(c)
	}
	if c, ok := speed.compare(f.Speed); ok && s.State == metrics.Done {
		c.Code, c.Grade = EarlierTPS, Good
		c.Rate, c.Ms = c.Ms, 0
		if !c.Above {
			if c.Grade = Notable; c.Rate*earlierFar < c.Low {
				c.Grade = Bad
			}
		}
		r.add(c)
	}
}

// span is the range of a figure over earlier runs.
type span struct {
	low, high float64
	n         int
}

func (s *span) add(v metrics.Value) {
	if !v.OK {
		return
	}
	if s.n == 0 || v.V < s.low {
		s.low = v.V
	}
	if s.n == 0 || v.V > s.high {
		s.high = v.V
	}
	s.n++
}

// compare returns a finding where v lies beyond s.
func (s *span) compare(v metrics.Value) (Finding, bool) {
	c := Finding{Evidence: ByEarlier, Ms: v.V, Low: s.low, High: s.high, N: s.n, Above: v.V > s.high}
	beyond := v.V > s.high*(1+earlierBeyond) || v.V < s.low*(1-earlierBeyond)
	return c, v.OK && s.n >= minEarlier && beyond
}
