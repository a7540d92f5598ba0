package transport

import (
	"sync/atomic"

	"tokscope/metrics"
)

// RequestState is what the transport knows of a request at one moment. It is
// never written to: a change makes a new one.
type RequestState struct {
	Marks metrics.RequestMarks
	Conn  metrics.Connection
	End   metrics.Stamp // of the response, or of the failure; NoStamp before
	// SentFinal reports that no later write can change Marks.Sent.
	SentFinal bool
}

// sentSettles is the silence of the connection after which a write is the
// request's last. net/http reports a request as written some µs before it
// flushes its buffer.
const sentSettles = 2e6 // ns

// SentAt returns when the request's last byte was handed to the kernel, once
// no later write can change it, at the latest at the first byte of the
// response. Before that, and for an unsent request, ok is false.
func (s *RequestState) SentAt(now metrics.Stamp) (at metrics.Stamp, ok bool) {
	at = s.Marks.Sent
	return at, at.Known() && (s.SentFinal || now-at >= sentSettles)
}

// timing owns the moments of one request. Capture.mu guards it, except for its
// atomics. The goroutine that reads the response writes the stamps, the consumer
// of its lines writes progressed, tokensCame, whole and completed, and any goroutine may read them.
type timing struct {
	state   *RequestState // the present one, which the consumer has as well
	dial    *dialMarks    // of the connection being made for this request
	link    *link         // the current connection
	wrote   bool          // net/http has written the request into its buffer
	bodyEnd metrics.Stamp // the framing's end, as seen by the tap
	before  int64         // bytes that had come on the link before the request

	lastData   atomic.Int64 // stamp
	lastLine   atomic.Int64 // stamp of the last line with data or a comment
	processed  int          // tokens of the prompt, see Capture.Progressed; the consumer's
	progressed atomic.Int64 // stamp of the last progress
	tokensCame atomic.Bool  // see Capture.TokensCame
	whole      atomic.Int64 // stamp, see Capture.Whole
	completed  atomic.Int64 // stamp, see Capture.Complete
}

// init sets every moment to NoStamp.
func (t *timing) init() {
	t.state = &RequestState{Marks: metrics.NewRequestMarks(), End: metrics.NoStamp}
	t.bodyEnd = metrics.NoStamp
	for _, at := range []*atomic.Int64{&t.lastData, &t.lastLine, &t.progressed, &t.whole, &t.completed} {
		at.Store(int64(metrics.NoStamp))
	}
}

// change applies f to a copy of the request's state, and makes that the
// present one if it differs. Nothing changes after the end. The caller holds mu.
func (c *Capture) change(f func(s *RequestState)) {
	if c.ended.Load() {
		return
	}
	s := *c.timing.state
	f(&s)
	if s == *c.timing.state {
		return
	}
	c.timing.state = &s
	c.informs.RequestChanged(&s)
}

// state returns the present state of the request.
func (c *Capture) state() *RequestState {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.timing.state
}

// setSent makes the last write so far the moment at which the request was
// sent, unless that is final. A request that net/http has not written whole is
// not sent.
func (t *timing) setSent(s *RequestState) {
	if s.SentFinal || !t.wrote || t.link == nil {
		return
	}
	at, began := t.link.rx.LastWrite()
	if first := s.Marks.FirstByte; first.Known() && first < at {
		at = began // the response arrived before the writing goroutine ran again
	}
	if s.Marks.Sent = at; at < s.Marks.GotConn {
		s.Marks.Sent = metrics.NoStamp
	}
}

// freezeSent makes the last write so far the final moment at which the request
// was sent, unless there is one.
func (t *timing) freezeSent(s *RequestState) {
	t.setSent(s)
	s.SentFinal = true
}

// waiting returns the wait of a request that has not ended.
func (t *timing) waiting(b *Bounds) wait {
	m := &t.state.Marks
	if !m.GotConn.Known() {
		if t.dial == nil {
			return wait{since: metrics.NoStamp}
		}
		return t.dial.waiting(b)
	}
	if at := metrics.Stamp(t.completed.Load()); at.Known() {
		return wait{at, b.Linger, boundLinger}
	}
	if at := metrics.Stamp(t.whole.Load()); at.Known() && b.Whole > 0 {
		d := b.Whole
		if b.Idle > 0 {
			d = min(d, b.Idle)
		}
		return wait{at, d, boundWhole}
	}
	if at := metrics.Stamp(t.lastData.Load()); at.Known() && t.tokensCame.Load() {
		return wait{at, b.Idle, boundIdle}
	}
	return t.beforeToken(b)
}

// beforeToken returns the wait of a request without a token: for any sign of the
// server, or for the token itself where that bound ends first.
func (t *timing) beforeToken(b *Bounds) wait {
	m := &t.state.Marks
	since := m.Sent
	if !since.Known() {
		since = m.GotConn
	}
	sign := wait{since, b.FirstByte, boundFirstByte}
	if at := metrics.Stamp(t.lastLine.Load()); at.Known() {
		sign = wait{at, b.FirstByte, boundFirstToken}
	} else if m.FirstByte.Known() {
		sign.bound = boundFirstData
	}
	token := wait{max(since, metrics.Stamp(t.progressed.Load())), b.FirstToken, boundTTFT}
	if token.d > 0 && (sign.d <= 0 || token.ends() < sign.ends()) {
		return token
	}
	return sign
}
