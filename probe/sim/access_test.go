package sim

import (
	"cmp"
	"context"
	"net"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"

	"tokscope/metrics/testkit"
)

// served starts a server without a listener and returns its handler.
func served(t *testing.T, o Options) (*Server, http.Handler) {
	t.Helper()
	o.Speed = cmp.Or(o.Speed, 50)
	s := testkit.Must(prepare(o))(t)
	t.Cleanup(s.stopEngines)
	return s, s.Handler()
}

// answered serves one request with these headers.
func answered(h http.Handler, r *http.Request, header ...string) *httptest.ResponseRecorder {
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			r.Host = header[i+1]
		}
		r.Header.Add(header[i], header[i+1])
	}
	w := httptest.NewRecorder()
	h.ServeHTTP(w, r)
	return w
}

const oneToken = `{"messages":[{"role":"user","content":"x"}],"max_tokens":1}`

// A web page can neither reach the endpoint by a name of its own nor send it
// requests from elsewhere.
func TestHostAndOrigin(t *testing.T) {
	allowed := Options{AllowHosts: []string{"GPU-Box", "fd00::7"}, AllowOrigins: []string{"https://chat.example"}}
	remote := Options{Remote: true, Addr: "0.0.0.0:0"}
	for _, c := range []struct {
		name         string
		o            Options
		host, origin string
		status       int
	}{
		{"localhost", Options{}, "localhost:8000", "", 200},
		{"a loopback address", Options{}, "127.0.0.2:8000", "", 200},
		{"loopback in IPv6", Options{}, "[::1]:8000", "", 200},
		{"a subdomain of localhost", Options{}, "sim.localhost", "", 200},
		{"a final dot", Options{}, "localhost.:8000", "", 200},
		{"no host", Options{}, "", "", 200},
		{"rebinding", Options{}, "evil.example:8000", "", 403},
		{"rebinding with a friendly name", Options{}, "localhost.evil.example", "", 403},
		{"rebinding to an address in a name", Options{}, "127.0.0.1.evil.example", "", 403},
		{"another address", Options{}, "192.0.2.7", "", 403},
		{"an allowed name", allowed, "gpu-box:8000", "", 200},
		{"an allowed address", allowed, "[fd00::7]:8000", "", 200},
		{"not an allowed name", allowed, "gpu-box.evil.example", "", 403},
		{"every name", Options{AllowHosts: []string{"*"}}, "evil.example", "", 200},
		{"an address of a remote server", remote, "192.0.2.7:8000", "", 200},
		{"a name of a remote server", remote, "evil.example", "", 403},

		{"a page of this machine", Options{}, "localhost", "http://localhost:3000", 200},
		{"a page of this machine, by address", Options{}, "localhost", "http://[::1]:3000", 200},
		{"a page from elsewhere", Options{}, "localhost", "http://evil.example", 403},
		{"a page of a friendly name", Options{}, "localhost", "http://localhost.evil.example", 403},
		{"a page with a user in it", Options{}, "localhost", "http://localhost@evil.example", 403},
		{"a page without origin", Options{}, "localhost", "null", 403},
		{"an extension", Options{}, "localhost", "chrome-extension://localhost", 403},
		{"an allowed page", allowed, "localhost", "https://chat.example", 200},
		{"its other port", allowed, "localhost", "https://chat.example:8443", 403},
		{"its other scheme", allowed, "localhost", "http://chat.example", 403},
		{"every page", Options{AllowOrigins: []string{"*"}}, "localhost", "null", 200},
		{"a page of the server itself", remote, "192.0.2.7:8000", "http://192.0.2.7:8000", 200},
		{"a page of another address", remote, "192.0.2.7:8000", "http://192.0.2.8:8000", 403},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, h := served(t, c.o)
			for _, r := range []*http.Request{recorded("POST", "/v1/chat/completions", oneToken), recorded("GET", "/v1/models",
				""), recorded("GET", "/health", "")} {
				r.Host = c.host
				if c.origin != "" {
					r.Header.Set("Origin", c.origin)
				}
				w := answered(h, r)
				testkit.That(t, w.Code == c.status, "%s %s: %d, want %d: %s", r.Method, r.URL.Path, w.Code, c.status, w.Body)
				testkit.That(t, c.status != 403 || strings.Contains(w.Body.String(), "allow"), "no way out in %s", w.Body)
				if got := w.Header().Get("Access-Control-Allow-Origin"); c.status == 200 && got != c.origin || c.status == 403 &&
					got != "" {
					t.Errorf("%s %s: allowed origin %q", r.Method, r.URL.Path, got)
				}
			}
		})
	}
}

// The address that a request came to is allowed, whatever it is.
func TestHostIsTheListenersAddress(t *testing.T) {
	_, h := served(t, Options{})
	for _, c := range []struct {
		host, local string
		status      int
	}{
		{"192.0.2.7:8000", "192.0.2.7", 200}, {"192.0.2.7", "::ffff:192.0.2.7", 200}, {"[2001:db8::7]:8000", "2001:db8::7",
			200},
		{"192.0.2.8:8000", "192.0.2.7", 403}, {"gpu-box:8000", "192.0.2.7", 403},
	} {
		r := recorded("GET", "/v1/models", "")
		r.Host = c.host
		r = r.WithContext(context.WithValue(r.Context(), http.LocalAddrContextKey, &net.TCPAddr{IP: net.ParseIP(c.local),
			Port: 8000}))
		testkit.Is(t, answered(h, r).Code, c.status, "host", c.host, "at", c.local)
	}
	s := start(t, Options{})
	code, _, body := post(t, s, "/chat/completions", oneToken)
	testkit.That(t, code == 200, "%d %s", code, body)
}

func TestAllowedHostsAndOriginsAreChecked(t *testing.T) {
	for _, o := range []Options{
		{AllowHosts: []string{"http://gpu-box"}}, {AllowHosts: []string{"gpu-box:8000"}}, {AllowHosts: []string{""}},
		{AllowHosts: []string{"*.example"}},
		{AllowOrigins: []string{"chat.example"}}, {AllowOrigins: []string{"https://chat.example/path"}},
		{AllowOrigins: []string{"https://*"}, AllowHosts: []string{"a b"}},
	} {
		if s, err := prepare(o); err == nil || !strings.Contains(err.Error(), "give") {
			t.Errorf("%q %q: %v", o.AllowHosts, o.AllowOrigins, err)
			if s != nil {
				s.stopEngines()
			}
		}
	}
}

// Only a body that says that it is JSON is read. A web page cannot send one
// without asking first.
func TestOnlyJSONBodies(t *testing.T) {
	_, h := served(t, Options{})
	for _, path := range []string{"/v1/chat/completions", "/v1/completions", "/tokenize", "/detokenize"} {
		for kind, ok := range map[string]bool{
			"application/json": true, "application/json; charset=utf-8": true, "Application/JSON": true,
			"": false, "text/plain": false, "application/x-www-form-urlencoded": false, "multipart/form-data": false,
			"application/jsonp": false, "application/json/x": false,
		} {
			r := recorded("POST", path, `{"prompt":"x","messages":[{"role":"user","content":"x"}],"tokens":[],"max_tokens":1}`)
			r.Header.Set("Content-Type", kind)
			w := answered(h, r)
			if ok && w.Code != 200 || !ok && (w.Code != 415 || !strings.Contains(w.Body.String(), "application/json")) {
				t.Errorf("%s with %q: %d %s", path, kind, w.Code, w.Body)
			}
		}
	}
}

// Every route says which methods it has, and answers OPTIONS and HEAD.
func TestMethods(t *testing.T) {
	s, h := served(t, Options{Key: "k"})
	for _, r := range s.routes() {
		path := strings.Replace(r.path, "{id...}", DefaultModel, 1)
		both := strings.HasSuffix(r.path, "{id...}") || r.path == "/v1/responses"
		for _, method := range []string{"GET", "HEAD", "POST", "PUT", "DELETE", "PATCH", "TRACE", "OPTIONS"} {
			w := answered(h, recorded(method, path, `{}`), "Authorization", "Bearer k")
			allow := "GET, HEAD, OPTIONS"
			if r.method == "POST" {
				allow = "POST, OPTIONS"
			}
			if both {
				allow = "GET, HEAD, POST, OPTIONS"
			}
			switch {
			case both && method == "POST": // without a method of the model
			case method == "HEAD":
				testkit.Is(t, w.Code, 200, "HEAD", path)
			case method == "OPTIONS":
				if w.Code != 204 || w.Header().Get("Allow") != allow || w.Body.Len() > 0 {
					t.Errorf("OPTIONS %s: %d, Allow %q", path, w.Code, w.Header().Get("Allow"))
				}
			case strings.Contains(allow, method):
				testkit.That(t, w.Code != 405 && w.Code != 404, "%s %s: %d", method, path, w.Code)
			default:
				if w.Code != 405 || w.Header().Get("Allow") != allow || !strings.Contains(w.Body.String(),
					"does not take "+method) {
					t.Errorf("%s %s: %d, Allow %q: %s", method, path, w.Code, w.Header().Get("Allow"), w.Body)
				}
			}
		}
	}
}

// HEAD has the headers of GET and no body. On any other path it says that somebody is
// there, also without a key.
func TestHead(t *testing.T) {
	s := start(t, Options{})
	root := strings.TrimSuffix(s.URL(), "/v1")
	for _, path := range []string{"/v1/models", "/v1/models/" + DefaultModel, "/metrics", "/version", "/health"} {
		get := testkit.Must(http.Get(root + path))(t)
		get.Body.Close()
		head := testkit.Must(http.Head(root + path))(t)
		head.Body.Close()
		if head.StatusCode != 200 || head.Header.Get("Content-Type") != get.Header.Get("Content-Type") {
			t.Errorf("%s: %d, %q, want %q", path, head.StatusCode, head.Header.Get("Content-Type"),
				get.Header.Get("Content-Type"))
		}
	}
	_, h := served(t, Options{Key: "k"})
	for _, path := range []string{"/", "/api/hello", "/v1/messages", "/nowhere"} {
		w := answered(h, recorded("HEAD", path, ""))
		testkit.That(t, w.Code == 200 && w.Body.Len() <= 0, "HEAD %s: %d %s", path, w.Code, w.Body)
	}
}

// A browser asks before it sends JSON or a key. It is answered for allowed
// pages only, also if the server wants a key.
func TestPreflight(t *testing.T) {
	_, h := served(t, Options{Key: "k"})
	ask := func(origin string) *httptest.ResponseRecorder {
		return answered(h, recorded("OPTIONS", "/v1/chat/completions", ""), "Origin", origin,
			"Access-Control-Request-Method", "POST", "Access-Control-Request-Headers", "authorization,content-type",
			"Access-Control-Request-Private-Network", "true")
	}
	w := ask("http://localhost:3000")
	for name, want := range map[string]string{
		"Access-Control-Allow-Origin": "http://localhost:3000", "Access-Control-Allow-Methods": "POST, OPTIONS",
		"Access-Control-Allow-Headers": "authorization,content-type", "Access-Control-Allow-Private-Network": "true",
		"Vary": "Origin", "Allow": "POST, OPTIONS",
	} {
		got := w.Header().Get(name)
		testkit.That(t, w.Code == 204 && got == want, "%d, %s: %q, want %q", w.Code, name, got, want)
	}
	w = ask("https://evil.example")
	testkit.Is(t, w.Code, 403, "a page from elsewhere")
	for name := range w.Header() {
		testkit.That(t, !strings.HasPrefix(name, "Access-Control"), "a page from elsewhere gets %s", name)
	}
	w = answered(h, recorded("OPTIONS", "/v1/models", ""))
	testkit.Is(t, w.Header().Get("Access-Control-Allow-Methods"), "", "no page asked, but it is allowed")
}

// A path that other servers have is refused in words.
func TestAbsentRoutesAreNamed(t *testing.T) {
	_, h := served(t, Options{})
	for path, words := range map[string]string{
		"/v1/embeddings": "embeddings", "/nowhere": "no route /nowhere",
	} {
		for _, method := range []string{"POST", "GET"} {
			w := answered(h, recorded(method, path, `{}`))
			if body := w.Body.String(); w.Code != 404 || !strings.Contains(body, words) ||
				!strings.Contains(body, "POST /v1/chat/completions") {
				t.Errorf("%s %s: %d %s", method, path, w.Code, body)
			}
		}
	}
}
