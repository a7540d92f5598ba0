package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// apiError is an error in OpenAI's shape, with its status.
type apiError struct {
	status     int
	retryAfter int     // seconds; 0 for no such header
	Message    string  `json:"message"`
	Type       string  `json:"type"`
	Param      *string `json:"param"`
	Code       *string `json:"code"`
}

func newError(status int, kind, code, format string, args ...any) *apiError {
	e := &apiError{status: status, Type: kind, Message: fmt.Sprintf(format, args...)}
	if code != "" {
		e.Code = &code
	}
	return e
}

func badRequest(param, format string, args ...any) *apiError {
	e := newError(http.StatusBadRequest, "invalid_request_error", "", format, args...)
	if param != "" {
		e.Param = &param
	}
	return e
}

func (e *apiError) body() []byte {
	b, err := json.Marshal(map[string]*apiError{"error": e})
	if err != nil {
		return []byte(`{"error":{"message":"internal error","type":"server_error","param":null,"code":null}}`)
	}
	return b
}

func (e *apiError) write(w http.ResponseWriter) {
	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.retryAfter))
	}
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(e.status)
	_, _ = w.Write(e.body()) // a disconnected client reads nothing
}

func writeJSON(w http.ResponseWriter, v any) {
	b, err := json.Marshal(v)
	if err != nil {
		newError(http.StatusInternalServerError, "server_error", "", "internal error").write(w)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // a disconnected client reads nothing
}
