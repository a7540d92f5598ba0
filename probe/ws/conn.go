package ws

import (
	"bufio"
	"crypto/rand"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Ask makes r the handshake of a client. It offers no extension.
func Ask(r *http.Request) {
	var nonce [16]byte
	_, _ = rand.Read(nonce[:]) // never fails
	r.Method = http.MethodGet
	r.Header.Set("Connection", "Upgrade")
	r.Header.Set("Upgrade", "websocket")
	r.Header.Set("Sec-Websocket-Version", "13")
	r.Header.Set("Sec-Websocket-Key", base64.StdEncoding.EncodeToString(nonce[:]))
}

// Agreed checks the answer 101 to a request that Ask has made.
func Agreed(r *http.Request, answer http.Header) error {
	switch {
	case !has(answer, "Upgrade", "websocket") || !has(answer, "Connection", "upgrade"):
		return errors.New("the server changed to another protocol than WebSocket")
	case answer.Get("Sec-Websocket-Accept") != acceptOf(r.Header.Get("Sec-Websocket-Key")):
		return errors.New("the server did not sign the WebSocket handshake: a cache may have answered")
	case answer.Get("Sec-Websocket-Extensions") != "":
		return errors.New("the server uses an extension of WebSocket that was not offered")
	case answer.Get("Sec-Websocket-Protocol") != "":
		return errors.New("the server uses a subprotocol of WebSocket that was not offered")
	}
	return nil
}

// acceptOf returns the server's signature of a client's key.
func acceptOf(key string) string {
	sum := sha1.Sum([]byte(key + "258EAFA5-E914-47DA-95CA-C5AB0DC85B11"))
	return base64.StdEncoding.EncodeToString(sum[:])
}

// has reports whether a word stands in the list of a header, in any case.
func has(h http.Header, name, word string) bool {
	return slices.ContainsFunc(h.Values(name), func(list string) bool {
		return slices.ContainsFunc(strings.Split(list, ","), func(item string) bool {
			return strings.EqualFold(strings.TrimSpace(item), word)
		})
	})
}

// Asks reports whether r asks for a WebSocket.
func Asks(r *http.Request) bool {
	return has(r.Header, "Connection", "upgrade") && has(r.Header, "Upgrade", "websocket")
}

// Conn is the server's side of a connection. One goroutine may read while any write.
type Conn struct {
	conn     net.Conn
	reader   *bufio.Reader
	frames   Reader
	messages [][]byte // read and not returned yet
	ended    error

	mu     sync.Mutex // guards writing
	frame  []byte
	closed bool
}

// writeWithin bounds a write of a Conn, so that a client that does not read holds nobody.
const writeWithin = 30 * time.Second

// Accept answers the handshake of r. The headers set in w go with it. After an error it has
// answered with a status.
func Accept(w http.ResponseWriter, r *http.Request) (*Conn, error) {
	key := r.Header.Get("Sec-Websocket-Key")
	switch raw, err := base64.StdEncoding.DecodeString(key); {
	case !Asks(r) || r.Method != http.MethodGet:
		w.Header().Set("Upgrade", "websocket")
		http.Error(w, "this path speaks WebSocket", http.StatusUpgradeRequired)
		return nil, errors.New("the request asks for no WebSocket")
	case r.Header.Get("Sec-Websocket-Version") != "13":
		w.Header().Set("Sec-WebSocket-Version", "13")
		http.Error(w, "the version of WebSocket must be 13", http.StatusBadRequest)
		return nil, errors.New("the version of WebSocket is not 13")
	case err != nil || len(raw) != 16:
		http.Error(w, "Sec-WebSocket-Key must be 16 bytes in base64", http.StatusBadRequest)
		return nil, errors.New("the key of the handshake is not valid")
	}
	h := w.Header()
	h.Set("Connection", "Upgrade")
	h.Set("Upgrade", "websocket")
	h.Set("Sec-WebSocket-Accept", acceptOf(key))
	w.WriteHeader(http.StatusSwitchingProtocols)
	conn, buf, err := http.NewResponseController(w).Hijack()
	if err != nil {
		return nil, err
	}
	_ = conn.SetDeadline(time.Time{})
	return &Conn{conn: conn, reader: buf.Reader, frames: Reader{Client: true}}, nil
}

// Read returns the next text message. It answers pings, so somebody should always be
// reading. The error is *Closed where the client has closed the connection, and an *Error
// where it broke the protocol; both are answered.
func (c *Conn) Read() ([]byte, error) {
	for len(c.messages) == 0 {
		if c.ended != nil {
			return nil, c.ended
		}
		_, err := c.reader.Peek(1)
		if err == nil {
			part, _ := c.reader.Peek(c.reader.Buffered())
			err = c.frames.Feed(part, sink{c})
			_, _ = c.reader.Discard(len(part))
		}
		if err != nil && c.ended == nil {
			c.ended = err
		}
		if broke, ok := errors.AsType[*Error](c.ended); ok {
			c.Close(broke.Code, broke.Text)
		}
	}
	first := c.messages[0]
	c.messages = c.messages[1:]
	return first, nil
}

// sink takes what the reader of a Conn finds.
type sink struct{ c *Conn }

func (s sink) Begins() {}

func (s sink) Message(op Op, data []byte) {
	if op != OpText {
		s.c.ended = &Error{CloseData, "binary messages are not read here"}
		return
	}
	s.c.messages = append(s.c.messages, append([]byte(nil), data...))
}

func (s sink) Control(op Op, payload []byte) {
	switch op {
	case OpPing:
		_ = s.c.write(OpPong, payload)
	case OpClose:
		s.c.ended = Closing(payload)
		_ = s.c.write(OpClose, payload)
		_ = s.c.conn.Close()
	}
}

// Write sends text as one message, in one write.
func (c *Conn) Write(text []byte) error { return c.write(OpText, text) }

// Ping sends a ping.
func (c *Conn) Ping() error { return c.write(OpPing, nil) }

func (c *Conn) write(op Op, payload []byte) error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return net.ErrClosed
	}
	c.closed = op == OpClose
	if c.frame = Append(c.frame[:0], op, payload, false); cap(c.frame) > keptBytes {
		defer func() { c.frame = nil }()
	}
	_ = c.conn.SetWriteDeadline(time.Now().Add(writeWithin))
	_, err := c.conn.Write(c.frame)
	return err
}

// Conn returns the connection below, for a server that breaks it.
func (c *Conn) Conn() net.Conn { return c.conn }

// Close sends a close frame, unless one was sent, and closes the connection.
func (c *Conn) Close(code int, reason string) {
	_ = c.write(OpClose, AppendClose(nil, code, reason))
	_ = c.conn.Close()
}
