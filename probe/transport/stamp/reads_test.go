package stamp

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"net"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// readTo reads into p until onArrival returns false or p is full.
func readTo(c *Conn, p []byte, onArrival func(arrived []byte) bool) (n int, err error) {
	for more := true; more && err == nil && n < len(p); {
		m := 0
		m, err = c.Read(p[n:])
		more = m == 0 || onArrival(p[n:n+m])
		n += m
	}
	return n, err
}

// TestReads checks that reads give every arrival once, in order and with its stamps.
func TestReads(t *testing.T) {
	for _, kernel := range []bool{true, false} {
		c, far := attached(t, NewClock(), kernel)
		const arrivals = 100
		seen := make(chan Stamps)
		go func() {
			for i := range arrivals {
				_, _ = fmt.Fprintf(far, "arrival %02d;", i)
				<-seen // so that two writes never arrive together
			}
		}()
		var shown []byte
		last := c.Last()
		buf := make([]byte, arrivals*11)
		n, err := readTo(c, buf, func(p []byte) bool {
			s := c.Last()
			testkit.That(t, s.Read == last.Read+1 && s.At >= last.At, "stamps %+v after %+v", s, last)
			shown, last = append(shown, p...), s
			seen <- s
			return len(shown) < 50*11
		})
		testkit.Given(t, n == 50*11 && err == nil && bytes.Equal(shown, buf[:n]), "%d bytes, %v, shown %q", n, err, shown)
		for i := range 50 {
			if want := fmt.Sprintf("arrival %02d;", i); string(shown[i*11:][:11]) != want {
				t.Fatalf("arrival %d is %q", i, shown[i*11:][:11])
			}
		}
		n, err = readTo(c, buf[:30*11], func([]byte) bool { seen <- c.Last(); return true })
		testkit.That(t, n == 30*11 && err == nil, "a full buffer ends it after %d bytes, %v", n, err)
		close(seen)
	}
}

// TestHangupWithTheLastBytes checks that a hangup together with the last bytes,
// for which the poller has no edge left, is found at once.
func TestHangupWithTheLastBytes(t *testing.T) {
	rounds := 200
	if testing.Short() {
		rounds = 40
	}
	for _, tt := range []struct {
		name  string
		reset bool
	}{{"closed", false}, {"reset", true}} {
		t.Run(tt.name, func(t *testing.T) {
			for i := range rounds {
				c, far := attached(t, NewClock(), true)
				watchdog := time.AfterFunc(30*time.Second, func() { _ = c.Close() })
				end := func() {
					_, _ = far.Write([]byte("last"))
					if tt.reset {
						_ = far.SetLinger(0)
					}
					_ = far.Close()
				}
				_, _ = far.Write([]byte("first"))
				first := true
				n, err := readTo(c, make([]byte, 100), func([]byte) bool {
					if first {
						switch first = false; i % 3 {
						case 0:
							end() // while the reader handles an arrival
						case 1:
							go end() // at any time
						default:
							time.AfterFunc(time.Millisecond, end) // while it waits
						}
					}
					return true
				})
				switch {
				case errors.Is(err, net.ErrClosed):
					t.Fatal("the end was not seen")
				case !tt.reset && (n != len("firstlast") || err != io.EOF):
					t.Fatalf("%d bytes, then %v", n, err)
				case tt.reset && (n < len("first") || err == nil):
					t.Fatalf("%d bytes, then %v", n, err)
				}
				if n, err := c.Read(make([]byte, 1)); n != 0 || !tt.reset && err != io.EOF || err == nil {
					t.Fatalf("read after the end: %d, %v", n, err)
				}
				watchdog.Stop()
				_ = c.Close()
				_ = far.Close()
			}
		})
	}
}

// TestLimitedReadIsNotAnEmptySocket checks that a read cut short by Limit does
// not count as an empty socket. The bytes that follow share its arrival.
func TestLimitedReadIsNotAnEmptySocket(t *testing.T) {
	for _, kernel := range []bool{true, false} {
		c, far := attached(t, NewClock(), kernel)
		watchdog := time.AfterFunc(30*time.Second, func() { _ = c.Close() })
		c.Limit(4)
		_, _ = far.Write([]byte("0"))
		var shown []string
		var numbers []int32
		n, err := readTo(c, make([]byte, 100), func(p []byte) bool {
			if len(shown) == 0 { // the socket is empty: the next read waits for the next arrival
				time.AfterFunc(time.Millisecond, func() { _, _ = far.Write([]byte("123456789")) })
			}
			shown, numbers = append(shown, string(p)), append(numbers, c.Last().Read)
			return string(p) != "9"
		})
		watchdog.Stop()
		testkit.That(t, n == 10 && err == nil && fmt.Sprint(shown, numbers) == "[0 1234 5678 9] [1 2 2 2]",
			"kernel stamps %v: %d, %v, %q, arrivals %d", kernel, n, err, shown, numbers)
	}
}

// TestCloseWhileReading checks that a local Close ends the wait.
func TestCloseWhileReading(t *testing.T) {
	c, far := attached(t, NewClock(), true)
	_, _ = far.Write([]byte("x"))
	n, err := readTo(c, make([]byte, 10), func([]byte) bool {
		time.AfterFunc(time.Millisecond, func() { _ = c.Close() })
		return true
	})
	testkit.That(t, n == 1 && errors.Is(err, net.ErrClosed), "%d, %v", n, err)
}
