package verdict

import "tokscope/metrics"

// earlier compares with the range of at least minEarlier comparable runs that ended
// well, where the history does not know what is usual: a figure counts as beyond it
// when it lies earlierBeyond past the nearer end. A wait that is not over counts from
// the moment at which it is longer than all of theirs.
func (r *rules) earlier() {
	s, f := r.Stream, r.Figures
	if s.State != metrics.Done && s.State != metrics.Decoding && s.State != metrics.Waiting {
		return
	}
	first := f.TTFT
	if s.State == metrics.Waiting && s.Marks.Sent.Known() {
		first = metrics.Known(r.since(s.Marks.Sent), 0)
	}
	r.cacheLost()
	conditions := metrics.ConditionsOf(s)
	var ttft, speed metrics.Range
	for i := range r.Earlier {
		e := &r.Earlier[i]
		if e.Stream.ID == s.ID || e.Stream.State != metrics.Done || !metrics.ConditionsOf(&e.Stream).Fit(conditions) {
			continue
		}
		ttft.Add(e.Figures.TTFT)
		if e.Figures.TokenSource == f.TokenSource && e.Figures.Estimated() == f.Estimated() {
			speed.Add(e.Figures.Speed)
		}
	}
	usual := UsualOf(s, f)
	if c, ok := beyond(&ttft, first); ok && !usual.TTFT.Known() && (c.Above || s.State != metrics.Waiting) {
		c.Code, c.Grade = Earlier, Good
		if c.Above {
			if c.Grade = Notable; c.Ms > earlierFar*c.High {
				c.Grade = Bad
			}
		}
		r.add(c)
	}
	if c, ok := beyond(&speed, f.Speed); ok && !usual.Speed.Known() && s.State == metrics.Done {
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

// cacheLost says that the server reads again most of what it had in its cache for the
// latest earlier run of the same prompt.
func (r *rules) cacheLost() {
	s, now := r.Stream, r.Figures.CachedTokens
	if s.Progress.Total > 0 && !now.OK {
		now = metrics.Known(float64(s.Progress.Cached), 0)
	}
	id, had := 0, 0.0
	for i := range r.Earlier {
		e := &r.Earlier[i]
		if c := e.Figures.CachedTokens; c.OK && e.Stream.ID < s.ID && e.Stream.ID > id &&
			e.Stream.Endpoint.Same(&s.Endpoint) && e.Stream.Endpoint.Model == s.Endpoint.Model &&
			e.Stream.Work.Asked() == s.Work.Asked() {
			id, had = e.Stream.ID, c.V
		}
	}
	if lost := had - now.V; now.OK && lost >= cacheLeast && lost >= had/2 {
		r.add(Finding{Code: CacheLost, Grade: Notable, Evidence: ByUsage | ByEarlier, Owner: OwnerServer, N: int(lost)})
	}
}

// beyond returns a finding where v lies beyond the range of earlier runs.
func beyond(r *metrics.Range, v metrics.Value) (Finding, bool) {
	low, high := r.Min.V, r.Max.V
	c := Finding{Evidence: ByEarlier, Ms: v.V, Low: low, High: high, N: r.N, Above: v.V > high}
	return c, v.OK && r.N >= minEarlier && (v.V > high*(1+earlierBeyond) || v.V < low*(1-earlierBeyond))
}
