package sim

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strconv"
)

// apiError is an error in OpenAI's shape, with its status. Other APIs make theirs of it.
type apiError struct {
	status     int
	retryAfter int     // seconds; 0 for no such header
	Message    string  `json:"message"`
	Type       string  `json:"type"`
	Param      *string `json:"param"`
	Code       *string `json:"code"`
}

// newError returns an error of the type that its status has.
func newError(status int, code, format string, args ...any) *apiError {
	e := &apiError{status: status, Type: "invalid_request_error", Message: fmt.Sprintf(format, args...)}
	if status >= http.StatusInternalServerError {
		e.Type = "server_error"
	}
	if code != "" {
		e.Code = &code
	}
	return e
}

func badRequest(param, format string, args ...any) *apiError {
	e := newError(http.StatusBadRequest, "", format, args...)
	if param != "" {
		e.Param = &param
	}
	return e
}

// openAI is an error as OpenAI writes it.
func (e *apiError) openAI() (status int, body []byte) {
	b, err := json.Marshal(map[string]*apiError{"error": e})
	if err != nil {
		b = []byte(`{"error":{"message":"internal error","type":"server_error","param":null,"code":null}}`)
	}
	return e.status, b
}

func (e *apiError) write(w http.ResponseWriter, a *api) {
	if e.retryAfter > 0 {
		w.Header().Set("Retry-After", strconv.Itoa(e.retryAfter))
	}
	w.Header().Set("Content-Type", "application/json")
	status, body := a.failure(e)
	w.WriteHeader(status)
	_, _ = w.Write(body) // a disconnected client reads nothing
}

func writeJSON(w http.ResponseWriter, v any) *apiError {
	b, err := json.Marshal(v)
	if err != nil {
		return newError(http.StatusInternalServerError, "", "internal error")
	}
	w.Header().Set("Content-Type", "application/json")
	_, _ = w.Write(b) // a disconnected client reads nothing
	return nil
}

// appendJSON appends s as a JSON string. Invalid UTF-8 becomes U+FFFD. It
// allocates to grow dst, and for text that needs more than quotes.
func appendJSON(dst []byte, s string) []byte {
	for i := range len(s) {
		if c := s[i]; c < ' ' || c >= 0x7f || c == '"' || c == '\\' {
			quoted, _ := json.Marshal(s) // a string can always be written
			return append(dst, quoted...)
		}
	}
	return append(append(append(dst, '"'), s...), '"')
}
