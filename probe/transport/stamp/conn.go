package stamp

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
	wrote atomic.Int64 // the latest Write: see LastWrite
	began atomic.Int64
	rawReader
}

// Wrap makes a Conn of c. With kernel set, kernel stamps are used where the
// socket delivers them (see Control).
func Wrap(c net.Conn, clock *Clock, kernel bool) *Conn {
	k := &Conn{Conn: c, clock: clock}
	k.wrote.Store(int64(metrics.NoStamp))
	k.began.Store(int64(metrics.NoStamp))
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

// LastWrite returns when the latest Write handed its bytes to the kernel: the
// return of the system call when that was brief, else its beginning, which is
// what began returns. On loopback the call runs the receiver's side as well, and
// wakes it, so that its beginning lies tens of µs before the arrival and its
// return within a few; but a call that took long may have been preempted after
// the bytes had left, and then only its beginning is certain.
func (c *Conn) LastWrite() (at, began metrics.Stamp) {
	return metrics.Stamp(c.wrote.Load()), metrics.Stamp(c.began.Load())
}

// ReadWhile reads into p, arrival after arrival, as long as took returns true
// for the bytes of the latest one (whose stamps Last returns) and p has room.
// It returns what was read in all, with the error that ended it, if one did.
//
// It is what makes many small arrivals cheap: the goroutine waits where it
// takes them, without asking an empty socket in vain each time, which costs
// half as much as a read with bytes, and without a way up and down through its
// callers.
func (c *Conn) ReadWhile(p []byte, onArrival func(arrived []byte) bool) (int, error) {
	if c.raw != nil {
		return c.readWhile(c, p, onArrival)
	}
	for total := 0; ; {
		n, err := c.Read(p[total:])
		total += n
		if n > 0 && !onArrival(p[total-n:total]) || err != nil || total == len(p) {
			return total, err
		}
	}
}

// Read reads and stamps.
func (c *Conn) Read(p []byte) (int, error) {
	if c.raw != nil {
		return c.readRaw(c, p, nil)
	}
	p = p[:c.fit(len(p))]
	begin := metrics.NoStamp
	if c.full {
		begin = c.clock.Now()
	}
	n, err := c.Conn.Read(p)
	if n > 0 {
		now := c.clock.Now()
		c.arrived(Stamps{At: now, User: now}, begin.Known() && now-begin < metrics.Stamp(promptRead))
		c.full = n == len(p)
	}
	return n, err
}

// prompt is how long a read takes at most when its bytes were there already.
const promptRead = 20 * time.Microsecond

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

// briefWrite is how long a Write takes at most when its return is as good as
// the moment the bytes left: a system call with the receiver's side in it takes
// 15 to 60 µs on loopback.
const briefWrite = 100 * time.Microsecond

// Write stamps and writes.
func (c *Conn) Write(p []byte) (int, error) {
	began := c.clock.Now()
	c.began.Store(int64(began))
	c.wrote.Store(int64(began))
	n, err := c.Conn.Write(p)
	if now := c.clock.Now(); now-began <= metrics.Stamp(briefWrite) {
		c.wrote.Store(int64(now))
	}
	return n, err
}
