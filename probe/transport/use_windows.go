package transport

import (
	"time"

	"golang.org/x/sys/windows"

	"tokscope/metrics"
)

// cpuTime returns the user and system time of this program, below 0 when it is
// unknown.
func cpuTime() time.Duration {
	var created, exited, kernel, user windows.Filetime
	if err := windows.GetProcessTimes(windows.CurrentProcess(), &created, &exited, &kernel, &user); err != nil {
		return -1
	}
	return time.Duration(span100(kernel)+span100(user)) * 100
}

// span100 returns a time span in units of 100 ns. Filetime.Nanoseconds would
// take it for a date.
func span100(f windows.Filetime) int64 { return int64(f.HighDateTime)<<32 | int64(f.LowDateTime) }

// Room returns that a connection takes one handle: Windows tells no limits.
func Room() metrics.Room { return metrics.Room{Each: 1} }
