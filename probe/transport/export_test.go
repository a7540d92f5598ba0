package transport

import (
	"context"
	"net"
	"net/url"
	"time"

	"tokscope/metrics"
)

// SetDial replaces how t makes TCP connections: tests in virtual time use
// pipes, because a bubble does not reach into the kernel.
func (t *Transport) SetDial(dial func(ctx context.Context, network, addr string) (net.Conn, error)) {
	t.dialRaw = dial
}

// Links returns how many connections t knows.
func (t *Transport) Links() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	return len(t.links)
}

// WarmFor opens or reserves a connection for the request of c, before it is made.
func (t *Transport) WarmFor(c *Capture, u *url.URL) error {
	if f := t.warm(context.Background(), c, u, route{scheme: u.Scheme}); f != nil {
		return f
	}
	return nil
}

// Held returns how many connections are reserved for requests.
func (t *Transport) Held() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	held := 0
	for _, n := range t.hold {
		held += n
	}
	return held
}

// Alive returns how many connections of t the server has not closed.
func (t *Transport) Alive() int {
	t.mu.Lock()
	defer t.mu.Unlock()
	alive := 0
	for _, l := range t.links {
		if l.rx.Alive() {
			alive++
		}
	}
	return alive
}

// State returns the present state of c's request.
func (c *Capture) State() *RequestState { return c.state() }

// Frames reports whether the request goes over a WebSocket.
func (c *Capture) Frames() bool { return c.ends != nil }

// Completed returns when c's answer was complete.
func (c *Capture) Completed() metrics.Stamp { return metrics.Stamp(c.timing.completed.Load()) }

// Pending is the memory of lines that no consumer has taken yet.
func (t *Transport) Pending() int64 { return t.pending.Load() }

// Withheld returns the bytes of c's body that net/http was not given.
func (c *Capture) Withheld() int64 { return c.counts.withheld.Load() }

// waker is a Consumer for one goroutine, which waits for Wake.
type waker struct {
	news    chan struct{}
	watcher Watcher // nil: nobody watches
}

func (w *waker) Ready(bool) {
	select {
	case w.news <- struct{}{}:
	default:
	}
}

func (w *waker) RequestChanged(s *RequestState) {
	if w.watcher != nil {
		w.watcher.RequestChanged(s)
	}
}

// Watcher is the part of a Consumer that Watch adds to a capture of NewWaking.
type Watcher interface{ RequestChanged(s *RequestState) }

// Watch makes w receive the present state of the request, now, and then every change.
func (c *Capture) Watch(w Watcher) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.informs.(*waker).watcher = w
	w.RequestChanged(c.timing.state)
}

// NewWaking returns a capture for one request, whose lines a goroutine takes that waits
// for Wake.
func NewWaking(clock *Clock) *Capture { return NewCapture(clock, &waker{news: make(chan struct{}, 1)}) }

// Wake returns a channel that fires when new lines arrive, or at the end.
func (c *Capture) Wake() <-chan struct{} { return c.informs.(*waker).news }

// StandStill ends no wait of c for that long. Then the waits are the first that run again.
func (c *Capture) StandStill(d time.Duration) {
	c.mu.Lock()
	c.timer.Stop()
	c.mu.Unlock()
	time.Sleep(d)
	c.expire()
}
