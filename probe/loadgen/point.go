package loadgen

import (
	"math"
	"slices"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/stats"
)

// point computes the point of the window as of p.now.
//
// The figures count:
//
//	Total, Rate, Running … Failed           everything in the window
//	Gaps                                    every known gap that ended in the window, of all requests
//	Peak                                    the window, second by second
//	TTFT, TPOT, Speed, goodput              requests that were sent and have ended in the window
//
// So a request that began under another load does not affect the latencies.
// Before the first such request has ended, Speed is that of the running ones:
// tokens after their first chunks over the time these took. Such a point is
// never steady.
//
// The window begins at the end of the warm-up: every user has had a first
// chunk or ended a request since the number of users changed, and leaving
// users have left. After a change of the work it also waits for the requests of
// the work before. In an open loop it begins when a request of this rate has
// ended. It covers at most the last Config.Window.
// On a ramp it is the point of the latest slice.
func (w *window) point(at phase) loadstat.Point {
	if w.ramp != nil {
		return w.present(at)
	}
	t := w.timeline
	to := max(t.index(at.now-metrics.Stamp(settled)), w.from)
	if at.idle { // no further chunks can arrive
		to = t.index(at.now) + 1
	}
	from := max(w.from, to-int(w.reach.now()/sliceLen))
	cold, extra := w.coldness(at)
	if !w.warm && cold == 0 && extra == 0 && at.before == 0 && !at.ending {
		w.warm = true
		w.restart(t.index(at.now) + 1)
		from, to = w.from, w.from
	}
	if !w.warm && at.before > 0 { // what they receive belongs to no point
		w.restart(t.index(at.now) + 1)
		from, to = w.from, w.from
	}
	p := loadstat.Point{Users: w.users, Setup: w.setup, Asked: w.rate,
		From: t.start(from), To: t.start(to), Warmup: !w.warm}
	if at.idle {
		p.To = max(min(p.To, at.now), p.From)
	}
	sum := t.sum(from, to)
	w.forget(p.From)
	records, fails := w.within(math.MinInt64, t.start(to))
	w.fill(&p, at, records, fails, w.gaps.last(w.reach.now()), &sum)
	w.fromSchedule(&p, at)
	p.Why = loadstat.Steady(w.steadiness(from, to, cold, extra, at.before, records))
	if at.holding && p.Why == (loadstat.Unsteady{}) {
		p.Why.Code = loadstat.UnsteadyHold
	}
	p.Steady = p.Why == loadstat.Unsteady{}
	p.Peak = t.peak(from, to, p.Total)
	w.intervals(&p, from, to, records)
	return p
}

// throughput fills the figures of p over the whole window. queue: the server
// reports its queue.
func (w *window) throughput(p *loadstat.Point, sum *interval, queue bool) {
	seconds := float64(p.To-p.From) / 1e9
	just := metrics.Unknown(metrics.WhyJustBegun)
	p.Total, p.Rate, p.Running, p.Prefill, p.Waiting = just, just, just, just, just
	if w.rate > 0 {
		p.Arrived, p.Backlog = just, just
	}
	p.Tokens, p.Requests, p.Failed = sum.tokens, int(sum.done), int(sum.failed)
	p.Retried = int(sum.retried)
	if seconds >= minShown.Seconds() {
		p.Total = metrics.Known(max(sum.tokens, 0)/seconds, 0)
		p.Rate = metrics.Known(sum.done/seconds, int(sum.done))
		if w.rate > 0 {
			p.Arrived = metrics.Known(sum.arrived/seconds, int(sum.arrived))
		}
	}
	if sum.sampled > 0 {
		p.Running, p.Prefill = metrics.Known((sum.decoding+sum.prefill)/sum.sampled,
			0), metrics.Known(sum.prefill/sum.sampled, 0)
		if p.Waiting = metrics.Unknown(metrics.WhyNoQueue); queue {
			p.Waiting = metrics.Known(sum.waiting/sum.sampled, 0)
		}
		if w.rate > 0 {
			p.Backlog = metrics.Known(sum.backlog/sum.sampled, 0)
			p.Users = int(math.Round((sum.decoding + sum.prefill + sum.waiting) / sum.sampled))
		}
	}
	p.Estimated = sum.provisional > provisionalShare*sum.tokens
}

// latencies fills the figures of p on gaps, and on the requests of records.
func (w *window) latencies(p *loadstat.Point, records []record, gaps *metrics.Sketch, sum *interval) {
	none, noTPOT, noGap := metrics.WhyNoneOfWindow, metrics.WhyNoneOfWindow, metrics.WhyNoGapYet
	for i := range records {
		if records[i].LeftOpen {
			p.LeftOpen++
		}
		if records[i].AtOnce {
			p.AtOnce++
			noTPOT, noGap = metrics.WhyAtOnce, metrics.WhyAtOnce
		}
	}
	p.Gaps = gaps.Dist(noGap)
	ttft := column(records, loadstat.RowTTFT)
	p.TTFT = metrics.DistributionWhy(ttft, none)
	p.TTFTFailed = metrics.WithFailuresOf(ttft, failedOf(records))
	p.TPOT = metrics.DistributionWhy(column(records, loadstat.RowTPOT), noTPOT)
	p.FromIntended = metrics.DistributionWhy(column(records, loadstat.RowFromSchedule), metrics.WhyNoSchedule)
	speeds(p, records, sum)
	if gaps.N() > 0 {
		p.GapBins = gaps.Histogram(metrics.NewHistogram(histLow, histHigh, histBins))
	}
	if len(ttft) > 0 {
		p.TTFTBins = metrics.NewHistogram(histLow, histHigh, histBins)
		for _, v := range ttft {
			p.TTFTBins.Add(v)
		}
	}
	if w.fits {
		fit := fitOf(records)
		p.Fit = &fit
	}
	if p.Whole = metrics.DistributionWhy(column(records, loadstat.RowTotal), none); w.plays {
		p.Turns = p.Whole
	}
	p.MLPerf = loadstat.MLPerfOf(p, column(records, loadstat.RowMLPerfTTFT), column(records, loadstat.RowMLPerfTPOT))
}

// fitOf fits TTFT to the prompt length by the server's count.
func fitOf(records []record) loadstat.TTFTFit {
	var prompts, ttfts []float64
	for i := range records {
		if r := &records[i]; r.OK && !math.IsNaN(r.Figures[loadstat.RowTTFT]) {
			prompts = append(prompts, r.Figures[loadstat.RowPrompt])
			ttfts = append(ttfts, r.Figures[loadstat.RowTTFT])
		}
	}
	return loadstat.FitTTFT(prompts, ttfts)
}

// The edges of the histograms of gaps and TTFT, ms.
const (
	histLow, histHigh = 0.1, 100_000
	histBins          = 8 // per decade
)

// speeds fills the per-user speeds.
func speeds(p *loadstat.Point, records []record, sum *interval) {
	p.SpeedP5 = metrics.Unknown(metrics.Needs(20))
	each := column(records, loadstat.RowSpeed)
	if n := len(each); n > 0 {
		slices.Sort(each)
		p.Speed = metrics.Distribution(each).Mean
		if n >= metrics.MinP95 {
			p.SpeedP5 = metrics.Known(stats.Quantile(each, 0.05), n)
		}
		return
	}
	if p.Speed = pooled(sum); p.AtOnce > 0 {
		p.Speed = metrics.Unknown(metrics.WhyAtOnce)
	}
}

// pooled returns the speed over all requests: tokens after first chunks over
// the time these took.
func pooled(sum *interval) metrics.Value {
	const rounding = 1e-3 // ms: what is left of times that were taken back
	if !(sum.laterMs > rounding) || !(sum.laterTokens > 0) {
		return metrics.Unknown(metrics.WhyNoLaterToken)
	}
	return metrics.Known(sum.laterTokens*1000/sum.laterMs, 0)
}
