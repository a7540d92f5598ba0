package sim

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"syscall"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
)

// outcome is the result of a request under a scenario.
type outcome struct {
	code    int
	header  http.Header
	body    string
	err     error // of reading the body
	list    []chunk
	notes   []string
	done    bool
	text    string
	chunks  int
	headed  time.Duration // time until the headers
	elapsed time.Duration
	pieces  int // reads of the body
}

// under streams forty tokens of a chat with a model under a scenario. It
// reads at most one megabyte of the body.
func under(t *testing.T, s *Server, spec, model string) outcome {
	t.Helper()
	body := `{"model":"` + model +
		`","messages":[{"role":"user","content":"Tell me."}],"stream":true,"max_tokens":60,"stream_options":{"include_usage":true}}`
	req := testkit.Must(http.NewRequest("POST", s.URL()+"/chat/completions", strings.NewReader(body)))(t)
	req.Header.Set("Content-Type", "application/json")
	req.Header.Set("X-Sim-Scenario", spec)
	req.Header.Set("Authorization", "Bearer sk-mine")
	req.Header.Set("Accept-Encoding", "identity")
	began := time.Now()
	resp, err := http.DefaultTransport.RoundTrip(req) // follows no redirect
	testkit.OK(t, err)
	defer resp.Body.Close()
	b := outcome{headed: time.Since(began)}
	count := &counter{r: resp.Body}
	raw, err := io.ReadAll(io.LimitReader(count, 1<<20))
	b.elapsed, b.pieces = time.Since(began), count.n
	b.code, b.header, b.body, b.err = resp.StatusCode, resp.Header, string(raw), err
	if strings.HasPrefix(resp.Header.Get("Content-Type"), "text/event-stream") && err == nil &&
		resp.Header.Get("Content-Encoding") == "" && len(raw) < 1<<20 {
		b.list, b.notes, b.done = events(t, b.body)
		b.text, b.chunks = said(b.list)
	}
	return b
}

// counter counts the reads that returned bytes.
type counter struct {
	r io.Reader
	n int
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	if n > 0 {
		c.n++
	}
	return n, err
}

func (b outcome) finish() string {
	for _, c := range b.list {
		for _, x := range c.Choices {
			if x.FinishReason != nil {
				return *x.FinishReason
			}
		}
	}
	return ""
}

func (b outcome) usages() (n int) {
	for _, c := range b.list {
		if c.Usage != nil {
			n++
		}
	}
	return n
}

func TestEveryScenario(t *testing.T) {
	t.Parallel()
	s := start(t, Options{Speed: 20})
	checks := map[string]func(b outcome) bool{
		"rate-limit": func(b outcome) bool {
			return b.code == 429 && b.header.Get("Retry-After") == "7" &&
				b.header.Get("X-Ratelimit-Remaining-Requests") == "0" && strings.Contains(b.body, `"type":"rate_limit_error"`)
		},
		"bad-key":      func(b outcome) bool { return b.code == 401 && strings.Contains(b.body, "sk-mine") },
		"server-error": func(b outcome) bool { return b.code == 500 && strings.Contains(b.body, `"code":null`) },
		"overloaded":   func(b outcome) bool { return b.code == 503 && b.header.Get("Retry-After") == "20" },
		"loading":      func(b outcome) bool { return b.code == 503 && strings.Contains(b.body, "being loaded") },
		"error-in-200": func(b outcome) bool { return b.code == 200 && strings.HasPrefix(b.body, `{"error":`) },
		"html":         func(b outcome) bool { return b.code == 200 && strings.HasPrefix(b.body, "<!doctype html>") },
		"redirect":     func(b outcome) bool { return b.code == 307 && b.header.Get("Location") != "" },
		"error-in-stream": func(b outcome) bool {
			return b.chunks == 20 && strings.Contains(b.body, `data: {"error":`) &&
				b.done
		},
		"stall": func(b outcome) bool {
			return b.chunks == 60 && b.done && b.finish() == "length" && b.elapsed >= 2*time.Second
		},
		"hold": func(b outcome) bool {
			return b.chunks == 60 && b.done && b.finish() == "length" && b.elapsed >= 2*time.Second
		},
		"reset": func(b outcome) bool {
			return errors.Is(b.err, syscall.ECONNRESET)
		},
		"cut": func(b outcome) bool { return errors.Is(b.err, io.ErrUnexpectedEOF) },
		"truncated": func(b outcome) bool {
			return b.err == nil && b.chunks == 30 && !b.done && b.finish() == ""
		},
		"slow-headers": func(b outcome) bool { return b.chunks == 60 && b.done && b.headed >= 1500*time.Millisecond },
		"gzip": func(b outcome) bool {
			r, err := gzip.NewReader(strings.NewReader(b.body))
			if err != nil {
				return false
			}
			plain, err := io.ReadAll(r)
			return err == nil && b.header.Get("Content-Encoding") == "gzip" && bytes.HasSuffix(plain, []byte("data: [DONE]\n\n"))
		},
		"buffering-proxy": func(b outcome) bool { return b.chunks == 60 && b.done && b.pieces < 20 },
		"keep-alive":      func(b outcome) bool { return b.chunks == 60 && b.done },
		"strict":          func(b outcome) bool { return b.chunks == 60 && b.done },
		"early-role":      func(b outcome) bool { return b.chunks == 60 && b.list[0].Choices[0].Delta.Role == "assistant" },
		"fat-chunks": func(b outcome) bool {
			return b.chunks == 15 &&
				b.list[len(b.list)-1].Usage.CompletionTokens == 60
		},
		"split-steps": func(b outcome) bool { return b.chunks == 60 },
		"think-tags": func(b outcome) bool {
			return strings.HasPrefix(b.text, "<think>\n") && strings.Contains(b.text, "\n</think>\n\n") &&
				!strings.Contains(b.body, "reasoning_content")
		},
		"usage-every": func(b outcome) bool { return b.usages() == len(b.list) },
		"usage-first": func(b outcome) bool { return b.usages() == 1 && b.list[0].Usage.CompletionTokens == 0 },
		"usage-finish": func(b outcome) bool {
			return b.usages() == 1 &&
				b.list[len(b.list)-1].Choices[0].FinishReason != nil
		},
		"usage-choice": func(b outcome) bool {
			return b.usages() == 0 && strings.Contains(b.body, `"stop_reason":null,"usage":{`)
		},
		"usage-x-groq": func(b outcome) bool { return b.usages() == 0 && strings.Contains(b.body, `"x_groq":{"id":`) },
		"no-usage":     func(b outcome) bool { return b.usages() == 0 && b.done },
		"no-done":      func(b outcome) bool { return !b.done && b.finish() == "length" },
		"no-finish":    func(b outcome) bool { return b.done && b.finish() == "" },
		"crlf": func(b outcome) bool {
			return strings.Contains(b.body, "\r\n\r\n") && !strings.Contains(b.body, "}\n\n")
		},
		"hostile": func(b outcome) bool {
			return utf8.ValidString(b.body) && strings.Contains(b.text, "\x1b[2J") && strings.Contains(b.body, `\u001b]0;owned`)
		},
		"flood": func(b outcome) bool {
			return len(b.body) == 1<<20 && strings.HasSuffix(b.body, strings.Repeat("x", 1<<18))
		},
		"comments": func(b outcome) bool { return len(b.notes) == 60 && b.chunks == 60 },
	}
	for _, sc := range Scenarios() {
		t.Run(sc.Name, func(t *testing.T) {
			t.Parallel()
			model := DefaultModel
			switch sc.Name {
			case "think-tags":
				model = "qwen3-8b@h100"
			case "stall", "hold", "slow-headers": // TestStallDelaysTheRest is their short form
				probetest.TakesTime(t, "it waits for a second and more")
			case "split-steps": // steps that yield several tokens
				model = "llama-3.3-70b@4xh100+draft"
			}
			testkit.That(t, sc.About != "", "says nothing about itself")
			check := checks[sc.Name]
			testkit.Given(t, check != nil, "has no test")
			if b := under(t, s, sc.Name, model); !check(b) {
				t.Errorf("status %d, %d chunks, done %v, error %v\n%.1500s", b.code, b.chunks, b.done, b.err, b.body)
			}
		})
	}
	testkit.Is(t, len(Scenarios()), len(checks), "scenarios")
}

// A tenth of the speed makes the wait 200 ms.
func TestQueuedRequestGetsKeepAliveComments(t *testing.T) {
	synctest.Test(t, func(t *testing.T) { // a loaded machine may miss all ticks but one of them
		s, h := served(t, Options{Speed: 0.1, Sleep: time.Sleep})
		defer s.stopEngines()
		r := httptest.NewRequest("POST", "http://localhost/v1/chat/completions", strings.NewReader(
			`{"model":"gpt-oss-120b@cerebras","messages":[{"role":"user","content":"Tell me."}],"stream":true,"max_tokens":60}`))
		body := answered(h, r, "Content-Type", "application/json", "X-Sim-Scenario",
			"keep-alive 20ms; early-role").Body.String()
		_, notes, _ := events(t, body)
		testkit.That(t, len(notes) >= 2 && strings.Contains(notes[0], "keep-alive"), "comments %q", notes)
		role, keep := strings.Index(body, `"role"`), strings.Index(body, "keep-alive")
		testkit.That(t, role >= 0 && role <= keep, "the role stands at %d, the first comment at %d", role, keep)
	})
}

// flushes records the writes of a handler.
type flushes struct {
	*httptest.ResponseRecorder
	n int
}

func (f *flushes) Flush() { f.n++ }

// Tokens produced during a stall arrive at their pace, delayed by the stall.
// Tokens that were held arrive together.
func TestStallDelaysTheRest(t *testing.T) {
	t.Parallel()
	s := start(t, Options{})
	for _, c := range []struct {
		spec        string
		least, most int
	}{{"after 5 stall 300ms", 60, 70}, {"after 5 hold 300ms", 10, 40}} {
		body := `{"model":"` + DefaultModel +
			`","messages":[{"role":"user","content":"Tell me."}],"stream":true,"max_tokens":60}`
		req := recorded("POST", "/v1/chat/completions", body)
		req.Header.Set("X-Sim-Scenario", c.spec)
		f := &flushes{ResponseRecorder: httptest.NewRecorder()}
		s.Handler().ServeHTTP(f, req)
		testkit.That(t, f.n >= c.least && f.n <= c.most,
			"%s: 60 tokens in %d writes, want %d to %d\n%.300s", c.spec, f.n, c.least, c.most, f.Body)
	}
}

// A step of a speculative endpoint yields several tokens, which are one chunk
// unless they are split.
func TestBurstsShareAChunk(t *testing.T) {
	s := start(t, Options{})
	b := under(t, s, "", "llama-3.3-70b@4xh100+draft")
	if u := b.list[len(b.list)-1].Usage; u == nil || u.CompletionTokens != 60 || b.chunks < 15 || b.chunks > 40 {
		t.Errorf("%d chunks, usage %+v", b.chunks, u)
	}
}

// After a hold the backlog arrives at once. After a stall the stream is
// delayed by it. 55 tokens take 370 ms.
func TestHoldDeliversABurst(t *testing.T) {
	t.Parallel()
	probetest.TakesTime(t, "it waits for a second and more")
	s := start(t, Options{Speed: 1})
	hold, stall := under(t, s, "after 5 hold 600ms", DefaultModel), under(t, s, "after 5 stall 600ms", DefaultModel)
	testkit.That(t, hold.chunks == 60 && hold.pieces <= 40, "held: %d chunks in %d reads", hold.chunks, hold.pieces)
	testkit.That(t, stall.chunks == 60 && stall.elapsed >= 950*time.Millisecond,
		"stalled: %d chunks in %v", stall.chunks, stall.elapsed)
}

// Bytes that a proxy buffers still arrive when the server ends the stream
// early.
func TestBufferIsFlushedAtAnEarlyEnd(t *testing.T) {
	s := start(t, Options{})
	if b := under(t, s, "buffer 100000; after 7 error server_error - gone", DefaultModel); b.chunks != 7 || !b.done ||
		!strings.Contains(b.body, `data: {"error":`) {
		t.Errorf("error: %d chunks, done %v, %.300s", b.chunks, b.done, b.body)
	}
	if b := under(t, s, "buffer 100000; after 7 truncate", DefaultModel); b.chunks != 7 || b.done || b.err != nil {
		t.Errorf("truncate: %d chunks, done %v, %v", b.chunks, b.done, b.err)
	}
	b := under(t, s, "gzip; after 7 truncate", DefaultModel)
	if r, err := gzip.NewReader(strings.NewReader(b.body)); err != nil {
		t.Error(err)
	} else if plain, err := io.ReadAll(r); err != nil || strings.Count(string(plain), `"content":"`) != 8 {
		t.Errorf("gzip: %v, %d chunks", err, strings.Count(string(plain), `"content":"`))
	}
}

func TestDirectivesInAHeader(t *testing.T) {
	s := start(t, Options{Scenario: "chunk 5"})
	testkit.Is(t, under(t, s, "", DefaultModel).chunks, 12, "the server's own scenario: chunks")
	if b := under(t, s, "chunk 3; no-done", DefaultModel); b.chunks != 20 || b.done {
		t.Errorf("the request's: %d chunks, done %v", b.chunks, b.done)
	}
	if b := under(t, s, "no such thing", DefaultModel); b.code != 400 || !strings.Contains(b.body, "no such directive") {
		t.Errorf("%d %s", b.code, b.body)
	}
}

func TestParseScenarioErrors(t *testing.T) {
	for _, c := range []struct{ src, words string }{
		{"chunk", "number from 1"},
		{"chunk 0", "number from 1"},
		{"status 99", "number from 200"},
		{"keep-alive soon", "a time"},
		{"slow-headers 20h", "a time"},
		{"after 3", "expected N WHAT"},
		{"after x stall 1s", "number"},
		{"after 3 explode", "cannot happen"},
		{"after 3 flood 999999999999", "number"},
		{"error too short", "TYPE CODE MESSAGE"},
		{"usage somewhere", "no place"},
		{"header nonsense", "NAME: VALUE"},
		{"about fine\n\n# fine\nwhat", "line 4: what"},
	} {
		if _, err := ParseScenario("x", c.src); err == nil || !strings.Contains(err.Error(), c.words) {
			t.Errorf("%q: %v, want %q", c.src, err, c.words)
		}
	}
	if _, err := ScenarioOf("stal"); err == nil || !strings.Contains(err.Error(), "stall") {
		t.Errorf("a name that is none: %v", err)
	}
}

func FuzzParseScenario(f *testing.F) {
	f.Add("after 3 stall 1s\nchunk 4")
	f.Add("header A: b; status 500")
	f.Fuzz(func(t *testing.T, src string) {
		if s, err := ParseScenario("fuzz", src); err == nil {
			for _, x := range s.actions {
				testkit.Given(t, x.d >= 0 && x.d <= maxDelay && x.n <= maxFlood, "%+v", x)
			}
		}
	})
}
