package sim

import (
	"fmt"
	"net/http"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"golang.org/x/sync/semaphore"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// padded fills a body up to the largest one that is read.
func padded(head, piece, tail string) string {
	return head + strings.Repeat(piece, (maxBody-len(head)-len(tail))/len(piece)) + tail
}

// hostileBodies are the largest bodies, each a different way to make a server
// decode much: a head, a piece as often as it fits, and a tail.
var hostileBodies = []struct{ name, path, head, piece, tail string }{
	{"token ids", "/v1/completions", `{"prompt":[1`, ",1", "]}"},
	{"lists of token ids", "/v1/completions", `{"prompt":[[1]`, ",[1]", "]}"},
	{"prompts", "/v1/completions", `{"prompt":[""`, `,""`, "]}"},
	{"messages", "/v1/chat/completions", `{"messages":[{}`, ",{}", "]}"},
	{"parts", "/v1/chat/completions", `{"messages":[{"role":"user","content":[{}`, ",{}", "]}]}"},
	{"one word", "/v1/chat/completions", `{"messages":[{"role":"user","content":"`, "x", `"}]}`},
	{"escapes", "/v1/completions", `{"prompt":"`, `\u00e9`, `"}`},
	{"stops", "/v1/completions", `{"prompt":"x","stop":["a"`, `,"a"`, "]}"},
	{"tools", "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],"tools":[{}`, ",{}", "]}"},
	{"parameters", "/v1/chat/completions",
		`{"messages":[{"role":"user","content":"x"}],"tools":[{"function":{"name":"a","parameters":{"properties":{"a":{}`,
		`,"a":{}`, "}}}}]}"},
	{"bias", "/v1/completions", `{"prompt":"x","logit_bias":{"1":0`, `,"1":0`, "}}"},
	{"fields", "/v1/completions", `{"prompt":"x"`, `,"a":1`, "}"},
	{"depth", "/v1/completions", `{"prompt":`, "[", ""},
	{"schema", "/v1/chat/completions",
		`{"messages":[{"role":"user","content":"x"}],"response_format":{"type":"json_schema","json_schema":{"name":"a","schema":{"enum":[1`, ",1", "]}}}}"},
	{"ids to join", "/detokenize", `{"tokens":[1`, ",1", "]}"},
	{"text to cut", "/tokenize", `{"prompt":"`, "a ", `"}`},
}

// The memory of a request stays near the size of its body, whatever is in it.
func TestMemoryOfHostileBodies(t *testing.T) {
	_, h := served(t, Options{})
	for i, c := range hostileBodies {
		t.Run(c.name, func(t *testing.T) {
			if i%4 != 0 {
				probetest.TakesTime(t, "parsing 8 MB")
			}
			body := padded(c.head, c.piece, c.tail)
			r := recorded("POST", c.path, body)
			var status int
			var said string
			n := testkit.Allocated(func() {
				w := answered(h, r)
				status, said = w.Code, w.Body.String()
			})
			if status != 400 || len(said) > 1000 {
				t.Errorf("%d %.1000s", status, said)
			}
			t.Logf("%d MB for %d MB: %.150s", n>>20, len(body)>>20, said)
			if n > 5*maxBody {
				t.Errorf("%d MB were allocated for a body of %d MB", n>>20, len(body)>>20)
			}
		})
	}
}

// Many large bodies at once wait for each other: few are held at a time.
func TestLargeBodiesAtOnce(t *testing.T) {
	s, h := served(t, Options{})
	var wg sync.WaitGroup
	codes := make([]int, probetest.Cases(8, 4)) // two have room
	body := padded(hostileBodies[0].head, hostileBodies[0].piece, hostileBodies[0].tail)
	for i := range codes {
		wg.Go(func() { codes[i] = answered(h, recorded("POST", "/v1/completions", body)).Code })
	}
	wg.Wait()
	for _, code := range codes {
		testkit.That(t, code == 400 || code == 503, "status %d", code)
	}
	testkit.That(t, s.budgets.bodies.TryAcquire(maxBodies), "bodies are held at the end")
}

// A server that does too much at once says so, and when to come again.
func TestBusy(t *testing.T) {
	for _, c := range []struct {
		words string
		most  int64
		of    func(s *Server) *semaphore.Weighted
	}{
		{"too many requests at once: %d", maxRequests, func(s *Server) *semaphore.Weighted { return s.budgets.requests }},
		{"too many prompts at once: %d bytes", maxBodies, func(s *Server) *semaphore.Weighted { return s.budgets.bodies }},
		{"too many prompt tokens at once: the limit is %d", maxPromptTokens,
			func(s *Server) *semaphore.Weighted { return s.budgets.tokens }},
	} {
		words := fmt.Sprintf(c.words, c.most)
		t.Run(words, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				s := testkit.Must(prepare(Options{Sleep: time.Sleep}))(t)
				defer s.stopEngines()
				h := s.Handler()
				b := c.of(s)
				testkit.Given(t, b.TryAcquire(c.most) && !b.TryAcquire(1), "the budget has another size")
				w := answered(h, recorded("POST", "/v1/chat/completions", oneToken))
				if w.Code != 503 || w.Header().Get("Retry-After") != "1" || !strings.Contains(w.Body.String(), words) {
					t.Errorf("%d, Retry-After %q: %s", w.Code, w.Header().Get("Retry-After"), w.Body)
				}
				testkit.Is(t, answered(h, recorded("GET", "/metrics", "")).Code, 200, "the metrics of a busy server")
				b.Release(c.most)
				if w := answered(h, recorded("POST", "/v1/chat/completions", oneToken)); w.Code != 200 {
					t.Errorf("afterwards: %d %s", w.Code, w.Body)
				}
				if !s.budgets.requests.TryAcquire(maxRequests) || !s.budgets.bodies.TryAcquire(maxBodies) ||
					!s.budgets.tokens.TryAcquire(maxPromptTokens) {
					t.Error("not all was given back")
				}
			})
		})
	}
}

// A body waits for a place before it is refused.
func TestBodiesWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		s := testkit.Must(prepare(Options{Sleep: time.Sleep}))(t)
		defer s.stopEngines()
		h := s.Handler()
		b := s.budgets.bodies
		b.TryAcquire(maxBodies)
		began := time.Now()
		time.AfterFunc(bodyWait/2, func() { b.Release(maxBodies) })
		w := answered(h, recorded("POST", "/v1/chat/completions", oneToken))
		wait := time.Since(began)
		testkit.That(t, w.Code == http.StatusOK && wait >= bodyWait/2 && wait <= bodyWait, "%d after %v", w.Code, wait)
	})
}

// A refused queue says when to come again, too.
func TestFullQueueHasRetryAfter(t *testing.T) {
	_, h := served(t, Options{MaxQueue: 1})
	w := answered(h, recorded("POST", "/v1/chat/completions", `{"messages":[{"role":"user","content":"x"}],"n":2}`))
	if w.Code != 503 || w.Header().Get("Retry-After") == "" || !strings.Contains(w.Body.String(), "queue_full") {
		t.Errorf("%d %v %s", w.Code, w.Header(), w.Body)
	}
}
