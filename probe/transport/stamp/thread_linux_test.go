//go:build linux && (amd64 || arm64)

package stamp

import (
	"errors"
	"io"
	"os"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"tokscope/metrics/testkit"
)

// TestTheThreadClosesOnlyItsOwn widens the moment in which the thread has read a
// socket that was closed meanwhile, until another socket has its number. The thread
// then closes the descriptor of the first one, and never that of the second.
func TestTheThreadClosesOnlyItsOwn(t *testing.T) {
	keep, _ := attached(t, NewClock(), false) // keeps the receiver
	defer keep.Close()
	for range 50 {
		first, _ := attached(t, NewClock(), true)
		s := first.sock
		if !s.open() { // what the thread does before a read
			t.Fatal("closed at once")
		}
		_ = first.Close()
		second, far := attached(t, NewClock(), true)
		testkit.Need(t, second.sock.id, s.id, "number … after …: it was not used again")
		testkit.Given(t, isOpen(s.fd), "the descriptor is closed while the thread reads it")
		s.drop() // what it does after the read
		testkit.That(t, !isOpen(s.fd), "the descriptor of the closed socket is open")
		testkit.Must(far.Write([]byte("x")))(t)
		n, err := second.Read(make([]byte, 10))
		testkit.That(t, n == 1 && err == nil, "the socket that has the number now: %d, %v", n, err)
		_ = second.Close()
	}
}

func isOpen(fd int) bool {
	_, err := unix.FcntlInt(uintptr(fd), unix.F_GETFD, 0)
	return err == nil
}

// TestTheWakeUpAloneEndsTheThread holds that the thread ends, and closes what it
// works with, after the event of stop and no earlier. If it could end before that
// was written, stop would write into a descriptor that is another one's by then.
func TestTheWakeUpAloneEndsTheThread(t *testing.T) {
	before := descriptors(t)
	r := testkit.Must(newReceiver())(t)
	wake := testkit.Must(unix.Dup(r.wake))(t)
	// Whatever else the thread is woken by, it goes on.
	for range 3 {
		r.waits.Store(waitsForAny)
		fds := []int{0, 0}
		testkit.OK(t, unix.Pipe2(fds, unix.O_CLOEXEC))
		testkit.OK(t, unix.EpollCtl(r.ep, unix.EPOLL_CTL_ADD, fds[0], &unix.EpollEvent{Events: unix.EPOLLIN, Fd: 1}))
		_ = unix.Close(fds[1]) // an event of a number that no socket has
		time.Sleep(5 * time.Millisecond)
		_ = unix.Close(fds[0])
		testkit.Given(t, isOpen(r.wake) && isOpen(r.ep) && isOpen(int(r.bellFD)), "closed before stop")
	}
	_, _ = unix.Write(wake, []byte{1, 0, 0, 0, 0, 0, 0, 0})
	_ = unix.Close(wake)
	awaitDescriptors(t, before)
}

// awaitDescriptors fails if more than n descriptors stay open.
func awaitDescriptors(t *testing.T, n int) {
	t.Helper()
	for end := time.Now().Add(10 * time.Second); descriptors(t) > n; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("%d descriptors, %d before", descriptors(t), n)
		}
	}
}

// TestStopWritesIntoNobodysFile starts and ends the receiver again and again beside
// files that get the descriptors that it has closed. None of them has a byte.
func TestStopWritesIntoNobodysFile(t *testing.T) {
	dir := t.TempDir()
	var files sync.WaitGroup
	done := make(chan struct{})
	for range 2 {
		files.Go(func() {
			for {
				select {
				case <-done:
					return
				default:
				}
				f, err := os.CreateTemp(dir, "")
				if err != nil {
					t.Error(err)
					return
				}
				time.Sleep(100 * time.Microsecond)
				if at, err := f.Stat(); err != nil || at.Size() != 0 {
					t.Errorf("%v bytes in a file that nobody wrote to, %v", at, err)
				}
				_ = f.Close()
				_ = os.Remove(f.Name())
			}
		})
	}
	for range 300 {
		c, far := attached(t, NewClock(), false)
		_ = c.Close() // the last one: stop
		_ = far.Close()
	}
	close(done)
	files.Wait()
}

// TestLogNeedsNoDeliverer holds that the thread never waits for a free block: with
// a deliverer that does not run it makes new ones, and nothing is lost.
func TestLogNeedsNoDeliverer(t *testing.T) {
	l := newLog()
	const count = 10 * mostSpare * blockArrivals
	for i := range count {
		l.room()[0] = byte(i)
		l.add(arrival{size: 1, id: int32(i)})
	}
	seen := 0
	l.drain(func(a *arrival, data []byte) {
		testkit.Given(t, int(a.id) == seen && len(data) == 1 && data[0] == byte(seen),
			"arrival %d is %d with %v", seen, a.id, data)
		seen++
	})
	testkit.Is(t, seen, count, "arrivals")
	n := l.spares.Load()
	testkit.That(t, n <= mostSpare, "%d blocks are kept, more than %d", n, mostSpare)
}

// TestAFailedWaitEndsStreams takes the thread's epoll away. Every call under way
// ends with the error of the system, behind the bytes that had come, and connections
// go on without the receiver until all of these are closed.
func TestAFailedWaitEndsStreams(t *testing.T) {
	before := descriptors(t)
	read, farRead := attached(t, NewClock(), true)
	write, farWrite := attached(t, NewClock(), true)
	follow1, farFollow := attached(t, NewClock(), true)
	f := follow(t, follow1, 100)
	results := make(chan error, 2)
	go func() {
		got, err := io.ReadAll(read)
		testkit.Is(t, string(got), "last words", "read")
		results <- err
	}()
	go func() {
		_, err := write.Write(make([]byte, 64<<20)) // nobody reads it
		results <- err
	}()
	null := testkit.Must(unix.Open("/dev/null", unix.O_RDONLY|unix.O_CLOEXEC, 0))(t)
	testkit.OK(t, unix.Dup3(null, read.sock.r.ep, unix.O_CLOEXEC))
	_ = unix.Close(null)
	_, _ = farRead.Write([]byte("last words")) // ends the wait under way
	for range 2 {
		if err := <-results; !errors.Is(err, syscall.EINVAL) {
			t.Errorf("ended with %v", err)
		}
	}
	f.await(t)
	if _, err := follow1.Read(make([]byte, 1)); !errors.Is(err, syscall.EINVAL) {
		t.Errorf("a read behind it: %v", err)
	}
	c, far := pair(t, NewClock(), true)
	testkit.That(t, !c.Attach(), "attached to a receiver that does not read")
	_, _ = far.Write([]byte("x"))
	if n, err := c.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("without the receiver: %d, %v", n, err)
	}
	for _, c := range []io.Closer{read, write, follow1, c, farRead, farWrite, farFollow, far} {
		_ = c.Close()
	}
	awaitDescriptors(t, before)
	again, farAgain := attached(t, NewClock(), true)
	_, _ = farAgain.Write([]byte("x"))
	if n, err := again.Read(make([]byte, 10)); n != 1 || err != nil {
		t.Errorf("a new receiver: %d, %v", n, err)
	}
}
