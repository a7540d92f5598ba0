package transport

import (
	"net"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/transport/stamp"
)

// shortRead is the free space for events in a read while the reader lags:
// about one event, so that each read has a segment's own stamp.
const shortRead = 512

// mostLeft bounds what is kept of a followed stream for net/http: the end of a chunk that
// it has seen begin, and an unfinished one.
const mostLeft = 1 << 10

// link is one connection of a Transport, from its dial to its close.
type link struct {
	owner *Transport
	conn  net.Conn // what net/http has: a *tap, or the TLS of HTTP/2, which cannot be tapped
	rx    *stamp.Conn
	dial  *dialMarks
	key   string // transport key: scheme, host and port, proxy
	proxy string // host:port of the proxy, "" when direct
	tls   string // "TLS 1.3", "" for plain
	using atomic.Pointer[Capture]
	used  atomic.Bool // net/http has received it
	// shared: HTTP/2, always available for one more request. Set before use.
	shared bool
	// since is when warm put it aside, checked when it was last found open. The
	// transport's mu is held.
	since, checked time.Time
	fresh          atomic.Bool               // made by warm and not used yet
	came           atomic.Int64              // bytes that were read beneath TLS
	socket         atomic.Pointer[websocket] // that it has become
}

// idle reports whether the link can take a request at once.
func (l *link) idle() bool { return l.used.Load() && (l.shared || l.using.Load() == nil) }

// drop ends the use of the link by c, if c uses it.
func (l *link) drop(c *Capture) { l.using.CompareAndSwap(c, nil) }

// tap is the connection that net/http sees. It passes every response to the
// Capture of the current request. It lies above TLS, beneath net/http's
// buffers.
type tap struct {
	hooked                       // TLS or l.rx
	onFollowed func([]byte) bool // keep, allocated once
	mid        bool              // the next bytes are of a stream's body
	left       []byte            // bytes for net/http that a capture has seen
	// The unfinished chunk of a followed stream is left[cut:], with so many bytes of the
	// body. cut is below 0 before the first end of a chunk.
	cut    int
	inLeft int64
}

// newTap makes a tap on conn what net/http has of l, and returns l.
func newTap(conn net.Conn, l *link) *link {
	t := &tap{hooked: hooked{conn, l}}
	t.onFollowed = t.keep
	l.conn = t
	return l
}

// tapOf returns the tap of the connection of c, or nil.
func tapOf(c *Capture) *tap {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.timing.link == nil {
		return nil
	}
	tp, _ := c.timing.link.conn.(*tap)
	return tp
}

// Read reads, and passes the bytes to the current capture before net/http.
func (t *tap) Read(p []byte) (int, error) {
	if n := copy(p, t.left); n > 0 {
		if t.left = t.left[n:]; len(t.left) == 0 {
			t.left = nil
		}
		return n, nil
	}
	n, err := t.Conn.Read(p)
	if n > 0 {
		if c := t.l.using.Load(); c != nil { // now: net/http reads before the request exists
			t.feed(c, p[:n])
		} else if w := t.l.socket.Load(); w != nil {
			w.feed(nil, p[:n])
		}
	}
	return n, err
}

// follow lets the rest of a stream reach the capture without a read, and so without
// a goroutine that waits in one. Whole chunks of the framing never reach net/http: it
// would wake up for every few events to discard them. onEnd, on a goroutine of its own, must read the rest
// of the body: mostly its last chunk, at the end of the stream. It returns false, and
// does nothing, where somebody must read. Call it when net/http has returned the head
// of the response; nobody may read before onEnd is called.
func (t *tap) follow(c *Capture, resp *http.Response, onEnd func()) bool {
	chunked := resp.ContentLength < 0 && len(resp.TransferEncoding) > 0
	if !chunked || t.Conn != net.Conn(t.l.rx) || !c.intake.inStream() || c.intake.walk.extended {
		return false
	}
	t.cut, t.inLeft = -1, 0
	return t.l.rx.Follow(t.onFollowed, onEnd)
}

// keep ingests an arrival of a followed stream, and keeps for net/http what is not a
// whole chunk. It reports whether to go on.
func (t *tap) keep(p []byte) bool {
	c := t.l.using.Load()
	if c == nil {
		t.mid = false
	} else {
		t.feed(c, p)
		if k := c.intake.wholeChunks(); t.mid && k != nil {
			p = t.withhold(c, k, p)
		}
	}
	t.left = append(t.left, p...)
	return t.mid && len(t.left) < mostLeft
}

// withhold returns what net/http must be given of p, in which the chunks k end.
func (t *tap) withhold(c *Capture, k *wholeChunks, p []byte) []byte {
	if !k.begun {
		t.inLeft += k.after
		return p
	}
	if t.cut < 0 { // net/http has seen the start of the chunk
		t.left = append(t.left, p[:k.from]...)
		t.cut = len(t.left)
	} else {
		t.left = t.left[:t.cut]
		c.counts.withheld.Add(t.inLeft + k.before)
	}
	c.counts.withheld.Add(k.n)
	t.inLeft = k.after
	return p[k.to:]
}

// feed passes bytes to the capture. A reader that lags reads in short pieces
// from then on. A panic ends the request: the head of a response is read on a
// goroutine of net/http, which would not recover it.
func (t *tap) feed(c *Capture, p []byte) {
	defer t.rescue(c)
	if c.relays != nil {
		c.relays.Lock()
		defer c.relays.Unlock()
		if c.ended.Load() {
			t.mid = false
			return
		}
	}
	s := t.l.rx.Last()
	switch data := c.intake.feed(p, s); {
	case data > 1 && s.Kernel:
		t.l.rx.Limit(shortRead)
	case len(p) < shortRead:
		t.l.rx.Limit(0)
	}
	t.mid = c.intake.inStream()
}

// rescue, deferred, turns a panic into the fault of c's request, which
// receives no further bytes.
func (t *tap) rescue(c *Capture) {
	if p := recover(); p != nil {
		t.mid = false
		t.l.drop(c)
		c.intake.fail(PanicFault(p))
	}
}

// hooked is a connection whose close removes its link from the transport.
type hooked struct {
	net.Conn
	l *link
}

// Read counts what comes.
func (h *hooked) Read(p []byte) (int, error) {
	n, err := h.Conn.Read(p)
	h.l.came.Add(int64(n))
	return n, err
}

func (h *hooked) Close() error {
	h.l.owner.forget(h.l)
	return h.Conn.Close()
}

// wrote passes a write of the connection on to the request that uses it.
// Requests of a shared connection are sent when net/http says so.
func (l *link) wrote() {
	if c := l.using.Load(); c != nil && !l.shared {
		c.written(l)
	}
}

// dialMarks are the moments of a dial.
type dialMarks struct {
	mu    sync.Mutex
	c     *Capture             // of the request that dials; nil for none, and after the dial
	marks metrics.RequestMarks // those of name lookup, TCP and TLS
	begun metrics.Stamp
}

func newDialMarks(now metrics.Stamp) *dialMarks {
	return &dialMarks{marks: metrics.NewRequestMarks(), begun: now}
}

// set stores now into one of the marks and passes it on to the request that
// dials; only the first time, unless again is set.
func (d *dialMarks) set(m *metrics.Stamp, now metrics.Stamp, again bool) {
	d.mu.Lock()
	if again || !m.Known() {
		*m = now
	}
	c := d.c
	d.mu.Unlock()
	if c != nil {
		c.dialed(d)
	}
}

// watch makes d pass its changes on to c; nil ends that.
func (d *dialMarks) watch(c *Capture) {
	d.mu.Lock()
	defer d.mu.Unlock()
	d.c = c
}

func (d *dialMarks) into(m *metrics.RequestMarks) {
	d.mu.Lock()
	defer d.mu.Unlock()
	m.DNSStart, m.DNSDone = d.marks.DNSStart, d.marks.DNSDone
	m.ConnectStart, m.ConnectDone = d.marks.ConnectStart, d.marks.ConnectDone
	m.TLSStart, m.TLSDone = d.marks.TLSStart, d.marks.TLSDone
}

func (d *dialMarks) waiting(b *Bounds) wait {
	d.mu.Lock()
	defer d.mu.Unlock()
	if d.marks.TLSStart.Known() {
		return wait{d.marks.TLSStart, b.TLS, boundTLS}
	}
	return wait{d.begun, b.Connect, boundConnect}
}
