package probetest

import (
	"cmp"
	"net"
	"runtime"
	"slices"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/transport/stamp"
)

// engine plays many plans on one thread that sleeps in the kernel.
type engine struct {
	base  int64
	clock *stamp.Clock

	mu      sync.Mutex
	jobs    []*job           // by due
	waiting map[*Plan][]*job // for lockstep
	wake    chan struct{}
	stop    chan struct{}
	done    chan struct{}
}

// job is one response in progress.
type job struct {
	plan *Plan
	c    net.Conn
	k    *conn
	log  *Log
	next int
	due  metrics.Stamp
	err  chan error
}

// After a pause of coldAfter, the thread wakes warmLead before its next write
// is due. It exercises the write path once (warmer) and then spins.
const coldAfter, warmLead = 700 * time.Microsecond, 300 * time.Microsecond

// longestSleep bounds the delay before a new job is noticed.
const longestSleep = time.Millisecond

// lead is the time between the last request of a lockstep and its start.
const lead = 5 * time.Millisecond

func newEngine(base int64, clock *stamp.Clock) *engine {
	e := &engine{base: base, clock: clock, waiting: map[*Plan][]*job{},
		wake: make(chan struct{}, 1), stop: make(chan struct{}), done: make(chan struct{})}
	go e.run()
	return e
}

func (e *engine) close() {
	close(e.stop)
	<-e.done
}

// play sends one response and returns after its last write.
func (e *engine) play(p *Plan, c net.Conn, k *conn, l *Log) error {
	if len(p.Writes) == 0 {
		return nil
	}
	j := &job{plan: p, c: c, k: k, log: l, err: make(chan error, 1)}
	e.mu.Lock()
	if p.Lockstep > 0 {
		e.waiting[p] = append(e.waiting[p], j)
		if all := e.waiting[p]; len(all) == p.Lockstep {
			delete(e.waiting, p)
			begin := e.clock.Now() + metrics.Stamp(lead)
			for i, j := range all {
				j.due = begin + metrics.Stamp(p.Spread*time.Duration(i)/time.Duration(len(all))+p.Writes[0].After)
				e.add(j)
			}
		}
	} else {
		j.due = e.clock.Now() + metrics.Stamp(p.Writes[0].After)
		e.add(j)
	}
	e.mu.Unlock()
	select {
	case e.wake <- struct{}{}:
	default:
	}
	select {
	case err := <-j.err:
		return err
	case <-e.stop:
		return errClosed
	case <-e.done:
		return errClosed
	}
}

func (e *engine) run() {
	runtime.LockOSThread()
	defer close(e.done)
	warmer, warm, last := newWarmer(), false, e.clock.Now()
	defer warmer.close()
	for {
		j, wait := e.due()
		if j == nil && wait > 0 && e.clock.Now()+metrics.Stamp(wait)-last > metrics.Stamp(coldAfter) {
			switch {
			case wait > warmLead:
				wait -= warmLead
			case warm:
				continue
			default:
				warmer.warm()
				warm = true
				continue
			}
		}
		switch {
		case j != nil:
			e.write(j)
			warm, last = false, e.clock.Now()
		case wait > 0:
			sleep(min(wait, longestSleep))
			select {
			case <-e.stop:
				return
			default:
			}
		default:
			select {
			case <-e.wake:
			case <-e.stop:
				return
			}
		}
	}
}

// due returns the job that is due, or the time to wait. Without any job it
// returns 0.
func (e *engine) due() (*job, time.Duration) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if len(e.jobs) == 0 {
		return nil, 0
	}
	j := e.jobs[0]
	if wait := time.Duration(j.due - e.clock.Now()); wait > 0 {
		return nil, wait
	}
	e.jobs = e.jobs[1:]
	return j, 0
}

func (e *engine) write(j *job) {
	err := writeLogged(j.c, j.k, j.log, e.base, j.plan.bytes(j.next, j.log))
	if j.next++; err != nil || j.next == len(j.plan.Writes) {
		j.err <- err
		return
	}
	j.due += metrics.Stamp(j.plan.Writes[j.next].After)
	e.mu.Lock()
	e.add(j)
	e.mu.Unlock()
}

// add makes j wait until it is due: mostly behind the others. The caller holds mu.
func (e *engine) add(j *job) {
	at, _ := slices.BinarySearchFunc(e.jobs, j.due, func(x *job, due metrics.Stamp) int { return cmp.Compare(x.due, due) })
	e.jobs = slices.Insert(e.jobs, at, j)
}
