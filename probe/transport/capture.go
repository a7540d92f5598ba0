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
)

// errorBodyBytes is the kept part of a response that is not a stream.
const errorBodyBytes = 4 << 10

// Batch holds lines and reads taken from a Capture. Reuse it: the steady
// state does not allocate. Their Data are valid until the next Take from the
// same capture.
type Batch struct {
	Lines []sse.Line
	Reads []Read // empty without Capture.KeepReads
	Rest  bool   // more has arrived: drain again
}

// Read is one read of the connection with a part of the body. Reads of one
// Number are one arrival that did not fit into the buffer at once.
type Read struct {
	At, User metrics.Stamp // the best available stamp, and the program's own clock right after the read
	Number   int32         // from 0 within the response, as in sse.Line
	Bytes    int32         // of the body, without chunk framing
	Kernel   bool          // At is the kernel's stamp
	Data     []byte        // those bytes, empty unless KeepReads asked for them
	Lines    int           // lines of the batch that this read completed
}

// Capture is the transport's record of one request. Create one per request,
// put it into the request's context (With), and take the lines from one
// goroutine. Any goroutine may call the other methods at any time.
//
// After Consumer.Ready, or every 10 ms or so with many streams (17 against 36 µs of CPU
// per event at 64 streams of 100 events a second; neither changes a stamp), the consumer
// calls Drain and uses the lines of the batch. After the last Drain it calls Free.
type Capture struct {
	clock   *Clock
	queue   queue // the goroutine that reads the response pushes, the one that calls Drain drains
	informs Consumer
	ended   atomic.Bool
	tapped  atomic.Bool // a tap sees the connection
	intake  intake      // of the goroutine that reads the response
	counts  counts      // written by that goroutine, read by any

	// mu guards the rest. bounds, reading, keeping and reuse change only before the
	// request is sent: who reads them then needs no lock.
	mu      sync.Mutex
	bounds  Bounds
	reading bool // Take also returns the reads
	keeping bool // with their bytes
	form    sse.Form
	ends    func(message []byte) (end bool, status int, h http.Header) // see SetSocket
	socket  *websocket                                                 // that the request uses; nil without SetSocket
	// relays is held while a read is taken or the record ends, see Relay; else nil.
	relays *sync.Mutex
	// settles: settle is on its way, which says how the record ends.
	settles atomic.Bool
	reuse   metrics.Reuse
	timing  timing
	status  int
	header  http.Header
	errBody []byte
	endErr  error
	// brokeOff: endErr is no fault if the answer was complete before.
	brokeOff bool
	ctx      context.Context // of the request
	cancel   context.CancelCauseFunc
	timer    *time.Timer
	looked   bool   // expire has found a silence of Bounds.Whole, or another one late
	upTo     int64  // lines and reads that had come after that; 0: not counted yet
	warm     string // key of the connection reserved by warm, "" = none
	owner    *Transport
	// unanswered and reached: see Unanswered.
	unanswered, reached bool
}

// NewCapture returns a capture for one request, whose lines k takes. It tells k the first state
// of the request.
func NewCapture(clock *Clock, k Consumer) *Capture {
	c := &Capture{clock: clock, informs: k, bounds: DefaultBounds()}
	c.queue.init()
	c.timing.init()
	c.intake.c = c
	k.RequestChanged(c.timing.state)
	return c
}

type captureKey struct{}

// With returns a context that carries c to Transport.Do.
func With(ctx context.Context, c *Capture) context.Context {
	return context.WithValue(ctx, captureKey{}, c)
}

func from(ctx context.Context) *Capture {
	c, _ := ctx.Value(captureKey{}).(*Capture)
	return c
}

// SetReuse says which connection the request uses: ReuseCold forces a new one,
// ReuseWarm one that is open before the request has its turn. Call it before the
// request.
func (c *Capture) SetReuse(r metrics.Reuse) { c.reuse = r }

// KeepReads makes Take return every read of the body, with its bytes if bytes
// is set. Call it before the request.
func (c *Capture) KeepReads(bytes bool) { c.reading, c.keeping = true, bytes }

// SetForm makes a body of that form a stream too, beside one of events. Call it before
// the request.
func (c *Capture) SetForm(f sse.Form) { c.form = f }

// follows reports whether a body of that form is a stream.
func (c *Capture) follows(f sse.Form) bool {
	return f == sse.Events || f == c.form && (f == sse.Lines || f == sse.Array)
}

// Response returns status and headers, 0 and nil before they arrive.
func (c *Capture) Response() (status int, h http.Header) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.status, c.header
}

// ErrorBody returns the first 4 KiB of a response that is not a stream; of one that
// only its content type calls one, from the end on.
func (c *Capture) ErrorBody() []byte {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.errBody
}

// Unanswered reports whether the request ended with the end of a kept
// connection, before one byte of a response: the server may have closed it while
// it was idle. reached reports that bytes of the request had been written, so the
// server may have seen it.
func (c *Capture) Unanswered() (unanswered, reached bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.unanswered, c.reached
}

// Consumer takes the lines of captures: it looks at those that have some. Most calls come from
// the goroutine that reads the response: it must never wait.
type Consumer interface {
	// Ready is called when new lines have arrived, and at the end.
	Ready(ended bool)
	// RequestChanged is called at the moment of each change up to the end of the response, one
	// call at a time, in order. It must not call the capture. s never changes.
	RequestChanged(s *RequestState)
}

func (c *Capture) signal() { c.informs.Ready(c.ended.Load()) }

// Drain replaces b's lines and reads by what arrived since the last Drain, or by
// the first of it: then b.Rest is true and the Consumer is called again. It returns
// false when the response ended and everything was taken: then End says how, and Free
// is due.
func (c *Capture) Drain(b *Batch) (more bool) {
	ended := c.ended.Load() // first: what is put before the end is taken below
	if b.Rest = c.queue.drain(b); b.Rest {
		c.signal()
	}
	return b.Rest || !ended
}

// Free gives up the memory of lines that were taken. It ends the capture's
// part in Bounds.PendingTotal. Call it after the last Drain, when the lines of
// its batch are no longer used.
func (c *Capture) Free() { c.queue.free() }

// End returns the moment and result of the response's end: nil for a clean
// end, and for that of a complete answer (see Complete), else a *metrics.Fault.
// Before the end it returns NoStamp and nil.
func (c *Capture) End() (at metrics.Stamp, err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.brokeOff && metrics.Stamp(c.timing.completed.Load()).Known() { // the answer is whole
		return c.timing.state.End, nil
	}
	return c.timing.state.End, c.endErr
}

// Counts are what has come of a response so far.
type Counts struct {
	Reads int   // with bytes of the body
	Body  int64 // bytes of the body, without chunk framing
	// Data lines: with a kernel stamp and with an own stamp, those seen more than 1 ms
	// after the kernel, and those that shared a read with another one.
	Kernel, User, Late, Shared int
}

// Counts returns what has come so far.
func (c *Capture) Counts() Counts {
	k := &c.counts
	return Counts{Reads: int(k.reads.Load()), Body: k.body.Load(), Kernel: int(k.kernel.Load()),
		User: int(k.user.Load()), Late: int(k.late.Load()), Shared: int(k.shared.Load())}
}

// Stamps returns the source of the stamps so far.
func (c *Capture) Stamps() metrics.Source { return c.counts.source(c.tapped.Load()) }

// LagQuantiles returns the delay of the program's own clock after the
// kernel's, over n data lines with a kernel stamp: zeros without any. The
// values are within 5 %, the largest too.
func (c *Capture) LagQuantiles() (p50, p99, most time.Duration, n int) {
	lag := &c.counts.lag
	return lag.Quantile(0.50), lag.Quantile(0.99), lag.Quantile(1), lag.N()
}

// finish ends the capture at the given moment; err nil is a clean end. A
// clean end happened at the last byte of the body, if its stamp is known.
// Later calls do nothing.
func (c *Capture) finish(at metrics.Stamp, err error) {
	c.mu.Lock()
	if c.ended.Load() {
		c.mu.Unlock()
		return
	}
	t := &c.timing
	if err == nil && t.bodyEnd.Known() {
		at = t.bodyEnd
	}
	c.change(func(s *RequestState) {
		// What a stream has answered whole was sent. A refusal may come before that.
		t.wrote = t.wrote || s.Marks.FirstByte.Known() && err == nil && c.status < 300
		t.freezeSent(s)
		s.End = at
	})
	c.endErr = err
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

// interrupt cancels the request, with f as the cause.
func (c *Capture) interrupt(f *metrics.Fault) {
	c.mu.Lock()
	cancel := c.cancel
	c.mu.Unlock()
	if cancel != nil {
		cancel(f)
	}
}

// endOf converts the end of reading the body into the capture's end.
func (c *Capture) endOf(ctx context.Context, err error) error {
	cause := context.Cause(ctx)
	var f *metrics.Fault
	switch {
	case errors.As(cause, &f):
		return f
	case errors.Is(err, io.EOF) || errors.Is(cause, errLinger):
		return nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded) && c.leaveOpen():
		return nil
	}
	return c.breaksOff(faultOf(ctx, err, inBody))
}

// breaksOff returns f, which is no fault of a complete answer unless this side ended it. Of a
// relayed one that is the client, which may leave behind the end marker.
func (c *Capture) breaksOff(f *metrics.Fault) *metrics.Fault {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.brokeOff = f.Kind != metrics.FaultCancelled || c.relays != nil
	return f
}
