package loadgen

import (
	"math"
	"slices"
	"time"

	"tokscope/metrics"
)

// point computes the live point as of now: l.mu is held.
//
// What is counted of whom:
//
//	Total, Rate, Running … Failed           everything in the window
//	Gaps                                    every known gap that ended in the window, of all requests
//	TTFT, TPOT, Speed, goodput              requests that were sent and have ended in the window
//
// so that no request that began under another load colours the latencies. While
// no such request has ended, Speed is that of the running ones: tokens after
// their first chunks over the time these took; such a point is never steady.
//
// The window begins with the warm-up's end, when every user has had a first
// chunk or ended a request since the number of users changed, and those that
// had to leave are gone (in an open loop: when a request of this rate has
// ended). It reaches Config.Window back at most. A load of a fixed number of
// requests has no warm-up: all of them count.
func (l *Load) point(now metrics.Stamp) metrics.Point {
	s := &l.stay
	to := max(l.tape.index(now-metrics.Stamp(settled)), s.from)
	if l.idled { // nothing more comes
		to = l.tape.index(now) + 1
	}
	from := max(s.from, to-int(l.reach()/sliceLen))
	cold, extra := l.coldness()
	s.cold = cold
	if !s.warm && cold == 0 && extra == 0 && !l.ending {
		s.warm = true
		s.restart(l.tape, l.tape.index(now)+1)
		from, to = s.from, s.from
	}
	p := metrics.Point{Users: s.users, Asked: s.rate, From: l.tape.start(from), To: l.tape.start(to), Warmup: !s.warm}
	if l.idled {
		p.To = max(min(p.To, now), p.From)
	}
	sum := l.tape.sum(from, to)
	s.forget(p.From)
	recs, fails := s.until(l.tape.start(to))
	seconds := float64(p.To-p.From) / 1e9
	just := metrics.Unknown("the window has just begun")
	p.Total, p.Rate, p.Running, p.Prefill, p.Waiting = just, just, just, just, just
	p.Tokens, p.Requests, p.Failed, p.Faults = sum.tokens, sum.done, sum.failed, faultsOf(fails)
	if seconds >= minShown.Seconds() {
		p.Total = metrics.Known(max(sum.tokens, 0)/seconds, 0)
		p.Rate = metrics.Known(float64(sum.done)/seconds, sum.done)
	}
	if sum.sampled > 0 {
		p.Running, p.Prefill = metrics.Known((sum.decoding+sum.prefill)/sum.sampled, 0), metrics.Known(sum.prefill/sum.sampled, 0)
		if p.Waiting = metrics.Unknown(untold); l.tells {
			p.Waiting = metrics.Known(sum.waiting/sum.sampled, 0)
		}
		if s.rate > 0 {
			p.Users = int(math.Round((sum.decoding + sum.prefill + sum.waiting) / sum.sampled))
		}
	}
	p.Estimated = sum.provisional > provisionalShare*sum.tokens
	gaps := s.merged(l.reach())
	p.Gaps = gaps.Dist("no gap in this window yet")
	none := "no request of this window has ended"
	ttft := column(recs, func(r *record) float64 { return r.ttft })
	p.TTFT = distOr(ttft, none)
	p.TPOT = distOr(column(recs, func(r *record) float64 { return r.tpot }), none)
	p.FromIntended = distOr(column(recs, func(r *record) float64 { return r.intended }), "no schedule")
	speeds(&p, recs, &sum)
	if gaps.N() > 0 {
		p.GapBins = gaps.Histogram(metrics.NewHistogram(histLow, histHigh, histBins))
	}
	if len(ttft) > 0 {
		p.TTFTBins = metrics.NewHistogram(histLow, histHigh, histBins)
		for _, v := range ttft {
			p.TTFTBins.Add(v)
		}
	}
	if l.c.promptsVary() {
		fit := fitOf(recs)
		p.Fit = &fit
	}
	judge(&p, recs, l.slos)
	p.Steady, p.Why = metrics.Steady(l.windowOf(from, to, cold, extra, recs))
	if l.holding && p.Steady {
		p.Steady, p.Why = false, "on hold"
	}
	return p
}

// fitOf fits TTFT to the length of the prompt, as the server counted it.
func fitOf(records []record) metrics.TTFTFit {
	var prompts, ttfts []float64
	counted := 0
	for i := range records {
		if r := &records[i]; r.ok && !math.IsNaN(r.ttft) {
			prompts, ttfts = append(prompts, r.prompt), append(ttfts, r.ttft)
			if !math.IsNaN(r.prompt) {
				counted++
			}
		}
	}
	if counted == 0 && len(ttfts) > 0 {
		return metrics.NoFit(0, "the server does not count the tokens of prompts")
	}
	return metrics.FitTTFT(prompts, ttfts)
}

// reach is how far back a point looks now: l.mu is held.
func (r *Load) reach() time.Duration {
	if !r.adapts {
		return r.window
	}
	return min(max(DefaultWindow, longAnswers*r.answer), r.window)
}

// The edges of the histograms of gaps and TTFT, ms.
const (
	histLow, histHigh = 0.1, 100_000
	histBins          = 8 // per decade
)

// distOr is metrics.Distribution with a reason for an empty one.
func distOr(values []float64, why string) metrics.Dist {
	d := metrics.Distribution(values)
	if d.N == 0 {
		u := metrics.Unknown(why)
		d.Min, d.Mean, d.P50, d.P90, d.P95, d.P99, d.Max, d.StdDev = u, u, u, u, u, u, u, u
	}
	return d
}

// speeds fills the per-user speeds.
func speeds(p *metrics.Point, records []record, sum *interval) {
	p.SpeedP5 = metrics.Unknown("needs n ≥ 20")
	each := column(records, func(r *record) float64 { return r.speed })
	if n := len(each); n > 0 {
		slices.Sort(each)
		p.Speed = metrics.Distribution(each).Mean
		if n >= metrics.MinP95 {
			p.SpeedP5 = metrics.Known(metrics.Quantile(each, 0.05), n)
		}
		return
	}
	p.Speed = pooled(sum)
}

// pooled returns the speed over all requests: tokens after first chunks over
// the time these took.
func pooled(sum *interval) metrics.Value {
	if !(sum.laterMs > 0) || !(sum.laterTokens > 0) {
		return metrics.Unknown("no token after a first one yet")
	}
	return metrics.Known(sum.laterTokens*1000/sum.laterMs, 0)
}

// coldness returns how many users have had no first chunk since the stay
// began, and how many are still to leave.
func (p *Load) coldness() (cold, extra int) {
	if p.c.Shape.Rate > 0 {
		if !p.stay.warm && p.endedInStay == 0 {
			return 1, 0
		}
		return 0, 0
	}
	for _, u := range p.users {
		switch {
		case u.leaving || p.ending && u.busy:
			extra++
		case !u.warm:
			cold++
		}
	}
	return cold, extra
}

// windowOf is what the test of steadiness looks at.
func (l *Load) windowOf(from, to, cold, extra int, records []record) metrics.Window {
	s := &l.stay
	w := metrics.Window{Users: s.users, MinLong: l.minWindow, Cold: cold, Extra: extra, Open: s.rate > 0}
	if !s.warm && cold == 0 {
		w.Cold = 1
	}
	w.Long = time.Duration(to-from) * sliceLen
	half := (to - from) / 2
	split := l.tape.start(from + half)
	var ttft [2][]float64
	for i := range records {
		if r := &records[i]; r.ok {
			w.Measured++
			if !math.IsNaN(r.ttft) {
				h := 0
				if r.end >= split {
					h = 1
				}
				ttft[h] = append(ttft[h], r.ttft)
			}
		}
	}
	for i, sum := range [2]interval{l.tape.sum(from, from+half), l.tape.sum(to-half, to)} {
		w.Halves[i].Tokens = sum.tokens
		if d := metrics.Distribution(ttft[i]); d.N > 1 {
			w.Halves[i].Answered, w.Halves[i].TTFT, w.Halves[i].TTFTSpread = d.N, d.Mean.V, d.StdDev.V
		}
		if sum.sampled > 0 {
			w.Halves[i].InFlight = (sum.decoding + sum.prefill + sum.waiting + sum.backlog) / sum.sampled
		}
	}
	return w
}
