package tap

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"sync/atomic"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/turn"
	"tokscope/probe/dialect"
	"tokscope/probe/transport"
	"tokscope/probe/ws"
)

// socket passes on a WebSocket whose handshake the upstream has answered. Frames pass as
// they come; a copy of them is read.
func (p *passing) socket(w http.ResponseWriter, r *http.Request, resp *http.Response,
	relayed *transport.RelayedSocket) error {
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
	s := &socket{p: p, head: r, relayed: relayed, sent: &leg{}}
	done := make(chan struct{})
	go func() {
		defer close(done)
		defer end()
		s.up(upstream, early.Reader)
	}()
	err, _ = pass(upstream, conn.Write, func(read time.Time, b []byte, wrote int) {
		if t := s.turn.Load(); t != nil {
			t.meter.passed(read, b, wrote)
		}
	})
	if s.left.Load() {
		err = nil
	}
	relayed.Ended(err)
	end()
	<-done
	s.next(nil)
	return nil
}

// socketAPI is the API that is spoken over a WebSocket.
const socketAPI = "responses-ws"

// socket is a WebSocket on its way. Each message that asks for an answer is a turn of its
// own, whose bytes are those that pass from it to the next.
type socket struct {
	p       *passing
	head    *http.Request // of the handshake
	relayed *transport.RelayedSocket
	turn    atomic.Pointer[passing] // the newest, nil before the first
	left    atomic.Bool             // the client has ended the connection

	// These belong to the goroutine that reads the client.
	began metrics.Stamp // of the message that comes
	sent  *leg          // what has passed since the last turn
	asks  bool          // the message of a turn is about to be written
}

// up copies what the client sends.
func (s *socket) up(upstream io.Writer, conn io.Reader) {
	ended, _ := pass(conn, func(b []byte) (int, error) {
		_ = s.relayed.FromClient.Feed(b, s) // what breaks the protocol passes all the same
		return upstream.Write(b)
	}, func(_ time.Time, b []byte, wrote int) {
		_, _ = s.sent.in.Write(b)
		_, _ = s.sent.out.Write(b[:wrote])
		if s.asks {
			s.relayed.Asked()
			s.sent, s.asks = &leg{}, false
		}
	})
	if ended != nil {
		s.left.Store(true)
	}
}

// Begins implements ws.Sink.
func (s *socket) Begins() { s.began = s.p.tap.o.Engine.Clock().Now() }

// Control implements ws.Sink.
func (s *socket) Control(op ws.Op, _ []byte) {
	if op == ws.OpClose {
		s.left.Store(true)
	}
}

// Message implements ws.Sink. It begins a turn before the end of the message is passed on.
func (s *socket) Message(op ws.Op, data []byte) {
	if op != ws.OpText {
		return
	}
	p := &passing{tap: s.p.tap, began: s.began, asks: s.p.asks, meter: meter{up: s.sent}}
	r := dialect.Read(socketAPI, s.head.Method, p.asks, s.head.Header, data)
	if r.Kind == turn.Asks && !s.relayed.Free() {
		r.Kind = turn.Other // another answer is under way: this one is not recorded
	}
	p.begins(r)
	if p.record != nil {
		s.next(p)
		p.record.Asks(s.relayed)
		s.asks = true
	}
}

// next makes p the turn whose bytes pass.
func (s *socket) next(p *passing) {
	if last := s.turn.Swap(p); last != nil {
		last.over()
	}
}
