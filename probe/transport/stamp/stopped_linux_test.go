//go:build linux && (amd64 || arm64)

package stamp

import (
	"os/exec"
	"runtime"
	"syscall"
	"testing"
	"time"
	"unsafe"

	"golang.org/x/sys/unix"

	"tokscope/metrics"
)

// TestStoppedGoDelaysNoRead stops all of Go again and again while another
// process sends a byte every 5 ms. The thread reads on: bytes have stamps of
// their own. If it stopped as well, some sixty of them would come in one read.
func TestStoppedGoDelaysNoRead(t *testing.T) {
	const count, hold = 100, 300 * time.Millisecond
	defer runtime.GOMAXPROCS(runtime.GOMAXPROCS(4))
	c, far := attached(t, NewClock(), true)
	out, err := far.File()
	if err != nil {
		t.Fatal(err)
	}
	sender := exec.Command("sh", "-c", "i=0; while [ $i -lt 100 ]; do printf x; sleep 0.005; i=$((i+1)); done")
	sender.Stdout = out
	err = sender.Start()
	_ = out.Close()
	if err != nil {
		t.Skip(err)
	}
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		time.Sleep(30 * time.Millisecond)
		stopGo(hold)
		stopGo(hold)
	}()
	seen := map[metrics.Stamp]bool{}
	for read := 0; read < count; {
		n, err := c.Read(make([]byte, count))
		if err != nil {
			t.Fatal(err)
		}
		read += n
		seen[c.Last().At] = true
	}
	<-stopped
	if err := sender.Wait(); err != nil {
		t.Fatal(err)
	}
	if len(seen) < count*8/10 {
		t.Errorf("%d bytes, sent one by one, have %d stamps", count, len(seen))
	}
}

// stopGo stops Go's scheduler for d: the collector has stopped all but one
// thread, which hears no signal.
func stopGo(d time.Duration) {
	deaf := make(chan struct{})
	go func() {
		runtime.LockOSThread()
		defer runtime.UnlockOSThread()
		var all, before unix.Sigset_t
		for i := range all.Val {
			all.Val[i] = ^all.Val[i]
		}
		_ = unix.PthreadSigmask(unix.SIG_SETMASK, &all, &before)
		ts := unix.NsecToTimespec(int64(d))
		close(deaf)
		_, _, _ = syscall.RawSyscall(unix.SYS_NANOSLEEP, uintptr(unsafe.Pointer(&ts)), 0, 0)
		_ = unix.PthreadSigmask(unix.SIG_SETMASK, &before, nil)
	}()
	<-deaf
	time.Sleep(5 * time.Millisecond) // it sleeps by now
	runtime.GC()
}
