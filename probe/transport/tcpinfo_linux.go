//go:build linux && (amd64 || arm64)

package transport

import (
	"syscall"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"
)

// SocketCounters reports whether this program reads the counters of a socket
// on this system.
const SocketCounters = true

// countsEnd is the least length of the kernel's structure with the counter of
// out-of-order segments. Linux before 5.4 returns less.
const countsEnd = unsafe.Offsetof(unix.TCPInfo{}.Rcv_ooopack) + unsafe.Sizeof(unix.TCPInfo{}.Rcv_ooopack)

// readTCPInfo reads TCP_INFO of an open socket.
func readTCPInfo(raw syscall.RawConn) (out TCPInfo, err error) {
	if raw == nil {
		return TCPInfo{}, ErrNoSocket
	}
	var info unix.TCPInfo
	size := uint32(unsafe.Sizeof(info))
	var errno syscall.Errno
	err = raw.Control(func(fd uintptr) {
		_, _, errno = unix.Syscall6(unix.SYS_GETSOCKOPT, fd, unix.SOL_TCP,
			unix.TCP_INFO, uintptr(unsafe.Pointer(&info)), uintptr(unsafe.Pointer(&size)), 0)
	})
	if err != nil || errno != 0 {
		return TCPInfo{}, ErrNoSocket
	}
	return tcpInfoOf(&info, uintptr(size)), nil
}

// tcpInfoOf converts the kernel's structure, of which it has filled size bytes.
func tcpInfoOf(info *unix.TCPInfo, size uintptr) TCPInfo {
	us := func(n uint32) time.Duration { return time.Duration(n) * time.Microsecond }
	out := TCPInfo{
		OutOfOrder: info.Rcv_ooopack, DataSegments: info.Data_segs_in,
		Received: info.Bytes_received, Resent: info.Total_retrans,
		Unacked: info.Unacked, NotSent: info.Notsent_bytes,
		Rate: info.Delivery_rate, RTT: us(info.Rtt), MinRTT: us(info.Min_rtt),
		LastAck: time.Duration(info.Last_ack_recv) * time.Millisecond, Counts: size >= countsEnd,
	}
	if info.Min_rtt == ^uint32(0) { // no sample yet
		out.MinRTT = 0
	}
	return out
}
