package transport

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics"
)

// filePacer waits for a timerfd through the runtime's poller. A read of a
// connection wakes the same way. It is as exact as the kernel's
// high-resolution timer.
type filePacer struct {
	clock *Clock
	f     *os.File
	due   metrics.Stamp // of the latest wake-up
}

// newPacer returns the most exact pacer of the platform.
func newPacer(c *Clock) pacer {
	fd, err := unix.TimerfdCreate(unix.CLOCK_MONOTONIC, unix.TFD_CLOEXEC|unix.TFD_NONBLOCK)
	if err != nil {
		return newTimerPacer(c)
	}
	every := unix.NsecToTimespec(int64(wakeEvery))
	p := &filePacer{clock: c, f: os.NewFile(uintptr(fd), "timerfd"), due: c.Now()}
	if err := unix.TimerfdSettime(fd, 0, &unix.ItimerSpec{Interval: every, Value: every}, nil); err != nil {
		_ = p.f.Close()
		return newTimerPacer(c)
	}
	return p
}

func (p *filePacer) wait() (time.Duration, bool) {
	var b [8]byte // number of intervals that have passed
	if n, err := p.f.Read(b[:]); err != nil || n != len(b) {
		return 0, false
	}
	now := p.clock.Now()
	// A delay over several intervals counts from the first of them.
	first := p.due + metrics.Stamp(wakeEvery)
	p.due += metrics.Stamp(binary.NativeEndian.Uint64(b[:])) * metrics.Stamp(wakeEvery)
	return time.Duration(now - first), true
}

func (p *filePacer) stop() { _ = p.f.Close() }
