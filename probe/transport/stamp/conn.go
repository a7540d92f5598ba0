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
// Read numbers distinct arrivals. Reads with the same kernel stamp belong to
// one segment and share a number. Without kernel stamps, a read that continues
// an earlier one whose buffer was full shares its number.
type Stamps struct {
	At     metrics.Stamp // the kernel's stamp of the last segment, else User
	User   metrics.Stamp // user-space clock, immediately after the read
	Read   int32         // number of the arrival, from 1 for the connection's first
	Kernel bool          // At is the kernel's
}

// Conn is a net.Conn that stamps its reads and writes. Only the reading
// goroutine may call Last. All other methods are safe for concurrent use.
type Conn struct {
	net.Conn
	clock *Clock
	last  Stamps
	full  bool // the latest read filled its buffer
	limit atomic.Int32
	wrote atomic.Int64 // the latest Write, see LastWrite
	began atomic.Int64
	// onWrite is called after each Write, see OnWrite.
	onWrite func()
	rawReader
}

// Wrap returns a Conn that reads and writes through c. kernel enables kernel
// stamps where the socket delivers them (see Control).
func Wrap(c net.Conn, clock *Clock, kernel bool) *Conn {
	k := &Conn{Conn: c, clock: clock, onWrite: func() {}}
	k.wrote.Store(int64(metrics.NoStamp))
	k.began.Store(int64(metrics.NoStamp))
	k.last = Stamps{At: metrics.NoStamp, User: metrics.NoStamp}
	if raw := k.Descriptor(); raw != nil {
		k.init(k, raw, kernel)
	}
	return k
}

// Last returns the stamps of the latest read that delivered bytes.
func (c *Conn) Last() Stamps { return c.last }

// Limit bounds following reads, including one already waiting, to n bytes. 0
// removes the bound. A read carries only the stamp of its last segment, so a
// late reader resolves more segments with short reads.
func (c *Conn) Limit(n int) {
	if c.limit.Load() == int32(n) {
		return
	}
	c.limit.Store(int32(n))
	c.limitSocket(n)
}

// LastWrite returns when the latest Write handed its bytes to the kernel. began
// is the start of the system call. at is its return if the call was brief, else
// began. Both are NoStamp before the first Write.
//
// On loopback the call also runs the receiver's side. It starts tens of µs
// before the arrival and returns within a few µs of it. A long call may have
// been preempted after the bytes left, so only its start is certain.
func (c *Conn) LastWrite() (at, began metrics.Stamp) {
	return metrics.Stamp(c.wrote.Load()), metrics.Stamp(c.began.Load())
}

// OnWrite makes every Write call f at its end, on the writing goroutine, after
// LastWrite has changed. Call it before the first Write.
func (c *Conn) OnWrite(f func()) { c.onWrite = f }

// Descriptor returns access to the connection's descriptor, nil for a
// connection without one. Its Control keeps the descriptor open during the
// call, and fails after Close. Call it when the connection is shared: Attach
// changes the descriptor.
func (c *Conn) Descriptor() syscall.RawConn {
	sc, ok := c.Conn.(syscall.Conn)
	if !ok {
		return nil
	}
	raw, err := sc.SyscallConn()
	if err != nil {
		return nil
	}
	return raw
}

// follower is who gets the arrivals of a connection without a read.
type follower struct {
	onArrival func([]byte) bool
	onEnd     func()
}

// Follow passes all arrivals from now on to onArrival, and nobody need read or
// sleep meanwhile. It ends, and calls onEnd on a goroutine of its own, after
// onArrival has returned false, or when the connection ends or is closed. Reads go
// on behind what onArrival got. It returns false, and does nothing, for a connection
// that is not attached.
//
// onArrival runs on the goroutine that serves all connections. It must not wait, and
// its bytes are valid until it returns.
func (c *Conn) Follow(onArrival func(arrived []byte) bool, onEnd func()) bool {
	return c.followSocket(&follower{onArrival, onEnd})
}

// Read reads into p and stamps the arrival.
func (c *Conn) Read(p []byte) (int, error) {
	switch {
	case c.sock != nil:
		return c.sock.Read(p)
	case c.raw != nil:
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
		c.arrived(Stamps{At: now, User: now}, begin.Known() && now-begin < metrics.Stamp(promptRead))
		c.full = n == len(p)
	}
	return n, err
}

// promptRead is the longest duration of a read whose bytes were already there.
const promptRead = 20 * time.Microsecond

// arrived makes s the latest stamps and numbers it. more reports that the bytes
// did not fit into the previous read. Kernel stamps override it.
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

// fit returns how many bytes the next read may put into a buffer of n bytes.
func (c *Conn) fit(n int) int {
	if l := int(c.limit.Load()); l > 0 && l < n {
		return l
	}
	return n
}

// briefWrite is the longest Write whose return counts as the time the bytes
// left. On loopback, where it includes the receiver's side, the call takes 15
// to 60 µs.
const briefWrite = 100 * time.Microsecond

// Write writes p and records when the system call began and returned.
func (c *Conn) Write(p []byte) (int, error) {
	began := c.clock.Now()
	c.began.Store(int64(began))
	c.wrote.Store(int64(began))
	n, err := c.Conn.Write(p)
	if now := c.clock.Now(); now-began <= metrics.Stamp(briefWrite) {
		c.wrote.Store(int64(now))
	}
	c.onWrite()
	return n, err
}
