package loadgen

import (
	"math/rand/v2"
	"slices"
	"time"

	"tokscope/metrics"
)

// breaker stops a load that cannot succeed. It has no lock: its owner is the
// load, under the load's mutex.
type breaker struct {
	row    int // failures in a row, over all users
	kinds  []metrics.FaultCount
	there  bool           // a server has accepted a request: it may be busy, but it exists
	broken metrics.Ending // why the load was stopped, zero otherwise
}

// ok counts a request that ended well.
func (b *breaker) ok() { b.row, b.kinds, b.there = 0, b.kinds[:0], true }

// fail counts a failure among users and returns why the load must stop, zero
// when it may go on. broken keeps the reason.
//
// Failed connections mean that no server exists only while none has accepted
// a request, and after one try per user. A server with many simultaneous
// connections may refuse some and serve the others.
func (b *breaker) fail(f *metrics.Fault, users int) metrics.Ending {
	b.row++
	b.kinds = metrics.AddFaults(b.kinds, metrics.FaultCount{Kind: f.Kind, N: 1})
	limit := max(breakerAfter, 2*users)
	if b.kinds[0].N == b.row {
		switch {
		case slices.Contains(unreachable, f.Kind) && !b.there:
			limit = max(hopelessAfter, users)
		case slices.Contains(hopeless, f.Kind):
			limit = hopelessAfter
		}
	}
	if b.row < limit {
		return metrics.Ending{}
	}
	b.broken = metrics.Ending{Code: metrics.EndingFailures,
		Requests: b.row, Most: b.kinds[0].N, Kind: b.kinds[0].Kind, Last: f}
	return b.broken
}

// hopeless are failures at which a retry cannot help, unreachable those that come before a
// request can be sent.
var (
	hopeless = []metrics.FaultKind{metrics.FaultAuth, metrics.FaultConfig, metrics.FaultRedirect,
		metrics.FaultNotStream, metrics.FaultCompressed}
	unreachable = []metrics.FaultKind{metrics.FaultConnect, metrics.FaultDNS, metrics.FaultTLS}
)

// backoff returns the wait of a user after its n-th failure in a row:
//
//   - the server's Retry-After, at most maxRetryAfter, plus up to a tenth, so that
//     users do not return simultaneously;
//   - else backoffFirst, doubled with every failure, at most backoffMost, of
//     which half to all.
func backoff(f *metrics.Fault, n int, rng *rand.Rand) time.Duration {
	if f.RetryAfter > 0 {
		d := min(f.RetryAfter, maxRetryAfter)
		return d + time.Duration(rng.Float64()*0.1*float64(d))
	}
	d := backoffFirst << min(max(n-1, 0), 10)
	d = min(d, backoffMost)
	return d/2 + time.Duration(rng.Float64()*float64(d)/2)
}
