package transport

import (
	"bufio"
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"testing"

	"tokscope/metrics/testkit"
	"tokscope/probe/transport/stamp"
)

// bytesSoFar is what a connection has brought so far.
type bytesSoFar struct {
	left string
	dry  bool // more was asked for
}

func (b *bytesSoFar) Read(p []byte) (int, error) {
	if b.left == "" {
		b.dry = true
		return 0, errors.New("nothing more yet")
	}
	n := copy(p, b.left)
	b.left = b.left[n:]
	return n, nil
}

// overWith reports whether net/http, given text, has come to the end of the
// response or to an error, and waits for nothing more.
func overWith(text string) bool {
	from := bytesSoFar{left: text}
	br := bufio.NewReaderSize(&from, connRead)
	resp, err := http.ReadResponse(br, nil)
	for err == nil && resp.StatusCode >= 100 && resp.StatusCode < 200 && resp.StatusCode != 101 {
		resp, err = http.ReadResponse(br, nil)
	}
	if err != nil {
		return false // the headers are not there, or no headers
	}
	_, _ = io.Copy(io.Discard, resp.Body)
	return !from.dry
}

// waits reports whether a tap would keep text from net/http and wait for more.
func waits(text string) bool {
	in := intake{walk: walker{limit: 64 << 10}}
	in.walk.feed([]byte(text), &walked{})
	return in.inStream()
}

// TestNothingIsWaitedForInVain: where net/http has the end or an error, or
// reads headers otherwise than the walker does, it gets to see the bytes.
func TestNothingIsWaitedForInVain(t *testing.T) {
	const chunked = sseHead + "Transfer-Encoding: chunked\r\n\r\n"
	for _, tt := range []struct {
		name, text  string
		done, waits bool
	}{
		{"in a chunk", chunked + "4\r\nab", false, true},
		{"between chunks", chunked + "4 \r\nabcd\r\n4;x", false, true},
		{"of known length", sseHead + "Content-Length: 3\r\n\r\nab", false, true},
		{"until close", sseHead + "\r\nab", false, true},
		{"in the headers", sseHead, false, false},
		{"no stream", "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: 3\r\n\r\nab", false, false},
		{"the last chunk", chunked + "4\r\nabcd\r\n0\r\n\r\n", true, false},
		{"a size without CR", chunked + "4\nab", true, false},
		{"a size with a CR inside", chunked + "4\r;\r\nab", true, false},
		{"a size with two CR", chunked + "4\r\r\nab", true, false},
		{"a size and something else", chunked + "4 x\r\nab", true, false},
		{"an extension after a blank", chunked + "4 ;x\r\nab", true, false},
		{"a chunk's end without CR", chunked + "4\r\nabcd\n1\r\n", true, false},
		{"a chunk's end with two CR", chunked + "4\r\nabcd\r\r\n", true, false},
		{"a length in a second line", sseHead + "Content-Length:\r\n 3\r\n\r\nabc", true, false},
		{"an encoding in a second line", sseHead + "Transfer-Encoding:\r\n\tchunked\r\n\r\n0\r\n\r\n", true, false},
	} {
		testkit.Is(t, overWith(tt.text), tt.done, tt.name, "net/http is done")
		testkit.Is(t, waits(tt.text), tt.waits, tt.name, "waits")
	}
}

// TestRequestMovesToAnotherConnection: the reader of a connection that a
// request has left knows nothing of the request any more. It fails under -race.
func TestRequestMovesToAnotherConnection(t *testing.T) {
	clock := NewClock()
	tr := New(clock, Options{Bounds: DefaultBounds()})
	defer tr.Close()
	for range 100 {
		connect := func() (net.Conn, net.Conn) {
			here, there := net.Pipe()
			l := &link{owner: tr, rx: stamp.Wrap(here, clock, false), dial: newDialMarks(clock.Now())}
			return newTap(l.rx, l).conn, there
		}
		first, there := connect()
		second, _ := connect()
		c := NewWaking(clock)
		c.owner = tr
		c.gotConn(httptrace.GotConnInfo{Conn: first, Reused: true})
		ended := make(chan struct{})
		go func() {
			_, _ = first.Read(make([]byte, connRead)) // begins at any time
			close(ended)
		}()
		c.gotConn(httptrace.GotConnInfo{Conn: second})
		_ = there.Close()
		<-ended
		c.finish(clock.Now(), nil)
	}
}
