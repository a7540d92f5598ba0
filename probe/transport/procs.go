package transport

import (
	"os"
	"runtime"
)

// backgroundThreads is the number of threads in the background (decoding,
// drawing) that may be busy at once.
const backgroundThreads = 2

// Procs returns a GOMAXPROCS with which goroutines never wait for a background
// thread. It is the number of CPUs, plus one for each of those threads and for the
// thread that reads attached connections (stamp.Conn.Attach), at least 5.
//
// A background thread that the kernel has suspended still holds one of the Go
// scheduler's processors, and the reading thread keeps its own while bytes come.
// This was measured on 2 cores, with 1 to 1000 streams
// and kernel stamps, when goroutines read the sockets. With 2 processors and 2
// busy background threads, sockets were polled every 10 ms only. The median gap
// error was then a whole gap. With 4 processors it was 0.2 to 0.4 µs, as without
// such threads. Where background threads were mostly idle (busy 4 ms in 33), the
// number made no difference. 8 processors cost no more than 2.
func Procs() int { return max(5, runtime.NumCPU()+backgroundThreads+1) }

// SpareProcs sets GOMAXPROCS to Procs, unless the environment sets it. Call
// it once, before measuring begins.
func SpareProcs() {
	if os.Getenv("GOMAXPROCS") == "" {
		runtime.GOMAXPROCS(Procs())
	}
}
