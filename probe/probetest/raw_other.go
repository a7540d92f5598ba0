//go:build !linux || !(amd64 || arm64)

package probetest

import "net"

// rawWriter is unused on this platform: everything is written through net.
type rawWriter struct{}

func (*rawWriter) init(net.Conn) {}

func (*rawWriter) tryRaw([]byte) (int, error) { return 0, nil }
