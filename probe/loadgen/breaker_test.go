package loadgen

import (
	"testing"
	"testing/synctest"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/loadstat"
)

var errRefused = &metrics.Fault{Kind: metrics.FaultConnect, Message: "connection refused"}

// The number of failures in a row that ends a load depends on their kind, the
// users, and whether a server was ever reached.
func TestHowManyFailuresEndALoad(t *testing.T) {
	auth, reset := &metrics.Fault{Kind: metrics.FaultAuth}, &metrics.Fault{Kind: metrics.FaultReset}
	dns, tls := &metrics.Fault{Kind: metrics.FaultDNS}, &metrics.Fault{Kind: metrics.FaultTLS}
	for _, c := range []struct {
		name  string
		fault *metrics.Fault
		users int
		there bool
		want  int
	}{
		{"one user finds nobody", errRefused, 1, false, hopelessAfter},
		{"every one of many finds nobody", errRefused, 64, false, 64},
		{"no such name", dns, 8, false, 8},
		{"a certificate that is not valid", tls, 1, false, hopelessAfter},
		{"a server that was there restarts", errRefused, 1, true, breakerAfter},
		{"a server that is there refuses some of many", errRefused, 64, true, 128},
		{"a handshake fails under load", tls, 64, true, 128},
		{"the key is wrong", auth, 64, true, hopelessAfter},
		{"connections break", reset, 4, false, breakerAfter},
	} {
		b := breaker{there: c.there}
		n := 1
		for b.fail(c.fault, c.users).Code == "" {
			n++
		}
		if n != c.want {
			t.Errorf("%s: ended after %d failures, want %d", c.name, n, c.want)
		}
	}
}

// A server that refuses some of the first connections and serves the others
// exists: the load continues, and the refused users retry.
func TestSomeRefusedAtTheStart(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		f := newFake(time.Millisecond, 5*time.Second) // long answers: no request has ended when the others are refused
		f.fault = func(i int) *metrics.Fault {
			if i >= 2 && i < 14 {
				return errRefused
			}
			return nil
		}
		l := closed(f, Shape{Drive: loadstat.Drive{Users: 8}}, 4)
		time.Sleep(10 * time.Second)
		if v := l.View(); v.Broken.Code != "" || !v.Running || v.Failed != 12 || v.Decoding != 8 {
			t.Errorf("broken %+v, running %v, %d failed, %d decoding", v.Broken, v.Running, v.Failed, v.Decoding)
		}
		finish(l)
	})
}
