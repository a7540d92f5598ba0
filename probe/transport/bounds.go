package transport

import (
	"time"

	"tokscope/probe/transport/stamp"
)

// Clock is the run's clock, see stamp.Clock.
type Clock = stamp.Clock

// NewClock returns a clock whose origin is now.
func NewClock() *Clock { return stamp.NewClock() }

// Mode selects the source of the stamps.
type Mode uint8

const (
	// StampsAuto uses the kernel's receive stamps where the platform has them.
	StampsAuto Mode = iota
	// StampsUser uses only the user-space clock at the return of a read.
	StampsUser
)

// Bounds ends what would otherwise go on for ever. A bound of 0 is none.
type Bounds struct {
	Connect time.Duration // TCP connection, name look-up included; also a proxy's CONNECT
	TLS     time.Duration // TLS handshake
	// FirstByte runs from Sent to the first data of the stream: a server that
	// answers at once with headers and comments and then prefills is waited for
	// as long as one that sends nothing before its first token.
	FirstByte time.Duration
	Idle      time.Duration // without data, after the first; comments are no data
	// Linger is how long the server may take to end the body after [DONE], so
	// that the connection can be used again.
	Linger       time.Duration
	HeaderBytes  int   // response headers
	EventBytes   int   // one event
	BodyBytes    int64 // whole body
	Events       int   // data lines of a stream
	PendingBytes int   // arrived, but not yet taken by the consumer
}

// DefaultBounds returns the bounds used unless somebody changes them.
func DefaultBounds() Bounds {
	return Bounds{
		Connect:      10 * time.Second,
		TLS:          10 * time.Second,
		FirstByte:    120 * time.Second,
		Idle:         30 * time.Second,
		Linger:       250 * time.Millisecond,
		HeaderBytes:  64 << 10,
		EventBytes:   1 << 20,
		BodyBytes:    64 << 20,
		Events:       200_000,
		PendingBytes: 16 << 20,
	}
}
