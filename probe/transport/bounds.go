package transport

import (
	"time"

	"tokscope/probe/transport/stamp"
)

// Clock is the run's clock, see stamp.Clock.
type Clock = stamp.Clock

// NewClock returns a clock whose origin is now.
func NewClock() *Clock { return stamp.NewClock() }

// Bounds limits the time and size of a request. A bound of 0 is no limit.
type Bounds struct {
	Connect time.Duration // TCP connection with name lookup; also a proxy's CONNECT
	TLS     time.Duration // TLS handshake
	// FirstByte is how long the server may be silent before the first token:
	// from Sent, or from its last event or comment. Headers and events without a
	// token do not end that wait: a server may send them at once and then prefill.
	FirstByte time.Duration
	// FirstToken is how long a request may wait for its first token in all: from Sent,
	// or from the last progress of the prefill (Capture.Progressed). Nothing else
	// prolongs it.
	FirstToken time.Duration
	Idle       time.Duration // without data, after the first token; comments do not count
	// Whole is the silence that ends a whole answer without an end marker
	// (Capture.Whole), or Idle if that is shorter.
	Whole time.Duration
	// Linger is how long the server may take to end the body of a complete answer
	// (Capture.Complete). The connection can only be reused after that end.
	Linger       time.Duration
	HeaderBytes  int   // response headers
	EventBytes   int   // one event
	BodyBytes    int64 // whole body
	Events       int   // data lines of a stream
	PendingBytes int   // data of the body that arrived and the consumer has not taken
	PendingLines int   // lines and reads likewise; each takes lineOverhead beside its data
	// PendingTotal bounds the memory of what all requests of a transport have
	// pending. Beyond it a request may have pendingShare.
	PendingTotal int64
}

// pendingShare is the memory that each request may have pending, however much
// the others have.
const pendingShare = 1 << 20

// DefaultBounds returns the default bounds.
func DefaultBounds() Bounds {
	return Bounds{
		Connect:      10 * time.Second,
		TLS:          10 * time.Second,
		FirstByte:    120 * time.Second,
		FirstToken:   15 * time.Minute,
		Idle:         30 * time.Second,
		Whole:        2 * time.Second,
		Linger:       250 * time.Millisecond,
		HeaderBytes:  64 << 10,
		EventBytes:   1 << 20,
		BodyBytes:    64 << 20,
		Events:       200_000,
		PendingBytes: 16 << 20,
		PendingLines: 500_000,
		PendingTotal: 128 << 20,
	}
}
