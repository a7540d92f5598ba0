package loadgen

import (
	"time"

	"tokscope/metrics"
)

// Work is what the requests of a load are from now on.
type Work struct {
	metrics.Workload
	SharedPrefix bool          // as Config.SharedPrefix
	Join         time.Duration // as Shape.Join
}

// SetWork changes what the next requests are. Those that run go on; see Renew.
func (l *Load) SetWork(w Work) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.c.Work, l.c.SharedPrefix, l.c.Shape.Join = w.Workload, w.SharedPrefix, w.Join
	now := l.world.now()
	l.newStay(now, l.stay.users, l.stay.rate)
	l.publishNow(now)
}

// Renew takes back what runs, and lets all users of a closed loop begin again
// after that time, one after the other over the other time. What was taken back
// counts as cancelled.
func (l *Load) Renew(after, over time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.ending || l.c.Shape.Rate > 0 {
		return
	}
	now := l.world.now()
	l.nextStart, l.apart = now+metrics.Stamp(after), over/time.Duration(l.target)
	for _, u := range l.users {
		if u.leaving {
			u.stop()
			continue
		}
		u.notBefore = 0
		l.space(u, now)
		if u.busy {
			u.renewed, u.again = true, u.notBefore
			u.stop()
		}
		u.poke()
	}
	l.newStay(now, l.stay.users, l.stay.rate)
	l.publishNow(now)
}
