package loadgen

import (
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
	"tokscope/metrics/stats"
)

// clientLag is this program's own lag, as seen by the ended requests. It has
// no lock: its owner is the load, under the load's mutex.
type clientLag struct {
	p50     [32]time.Duration // of the last requests: own stamp minus the kernel's
	p99     [32]time.Duration
	n       int
	stamps  metrics.Observer // counts of events by source, over all requests
	sources string           // of the stamps so far, as loadstat.View.Stamps; "" before any
	limited bool             // at the last look this program limited the load
}

// sourceOf names who took stamps of a stream whose source is from: the kernel or this
// program.
func sourceOf(kernel bool, from metrics.Source) string {
	switch {
	case kernel:
		from = metrics.SourceKernel
	case from != metrics.SourceBody:
		from = metrics.SourceUser
	}
	return from.String()
}

// add counts an ended request.
func (c *clientLag) add(v *metrics.Stream) {
	o := &v.Observer
	c.stamps = c.stamps.Merge(*o)
	if o.UserStamps > 0 {
		c.sources = loadstat.JoinStamps(c.sources, sourceOf(false, v.Stamps))
	}
	if o.KernelStamps > 0 {
		c.sources = loadstat.JoinStamps(c.sources, sourceOf(true, v.Stamps))
		c.p50[c.n%len(c.p50)], c.p99[c.n%len(c.p99)] = o.LagP50, o.LagP99
		c.n++
	}
}

// observer returns o with the counts of stamps and the lag of the load's
// requests.
func (c *clientLag) observer(o metrics.Observer) metrics.Observer {
	o.KernelStamps, o.UserStamps = c.stamps.KernelStamps, c.stamps.UserStamps
	o.LateEvents, o.SharedReads = c.stamps.LateEvents, c.stamps.SharedReads
	o.LagP50, o.LagP99, o.LagMax = c.median(&c.p50), c.median(&c.p99), c.stamps.LagMax
	return o
}

// median returns the median of one lag of the last requests; 0 without kernel
// stamps.
func (c *clientLag) median(of *[32]time.Duration) time.Duration {
	n := min(c.n, len(of))
	if n == 0 {
		return 0
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(of[i])
	}
	return time.Duration(stats.Median(v))
}

// limits returns why this program itself limits the load, zero when it does
// not. medianGap is that of the window, ms; request is how long a request takes. A lag
// delays the next request of a user, so one that is small against a request changes no
// figure that is shown: it has to exceed lagShare of it. lags are those of the schedule for
// users users; users who all wait break it in any case. A warning stays until the lag is
// well below the limit, because a warning that appears and disappears four times a second
// is unreadable.
func (c *clientLag) limits(o metrics.Observer, medianGap metrics.Value, request time.Duration, lags *lagRing,
	users int) loadstat.ClientLimit {
	matters := time.Duration(float64(request) * lagShare)
	limit, most := max(lateLimit, matters), max(lagLimit, ms(matters))
	if medianGap.OK {
		limit = max(limit, time.Duration(medianGap.V*float64(time.Millisecond)/2))
	}
	if c.limited {
		limit, most = time.Duration(float64(limit)*relieved), most*relieved
	}
	var why loadstat.ClientLimit
	if request > 0 {
		why = c.lateness(o, limit)
		why.Slower = why.Ms / (ms(request) + why.Ms)
	}
	crowded := lags.mostCrowded(lagLimit)
	if lag := lags.dist(); lag.P99.OK && (lag.P99.V > most || crowded && lag.P99.V > lagLimit) {
		why = loadstat.ClientLimit{Code: loadstat.LimitSchedule, Ms: lag.P99.V}
		if crowded {
			why.Users = users
		}
	}
	c.limited = why.Code != ""
	return why
}

// lateness returns what in this program lags by more than limit, zero without
// such a lag.
func (c *clientLag) lateness(o metrics.Observer, limit time.Duration) loadstat.ClientLimit {
	switch {
	case o.N >= 50 && o.LateP99 > limit:
		return loadstat.ClientLimit{Code: loadstat.LimitSending, Ms: ms(o.LateP99)}
	case c.median(&c.p99) > limit:
		return loadstat.ClientLimit{Code: loadstat.LimitReading, Ms: ms(c.median(&c.p99))}
	}
	return loadstat.ClientLimit{}
}

// ms returns d in milliseconds.
func ms(d time.Duration) float64 { return float64(d) / 1e6 }
