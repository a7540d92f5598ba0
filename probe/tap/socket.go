package tap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"time"

	"tokscope/metrics/turn"
	"tokscope/probe/dialect"
	"tokscope/probe/transport"
	"tokscope/probe/ws"
)

// socket passes on a WebSocket whose handshake the upstream has answered. Frames pass as
// they come; a copy of them is read.
func (p *passing) socket(w http.ResponseWriter, r *http.Request, resp *http.Response,
	s *transport.RelayedSocket) error {
	upstream, ok := resp.Body.(io.ReadWriter)
	conn, early, err := http.NewResponseController(w).Hijack()
	if err != nil || !ok {
		return fmt.Errorf("the connection cannot become a WebSocket: %w", err)
	}
	p.tap.copies.Add(1)
	defer p.tap.copies.Done()
	defer func() { _ = conn.Close() }()
	end := func() { _, _ = conn.Close(), resp.Body.Close() } // each side ends with the other
	defer context.AfterFunc(p.tap.ctx, end)()
	var head bytes.Buffer
	fmt.Fprintf(&head, "HTTP/1.1 %s\r\n", resp.Status)
	_ = resp.Header.Write(&head)
	head.WriteString("\r\n")
	if _, err := conn.Write(head.Bytes()); err != nil {
		return nil
	}
	up := &upward{p: p, head: r, socket: s, to: upstream}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer end()
		up.copy(early.Reader)
	}()
	s.Ended(p.downward(conn, upstream))
	end()
	<-done
	return nil
}

// downward copies what the server sends, a write for each read. It returns how reading ended.
func (p *passing) downward(conn net.Conn, upstream io.Reader) error {
	buf := make([]byte, copyBytes)
	for {
		n, err := upstream.Read(buf)
		if n > 0 {
			read := time.Now()
			wrote, werr := conn.Write(buf[:n])
			p.meter.passed(read, buf[:n], wrote)
			if werr != nil {
				return werr
			}
		}
		if err != nil {
			return err
		}
	}
}

// socketAPI is the API that is spoken over a WebSocket.
const socketAPI = "responses-ws"

// upward is the direction from the client. Each message that asks for an answer is a turn of
// its own.
type upward struct {
	p      *passing
	head   *http.Request // of the handshake
	socket *transport.RelayedSocket
	to     io.Writer
}

func (u *upward) copy(from io.Reader) {
	buf := make([]byte, copyBytes)
	for {
		n, err := from.Read(buf)
		if n > 0 {
			_ = u.socket.FromClient.Feed(buf[:n], u) // what breaks the protocol passes all the same
			wrote, werr := u.to.Write(buf[:n])
			u.socket.Asked()
			u.p.meter.sent(buf[:n], wrote)
			if werr != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}

// Begins implements ws.Sink.
func (u *upward) Begins() {}

// Control implements ws.Sink.
func (u *upward) Control(ws.Op, []byte) {}

// Message implements ws.Sink. It begins a turn before the end of the message is passed on.
func (u *upward) Message(op ws.Op, data []byte) {
	if op != ws.OpText {
		return
	}
	p := &passing{tap: u.p.tap, began: u.p.tap.o.Engine.Clock().Now(), path: u.p.path}
	r := dialect.Read(socketAPI, u.head.Method, u.p.asked(u.head), u.head.Header, data)
	if r.Kind == turn.Asks && !u.socket.Free() {
		r.Kind = turn.Other // another answer is under way: this one is not recorded
	}
	p.begins(r)
	if p.record != nil {
		p.record.Asks(u.socket)
	}
}
