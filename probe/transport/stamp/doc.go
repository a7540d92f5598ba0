// Package rx says when bytes arrived: a Clock with one monotonic origin, and a
// Conn that remembers for its latest read when the kernel received the bytes
// and when this program saw them, and for its latest write when the bytes were
// handed to the kernel. It lies beneath TLS and net/http.
//
// The kernel's stamps exist on Linux (SO_TIMESTAMPING through recvmsg, no
// privilege needed). Elsewhere, and where the kernel gave none, the stamp is
// our own clock at the return of the read.
package stamp
