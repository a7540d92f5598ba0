package loadgen

import (
	"context"
	"math/rand/v2"
	"sync"
	"time"

	"tokscope/metrics"
	"tokscope/probe/client"
	"tokscope/probe/endpoint"
)

// Plan is a closed loop: Concurrency users share Requests requests; each sends
// its next one when its last has ended.
type Plan struct {
	Requests    int // at least 1
	Concurrency int // at least 1; at most Requests are started
	Target      endpoint.Target
	Work        metrics.Workload
	// Works, unless nil, are what the requests ask for, one each, in place of Work.
	Works []metrics.Workload
	// Nonces puts a different line before every prompt, so that a prefix cache
	// of the server cannot speed up all requests but the first.
	Nonces bool
	// Unobserved hides the requests from all sinks.
	Unobserved bool
	// Seed makes the nonces repeatable; 0 is a valid seed.
	Seed uint64
	// Pace is the reader to compare the figures with; zero: the first of
	// metrics.Paces.
	Pace metrics.Pace
	// Held, when set, is called with the wait before the next request, where the endpoint
	// allows none sooner (metrics.Stream.Hold).
	Held func(wait time.Duration)
	// Ended, when set, is called after each request with the number of ended
	// requests, from one goroutine at a time.
	Ended func(done int, run metrics.Run)
}

// keptRoom is the number of bytes of chunks and text that the runs of a plan
// keep. Later runs keep their figures alone, about 6 kB each.
const keptRoom = 8 << 20

// Run executes the plan and returns the ended requests in the order of their
// start. When ctx ends, it cancels the running requests, starts no new ones,
// and returns the runs so far. So it does without cancelling where the endpoint
// allows no further request for more than maxRetryAfter.
func Run(ctx context.Context, e *client.Engine, p Plan) []metrics.Run {
	n, users := max(p.Requests, 1), max(p.Concurrency, 1)
	users = min(users, n)
	p.Work.Concurrency = users
	rng := rand.New(rand.NewPCG(p.Seed, 0x746f6b73))
	var (
		mu   sync.Mutex
		wg   sync.WaitGroup
		runs = make([]metrics.Run, n)
		next int
		done int
		free = time.Now() // no request before it
		trim = metrics.Trimmer{Room: keptRoom}
	)
	// nextRequest returns the next request, or the wait before it; ok is false at the end.
	nextRequest := func() (i int, w metrics.Workload, wait time.Duration, ok bool) {
		mu.Lock()
		defer mu.Unlock()
		wait = time.Until(free)
		switch ok = next < n && ctx.Err() == nil && wait <= maxRetryAfter; {
		case !ok:
			return 0, w, 0, false
		case wait > 0:
			if p.Held != nil {
				p.Held(wait)
			}
			return 0, w, wait, true
		}
		i, w = next, p.Work
		if p.Works != nil {
			w = p.Works[i]
		}
		next++
		if p.Nonces {
			w.Nonce = client.Nonce(rng.Uint32())
		}
		return i, w, 0, true
	}
	// No goroutine waits for a stream: a thousand of them would hold 32 kB of
	// stack each, which measuring needs only briefly at the end.
	var begin func()
	begin = func() {
		i, w, wait, ok := nextRequest()
		switch {
		case !ok:
			wg.Done()
			return
		case wait > 0:
			go func() {
				sleep(ctx, wait, nil, nil)
				begin()
			}()
			return
		}
		send := e.Start
		if p.Unobserved {
			send = e.StartQuiet
		}
		s := send(ctx, p.Target, w)
		s.OnEnd(func() {
			run := s.Run(p.Pace)
			mu.Lock()
			trim.Add(&run)
			runs[i] = run
			done++
			if until := time.Now().Add(run.Stream.Hold()); until.After(free) {
				free = until
			}
			if p.Ended != nil {
				p.Ended(done, run)
			}
			mu.Unlock()
			begin()
		})
	}
	wg.Add(users)
	for range users {
		begin()
	}
	wg.Wait()
	return runs[:next]
}
