package sim

import (
	"fmt"
	"net/http"
	"time"

	"tokscope/probe/access"
)

// Guard returns h behind the checks of the embedded endpoint, for another handler
// at o.Addr: the address must be of this machine unless o.Remote is set, and the
// Host and Origin headers of a request one of those that are allowed.
func Guard(o Options, h http.Handler) (http.Handler, error) {
	o, err := o.complete()
	if err != nil {
		return nil, err
	}
	rules, err := access.New(o.Addr, o.Remote, o.AllowHosts, o.AllowOrigins)
	if err != nil {
		return nil, fmt.Errorf("refused: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := accessError(&rules, r); err != nil {
			err.write(w)
			return
		}
		h.ServeHTTP(w, r)
	}), nil
}

// SleepExactly sleeps for a short time more exactly than the runtime does. It holds
// its thread meanwhile.
func SleepExactly(d time.Duration) {
	tightenTimer() // of the thread that sleeps
	sleepExactly(d)
}
