package sim

import (
	"cmp"
	"crypto/subtle"
	"maps"
	"mime"
	"net/http"
	"slices"
	"strings"

	"tokscope/probe/access"
	"tokscope/probe/ws"
)

// route is a path with the methods that it has.
type route struct {
	path   string // a pattern of http.ServeMux without method
	method string // GET, which also answers HEAD, or POST with a JSON body
	serve  handler
}

// handler answers a request, or returns the error to answer with.
type handler func(w http.ResponseWriter, r *http.Request) *apiError

func (h handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	if err := h(w, r); err != nil {
		err.write(w, apiOf(r))
	}
}

func (s *Server) routes() []route {
	return []route{
		{"/v1/chat/completions", http.MethodPost,
			s.answering(func(*http.Request) *request { return &request{api: &chatAPI, chat: true} })},
		{"/v1/completions", http.MethodPost,
			s.answering(func(*http.Request) *request { return &request{api: &completionsAPI} })},
		{"/v1/messages", http.MethodPost, s.answering(messagesRequest)},
		{"/v1/messages/count_tokens", http.MethodPost, s.counting(messagesRequest, func(n int) any {
			return map[string]int{"input_tokens": n}
		})},
		{"/v1/responses", http.MethodPost, s.answering(responsesRequest)},
		{"/v1/responses", http.MethodGet, s.socket},
		{"/v1/responses/input_tokens", http.MethodPost, s.counting(responsesRequest, func(n int) any {
			return map[string]any{"object": "response.input_tokens", "input_tokens": n}
		})},
		{"/api/chat", http.MethodPost, s.answering(ollamaChat)},
		{"/api/generate", http.MethodPost, s.answering(ollamaGenerate)},
		{"/api/tags", http.MethodGet, s.ollamaList(false)},
		{"/api/ps", http.MethodGet, s.ollamaList(true)},
		{"/api/show", http.MethodPost, s.show},
		{"/api/version", http.MethodGet, func(w http.ResponseWriter, _ *http.Request) *apiError {
			return writeJSON(w, map[string]string{"version": "0.0.0"}) // clients read numbers
		}},
		{"/v1/models", http.MethodGet, s.models},
		{"/v1/models/{id...}", http.MethodGet, s.model},
		{"/v1/models/{id...}", http.MethodPost, s.geminiCall},
		{"/v1beta/models", http.MethodGet, s.models},
		{"/v1beta/models/{id...}", http.MethodGet, s.model},
		{"/v1beta/models/{id...}", http.MethodPost, s.geminiCall},
		{"/tokenize", http.MethodPost, s.tokenize},
		{"/detokenize", http.MethodPost, s.detokenize},
		{"/health", http.MethodGet, func(http.ResponseWriter, *http.Request) *apiError { return nil }},
		{"/metrics", http.MethodGet, s.prometheus},
		{"/version", http.MethodGet, func(w http.ResponseWriter, _ *http.Request) *apiError {
			return writeJSON(w, map[string]string{"version": version})
		}},
	}
}

// absent are routes of other servers, and what they are.
var absent = map[string]string{
	"/v1/embeddings":           "embeddings",
	"/v1/rerank":               "reranking",
	"/v1/score":                "scoring",
	"/v1/audio/transcriptions": "audio",
	"/v1/audio/speech":         "audio",
	"/v1/images/generations":   "images",
	"/completion":              "llama.cpp's native API",
	"/generate":                "TGI's native API",
}

// version is the version of the endpoint's behavior, as /version reports it.
const version = "tokscope-sim 1"

// Handler returns the server's routes without a listener.
func (s *Server) Handler() http.Handler {
	mux := http.NewServeMux()
	var all []string
	paths := map[string]methods{}
	for _, r := range s.routes() {
		all = append(all, r.method+" "+strings.Replace(r.path, "...", "", 1))
		if paths[r.path] == nil {
			paths[r.path] = methods{}
			mux.Handle(r.path, paths[r.path].only())
		}
		paths[r.path][r.method] = r.serve
	}
	mux.Handle("/", handler(func(_ http.ResponseWriter, r *http.Request) *apiError {
		if r.Method == http.MethodHead {
			return nil
		}
		what := clip(r.URL.Path)
		if is := absent[strings.TrimSuffix(r.URL.Path, "/")]; is != "" {
			what += ": this endpoint does not serve " + is
		}
		return newError(http.StatusNotFound, "route_not_found", "no route %s. There are %s", what, strings.Join(all, ", "))
	}))
	return s.guard(mux)
}

// methods are the methods of a path: GET, which also answers HEAD, and POST.
type methods map[string]handler

// only answers them and OPTIONS, and refuses the others.
func (m methods) only() handler {
	return func(w http.ResponseWriter, q *http.Request) *apiError {
		get := m[http.MethodGet]
		takes := slices.Sorted(maps.Keys(m))
		allowed := slices.Clone(takes)
		if get != nil {
			allowed = slices.Insert(allowed, 1, http.MethodHead)
		}
		allow := strings.Join(append(allowed, http.MethodOptions), ", ")
		serve := m[q.Method]
		switch {
		case q.Method == http.MethodHead && get != nil:
			serve = get
		case q.Method == http.MethodHead:
			return nil // agents look with it whether anybody is there
		case q.Method == http.MethodOptions:
			w.Header().Set("Allow", allow)
			preflight(w, q, allow)
			w.WriteHeader(http.StatusNoContent)
			return nil
		case serve == nil:
			w.Header().Set("Allow", allow)
			return newError(http.StatusMethodNotAllowed, "method_not_allowed",
				"%s does not take %s, but %s", clip(q.URL.Path), clip(q.Method), strings.Join(takes, " and "))
		case q.Method == http.MethodPost && !hasJSON(q):
			return newError(http.StatusUnsupportedMediaType, "unsupported_media_type",
				"the body must be JSON with the header Content-Type: application/json, got %q",
				clip(q.Header.Get("Content-Type")))
		}
		return serve(w, q)
	}
}

// hasJSON reports whether a request says that its body is JSON. A web page
// cannot say so without asking first.
func hasJSON(r *http.Request) bool {
	kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
	return err == nil && kind == "application/json"
}

// guard adds the Server header and checks who may use the routes: Host,
// Origin and, if one is required, the key. The health route, OPTIONS and HEAD
// need no key.
func (s *Server) guard(next http.Handler) http.Handler {
	return handler(func(w http.ResponseWriter, r *http.Request) *apiError {
		if !s.enter() {
			return closing()
		}
		defer s.active.Done()
		w.Header().Set("Server", "tokscope-sim")
		if err := accessError(&s.access, r); err != nil {
			return err
		}
		share(w, r)
		open := r.URL.Path == "/health" || r.Method == http.MethodOptions || r.Method == http.MethodHead
		if s.o.Key != "" && !open && !s.allowed(r) {
			return newError(http.StatusUnauthorized, "invalid_api_key", "the key is missing or wrong")
		}
		next.ServeHTTP(w, r)
		return nil
	})
}

// answers serves Options.Answers to requests whose Host and Origin headers are allowed, and to
// those on a socket.
func (s *Server) answers(w http.ResponseWriter, r *http.Request) *apiError {
	if err := accessError(&s.access, r); err != nil {
		return err
	}
	if !s.enter() {
		return closing()
	}
	defer s.active.Done()
	if ws.Asks(r) {
		return s.socket(w, r)
	}
	s.o.Answers.ServeHTTP(w, r)
	return nil
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
	return subtle.ConstantTimeCompare([]byte(keyOf(r)), []byte(s.o.Key)) == 1
}

// keyOf returns the key of a request: what Anthropic and Google call theirs goes before a
// bearer token, as with Anthropic.
func keyOf(r *http.Request) string {
	bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer ")
	if !ok {
		bearer = ""
	}
	return cmp.Or(r.Header.Get("X-Api-Key"), r.Header.Get("X-Goog-Api-Key"), bearer, r.Header.Get("Api-Key"),
		r.URL.Query().Get("key"))
}

// accessError returns why the rules refuse a request, or nil.
func accessError(a *access.Rules, r *http.Request) *apiError {
	if !a.AllowsHost(r) {
		return newError(http.StatusForbidden, "host_not_allowed",
			"Host %q is not allowed. Use localhost or the address of this endpoint; tokscope serve --allow-host allows a name",
			clip(access.Host(r.Host)))
	}
	for _, origin := range r.Header.Values("Origin") {
		if !a.AllowsOrigin(origin, r) {
			return newError(http.StatusForbidden, "origin_not_allowed",
				"a web page of origin %q may not use this endpoint; tokscope serve --allow-origin allows one", clip(origin))
		}
	}
	return nil
}

// share adds the headers of cross-origin requests. The origin was checked.
func share(w http.ResponseWriter, r *http.Request) {
	origin := r.Header.Get("Origin")
	if origin == "" {
		return
	}
	h := w.Header()
	h.Add("Vary", "Origin")
	h.Set("Access-Control-Allow-Origin", origin)
	h.Set("Access-Control-Expose-Headers", "X-Request-Id, X-Sim-Setup, X-Sim-Behind-Ms, Retry-After")
}

// preflight adds what a browser asks before a cross-origin request.
func preflight(w http.ResponseWriter, r *http.Request, methods string) {
	if r.Header.Get("Origin") == "" || r.Header.Get("Access-Control-Request-Method") == "" {
		return
	}
	h := w.Header()
	h.Set("Access-Control-Allow-Methods", methods)
	h.Set("Access-Control-Max-Age", "600")
	if asked := r.Header.Get("Access-Control-Request-Headers"); asked != "" {
		h.Set("Access-Control-Allow-Headers", asked)
	}
	if r.Header.Get("Access-Control-Request-Private-Network") == "true" {
		h.Set("Access-Control-Allow-Private-Network", "true")
	}
}
