package probetest

import (
	"net"

	"tokscope/metrics"
	"tokscope/probe/transport/stamp"
)

// conn is a server's connection beneath TLS. It stamps arriving bytes and
// keeps the times around the latest write(2).
type conn struct {
	*stamp.Conn
	clock         *stamp.Clock
	before, after metrics.Stamp
	rawWriter
}

func newConn(c net.Conn, clock *stamp.Clock) *conn {
	k := &conn{Conn: stamp.Wrap(c, clock, true), clock: clock}
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
