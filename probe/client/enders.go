package client

import (
	"runtime"
	"sync"
)

// enders finish streams on a few goroutines. A stream's end computes figures, which
// needs a stack of 16 to 32 kB, and a thousand streams may end within a moment: a
// goroutine each held 12 MB and was no faster.
type enders struct {
	mu      sync.Mutex
	first   []func() // done before the rest: what follows an end that is done
	rest    []func()
	running int
	idle    sync.Cond // running is 0; its lock is set by wait
}

// do calls f soon, on a goroutine of enders. f must not wait for another stream.
func (x *enders) do(f func()) { x.add(&x.rest, f) }

// follow is do for what an end has brought, before any other end.
func (x *enders) follow(f func()) { x.add(&x.first, f) }

func (x *enders) add(list *[]func(), f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	*list = append(*list, f)
	if x.running < runtime.GOMAXPROCS(0) {
		x.running++
		go x.loop()
	}
}

// loop works until nothing is left.
func (x *enders) loop() {
	for {
		f := x.next()
		if f == nil {
			return
		}
		f()
	}
}

// next takes what is to be done next. It returns nil, and counts one goroutine
// less, if there is nothing.
func (x *enders) next() (f func()) {
	x.mu.Lock()
	defer x.mu.Unlock()
	for _, list := range []*[]func(){&x.first, &x.rest} {
		if n := len(*list); n > 0 {
			f, (*list)[0] = (*list)[0], nil
			if *list = (*list)[1:]; n == 1 {
				*list = nil
			}
			return f
		}
	}
	if x.running--; x.running == 0 {
		x.idle.Broadcast()
	}
	return nil
}

// wait returns when nothing is left to do and no goroutine of x runs.
func (x *enders) wait() {
	x.mu.Lock()
	defer x.mu.Unlock()
	x.idle.L = &x.mu
	for x.running > 0 {
		x.idle.Wait()
	}
}
