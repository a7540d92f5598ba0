package transport

import (
	"os"
	"runtime"
)

// backgroundThreads is how many threads this program puts into the background
// (decoding, drawing) and may have busy at once.
const backgroundThreads = 2

// Procs returns how many goroutines should be able to run at once so that a
// reader never waits for a background thread: the machine's CPUs and one for
// each of those threads, at least 4.
//
// A background thread that the kernel has suspended still holds one of the Go
// scheduler's processors. With as many of those as CPUs and two busy
// background threads, sockets were looked at every 10 ms only, and the median
// gap error was a whole gap (2 cores, 1 to 1000 streams, kernel stamps too);
// with two more processors it was 0.2 to 0.4 µs as without any such thread.
// Where background threads are seldom busy (4 ms in 33) the number made no
// difference, and 8 cost no more than 2.
func Procs() int { return max(4, runtime.NumCPU()+backgroundThreads) }

// SpareProcs sets GOMAXPROCS to Procs, unless the person set it. Call it once,
// before measuring begins.
func SpareProcs() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(Procs())
	}
}
