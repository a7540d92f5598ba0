package ws_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/coder/websocket"
	"go.uber.org/goleak"

	"tokscope/metrics/testkit"
	"tokscope/probe/ws"
)

// found is what a reader finds, a line each.
type found struct{ lines []string }

func (f *found) Begins()                       {}
func (f *found) Message(op ws.Op, data []byte) { f.add(op, data) }
func (f *found) Control(op ws.Op, data []byte) { f.add(op, data) }

func (f *found) add(op ws.Op, data []byte) { f.lines = append(f.lines, fmt.Sprintf("%d %q", op, data)) }

// frame returns a frame with any first byte.
func frame(first byte, payload string) []byte {
	b := ws.Append(nil, ws.OpText, []byte(payload), false)
	b[0] = first
	return b
}

func TestReader(t *testing.T) {
	long := strings.Repeat("long ", 20_000)
	huge := binary.BigEndian.AppendUint64([]byte{0x81, 127}, 1<<40)
	for _, tt := range []struct {
		name string
		in   [][]byte
		want []string
		code int // of the error, 0 for none
	}{
		{"a message", [][]byte{frame(0x81, "héllo")}, []string{`1 "héllo"`}, 0},
		{"an empty one", [][]byte{frame(0x81, ""), frame(0x82, "")}, []string{`1 ""`, `2 ""`}, 0},
		{"fragments with a ping between", [][]byte{frame(0x01, "h\xc3"), frame(0x89, "p"), frame(0x00, "\xa9l"),
			frame(0x80, "lo")},
			[]string{`9 "p"`, `1 "héllo"`}, 0},
		{"empty fragments", [][]byte{frame(0x01, ""), frame(0x80, "")}, []string{`1 ""`}, 0},
		{"8-byte length", [][]byte{frame(0x81, long)}, []string{fmt.Sprintf("1 %q", long)}, 0},
		{"nothing behind a close", [][]byte{frame(0x88, "\x03\xe8bye"), frame(0x81, "late")}, []string{`8 "\x03\xe8bye"`}, 0},
		{"reserved bits", [][]byte{frame(0xc1, "x")}, nil, ws.CloseProtocol},
		{"reserved bits of a pong", [][]byte{frame(0x9a, "x")}, nil, ws.CloseProtocol},
		{"unknown opcode", [][]byte{frame(0x83, "x")}, nil, ws.CloseProtocol},
		{"fragmented ping", [][]byte{frame(0x09, "x")}, nil, ws.CloseProtocol},
		{"long ping", [][]byte{frame(0x89, long[:126])}, nil, ws.CloseProtocol},
		{"continues nothing", [][]byte{frame(0x81, "a"), frame(0x80, "x")}, []string{`1 "a"`}, ws.CloseProtocol},
		{"begins within another", [][]byte{frame(0x01, "a"), frame(0x81, "x")}, nil, ws.CloseProtocol},
		{"masked", [][]byte{ws.Append(nil, ws.OpText, []byte("x"), true)}, nil, ws.CloseProtocol},
		{"no UTF-8", [][]byte{frame(0x81, "a\xff")}, nil, ws.CloseUTF8},
		{"a length of a tebibyte", [][]byte{huge}, nil, ws.CloseTooBig},
		{"a negative length", [][]byte{binary.BigEndian.AppendUint64([]byte{0x81, 127}, 1<<63)}, nil, ws.CloseTooBig},
		{"too long in fragments", [][]byte{frame(0x01, long), frame(0x00, long), frame(0x80, "x")}, nil, ws.CloseTooBig},
		{"half a close code", [][]byte{frame(0x88, "x")}, nil, ws.CloseProtocol},
		{"a close code that is never sent", [][]byte{frame(0x88, "\x03\xed")}, nil, ws.CloseProtocol},
		{"the reason is no UTF-8", [][]byte{frame(0x88, "\x03\xe8\xff")}, nil, ws.CloseUTF8},
	} {
		all := slices.Concat(tt.in...)
		for _, size := range []int{len(all), 1, 3} {
			r, got := ws.Reader{Max: 2 * len(long)}, &found{}
			var err error
			for part := range slices.Chunk(all, size) {
				if err = r.Feed(part, got); err != nil {
					break
				}
			}
			broke, _ := errors.AsType[*ws.Error](err)
			if code := codeOf(broke); code != tt.code || !slices.Equal(got.lines, tt.want) {
				t.Errorf("%s in pieces of %d: %q, %v", tt.name, size, got.lines, err)
			}
		}
	}
}

func codeOf(e *ws.Error) int {
	if e == nil {
		return 0
	}
	return e.Code
}

// A length alone must take no memory.
func TestLengthBeforeMemory(t *testing.T) {
	var readers [64]ws.Reader
	head := append(binary.BigEndian.AppendUint64([]byte{0x81, 127}, ws.DefaultMax), "some"...)
	took := testkit.Allocated(func() {
		for i := range readers {
			testkit.OK(t, readers[i].Feed(head, &found{}))
		}
	})
	if took > 1<<20 {
		t.Errorf("%d lengths of 16 MiB took %d bytes", len(readers), took)
	}
	runtime.KeepAlive(&readers)
}

// oneWay is a connection that has received all it ever will.
type oneWay struct {
	io.Reader
	wrote bytes.Buffer
}

func (o *oneWay) Write(p []byte) (int, error) { return o.wrote.Write(p) }
func (o *oneWay) Close() error                { return nil }

// answerer answers a handshake without a network.
type answerer struct{ conn *oneWay }

func (a answerer) RoundTrip(r *http.Request) (*http.Response, error) {
	return &http.Response{StatusCode: http.StatusSwitchingProtocols, Header: agreement(r), Body: a.conn}, nil
}

// kept reads what came with another implementation, and returns the messages, pongs and
// the code of a close.
func kept(t *testing.T, in []byte) (messages, pongs []string, code int) {
	// It takes an end of the file within a message for the message's.
	conn := &oneWay{Reader: io.MultiReader(bytes.NewReader(in), iotest.ErrReader(io.ErrNoProgress))}
	c, _, err := websocket.Dial(t.Context(), "ws://host/", &websocket.DialOptions{
		HTTPClient: &http.Client{Transport: answerer{conn}}})
	testkit.OK(t, err)
	defer c.CloseNow()
	c.SetReadLimit(-1)
	for {
		kind, data, err := c.Read(context.Background())
		if err != nil {
			if closed, ok := errors.AsType[websocket.CloseError](err); ok {
				code = int(closed.Code)
			}
			break
		}
		messages = append(messages, fmt.Sprintf("%d %q", kind, data))
	}
	back := &found{}
	r := ws.Reader{Client: true}
	if err := r.Feed(conn.wrote.Bytes(), back); err != nil {
		t.Errorf("what the other implementation wrote: %v", err)
	}
	for _, line := range back.lines {
		if strings.HasPrefix(line, "10 ") {
			pongs = append(pongs, line)
		}
	}
	return messages, pongs, code
}

// FuzzReader compares with another implementation, which checks neither UTF-8 nor masks.
func FuzzReader(f *testing.F) {
	f.Add(slices.Concat(frame(0x01, "a"), frame(0x89, "p"), frame(0x80, "b"), frame(0x88, "\x03\xe8bye")), byte(1))
	f.Add(frame(0x81, strings.Repeat("x", 300)), byte(200))
	f.Add(frame(0xc1, "x"), byte(3))
	f.Add(ws.Append(nil, ws.OpText, []byte("x"), true), byte(3))
	f.Add([]byte{0x81, 127, 0, 0, 0, 0, 0, 0, 0, 1, 'x'}, byte(2))
	f.Fuzz(func(t *testing.T, in []byte, size byte) {
		got := &found{}
		r := ws.Reader{}
		var err error
		for part := range slices.Chunk(in, int(size)+1) {
			if err = r.Feed(part, got); err != nil {
				break
			}
		}
		if broke, ok := errors.AsType[*ws.Error](err); ok &&
			(broke.Code == ws.CloseUTF8 || strings.Contains(broke.Text, "masked")) {
			return
		}
		var messages, pongs []string
		code := 0
		for _, line := range got.lines {
			switch kind, rest, _ := strings.Cut(line, " "); kind {
			case "1", "2":
				messages = append(messages, line)
			case "9":
				pongs = append(pongs, "10 "+rest)
			case "8":
				code = -1
			}
		}
		others, answers, closed := kept(t, in)
		testkit.That(t, slices.Equal(messages, others) && slices.Equal(pongs, answers) && (code != 0) == (closed > 0),
			"%q and pongs %q, close %d; the other: %q, %q, %d", messages, pongs, code, others, answers, closed)
	})
}

// What is written is what is read, masked or not, in any pieces and compressed or not.
func TestRandomMessages(t *testing.T) {
	random := testkit.Rand(t, 1)
	for range 200 {
		client := random.IntN(2) == 0
		var all []byte
		var want []string
		for range random.IntN(5) {
			text := bytes.Repeat([]byte{byte('a' + random.IntN(26))}, 1<<random.IntN(18))
			all = ws.Append(all, ws.OpText, text, client)
			want = append(want, fmt.Sprintf("1 %q", text))
		}
		r, got := ws.Reader{Client: client}, &found{}
		for len(all) > 0 {
			n := min(len(all), 1+random.IntN(1<<random.IntN(17)))
			testkit.OK(t, r.Feed(all[:n], got))
			all = all[n:]
		}
		testkit.Given(t, slices.Equal(got.lines, want), "other messages than were written")
	}
}

// TestInflate reads what another implementation compresses.
func TestInflate(t *testing.T) {
	for mode, none := range map[websocket.CompressionMode]bool{
		websocket.CompressionContextTakeover: false, websocket.CompressionNoContextTakeover: true} {
		sent := compressed(t, mode)
		r, got := ws.Reader{Inflater: &ws.Inflater{NoContext: none}, Max: 1 << 20}, &found{}
		for part := range slices.Chunk(sent, 1000) {
			if err := r.Feed(part, got); err != nil {
				t.Fatal(err)
			}
		}
		var want []string
		for i := range compressedTexts {
			want = append(want, fmt.Sprintf("1 %q", textOf(i)))
		}
		testkit.That(t, slices.Equal(got.lines, want),
			"mode %d: %d messages, other than the %d sent", mode, len(got.lines), len(want))
		small := ws.Reader{Inflater: &ws.Inflater{NoContext: none}, Max: 1000}
		broke, _ := errors.AsType[*ws.Error](small.Feed(sent, &found{}))
		testkit.That(t, codeOf(broke) == ws.CloseTooBig, "mode %d: an inflated message passes the bound: %v", mode, broke)
	}
	bad := ws.Reader{Inflater: &ws.Inflater{}}
	if err := bad.Feed(frame(0xc1, "\xff\xff\xff"), &found{}); err == nil {
		t.Error("no error of a message that is not compressed")
	}
}

const compressedTexts = 40

// textOf returns a text that repeats earlier ones, beyond the window of DEFLATE in all.
func textOf(i int) string {
	return fmt.Sprintf("message %d ", i) + strings.Repeat(fmt.Sprintf("the same words %d ", i%7), 150)
}

// compressed returns the frames of texts, compressed by another implementation.
func compressed(t *testing.T, mode websocket.CompressionMode) []byte {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		c := testkit.Must(websocket.Accept(w, r, &websocket.AcceptOptions{CompressionMode: mode, CompressionThreshold: 1}))(t)
		defer c.CloseNow()
		for i := range compressedTexts {
			if err := c.Write(r.Context(), websocket.MessageText, []byte(textOf(i))); err != nil {
				t.Error(err)
			}
		}
	}))
	defer s.Close()
	pipe := testkit.Must(net.Dial("tcp", s.Listener.Addr().String()))(t)
	defer pipe.Close()
	req := testkit.Must(http.NewRequest(http.MethodGet, "http://host/", nil))(t)
	ws.Ask(req)
	req.Header.Set("Sec-WebSocket-Extensions", "permessage-deflate")
	if err := req.Write(pipe); err != nil {
		t.Fatal(err)
	}
	buf := bufio.NewReader(pipe)
	resp := testkit.Must(http.ReadResponse(buf, req))(t)
	testkit.Given(t, resp.StatusCode == http.StatusSwitchingProtocols && resp.Header.Get("Sec-WebSocket-Extensions") != "",
		"%s, %v", resp.Status, resp.Header)
	return testkit.Must(io.ReadAll(buf))(t)
}

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// agreement is the head of a server's answer to a handshake.
func agreement(r *http.Request) http.Header {
	return http.Header{"Upgrade": {"websocket"}, "Connection": {"Upgrade"},
		"Sec-Websocket-Accept": {ws.Signature(r.Header.Get("Sec-Websocket-Key"))}}
}

func TestAgreed(t *testing.T) {
	r := testkit.Must(http.NewRequest(http.MethodGet, "http://host/", nil))(t)
	ws.Ask(r)
	testkit.OK(t, ws.Agreed(r, agreement(r)))
	for _, name := range []string{"Upgrade", "Connection", "Sec-Websocket-Accept", "Sec-Websocket-Extensions",
		"Sec-Websocket-Protocol"} {
		h := agreement(r)
		h.Set(name, "other")
		err := ws.Agreed(r, h)
		testkit.That(t, err != nil, "another %s is accepted", name)
	}
}
