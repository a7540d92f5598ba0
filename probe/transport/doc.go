// Package wire is HTTP with stamps: it sends a request through net/http and
// hands out the lines of the event stream, each with the moment its last byte
// arrived, however late anybody asks for them.
//
// From below: rx.Conn stamps reads and writes; TLS; a tap that walks the
// response's framing and cuts lines within the connection's read, because
// net/http's own chunked reader withholds complete events while the next chunk
// is only partly there; net/http; a pump that reads the body to its end. Lines
// go to the request's Capture, from which one consumer takes them. Nothing the
// consumer does can delay a stamp.
//
// Where the connection cannot be tapped (HTTP/2, SOCKS with TLS) the stamps
// are those of the pump's reads of the body, and Capture.Stamps says so.
//
// Where to look for what:
//   - the bounds and their defaults: bounds.go; the words of failures: fault.go
//   - connections, proxies, TLS: dial.go; marks of a request: trace.go
//   - framing of HTTP/1.1 responses: framing.go
//   - this program's own lateness: heart.go; a thread that yields: background_linux.go;
//     room for such threads: procs.go
package transport
