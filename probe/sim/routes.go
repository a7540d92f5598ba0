package sim

import (
	"crypto/subtle"
	"net/http"
	"strings"
)

// version is the version of the endpoint's behavior, as /version reports it.
const version = "tokscope-sim 1"

// Handler is the server's routes without a listener.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /v1/chat/completions", func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, true) })
	mux.HandleFunc("POST /v1/completions", func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, false) })
	mux.HandleFunc("GET /v1/models", s.models)
	mux.HandleFunc("GET /v1/models/{id...}", s.model)
	mux.HandleFunc("GET /health", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /metrics", s.prometheus)
	mux.HandleFunc("GET /version", func(w http.ResponseWriter, _ *http.Request) {
		writeJSON(w, map[string]string{"version": version})
	})
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		newError(http.StatusNotFound, "invalid_request_error", "", "no route %s %s", r.Method, clip(r.URL.Path)).write(w)
	})
	return s.guard(mux)
}

// guard names the server and asks for the key, if one is required. The health
// route stays open.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			closing().write(w)
			return
		}
		defer s.active.Done()
		w.Header().Set("Server", "tokscope-sim")
		if s.o.Key != "" && r.URL.Path != "/health" && !s.allowed(r) {
			newError(http.StatusUnauthorized, "invalid_request_error", "invalid_api_key", "the key is missing or wrong").write(w)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// enter counts an active request. It returns false if the server is closed.
func (s *Server) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if !s.closed {
		s.active.Add(1)
	}
	return !s.closed
}

func (s *Server) allowed(r *http.Request) bool {
	key, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		key = r.Header.Get("Api-Key")
	}
	return subtle.ConstantTimeCompare([]byte(key), []byte(s.o.Key)) == 1
}
