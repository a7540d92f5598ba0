// Package transport is HTTP with stamps. It sends a request through net/http and
// delivers the lines of the event stream. Each line carries the time its last
// byte arrived, no matter how late the consumer reads it.
//
// From below: stamp.Conn stamps reads and writes. On Linux a thread of its own
// reads all connections (stamp.Conn.Attach). TLS follows. A tap walks the
// response's framing and cuts lines within the connection's read. It sits
// beneath net/http, whose chunked reader withholds complete events while the
// next chunk is incomplete. net/http follows, and a pump that reads the body
// to its end. Lines go to the request's Capture, and one consumer takes them.
// The consumer cannot delay a stamp.
//
// HTTP/2 cannot be tapped: its stamps are those of the pump's body reads, and
// Capture.Stamps says so.
//
// Where to look for what:
//   - bounds and their defaults: bounds.go; the words of failures: fault.go
//   - connections, TLS: dial.go; proxies: proxy.go; unix sockets: socket.go; client
//     certificates: certificate.go; marks of a request:
//     trace.go, their owner: timing.go
//   - framing of HTTP/1.1 responses: framing.go
//   - scheduling lag: jitter.go; threads of low priority: background_linux.go;
//     processors for such threads: procs.go
package transport
