package transport

import (
	"errors"
	"time"
)

// TCPInfo is what the kernel counts of one TCP connection, since it was
// opened. Requests of a reused or a shared connection are in one count.
type TCPInfo struct {
	OutOfOrder   uint32 // segments that arrived behind a hole
	DataSegments uint32 // segments with data that arrived
	Received     uint64 // bytes that arrived in order
	Resent       uint32 // segments that this side sent again
	Unacked      uint32 // segments sent and not acknowledged
	NotSent      uint32 // bytes accepted and not sent
	Rate         uint64 // bytes/s at which what this side sent was delivered
	RTT, MinRTT  time.Duration
	LastAck      time.Duration // age of the latest acknowledgment, to the ms
	Counts       bool          // OutOfOrder exists: Linux 5.4
}

// Errors of Capture.TCPInfo.
var (
	// ErrNoSocket: the request has no connection, or it is no open TCP socket.
	ErrNoSocket = errors.New("no open TCP socket")
	// ErrUnixSocket: the connection is a unix socket, and no network lies between.
	ErrUnixSocket = errors.New("a unix socket")
	// ErrNoTCPInfo: this program reads no counters on this system.
	ErrNoTCPInfo = errors.New("no TCP_INFO on this system")
)

// TCPInfo reads the counters of the request's connection: one system call of
// about a µs, which waits for nothing. The goroutine that reads the response
// never calls it. The error is one of the three above.
func (c *Capture) TCPInfo() (TCPInfo, error) {
	c.mu.Lock()
	l := c.timing.link
	c.mu.Unlock()
	if l == nil {
		return TCPInfo{}, ErrNoSocket
	}
	if l.rx.RemoteAddr().Network() == "unix" {
		return TCPInfo{}, ErrUnixSocket
	}
	return readTCPInfo(l.rx.Descriptor())
}
