package transport

import (
	"encoding/binary"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics"
)

// filePacer waits for a timerfd through the runtime's poller: the way a read of
// a connection wakes, and exact to the kernel's high-resolution timer.
type filePacer struct {
	clock *Clock
	f     *os.File
	due   metrics.Stamp // of the beat that was noticed last
}

// newPacer returns the most exact pacer there is.
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
	var b [8]byte // how many beats are due
	if n, err := p.f.Read(b[:]); err != nil || n != len(b) {
		return 0, false
	}
	now := p.clock.Now()
	// A hold-up of several beats counts from the first of them.
	first := p.due + metrics.Stamp(wakeEvery)
	p.due += metrics.Stamp(binary.NativeEndian.Uint64(b[:])) * metrics.Stamp(wakeEvery)
	return time.Duration(now - first), true
}

func (p *filePacer) stop() { _ = p.f.Close() }
