package transport

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/probe/sse"
	"tokscope/probe/transport/stamp"
)

// errorBodyBytes is the kept part of a response that is not a stream.
const errorBodyBytes = 4 << 10

// Batch holds lines taken from a Capture. Reuse it: the steady state allocates
// nothing. Lines and their Data are valid until the next Take from the same
// capture.
type Batch struct {
	Lines []sse.Line
}

// Capture is what is known of one request on the wire. Make one for every
// request, put it into the request's context (With), and let one goroutine
// take the lines; everything else may be called by any goroutine at any time.
//
// The consumer's loop is
//
//	for more := true; more; {
//		<-c.Wake()
//		more = c.Take(&batch)
//		… batch.Lines …
//	}
//
// With many streams, one goroutine that takes from all of them every 10 ms or
// so costs half of that (17 against 36 µs of CPU an event at 64 streams of 100
// a second). Neither changes a stamp.
type Capture struct {
	clock *Clock
	queue queue
	wake  chan struct{}
	ended atomic.Bool

	mu      sync.Mutex
	bounds  Bounds
	cold    bool
	marks   metrics.Marks
	conn    metrics.Connection
	dial    *dialMarks // of the connection being made for this request
	link    *link      // the connection in use
	wrote   bool       // net/http has written the request into its buffer
	frozen  bool       // marks.Sent is final
	status  int
	header  http.Header
	errBody []byte
	bodyEnd metrics.Stamp // the framing's end, as the tap saw it
	endErr  error
	ctx     context.Context // the request's
	cancel  context.CancelCauseFunc
	timer   *time.Timer
	warm    string // key of the connection reserved by Warm, "" = none
	owner   *Transport

	// Of the goroutine that reads the response.
	walk   walker
	cutter sse.Cutter
	stamps stamp.Stamps // of the read under way
	base   int32        // connection's reads before this response
	inRead int          // data lines of the arrival under way
	block  int          // bytes since the last blank line, comments not counted
	failed bool         // a bound was passed: nothing is cut any more

	// Written by that goroutine, read by any.
	tapped     atomic.Bool
	reads      atomic.Int64
	body       atomic.Int64
	events     atomic.Int64
	kernel     atomic.Int64
	user       atomic.Int64
	late       atomic.Int64
	shared     atomic.Int64
	lastRead   atomic.Int64 // number of the last read with body bytes, from 1
	lastData   atomic.Int64 // stamp
	doneMarker atomic.Int64 // stamp
	lag        lag
}

// NewCapture returns a capture for one request.
func NewCapture(clock *Clock) *Capture {
	c := &Capture{clock: clock, wake: make(chan struct{}, 1), marks: metrics.NewMarks(), bodyEnd: metrics.NoStamp, bounds: DefaultBounds()}
	c.queue.init()
	c.lastData.Store(int64(metrics.NoStamp))
	c.doneMarker.Store(int64(metrics.NoStamp))
	return c
}

type captureKey struct{}

// With returns a context that carries c to Transport.Do and Transport.Warm.
func With(ctx context.Context, c *Capture) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

func from(ctx context.Context) *Capture {
	c, _ := ctx.Value(captureKey{}).(*Capture)
	return c
}

// SetCold forces a new connection for this request.
func (c *Capture) SetCold(cold bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.cold = cold
}

// Marks returns the moments known so far. Start is the call of Do. FirstEvent,
// FirstComment, FirstRole and FinishReason are NoStamp: they are for whoever
// decodes the lines.
func (c *Capture) Marks() metrics.Marks {
	c.mu.Lock()
	defer c.mu.Unlock()
	m := c.marks
	if !m.GotConn.Known() && c.dial != nil {
		c.dial.into(&m)
	}
	if !c.frozen {
		m.Sent = c.sent()
	}
	m.DoneMarker = metrics.Stamp(c.doneMarker.Load())
	return m
}

// sent returns when the last byte written so far was handed to the kernel, or
// NoStamp while the request is not written. Under mu.
func (t *Capture) sent() metrics.Stamp {
	if !t.wrote || t.link == nil {
		return t.marks.Sent
	}
	at, began := t.link.rx.LastWrite()
	if first := t.marks.FirstByte; first.Known() && first < at {
		at = began // the answer came before the writer had the processor again
	}
	if at >= t.marks.GotConn {
		return at
	}
	return metrics.NoStamp
}

// Conn returns what is known of the connection.
func (c *Capture) Conn() metrics.Connection {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.conn
}

// Response returns status and headers, 0 and nil before they arrive.
func (c *Capture) Response() (status int, h http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status, c.header
}

// ErrorBody returns the first 4 KiB of a response that is not a stream.
func (c *Capture) ErrorBody() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errBody
}

// Wake returns a channel that fires when new lines arrive, or at the end.
func (c *Capture) Wake() <-chan struct{} { return c.wake }

func (c *Capture) signal() {
	select {
	case c.wake <- struct{}{}:
	default:
	}
}

// Take replaces b's lines by all that arrived since the last Take. It returns
// false when the response ended and everything was taken: then End says how.
func (c *Capture) Drain(b *Batch) (more bool) {
	ended := c.ended.Load() // first: what is put before the end is taken below
	c.queue.drain(b)
	return !ended
}

// End returns when and how the response ended: nil for a clean end, else a
// *metrics.Fault. Before the end it returns NoStamp and nil.
func (c *Capture) End() (at metrics.Stamp, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.marks.End, c.endErr
}

// Counts returns the reads that carried body bytes, the body's bytes without
// chunk framing, and of the data lines how many have a stamp of the kernel and
// of our own, how many this program saw more than 1 ms after the kernel, and
// how many came in a read with another one.
func (c *Capture) Counts() (reads int, body int64, kernel, user, late, shared int) {
	return int(c.reads.Load()), c.body.Load(), int(c.kernel.Load()), int(c.user.Load()), int(c.late.Load()), int(c.shared.Load())
}

// Stamps returns who took the stamps so far.
func (c *Capture) Stamps() metrics.Source {
	kernel, user := c.kernel.Load(), c.user.Load()
	switch {
	case kernel > 0 && user > 0:
		return metrics.SourceMixed
	case kernel > 0:
		return metrics.SourceKernel
	case user > 0 && !c.tapped.Load():
		return metrics.SourceBody
	}
	return metrics.SourceUser
}

// LagQuantiles returns how much later our own clock saw the data than the
// kernel had it, over n data lines with a kernel stamp: 0, 0, 0 when there are
// none. The values are within 7 %.
func (c *Capture) LagQuantiles() (p50, p99 time.Duration, n int) {
	return c.lag.quantile(0.50), c.lag.quantile(0.99), int(c.lag.n.Load())
}

// finish ends the capture at the given moment; err nil is a clean end, which
// happened when the last byte of the body came, if that is known. Later calls
// do nothing.
func (c *Capture) finish(at metrics.Stamp, err error) {
	c.mu.Lock()
	if c.ended.Load() {
		c.mu.Unlock()
		return
	}
	if !c.frozen {
		c.wrote = c.wrote || c.marks.FirstByte.Known() && err == nil // what was answered whole was sent
		c.marks.Sent, c.frozen = c.sent(), true
	}
	if err == nil && c.bodyEnd.Known() {
		at = c.bodyEnd
	}
	c.marks.End, c.endErr = at, err
	if c.timer != nil {
		c.timer.Stop()
	}
	cancel := c.cancel
	c.ended.Store(true)
	c.mu.Unlock()
	if cancel != nil {
		cancel(nil)
	}
	c.signal()
}

// fail ends the response because a bound was passed. Reading goroutine.
func (c *Capture) fail(f *metrics.Fault) {
	c.failed = true
	c.mu.Lock()
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel(f)
	}
}

// endOf turns the end of the body's reading into that of the capture.
func (c *Capture) endOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var f *metrics.Fault
	done := metrics.Stamp(c.doneMarker.Load()).Known()
	switch {
	case errors.As(cause, &f):
		return f
	case errors.Is(err, io.EOF) || done:
		return nil // after [DONE] nothing can be missing
	}
	return faultOf(ctx, err, true)
}
