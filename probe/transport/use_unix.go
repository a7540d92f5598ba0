//go:build unix

package transport

import (
	"bytes"
	"fmt"
	"math"
	"os"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics"
)

// cpuTime returns the user and system time of this program, below 0 when it is
// unknown.
func cpuTime() time.Duration {
	var u unix.Rusage
	if err := unix.Getrusage(unix.RUSAGE_SELF, &u); err != nil {
		return -1
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// fileLimit returns how many files this program may have open, 0 when it is unknown or
// unlimited.
func fileLimit() int {
	var l unix.Rlimit
	if unix.Getrlimit(unix.RLIMIT_NOFILE, &l) == nil && l.Cur < math.MaxInt32 {
		return int(l.Cur)
	}
	return 0
}

// Room returns what this machine has for connections: open files, whose soft limit Go has
// raised to the hard one; and on Linux memory, that of the container included, and ports.
func Room() (r metrics.Room) {
	r.Files, _ = openDescriptors()
	r.FileLimit, r.Each = fileLimit(), 1
	number := func(file, before string) (n int64) {
		data, _ := os.ReadFile(file)
		_, data, _ = bytes.Cut(data, []byte(before))
		_, _ = fmt.Sscan(string(data), &n)
		return n
	}
	r.Memory = number("/proc/meminfo", "MemAvailable:") << 10
	const group = "/sys/fs/cgroup/memory."
	if most := number(group+"max", ""); most > 0 {
		r.Memory = min(r.Memory, max(most-number(group+"current", ""), 0))
	}
	const ports = "/proc/sys/net/ipv4/ip_local_port_range"
	if first, last := number(ports, ""), number(ports, "\t"); last > first {
		r.Ports = int(last-first) + 1
	}
	return r
}
