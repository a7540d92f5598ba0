package race

import (
	"tokscope/metrics"
	"tokscope/metrics/racestat"
)

// View returns the race as it is now.
func (r *Race) View() racestat.View {
	r.mu.Lock()
	v := r.v
	v.Spent.Time = r.elapsed()
	if v.Swap != nil {
		v.Now = r.at()
	}
	r.mu.Unlock()
	if r.c.Engine != nil {
		v.Observer = r.c.Engine.Observer()
	}
	return v
}

// Version changes whenever View would differ by more than the clock, and with
// every change of a stream of the engine.
func (r *Race) Version() uint64 {
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.c.Engine == nil {
		return r.version
	}
	return r.version + r.c.Engine.Version()
}

// Stream returns the request of a lane in the present or last round, and of an ended race
// the last one that was not cut. ok is false before its first.
func (r *Race) Stream(lane int) (v metrics.Stream, ok bool) {
	r.mu.Lock()
	var s stream
	if lane >= 0 && lane < len(r.streams) {
		if s = r.streams[lane]; !r.v.Running && r.last[lane] != nil {
			s = r.last[lane]
		}
	}
	r.mu.Unlock()
	if s == nil {
		return metrics.Stream{}, false
	}
	return s.Snapshot(), true
}

// spentOf returns what a race without a request has spent.
func spentOf(v *racestat.View) racestat.Spent {
	s := racestat.Spent{Free: true, Money: metrics.Known(0, 0)}
	for i := range v.Lanes {
		l := &v.Lanes[i]
		if l.Here {
			continue
		}
		s.Free = false
		p := l.Endpoint.Price
		if !p.Known() || s.Currency != "" && s.Currency != p.Currency {
			s.Money = metrics.Unknown(metrics.WhyNoPrice)
		}
		s.Currency = p.Currency
	}
	return s
}

// spentWith returns the sum with one more result.
func spentWith(v *racestat.View, lane int, res *racestat.Result) racestat.Spent {
	s := v.Spent
	s.Tokens += res.Prompt + res.Output
	s.Estimated = s.Estimated || !res.Counted
	if v.Lanes[lane].Here {
		return s
	}
	s.Billed += res.Prompt + res.Output
	switch {
	case !s.Money.OK:
	case !res.Cost.OK:
		s.Money = res.Cost
	default:
		s.Money = metrics.Known(s.Money.V+res.Cost.V, 0)
	}
	return s
}
