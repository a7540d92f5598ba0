// Package stamp stamps reads and writes of a connection, beneath TLS and net/http.
//
// Clock counts from one monotonic origin. Conn records for its latest read when
// the kernel received the bytes and when this program saw them. For its latest
// write it records when the kernel accepted the bytes.
//
// Kernel stamps exist on Linux: SO_TIMESTAMPING through recvmsg, without any
// privilege. Elsewhere, and for reads without a kernel stamp, the stamp is the
// user-space clock at the return of the read.
package stamp
