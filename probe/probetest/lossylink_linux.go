package probetest

import (
	"encoding/binary"
	"fmt"
	"net"
	"os"
	"os/exec"
	"runtime"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// namespaceVar marks the process of a test that runs in a network namespace.
const namespaceVar = "TOKSCOPE_TEST_NAMESPACE"

// InNamespace runs the test t once more, in a process with a network namespace
// of its own. It returns true in that process, whose own namespace has no
// interface yet. Elsewhere it returns false when that test has ended: the
// caller returns. It skips, with the reason, where namespaces or TUN devices
// are not permitted.
func InNamespace(t *testing.T) bool {
	t.Helper()
	if os.Getenv(namespaceVar) != "" {
		return true
	}
	args := []string{"-test.run=^" + t.Name() + "$", "-test.timeout=20m", "-test.v"}
	for _, a := range os.Args[1:] {
		if len(a) > 1 && a[0] == '-' && a[1] != 't' { // the package's own flags
			args = append(args, a)
		}
	}
	c := exec.Command(os.Args[0], args...)
	c.Env = append(os.Environ(), namespaceVar+"=1")
	c.SysProcAttr = &syscall.SysProcAttr{Cloneflags: unix.CLONE_NEWNET}
	if uid, gid := os.Getuid(), os.Getgid(); uid != 0 {
		c.SysProcAttr.Cloneflags |= unix.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: uid, Size: 1}}
		c.SysProcAttr.GidMappings = []syscall.SysProcIDMap{{HostID: gid, Size: 1}}
	}
	c.Stdout, c.Stderr = os.Stdout, os.Stderr
	switch err := c.Start(); {
	case err != nil:
		t.Skipf("no network namespace here: %v", err)
	default:
		if err := c.Wait(); err != nil {
			t.Errorf("in its namespace: %v", err)
		}
	}
	return false
}

// Packet is a TCP segment on a Link.
type Packet struct {
	ToClient bool   // sent by the far side
	Port     uint16 // of the client
	SYN      bool   // opens a connection
	Payload  []byte // valid during the call
}

// Fate is what a Link does to a packet.
type Fate struct {
	Drop  bool
	Later time.Duration // beside the delay of the link: later packets overtake it
}

// Link joins the network namespace of this process to a second one, through
// two TUN devices: the kernel's netem, which does the same, is missing on many
// systems. The client is the whole process, at 10.77.0.1. The far side has the
// listener alone, at 10.77.0.2.
type Link struct {
	Listener net.Listener

	delay    time.Duration
	fate     func(p *Packet) Fate
	mu       sync.Mutex // guards fate's calls
	near     *os.File
	far      *os.File
	carriers sync.WaitGroup

	lateMu sync.Mutex
	late   []lateness
}

// lateness is a moment at which the machine was late.
type lateness struct {
	at time.Time
	by time.Duration
}

// noise is the lateness from which a Link keeps it.
const noise = 10 * time.Millisecond

// Late keeps that something which was due at at happens only now.
func (l *Link) Late(at time.Time) {
	now := time.Now()
	if by := now.Sub(at); by >= noise {
		l.lateMu.Lock()
		defer l.lateMu.Unlock()
		l.late = append(l.late, lateness{now, by})
	}
}

// LateSince returns how late the link, or who called Late, was at most since
// that moment.
func (l *Link) LateSince(from time.Time) (most time.Duration) {
	l.lateMu.Lock()
	defer l.lateMu.Unlock()
	for _, x := range l.late {
		if x.at.After(from) {
			most = max(most, x.by)
		}
	}
	return most
}

// linkQueue is the number of packets that a Link holds in one direction.
const linkQueue = 4096

// NewLink makes a link with a delay in each direction, until the test ends. fate
// decides about each segment; one call at a time. Call it in the process of
// InNamespace, once. It skips where TUN devices or namespaces are not permitted.
func NewLink(t testing.TB, delay time.Duration, fate func(p *Packet) Fate) *Link {
	t.Helper()
	l := &Link{delay: delay, fate: fate}
	var err error
	if l.near, err = openTUN("tsnear", [4]byte{10, 77, 0, 1}); err != nil {
		t.Skipf("no link here: TUN device: %v", err)
	}
	failed := make(chan error)
	go func() {
		runtime.LockOSThread() // never unlocked: the thread ends with its namespace
		if err := unix.Unshare(unix.CLONE_NEWNET); err != nil {
			failed <- fmt.Errorf("unshare: %w", err)
			return
		}
		var err error
		if l.far, err = openTUN("tsfar", [4]byte{10, 77, 0, 2}); err == nil {
			l.Listener, err = net.Listen("tcp4", "10.77.0.2:0")
		}
		failed <- err
	}()
	if err := <-failed; err != nil {
		_ = l.near.Close()
		t.Skipf("no link here: second network namespace: %v", err)
	}
	l.carriers.Add(2)
	go l.carry(l.near, l.far, false)
	go l.carry(l.far, l.near, true)
	t.Cleanup(l.close)
	return l
}

// close ends the link and its listener.
func (l *Link) close() {
	_ = l.Listener.Close()
	_ = l.near.Close()
	_ = l.far.Close()
	l.carriers.Wait()
}

// carry moves packets from one side to the other.
func (l *Link) carry(from, to *os.File, toClient bool) {
	defer l.carriers.Done()
	type due struct {
		at  time.Time
		pkt []byte
	}
	queue := make(chan due, linkQueue)
	var written sync.WaitGroup
	written.Go(func() {
		for d := range queue {
			time.Sleep(time.Until(d.at))
			l.Late(d.at)
			_, _ = to.Write(d.pkt)
		}
	})
	buf := make([]byte, 64<<10)
	for {
		n, err := from.Read(buf)
		if err != nil {
			break
		}
		pkt := append([]byte(nil), buf[:n]...)
		at := time.Now().Add(l.delay)
		p, ok := tcpPacket(pkt, toClient)
		if !ok {
			continue
		}
		l.mu.Lock()
		f := l.fate(&p)
		l.mu.Unlock()
		switch {
		case f.Drop:
		case f.Later > 0:
			time.AfterFunc(l.delay+f.Later, func() { _, _ = to.Write(pkt) })
		default:
			queue <- due{at, pkt}
		}
	}
	close(queue)
	written.Wait()
}

// tcpPacket reads the headers of an IPv4 packet.
func tcpPacket(b []byte, toClient bool) (p Packet, ok bool) {
	if len(b) < 40 || b[0]>>4 != 4 || b[9] != unix.IPPROTO_TCP {
		return Packet{}, false
	}
	head := int(b[0]&15) * 4
	if len(b) < head+20 {
		return Packet{}, false
	}
	tcp := b[head:]
	p = Packet{ToClient: toClient, Port: binary.BigEndian.Uint16(tcp),
		SYN: tcp[13]&2 != 0, Payload: tcp[min(int(tcp[12]>>4)*4, len(tcp)):]}
	if toClient {
		p.Port = binary.BigEndian.Uint16(tcp[2:])
	}
	return p, true
}

// openTUN makes a TUN device with that address, in the namespace of the thread.
func openTUN(name string, addr [4]byte) (*os.File, error) {
	fd, err := unix.Open("/dev/net/tun", unix.O_RDWR|unix.O_CLOEXEC, 0)
	if err != nil {
		return nil, err
	}
	fail := func(what string, err error) (*os.File, error) {
		_ = unix.Close(fd)
		return nil, fmt.Errorf("%s: %w", what, err)
	}
	r, err := unix.NewIfreq(name)
	if err != nil {
		return fail("name", err)
	}
	r.SetUint16(unix.IFF_TUN | unix.IFF_NO_PI)
	if err := unix.IoctlIfreq(fd, unix.TUNSETIFF, r); err != nil {
		return fail("TUNSETIFF", err)
	}
	ctl, err := unix.Socket(unix.AF_INET, unix.SOCK_DGRAM|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return fail("socket", err)
	}
	defer unix.Close(ctl)
	for _, set := range []struct {
		request uint
		fill    func(r *unix.Ifreq) error
	}{
		{unix.SIOCSIFADDR, func(r *unix.Ifreq) error { return r.SetInet4Addr(addr[:]) }},
		{unix.SIOCSIFNETMASK, func(r *unix.Ifreq) error { return r.SetInet4Addr([]byte{255, 255, 255, 0}) }},
		{unix.SIOCSIFFLAGS, func(r *unix.Ifreq) error { r.SetUint16(unix.IFF_UP | unix.IFF_RUNNING); return nil }},
	} {
		r, _ := unix.NewIfreq(name)
		if err := set.fill(r); err != nil {
			return fail("address", err)
		}
		if err := unix.IoctlIfreq(ctl, set.request, r); err != nil {
			return fail(fmt.Sprintf("ioctl %#x", set.request), err)
		}
	}
	if err := unix.SetNonblock(fd, true); err != nil {
		return fail("nonblock", err)
	}
	return os.NewFile(uintptr(fd), name), nil
}
