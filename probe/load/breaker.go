package load

import (
	"fmt"
	"math/rand/v2"
	"time"

	"tokscope/metrics"
)

// breaker watches for a load that cannot succeed.
type breaker struct {
	row   int // failures in a row, of all users together
	kinds []metrics.FaultCount
	ever  bool // a request has succeeded: somebody is there
}

func (b *breaker) ok() { b.row, b.kinds, b.ever = 0, b.kinds[:0], true }

// fail counts a failure among users and returns why the load must stop, "" when
// it may go on.
func (b *breaker) fail(f *metrics.Fault, users int) string {
	b.row++
	b.kinds = countFault(b.kinds, f.Kind)
	limit := max(breakerAfter, 2*users)
	nobody := f.Kind == metrics.FaultConnect && !b.ever
	if (hopeless(f.Kind) || nobody) && b.kinds[0].N == b.row {
		limit = hopelessAfter
	}
	if b.row < limit {
		return ""
	}
	most := fmt.Sprintf("most with %s (%d)", b.kinds[0].Kind, b.kinds[0].N)
	if b.kinds[0].N == b.row {
		most = fmt.Sprintf("with %s", b.kinds[0].Kind)
	}
	return fmt.Sprintf("the load was stopped because the last %d requests all failed, %s; the last one: %s", b.row, most, f.Error())
}

// hopeless reports whether asking again cannot help.
func hopeless(k metrics.FaultKind) bool {
	switch k {
	case metrics.FaultAuth, metrics.FaultConfig, metrics.FaultRedirect, metrics.FaultNotStream, metrics.FaultCompressed, metrics.FaultDNS, metrics.FaultTLS:
		return true
	}
	return false
}

// backoff is how long a user waits after its n-th failure in a row:
//
//   - what the server asked for (Retry-After), maxRetryAfter at most, plus up to a
//     tenth, so that not all users come back in the same moment;
//   - else backoffFirst doubled with every failure, backoffMost at most, of
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
