package probetest

import (
	"net"

	"tokscope/metrics"
	rx "tokscope/probe/transport/stamp"
)

// conn is a server's connection beneath TLS: it stamps what arrives, and
// remembers the time around the latest write(2).
type conn struct {
	*rx.Conn
	clock         *rx.Clock
	before, after metrics.Stamp
	rawWriter
}

func newConn(c net.Conn, clock *rx.Clock) *conn {
	k := &conn{Conn: rx.Wrap(c, clock, true), clock: clock}
	k.rawWriter.init(c)
	return k
}

// Write writes p, with one system call if the socket has room, and logs the
// times.
func (c *conn) Write(p []byte) (int, error) {
	c.before = c.clock.Now()
	n, err := c.tryRaw(p)
	c.after = c.clock.Now()
	if err == nil && n < len(p) {
		var m int
		m, err = c.Conn.Conn.Write(p[n:])
		n += m
	}
	return n, err
}
