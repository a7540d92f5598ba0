//go:build linux && (amd64 || arm64)

package transport

import (
	"errors"
	"net"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

// TestTCPInfo holds that the counters of a socket are read with and without the
// receiving thread, and are an error after its close.
func TestTCPInfo(t *testing.T) {
	for _, attached := range []bool{false, true} {
		c, far := connected(t, attached)
		capture := NewWaking(NewClock())
		if _, err := capture.TCPInfo(); !errors.Is(err, ErrNoSocket) {
			t.Errorf("without a connection: %v", err)
		}
		capture.timing.link = &link{rx: c}
		before, err := capture.TCPInfo()
		testkit.OK(t, err, "attached", attached)
		testkit.Must(far.Write(make([]byte, 700)))(t)
		buf := make([]byte, 700)
		for n := 0; n < len(buf); {
			m := testkit.Must(c.Read(buf[n:]))(t)
			n += m
		}
		after, err := capture.TCPInfo()
		if err != nil || after.Received-before.Received != 700 || after.DataSegments-before.DataSegments != 1 ||
			after.OutOfOrder != before.OutOfOrder || after.RTT <= 0 || after.RTT > time.Second {
			t.Errorf("attached %v: %+v, then %+v, %v", attached, before, after, err)
		}
		_ = c.Close()
		if _, err := capture.TCPInfo(); !errors.Is(err, ErrNoSocket) {
			t.Errorf("attached %v, after the close: %v", attached, err)
		}
	}
}

// TestTCPInfoOfPipe holds that a connection without a socket has no counters.
func TestTCPInfoOfPipe(t *testing.T) {
	near, far := net.Pipe()
	defer near.Close()
	defer far.Close()
	capture := NewWaking(NewClock())
	capture.timing.link = &link{rx: stamp.Wrap(near, NewClock(), true)}
	_, err := capture.TCPInfo()
	testkit.That(t, errors.Is(err, ErrNoSocket), "%v", err)
}

// TestOldKernel holds that a counter which the kernel did not fill is not
// called 0.
func TestOldKernel(t *testing.T) {
	info := unix.TCPInfo{Rtt: 12_000, Min_rtt: ^uint32(0)}
	if of := tcpInfoOf(&info, unsafe.Offsetof(info.Rcv_ooopack)); of.Counts || of.RTT != 12*time.Millisecond ||
		of.MinRTT != 0 {
		t.Errorf("before 5.4: %+v", of)
	}
	if of := tcpInfoOf(&info, unsafe.Sizeof(info)); !of.Counts {
		t.Errorf("%+v", of)
	}
}

// TestTCPInfoAllocates bounds what a reading allocates.
func TestTCPInfoAllocates(t *testing.T) {
	c, _ := connected(t, true)
	capture := NewWaking(NewClock())
	capture.timing.link = &link{rx: c}
	testkit.Allocates(t, 5, 200, func() { _, _ = capture.TCPInfo() })
}
