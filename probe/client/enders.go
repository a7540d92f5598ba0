package client

import (
	"runtime"
	"slices"
	"sync"
)

// enders finish streams on a few goroutines. A stream's end computes figures, which
// needs a stack of 16 to 32 kB, and a thousand streams may end within a moment: a
// goroutine each held 12 MB and was no faster.
type enders struct {
	mu      sync.Mutex
	todo    []func() // what follows an end that is done stands before further ends
	running int
	idle    sync.Cond // running is 0; its lock is set by wait
}

// do calls f soon, on a goroutine of enders. f must not wait for another stream.
func (x *enders) do(f func()) { x.add(f, false) }

// follow is do for what an end has brought, before any other end.
func (x *enders) follow(f func()) { x.add(f, true) }

func (x *enders) add(f func(), first bool) {
	x.mu.Lock()
	defer x.mu.Unlock()
	if first {
		x.todo = slices.Insert(x.todo, 0, f)
	} else {
		x.todo = append(x.todo, f)
	}
	if x.running < runtime.GOMAXPROCS(0) {
		x.running++
		go x.loop()
	}
}

// loop works until nothing is left, and counts one goroutine less then.
func (x *enders) loop() {
	x.mu.Lock()
	defer x.mu.Unlock()
	for len(x.todo) > 0 {
		f := x.todo[0]
		x.todo[0] = nil
		x.todo = x.todo[1:]
		x.mu.Unlock()
		f()
		x.mu.Lock()
	}
	x.todo = nil
	if x.running--; x.running == 0 {
		x.idle.Broadcast()
	}
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
