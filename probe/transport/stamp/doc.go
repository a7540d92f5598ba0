// Package stamp stamps reads and writes of a connection, beneath TLS and net/http.
//
// Clock counts from one monotonic origin. Conn records for its latest read when
// the kernel received the bytes and when this program saw them. For its latest
// write it records when the kernel accepted the bytes.
//
// Kernel stamps exist on Linux: SO_TIMESTAMPING through recvmsg, without any
// privilege. Elsewhere, and for reads without a kernel stamp, the stamp is the
// user-space clock at the return of the read.
//
// On Linux one thread reads all attached connections: see Conn.Attach and
// receiver. It was measured on 2 cores against goroutines that read through Go's
// poller, 64 streams of 625 chunks/s on the Load screen: 16 against 22 µs of CPU
// a chunk, and an error of the gaps of 5 to 21 µs at p99 against 654. On such a
// machine the thread was up to 14 ms late as long as it gave up its processor of
// Go's scheduler while it waited, or allocated, for which the collector makes a
// goroutine work. It does neither while bytes come.
package stamp
