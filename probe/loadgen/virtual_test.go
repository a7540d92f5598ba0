package loadgen

import (
	"cmp"
	"context"
	"sync"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/probe/endpoint"
	"tokscope/probe/sim/engine"
)

// served is an endpoint in virtual time: the engine of the embedded endpoint,
// without its HTTP, in a bubble of testing/synctest. Requests wait, prefill
// and decode by the model's rules. Prompts that meet delay each other, and
// long prefills stretch the gaps of all.
type served struct {
	origin  time.Time
	wake    chan struct{} // capacity 1: a request came or was cancelled
	quit    chan struct{}
	stopped chan struct{}

	mu    sync.Mutex
	e     *engine.Engine
	open  map[*engine.Request]*servedStream
	count int
	ended []*engine.Request // that were answered
}

// serve starts one with the setup of a preset; the test must call close.
func serve(tb testing.TB, id string) *served {
	f := &served{
		origin: time.Now(), wake: make(chan struct{}, 1), quit: make(chan struct{}), stopped: make(chan struct{}),
		e:    engine.New(engine.Options{Config: engine.Config{Setup: setupOf(tb, id)}}),
		open: map[*engine.Request]*servedStream{},
	}
	go f.drive()
	return f
}

func (f *served) close() {
	close(f.quit)
	<-f.stopped
}

func (f *served) now() metrics.Stamp { return metrics.Stamp(time.Since(f.origin)) }

func (f *served) deps() deps {
	return deps{now: f.now, start: f.start, observer: func() metrics.Observer { return metrics.Observer{N: 500} }}
}

// drive runs the due steps of the engine, and sleeps until the next.
func (f *served) drive() {
	defer close(f.stopped)
	for {
		f.mu.Lock()
		now := time.Since(f.origin).Seconds()
		at, busy := f.e.Next()
		for busy && at <= now {
			for _, y := range f.e.Advance(at) {
				f.yield(y)
			}
			at, busy = f.e.Next()
		}
		f.mu.Unlock()
		wait := time.Hour
		if busy {
			wait = time.Duration((at-now)*1e9) + 1 // never before it is due
		}
		t := time.NewTimer(wait)
		select {
		case <-t.C:
		case <-f.wake:
		case <-f.quit:
			t.Stop()
			return
		}
		t.Stop()
	}
}

func (f *served) poke() {
	select {
	case f.wake <- struct{}{}:
	default:
	}
}

// yield passes the tokens of a step to their stream: f.mu is held.
func (f *served) yield(y engine.Emission) {
	s := f.open[y.Request]
	if s == nil {
		return
	}
	s.mu.Lock()
	v := &s.v
	v.State = metrics.Decoding
	v.Text = append(v.Text, "word "...)
	k := int32(len(v.Chunks))
	v.Chunks = append(v.Chunks, metrics.Chunk{At: f.now(), User: f.now(), Read: k, Event: k, TextEnd: int32(len(v.Text)),
		Tokens: int16(y.N)})
	s.mu.Unlock()
	if y.Request.Finished {
		f.ended = append(f.ended, y.Request)
		s.end(metrics.Done, nil)
	}
}

func (f *served) start(_ context.Context, _ endpoint.Target, w metrics.Workload) stream {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.count++
	s := &servedStream{acted: newActed(f.count, f.now(), f.now, w), f: f,
		r: &engine.Request{Prompt: max(w.InputTokens, 1), Output: w.MaxTokens}}
	f.open[s.r] = s
	if err := f.e.Submit(max(float64(s.v.Now)/1e9, f.e.Now()), s.r); err != nil {
		s.end(metrics.Failed, &metrics.Fault{Kind: metrics.FaultHTTP, Message: err.Error()})
	}
	f.poke()
	return s
}

// servedStream is one request of it.
type servedStream struct {
	acted
	f *served
	r *engine.Request
}

func (s *servedStream) Cancel() {
	s.f.mu.Lock()
	defer s.f.mu.Unlock()
	if s.f.open[s.r] == nil {
		return
	}
	s.f.e.Cancel(s.r)
	s.end(metrics.Cancelled, &metrics.Fault{Kind: metrics.FaultCancelled, Message: "stopped"})
	s.f.poke()
}

// end ends the stream: f.mu is held.
func (s *servedStream) end(state metrics.State, fault *metrics.Fault) {
	delete(s.f.open, s.r)
	s.mu.Lock()
	v := &s.v
	v.State, v.Fault, v.Now = state, fault, s.f.now()
	v.Marks.End = v.Now
	if state == metrics.Done {
		v.Usage.Prompt, v.Usage.Completion, v.TokensFrom, v.Finish = s.r.Prompt, s.r.Produced, metrics.TokensUsage, "length"
	}
	s.mu.Unlock()
	close(s.done)
}

// modelLoad starts a load on f with in prompt tokens and out output tokens
// per request.
func modelLoad(f *served, c Config, in, out int) *Load {
	c.Work = metrics.Workload{Prompt: "x", InputTokens: in, MaxTokens: out}
	c.Seed = cmp.Or(c.Seed, 1)
	return start(context.Background(), c, f.deps())
}

// stopAll ends a load and its endpoint.
func stopAll(l *Load, f *served) {
	l.Stop()
	f.cancelAll()
	l.Wait()
	f.close()
}

// cancelAll does for f what the end of the load's context does for real
// requests.
func (f *served) cancelAll() {
	f.mu.Lock()
	var all []*servedStream
	for _, s := range f.open {
		all = append(all, s)
	}
	f.mu.Unlock()
	for _, s := range all {
		s.Cancel()
	}
}
