package transport

import (
	"context"
	"net"
	"net/url"
	"slices"
	"time"

	"tokscope/metrics"
)

// parkedFor is how long a connection of warm may stay unused. Servers close
// unused ones, and not every platform notices that without a read.
const parkedFor = 30 * time.Second

// recheck is how long a parked connection counts as open after a check.
const recheck = time.Second

// warm makes sure that an idle connection to u's server by way of r is open. It
// takes one or connects, without sending a request. It reserves the connection
// for the request of c, which ends with ctx: of many requests that are warmed
// at the same time each has one. The caller must release it.
func (t *Transport) warm(ctx context.Context, c *Capture, u *url.URL, r route) *metrics.Fault {
	if u.Hostname() == "" {
		return nil // net/http refuses the request
	}
	addr := HostPort(u)
	key := keyOf(r.scheme, addr, r.proxy)
	if t.reserve(c, key) {
		return nil
	}
	first, secure := addr, r.scheme == "https"
	if r.proxy != nil {
		first = HostPort(r.proxy)
		secure = secure || r.proxy.Scheme == "https"
		if !r.tunnel() {
			addr = first
		}
	}
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(t.ctx, cancel)()
	l, err := t.connect(ctx, "tcp", first, addr, r, secure, newDialMarks(t.clock.Now()))
	if err != nil {
		return t.fault(ctx, err, unanswered)
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	l.since = time.Now()
	l.checked = l.since
	l.fresh.Store(true)
	t.stash[key] = append(t.stash[key], l)
	t.promise(c, key)
	return nil
}

// reserve promises an open idle connection to c. It returns false if none is
// left.
func (t *Transport) reserve(c *Capture, key string) bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	free := 0
	for _, l := range t.links {
		if l.key == key && l.idle() {
			if free++; l.shared {
				return true
			}
		}
	}
	now := time.Now()
	t.stash[key] = slices.DeleteFunc(t.stash[key], func(l *link) bool {
		return now.Sub(l.checked) >= recheck && !l.usable(now)
	})
	if free+len(t.stash[key]) <= t.hold[key] {
		return false
	}
	t.promise(c, key)
	return true
}

// promise counts a reserved connection for c. The caller holds mu.
func (t *Transport) promise(c *Capture, key string) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.warm = key
	t.hold[key]++
}

// release cancels c's reservation, if it has one.
func (t *Transport) release(c *Capture) {
	t.mu.Lock()
	defer t.mu.Unlock()
	c.mu.Lock()
	key := c.warm
	c.warm = ""
	c.mu.Unlock()
	if key == "" {
		return
	}
	if t.hold[key]--; t.hold[key] == 0 {
		delete(t.hold, key)
	}
}

// unstash removes and returns a parked connection, or nil.
func (t *Transport) unstash(key string) *link {
	t.mu.Lock()
	defer t.mu.Unlock()
	return takeLast(t.stash, key, func(l *link) bool { return l.usable(time.Now()) })
}

// takeLast removes and returns the last of a list that is usable, and removes what is not and
// stands behind it. It returns nil without one.
func takeLast[T any](lists map[string][]*T, key string, usable func(*T) bool) *T {
	for list := lists[key]; len(list) > 0; list = lists[key] {
		last := len(list) - 1
		x := list[last]
		lists[key] = slices.Delete(list, last, last+1)
		if usable(x) {
			return x
		}
	}
	delete(lists, key)
	return nil
}

// usable reports whether a parked connection can be used, and closes it if not. It closes
// on another goroutine, because the transport's lock is held and Close needs it.
func (l *link) usable(now time.Time) bool {
	if now.Sub(l.since) < parkedFor && l.rx.Alive() {
		l.checked = now
		return true
	}
	go l.conn.Close()
	return false
}

// remember makes l known by the connection that net/http will name, and returns it.
func (t *Transport) remember(l *link) *link {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.links[l.conn] = l
	return l
}

// linkOf returns the link of a connection that net/http names, or nil if it
// is not one of ours.
func (t *Transport) linkOf(conn net.Conn) *link {
	if tp, ok := conn.(*tap); ok {
		return tp.l
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.links[conn]
}

func (t *Transport) forget(l *link) {
	t.mu.Lock()
	defer t.mu.Unlock()
	delete(t.links, l.conn)
}
