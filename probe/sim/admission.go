package sim

import (
	"context"
	"errors"
	"io"
	"net/http"
	"sync"
	"time"

	"golang.org/x/sync/semaphore"
)

// Bounds of what is being answered at once. Beyond them the server answers
// 503 with Retry-After.
const (
	maxRequests     = 4096     // answers of the POST routes
	maxBodies       = 16 << 20 // bytes of bodies that are being read and parsed
	maxPromptTokens = 64 << 20 // tokens of the prompts of all open requests
	bodyWait        = 5 * time.Second
)

// budgets are what the requests of a server share. They wait in turn.
type budgets struct {
	requests, bodies, tokens, sockets *semaphore.Weighted
}

func newBudgets() budgets {
	return budgets{semaphore.NewWeighted(maxRequests), semaphore.NewWeighted(maxBodies),
		semaphore.NewWeighted(maxPromptTokens), semaphore.NewWeighted(maxSockets)}
}

// busy is a 503 that asks the client to send the request again.
func busy(format string, args ...any) *apiError {
	e := newError(http.StatusServiceUnavailable, "overloaded", format, args...)
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
	ctx, cancel := context.WithTimeout(r.Context(), bodyWait)
	defer cancel()
	if s.budgets.bodies.Acquire(ctx, size) != nil {
		return nil, release,
			busy("too many prompts at once: %d bytes of request bodies are being read. Try again later", maxBodies)
	}
	release = sync.OnceFunc(func() { s.budgets.bodies.Release(size) })
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
	if _, big := errors.AsType[*http.MaxBytesError](err); big {
		return nil, release, tooLarge()
	}
	if err != nil {
		return nil, release, badRequest("", "the body could not be read")
	}
	return body, release, nil
}

func tooLarge() *apiError {
	return newError(http.StatusRequestEntityTooLarge, "", "the body is larger than %d bytes", maxBody)
}
