package sim

import (
	"bytes"
	"cmp"
	"context"
	"net"
	"net/http"
	"strings"
	"time"
)

// fault answers a request that the scenario rejects. It returns false if the
// scenario accepts the request.
func (s *Server) fault(w http.ResponseWriter, r *http.Request, sc *Scenario, a *api) bool {
	key := keyOf(r)
	for _, h := range sc.header {
		name, value := h[0], strings.ReplaceAll(h[1], "{key}", key)
		if a.header != nil {
			name, value = a.header(name, value)
		}
		w.Header().Set(name, value)
	}
	status, e := sc.status, sc.err
	if time.Since(s.started) < sc.loading {
		status, e = http.StatusServiceUnavailable, &apiError{Type: "unavailable_error", Message: "the model is being loaded"}
	}
	if status == 0 && e == nil {
		return false
	}
	if status == 0 {
		status = e.status
	}
	kind, body := sc.contentType, []byte(sc.body)
	if e != nil {
		reply := *e
		reply.status, reply.Message = status, strings.ReplaceAll(e.Message, "{key}", key)
		status, body = a.failure(&reply)
		kind = cmp.Or(kind, "application/json")
	}
	if kind != "" {
		w.Header().Set("Content-Type", kind)
	}
	w.WriteHeader(status)
	_, _ = w.Write(body) // a disconnected client reads nothing
	return true
}

// pause waits for d. It returns false if the client disconnects first.
func pause(ctx context.Context, d time.Duration) bool {
	if d <= 0 {
		return true
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return true
	case <-ctx.Done():
		return false
	}
}

// act performs an action of the scenario. It returns false if the action ends
// the stream.
func (s *streamer) act(t *action) bool {
	switch t.what {
	case "stall":
		s.lag += t.d
		return pause(s.ctx, t.d)
	case "hold":
		return pause(s.ctx, t.d)
	case "error":
		s.events.fail(t.err)
		s.finish()
	case "truncate":
		s.finish()
	case "flood":
		s.flood(t.n)
	case "cut":
		s.hangUp(false)
	case "reset":
		s.hangUp(true)
	}
	s.ended = true
	return false
}

// finish sends everything left, including buffered bytes. It ignores errors:
// the stream has ended, so nobody could receive them.
func (s *streamer) finish() {
	if s.flush() == nil {
		_ = s.sink.close()
	}
}

// hangUp closes the connection in the middle of the body. With reset, it
// drops unsent bytes and sends a TCP reset.
func (s *streamer) hangUp(reset bool) {
	conn, _, err := s.sink.rc.Hijack()
	if err != nil {
		panic(http.ErrAbortHandler) // no way to hijack (HTTP/2, recorders): net/http aborts the response
	}
	if tcp, ok := conn.(*net.TCPConn); ok && reset {
		_ = tcp.SetLinger(0) // without it the close is clean, and the client shows that
	}
	_ = conn.Close() // the handler ends, the error does not matter
}

// flood sends one line of n bytes.
func (s *streamer) flood(n int) {
	s.buf = append(s.buf, "data: "...)
	line := bytes.Repeat([]byte("x"), 64<<10)
	for ; n > 0; n -= len(line) {
		s.buf = append(s.buf, line[:min(n, len(line))]...)
		if s.ctx.Err() != nil || s.flush() != nil {
			return
		}
	}
}

// hostileModel is appended to the model's name. It holds a terminal title,
// colors, an overlong combining sequence and direction marks.
const hostileModel = "\x1b]0;owned\x07\x1b[31;5m\u202eevil\u0301\u0301\u0301"

// hostileText is the answer of the hostile scenario.
var hostileText = "A harmless beginning. \x1b[2J\x1b[Hscreen cleared " +
	"\x1b]52;c;Y2xpcGJvYXJk\x07 clipboard set, \x1b]8;;http://example.invalid\x07link\x1b]8;;\x07 " +
	"\x1bP+q544e\x1b\\ terminal asked, \x1b[?1049l alternate screen " +
	"left, \x1b[5n status asked. C1 too: \u009b31m \u009d0;title\u009c. " +
	"Carriage\rreturn, backspace\b\b\b\b, bell \a, null \x00, tab\tand vertical\vtab. " +
	"Direction: \u202etfel ot thgir\u202c, isolate \u2067abc\u2069, zero width\u200bspace\u200djoiner\ufeffmark. " +
	"Stacked a" + strings.Repeat("\u0301\u0327", 60) +
	" letter, flags \U0001F1E9\U0001F1EA, family " +
	"\U0001F468\u200d\U0001F469\u200d\U0001F467, wide 全角文字 and tags \U000E0041\U000E007F. " +
	"A long word " + strings.Repeat("w", 5000) + " and the end.\n"
