//go:build !linux || !(amd64 || arm64)

package stamp

import (
	"errors"
	"syscall"
)

// KernelStamps reports whether this platform can stamp received segments.
const KernelStamps = false

// Control does nothing on this platform, which has no receive stamps for TCP.
func Control(_, _ string, _ syscall.RawConn) error { return nil }

// Enable does nothing on this platform.
func Enable() (stop func()) { return func() {} }

// Attach returns false on this platform, which has no receiver.
func (c *Conn) Attach() bool { return false }

func (*Conn) limitSocket(int) {}

func (*Conn) followSocket(*follower) bool { return false }

// rawReader is unused on this platform: Conn reads through net.Conn and stamps
// afterwards.
type rawReader struct {
	raw  syscall.RawConn
	sock *socket
}

func (*rawReader) init(*Conn, syscall.RawConn, bool) {}

func (*rawReader) readRaw(*Conn, []byte) (int, error) { return 0, errors.ErrUnsupported }

// socket does not exist on this platform.
type socket struct{}

func (*socket) Read([]byte) (int, error) { return 0, errors.ErrUnsupported }
