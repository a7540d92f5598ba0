package verdict

import "tokscope/metrics"

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
	conditions := metrics.ConditionsOf(s)
	var ttft, speed span
	for i := range r.Earlier {
		e := &r.Earlier[i]
		if e.Stream.ID == s.ID || e.Stream.State != metrics.Done || !metrics.ConditionsOf(&e.Stream).Fit(conditions) {
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
