package sim

import (
	"crypto/subtle"
	"mime"
	"net/http"
	"slices"
	"strings"
)

// route is a path with the methods that it has.
type route struct {
	path   string // a pattern of http.ServeMux without method
	method string // GET, which also answers HEAD, or POST with a JSON body
	serve  http.HandlerFunc
}

func (s *Server) routes() []route {
	return []route{
		{"/v1/chat/completions", http.MethodPost, func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, true) }},
		{"/v1/completions", http.MethodPost, func(w http.ResponseWriter, r *http.Request) { s.complete(w, r, false) }},
		{"/v1/models", http.MethodGet, s.models},
		{"/v1/models/{id...}", http.MethodGet, s.model},
		{"/tokenize", http.MethodPost, s.tokenize},
		{"/detokenize", http.MethodPost, s.detokenize},
		{"/health", http.MethodGet, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) }},
		{"/metrics", http.MethodGet, s.prometheus},
		{"/version", http.MethodGet, func(w http.ResponseWriter, _ *http.Request) {
			writeJSON(w, map[string]string{"version": version})
		}},
	}
}

// absent are routes of other servers, and what they are.
var absent = map[string]string{
	"/v1/responses":            "OpenAI's Responses API",
	"/v1/messages":             "Anthropic's Messages API",
	"/v1/embeddings":           "embeddings",
	"/v1/rerank":               "reranking",
	"/v1/score":                "scoring",
	"/v1/audio/transcriptions": "audio",
	"/v1/audio/speech":         "audio",
	"/v1/images/generations":   "images",
	"/api/chat":                "Ollama's native API",
	"/api/generate":            "Ollama's native API",
	"/api/tags":                "Ollama's native API",
	"/completion":              "llama.cpp's native API",
	"/generate":                "TGI's native API",
}

// version is the version of the endpoint's behavior, as /version reports it.
const version = "tokscope-sim 1"

// Handler returns the server's routes without a listener.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	var all []string
	for _, r := range s.routes() {
		all = append(all, r.method+" "+strings.Replace(r.path, "...", "", 1))
		mux.HandleFunc(r.path, r.only())
	}
	mux.HandleFunc("/", func(w http.ResponseWriter, r *http.Request) {
		what := clip(r.URL.Path)
		if is := absent[strings.TrimSuffix(r.URL.Path, "/")]; is != "" {
			what += ": this endpoint does not serve " + is
		}
		newError(http.StatusNotFound, "invalid_request_error", "route_not_found",
			"no route %s. There are %s", what, strings.Join(all, ", ")).write(w)
	})
	return s.guard(mux)
}

// only answers the route's methods and OPTIONS, and refuses the others.
func (r route) only() http.HandlerFunc {
	methods := []string{r.method, http.MethodOptions}
	if r.method == http.MethodGet {
		methods = []string{http.MethodGet, http.MethodHead, http.MethodOptions}
	}
	allow := strings.Join(methods, ", ")
	return func(w http.ResponseWriter, q *http.Request) {
		switch {
		case q.Method == http.MethodOptions:
			w.Header().Set("Allow", allow)
			preflight(w, q, allow)
			w.WriteHeader(http.StatusNoContent)
		case !slices.Contains(methods, q.Method):
			w.Header().Set("Allow", allow)
			newError(http.StatusMethodNotAllowed, "invalid_request_error", "method_not_allowed",
				"%s does not take %s, but %s", clip(q.URL.Path), clip(q.Method), r.method).write(w)
		case r.method == http.MethodPost && !hasJSON(q):
			newError(http.StatusUnsupportedMediaType, "invalid_request_error", "unsupported_media_type",
				"the body must be JSON with the header Content-Type: application/json, got %q",
				clip(q.Header.Get("Content-Type"))).write(w)
		default:
			r.serve(w, q)
		}
	}
}

// hasJSON reports whether a request says that its body is JSON. A web page
// cannot say so without asking first.
func hasJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// guard adds the Server header and checks who may use the routes: Host,
// Origin and, if one is required, the key. The health route and OPTIONS need
// no key.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !s.enter() {
			closing().write(w)
			return
		}
		defer s.active.Done()
		w.Header().Set("Server", "tokscope-sim")
		if err := accessError(&s.access, r); err != nil {
			err.write(w)
			return
		}
		share(w, r)
		if s.o.Key != "" && r.URL.Path != "/health" && r.Method != http.MethodOptions && !s.allowed(r) {
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
