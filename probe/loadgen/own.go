package loadgen

import (
	"fmt"
	"time"

	"tokscope/metrics"
)

// own is how late this program itself was, by what the ended requests saw.
type own struct {
	lagP99 [32]time.Duration // of the last requests: own stamp after the kernel's
	n      int
}

func (o *own) lag(v *metrics.Stream) {
	if v.Observer.KernelStamps > 0 {
		o.lagP99[o.n%len(o.lagP99)] = v.Observer.LagP99
		o.n++
	}
}

// median of the last requests' LagP99; 0 when none had kernel stamps.
func (o *own) median() time.Duration {
	n := min(o.n, len(o.lagP99))
	if n == 0 {
		return 0
	}
	v := make([]float64, n)
	for i := range v {
		v[i] = float64(o.lagP99[i])
	}
	return time.Duration(metrics.Distribution(v).P50.V)
}

// limits says why this program itself limits the load, "" when it does not:
// l.mu is held. medianGap is that of the window, ms. Once said it is said until
// the lateness is well below the limit: a warning that comes and goes four times
// a second cannot be read.
func (c *Load) limits(o metrics.Observer, medianGap metrics.Value) string {
	limit, most := lateLimit, lagLimit
	if medianGap.OK {
		limit = max(limit, time.Duration(medianGap.V*float64(time.Millisecond)/2))
	}
	if c.limited {
		limit, most = time.Duration(float64(limit)*relieved), most*relieved
	}
	why := c.lateness(o, limit, most)
	c.limited = why != ""
	return why
}

// lateness is what is later than limit, or than most ms against the schedule.
func (c *Load) lateness(o metrics.Observer, limit time.Duration, most float64) string {
	lag := c.lag.dist()
	switch {
	case lag.P99.OK && lag.P99.V > most:
		return fmt.Sprintf("requests leave %.0f ms after their scheduled time (p99): the schedule is not kept, because %s", lag.P99.V, c.lagCause())
	case o.N >= 50 && o.LateP99 > limit:
		return fmt.Sprintf("this program wakes up %.1f ms late (p99 of the last 5 s): it sends the next requests as late, and this machine may be what limits", ms(o.LateP99))
	case c.own.median() > limit:
		return fmt.Sprintf("this program takes what the kernel has received %.1f ms late (p99): kernel stamps are not affected, its own next requests are", ms(c.own.median()))
	}
	return ""
}

// lagCause says why requests were late, by what each of them found, not by who
// happens to be free now: l.mu is held.
func (b *Load) lagCause() string {
	if b.lag.mostCrowded(lagLimit) {
		return fmt.Sprintf("all %d users wait for an answer", len(b.users))
	}
	return "this program is late"
}
