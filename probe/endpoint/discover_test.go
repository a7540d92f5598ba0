package endpoint

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"go.uber.org/goleak"
	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// routes answers paths with texts. "401" and "404" are statuses, and other
// paths get a 404.
type routes map[string]string

func (r routes) ServeHTTP(w http.ResponseWriter, req *http.Request) {
	text, ok := r[req.URL.Path]
	switch {
	case !ok || text == "404":
		http.NotFound(w, req)
	case text == "401":
		w.WriteHeader(401)
	default:
		io.WriteString(w, text)
	}
}

func models(id, owner string) string {
	b, _ := json.Marshal(map[string]any{"object": "list", "data": []any{map[string]string{"id": id, "owned_by": owner}}})
	return string(b)
}

// servers holds the answers of each kind of local server.
var servers = []struct {
	name string
	port int // port in the table that it simulates
	r    routes
	want string // name | note | model | ready
}{
	{"ollama", 11434, routes{"/v1/models": models("llama3", "library"), "/api/version": `{"version":"0.12.3"}`},
		"ollama|Ollama 0.12.3, 1 model|llama3|true"},
	{"ollama without models", 11434, routes{"/v1/models": `{"object":"list","data":null}`,
		"/api/version": `{"version":"0.12.3"}`}, "ollama|Ollama 0.12.3, 0 models||true"},
	{"lm studio", 1234, routes{"/v1/models": `{"data":[{"id":"a","owned_by":"organization_owner"},{"id":"b"}]}`,
		"/api/v0/models": `{"data":[{"id":"a","state":"loaded","max_context_length":4096}]}`},
		"lmstudio|LM Studio, 2 models||true"},
	{"llama.cpp", 8080, routes{"/v1/models": models("/m.gguf", "llamacpp"),
		"/props": `{"build_info":"b6500-abc","default_generation_settings":{}}`},
		"llama.cpp|llama.cpp b6500-abc, 1 model|/m.gguf|true"},
	{"llama.cpp, old", 8080, routes{"/v1/models": models("m", ""), "/props": `{"default_generation_settings":{}}`},
		"llama.cpp|llama.cpp, 1 model|m|true"},
	{"llama-swap", 8080, routes{"/v1/models": models("m", ""), "/running": `{"running":[]}`},
		"llama-swap|llama-swap, 1 model|m|true"},
	{"localai", 8080, routes{"/v1/models": models("m", ""), "/readyz": "OK"}, "localai|LocalAI, 1 model|m|true"},
	{"vllm", 8000, routes{"/v1/models": models("q", "vllm"), "/version": `{"version":"0.11.0"}`},
		"vllm|vLLM 0.11.0, 1 model|q|true"},
	{"vllm without /version", 8000, routes{"/v1/models": models("q", "vllm")}, "vllm|vLLM, 1 model|q|true"},
	{"nim", 8000, routes{"/v1/models": models("q", "system"),
		"/v1/health/ready": `{"object":"health.response","message":"Service is ready."}`}, "nim|NVIDIA NIM, 1 model|q|true"},
	{"lemonade", 8000, routes{"/api/v1/models": models("q", "x")}, "HOST|1 model|q|true"},
	{"sglang", 30000, routes{"/v1/models": models("q", "sglang"),
		"/get_server_info": `{"a":1,"b":2,"c":3,"version":"0.5.2"}`}, "sglang|SGLang 0.5.2, 1 model|q|true"},
	{"tgi", 3000, routes{"/v1/models": models("q", ""),
		"/info": `{"model_id":"q","max_total_tokens":4096,"version":"3.3"}`}, "tgi|TGI 3.3, 1 model|q|true"},
	{"litellm with a key", 4000, routes{"/v1/models": "401", "/health/liveliness": `"I'm alive!"`},
		"litellm|LiteLLM, needs a key||false"},
	{"docker", 12434, routes{"/engines/v1/models": models("ai/x", "docker")},
		"docker|Docker Model Runner, 1 model|ai/x|true"},
	{"koboldcpp", 5001, routes{"/v1/models": models("k", "koboldcpp"),
		"/api/extra/version": `{"result":"KoboldCpp","version":"1.99"}`}, "koboldcpp|KoboldCpp 1.99, 1 model|k|true"},
	{"jan", 1337, routes{"/v1/models": models("k", "")}, "jan|Jan, 1 model|k|true"},
	{"somebody", 5000, routes{"/v1/models": models("k", "")}, "HOST|1 model|k|true"},
	{"a web server", 8080, routes{"/": "<html>"}, ""},
	{"a web server that answers all with a page", 8080, routes{"/v1/models": "<html>", "/props": "<html>"}, ""},
	{"LM Studio's 200 for a wrong path", 1234, routes{"/v1/models": `{"error":"Unexpected endpoint or method."}`}, ""},
	{"escape sequences", 8000, routes{"/v1/models": models("\x1b[31mq", "vllm"),
		"/version": `{"version":"` + strings.Repeat("9", 90) + `"}`}, "vllm|vLLM " + strings.Repeat("9",
		40) + ", 1 model|\x1b[31mq|true"},
}

// asPort makes a Discoverer's Dial and Doer see the server at addr on port p
// of the loopback hosts.
type asPort struct {
	p    int
	addr string
	do   Doer
	mu   sync.Mutex
	seen []string
}

func (a *asPort) dial(ctx context.Context, network, address string) (net.Conn, error) {
	_, p, _ := net.SplitHostPort(address)
	if p != strconv.Itoa(a.p) {
		return nil, errors.New("refused")
	}
	// The deadline of a socket would be one of real time.
	return (&net.Dialer{}).DialContext(context.WithoutCancel(ctx), network, a.addr)
}

func (a *asPort) Do(r *http.Request) (*http.Response, error) {
	a.mu.Lock()
	a.seen = append(a.seen, r.URL.Host)
	if len(r.Header["Authorization"])+len(r.Header["Api-Key"]) > 0 {
		a.seen = append(a.seen, "with a key")
	}
	a.mu.Unlock()
	r = r.Clone(r.Context())
	r.URL.Host = a.addr
	return a.do.Do(r)
}

// TestDiscoverRecognizes runs in a bubble, where time stands still while a connection is
// read: however slow the machine is, no bound of the search passes.
func TestDiscoverRecognizes(t *testing.T) {
	for _, c := range servers {
		t.Run(c.name, func(t *testing.T) {
			s := httptest.NewServer(c.r)
			defer s.Close()
			synctest.Test(t, func(t *testing.T) {
				a := &asPort{p: c.port, addr: s.Listener.Addr().String(), do: doer(t)}
				found := Discoverer{Do: a, Env: env(), Dial: a.dial}.Run(context.Background())
				got := ""
				for _, e := range found {
					testkit.That(t, e.Kind == metrics.EndpointLoopback && e.Badge == "", "%+v", e)
					got += fmt.Sprintf("%s|%s|%s|%v", e.Name, e.Note, e.Model, e.Ready)
				}
				want := strings.Replace(c.want, "HOST", fmt.Sprintf("127.0.0.1:%d", c.port), 1)
				testkit.Is(t, got, want)
				for _, h := range a.seen {
					host, _, _ := net.SplitHostPort(h)
					testkit.That(t, IsLoopback(host), "asked %s", h)
				}
				// the same server, by a typed URL
				if c.port != 12434 && c.port != 1337 && len(found) == 1 && found[0].Ready {
					u := strings.Replace(found[0].URL, fmt.Sprintf("127.0.0.1:%d", c.port), s.Listener.Addr().String(), 1)
					want := found[0].Name
					if strings.Contains(want, ":") {
						want = ""
					}
					testkit.Is(t, Fingerprint(context.Background(), doer(t), target(u)), want, "Fingerprint")
				}
			})
		})
	}
}

func TestDiscoverRealPorts(t *testing.T) {
	one := httptest.NewServer(routes{"/v1/models": models("a", "vllm")})
	defer one.Close()
	two := httptest.NewServer(routes{"/v1/models": models("b", "vllm")})
	defer two.Close()
	port := func(s *httptest.Server) int { return s.Listener.Addr().(*net.TCPAddr).Port }
	var got []string
	synctest.Test(t, func(t *testing.T) { // where time stands still while a connection is read
		d := Discoverer{Do: doer(t), Env: env("OLLAMA_HOST", fmt.Sprintf("0.0.0.0:%d", port(two))), Ports: []int{port(one)}}
		for _, e := range d.Run(context.Background()) {
			got = append(got, e.Name+" "+e.URL)
		}
	})
	want := []string{
		fmt.Sprintf("vllm:%d http://127.0.0.1:%d/v1", port(one), port(one)),
		fmt.Sprintf("vllm:%d http://127.0.0.1:%d/v1", port(two), port(two)),
	}
	testkit.Same(t, got, want)
}

func TestDiscoverStaysOnLoopback(t *testing.T) {
	var mu sync.Mutex
	var dialled []string
	d := Discoverer{
		Do:  failing{errors.New("nobody may be asked")},
		Env: env("OLLAMA_HOST", "http://gpu.example.com:4321"),
		Dial: func(_ context.Context, _, address string) (net.Conn, error) {
			mu.Lock()
			defer mu.Unlock()
			dialled = append(dialled, address)
			return nil, errors.New("refused")
		},
	}
	got := d.Run(context.Background())
	testkit.That(t, got == nil, "%v", got)
	testkit.Is(t, len(dialled), 2*len(ports), "addresses, want two for each of", len(ports), "ports")
	for _, a := range dialled {
		host, _, _ := net.SplitHostPort(a)
		testkit.That(t, IsLoopback(host), "%s was dialled", a)
	}
}

func TestDiscoverFollowsNoRedirect(t *testing.T) {
	asked := 0
	other := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { asked++ }))
	defer other.Close()
	s := httptest.NewServer(http.RedirectHandler(other.URL+"/v1/models", http.StatusFound))
	defer s.Close()
	d := Discoverer{Do: doer(t), Env: env(), Ports: []int{s.Listener.Addr().(*net.TCPAddr).Port}}
	got := d.Run(context.Background())
	testkit.That(t, got == nil && asked == 0, "%v, asked %d", got, asked)
}

// TestDiscoverEndsInTime checks that silent servers cost no more than the
// bound, and that no goroutine is left.
func TestDiscoverEndsInTime(t *testing.T) {
	defer goleak.VerifyNone(t, goleak.IgnoreCurrent())
	synctest.Test(t, func(t *testing.T) {
		silent := doerFunc(func(r *http.Request) (*http.Response, error) {
			<-r.Context().Done()
			return nil, r.Context().Err()
		})
		dial := func(context.Context, string, string) (net.Conn, error) {
			c, s := net.Pipe()
			s.Close()
			return c, nil
		}
		start := time.Now()
		if got := (Discoverer{Do: silent, Env: env(), Dial: dial}).Run(t.Context()); got != nil {
			t.Errorf("%v", got)
		}
		if d := time.Since(start); d > discoverTime {
			t.Errorf("took %s", d)
		}
		slow := func(ctx context.Context, _, _ string) (net.Conn, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}
		start = time.Now()
		Discoverer{Do: silent, Env: env(), Dial: slow}.Run(t.Context())
		if d, batches := time.Since(start), (2*len(ports)+discoverMax-1)/discoverMax; d != time.Duration(batches)*dialTime {
			t.Errorf("took %s for %d batches of %s", d, batches, dialTime)
		}
	})
	ctx, cancel := context.WithCancel(context.Background())
	cancel()
	if got := (Discoverer{Do: doer(t), Env: env()}).Run(ctx); got != nil {
		t.Errorf("%v", got)
	}
}

type doerFunc func(*http.Request) (*http.Response, error)

func (f doerFunc) Do(r *http.Request) (*http.Response, error) { return f(r) }

func TestFingerprintByHost(t *testing.T) {
	never := failing{errors.New("nobody may be asked")}
	known := target("https://api.groq.com/openai/v1")
	known.Server = "groq"
	testkit.Is(t, Fingerprint(context.Background(), never, known), "groq")
	var hosts []string
	far := doerFunc(func(r *http.Request) (*http.Response, error) {
		hosts = append(hosts, r.URL.Path)
		rec := httptest.NewRecorder()
		rec.WriteHeader(404)
		return rec.Result(), nil
	})
	if got := Fingerprint(context.Background(), far, target("https://far.example/v1")); got != "" || len(hosts) != 1 ||
		hosts[0] != "/v1/models" {
		t.Errorf("%q, asked %v: another machine is asked for its models only", got, hosts)
	}
}

func TestPortsTable(t *testing.T) {
	seen := map[int]bool{}
	for _, p := range ports {
		testkit.That(t, !seen[p.port], "port %d stands twice", p.port)
		seen[p.port] = true
		testkit.That(t, !slices.ContainsFunc(marksFor(itoa(p.port)), func(m mark) bool { return m.is == nil }),
			"port %d: a mark of %v is not in the table", p.port, p.marks)
		if _, err := url.Parse("http://127.0.0.1:" + itoa(p.port)); err != nil {
			t.Error(err)
		}
	}
	for _, p := range providers {
		if b, err := p.Base(env()); p.Local && err == nil {
			n, _ := strconv.Atoi(b.Port)
			testkit.That(t, seen[n], "%s listens on %d, which is not in the table of ports", p.Name, n)
		}
	}
}
