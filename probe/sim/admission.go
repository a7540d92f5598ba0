package sim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"
)

// Bounds of what is being answered at once. Beyond them the server answers
// 503 with Retry-After.
const (
	maxRequests     = 4096     // answers of the POST routes
	maxBodies       = 16 << 20 // bytes of bodies that are being read and parsed
	maxPromptTokens = 64 << 20 // tokens of the prompts of all open requests
	bodyWait        = 5 * time.Second
)

// budget is an amount that requests share. It is safe for concurrent use.
type budget struct {
	most int64

	mu    sync.Mutex
	used  int64
	peak  int64         // the largest used
	freed chan struct{} // closed when something is given back; nil if nobody waits
}

// reserve reserves n if it is free now.
func (b *budget) reserve(n int64) bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.tryLocked(n)
}

// tryLocked is reserve for a caller that holds mu.
func (b *budget) tryLocked(n int64) bool {
	if b.used+n > b.most {
		return false
	}
	b.used += n
	b.peak = max(b.peak, b.used)
	return true
}

// await reserves n and waits for it until ctx ends or a time has passed.
func (b *budget) await(ctx context.Context, n int64, most time.Duration) bool {
	var late <-chan time.Time
	for {
		b.mu.Lock()
		if b.tryLocked(n) {
			b.mu.Unlock()
			return true
		}
		if b.freed == nil {
			b.freed = make(chan struct{})
		}
		freed := b.freed
		b.mu.Unlock()
		if late == nil {
			t := time.NewTimer(most)
			defer t.Stop()
			late = t.C
		}
		select {
		case <-freed:
		case <-late:
			return false
		case <-ctx.Done():
			return false
		}
	}
}

// release gives n back.
func (b *budget) release(n int64) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.used -= n
	if b.freed != nil {
		close(b.freed)
		b.freed = nil
	}
}

// budgets are the budgets of a server.
type budgets struct {
	requests, bodies, tokens budget
}

// busy is a 503 that asks the client to send the request again.
func busy(format string, args ...any) *apiError {
	e := newError(http.StatusServiceUnavailable, "server_error", "overloaded", format, args...)
	e.retryAfter = 1
	return e
}

// body reads a request's body. The caller calls release once the body and
// what was copied from it are no longer needed. release is never nil.
func (s *Server) body(w http.ResponseWriter, r *http.Request) (body []byte, release func(), apiErr *apiError) {
	release = func() {}
	size := r.ContentLength
	if size > maxBody {
		return nil, release, tooLarge()
	}
	if size < 0 {
		size = maxBody // chunked: it may become as long
	}
	if !s.budgets.bodies.await(r.Context(), size, bodyWait) {
		return nil, release,
			busy("too many prompts at once: %d bytes of request bodies are being read. Try again later", maxBodies)
	}
	release = sync.OnceFunc(func() { s.budgets.bodies.release(size) })
	rc := http.NewResponseController(w)
	_ = rc.SetReadDeadline(time.Now().Add(bodyTimeout)) // not every writer supports deadlines
	limited := http.MaxBytesReader(w, r.Body, maxBody)
	var err error
	if r.ContentLength >= 0 {
		body = make([]byte, size) // a growing buffer would cost several times as much
		_, err = io.ReadFull(limited, body)
	} else {
		body, err = io.ReadAll(limited)
	}
	_ = rc.SetReadDeadline(time.Time{})
	var big *http.MaxBytesError
	switch {
	case errors.As(err, &big):
		return nil, release, tooLarge()
	case err != nil:
		return nil, release, badRequest("", "the body could not be read")
	}
	return body, release, nil
}

func tooLarge() *apiError {
	return newError(http.StatusRequestEntityTooLarge,
		"invalid_request_error", "", "the body is larger than %d bytes", maxBody)
}
