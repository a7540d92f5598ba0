package rx

import (
	"net"
	"sync/atomic"
	"syscall"
	"time"

	"tokscope/metrics"
)

// Stamps describes the latest read that delivered bytes.
//
// Read numbers arrivals that can be told apart: reads of one segment (the
// kernel's stamp is the same) have one number, and without kernel stamps so
// have reads that only took up what an earlier one had no room for.
type Stamps struct {
	At     metrics.Stamp // the kernel's stamp of the last segment, else User
	User   metrics.Stamp // our clock, first thing after the read
	Read   int32         // number of the arrival, from 1 for the connection's first
	Kernel bool          // At is the kernel's
}

// Conn is a net.Conn that stamps its reads and writes. Last belongs to the
// goroutine that reads; the rest is safe for concurrent use.
type Conn struct {
	net.Conn
	clock *Clock
	last  Stamps
	full  bool // the latest read left no room in its buffer
	limit atomic.Int32
	wrote atomic.Int64
	rawReader
}

// Wrap makes a Conn of c. With kernel set, kernel stamps are used where the
// socket delivers them (see Control).
func Wrap(c net.Conn, clock *Clock, kernel bool) *Conn {
	k := &Conn{Conn: c, clock: clock}
	k.wrote.Store(int64(metrics.NoStamp))
	k.last = Stamps{At: metrics.NoStamp, User: metrics.NoStamp}
	if sc, ok := c.(syscall.Conn); ok {
		if raw, err := sc.SyscallConn(); err == nil {
			k.init(k, raw, kernel)
		}
	}
	return k
}

// Last returns the stamps of the latest read that delivered bytes.
func (c *Conn) Last() Stamps { return c.last }

// Limit makes the following reads, one that waits included, take at most n
// bytes from the kernel; 0 takes what the caller's buffer holds. A reader that is behind resolves
// segments better with short reads, because a read has only the stamp of its
// last segment.
func (c *Conn) Limit(n int) { c.limit.Store(int32(n)) }

// LastWrite returns when the latest Write handed its bytes to the kernel, read
// just before the system call: the receiver cannot have had them earlier, so
// that a time from here is never too short. Read after the call it would be
// closer at the median (9 against 26 µs on loopback, where the call runs the
// receiver's side as well), but off by more than 100 µs when the kernel lets
// the receiver run first.
func (c *Conn) LastWrite() metrics.Stamp { return metrics.Stamp(c.wrote.Load()) }

// Read reads and stamps.
func (c *Conn) Read(p []byte) (int, error) {
	if c.raw != nil {
		return c.readRaw(c, p)
	}
	p = p[:c.fit(len(p))]
	begin := metrics.NoStamp
	if c.full {
		begin = c.clock.Now()
	}
	n, err := c.Conn.Read(p)
	if n > 0 {
		now := c.clock.Now()
		c.arrived(Stamps{At: now, User: now}, begin.Known() && now-begin < metrics.Stamp(prompt))
		c.full = n == len(p)
	}
	return n, err
}

// prompt is how long a read takes at most when its bytes were there already.
const prompt = 20 * time.Microsecond

// arrived makes s the latest stamps and gives it its number. more says that
// the bytes only found no room in the read before.
func (c *Conn) arrived(s Stamps, more bool) {
	s.Read = c.last.Read + 1
	if s.Kernel && c.last.Kernel {
		more = s.At == c.last.At
	}
	if more {
		s.Read = c.last.Read
	}
	c.last = s
}

// fit is how much the next read may take into a buffer of n bytes.
func (c *Conn) fit(n int) int {
	if l := int(c.limit.Load()); l > 0 && l < n {
		return l
	}
	return n
}

// Write stamps and writes.
func (c *Conn) Write(p []byte) (int, error) {
	c.wrote.Store(int64(c.clock.Now()))
	return c.Conn.Write(p)
}
