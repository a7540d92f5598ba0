//go:build !linux || !(amd64 || arm64)

package transport

import "syscall"

// SocketCounters reports whether this program reads the counters of a socket
// on this system.
const SocketCounters = false

// readTCPInfo fails: this program reads no counters on this system.
func readTCPInfo(syscall.RawConn) (TCPInfo, error) { return TCPInfo{}, ErrNoTCPInfo }
