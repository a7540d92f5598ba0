//go:build !linux || !(amd64 || arm64)

package stamp

import (
	"errors"
	"syscall"
)

// KernelStamps says whether this platform can stamp received segments.
const KernelStamps = false

// Control does nothing here: the platform has no receive stamps for TCP.
func Control(_, _ string, _ syscall.RawConn) error { return nil }

// Enable does nothing here.
func Enable() (stop func()) { return func() {} }

// rawReader is not used here: Conn reads through net and stamps after it.
type rawReader struct{ raw syscall.RawConn }

func (*rawReader) init(*Conn, syscall.RawConn, bool) {}

func (*rawReader) readRaw(*Conn, []byte, func([]byte) bool) (int, error) {
	return 0, errors.ErrUnsupported
}

func (*rawReader) readWhile(*Conn, []byte, func([]byte) bool) (int, error) {
	return 0, errors.ErrUnsupported
}

// Alive reports whether an idle connection still stands, as far as it can be
// known without reading: here always true.
func (c *Conn) Alive() bool { return true }
