package hostile

import (
	"encoding/json"
	"io"
	"log"
	"net"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics/doctor"
	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/probe/result"
)

// api is a server with a list of models, whose answers are written by chat.
func api(chat http.HandlerFunc) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET /v1/models", func(w http.ResponseWriter, _ *http.Request) {
		_, _ = io.WriteString(w, `{"object":"list","data":[{"id":"m"},{"id":"n"}]}`)
	})
	mux.HandleFunc("POST /v1/chat/completions", chat)
	return mux
}

// paced writes n events, 3 ms apart, as collect passes them on: it gets what
// waits and the time since the last writing, and returns how many bytes may go.
func paced(server string, n int, collect func(waiting int, since time.Duration) int) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var asked struct {
			MaxTokens int `json:"max_tokens"`
		}
		_ = json.NewDecoder(r.Body).Decode(&asked)
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Server", server)
		var held strings.Builder
		last, tick := time.Now(), time.NewTicker(3*time.Millisecond)
		defer tick.Stop()
		write := func(k int) {
			if k <= 0 {
				return
			}
			text := held.String()
			_, _ = io.WriteString(w, text[:k])
			_ = http.NewResponseController(w).Flush()
			held.Reset()
			held.WriteString(text[k:])
			last = time.Now()
		}
		for i := range min(n, asked.MaxTokens) {
			<-tick.C
			held.WriteString(says(strings.Repeat("w", 120+i*37%41) + " "))
			write(min(collect(held.Len(), time.Since(last)), held.Len()))
		}
		held.WriteString(ending)
		write(held.Len())
	}
}

func atOnce(waiting int, _ time.Duration) int { return waiting }

// full passes on whole buffers of size bytes.
func full(size int) func(int, time.Duration) int {
	return func(waiting int, _ time.Duration) int { return waiting / size * size }
}

// timed writes n events that come 3 ms apart, all that wait whenever period has
// gone by, whatever they are.
func timed(server string, n int, period time.Duration) http.HandlerFunc {
	return func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Server", server)
		event, timer := time.NewTicker(3*time.Millisecond), time.NewTicker(period)
		defer event.Stop()
		defer timer.Stop()
		held := ""
		write := func() {
			_, _ = io.WriteString(w, held)
			_ = http.NewResponseController(w).Flush()
			held = ""
		}
		for i := 0; i < n; {
			select {
			case <-event.C:
				held += says(strings.Repeat("w", 120+i*37%41) + " ")
				i++
			case <-timer.C:
				write()
			}
		}
		held += ending
		write()
	}
}

// answersWith is a chat that answers with a status and a body.
func answersWith(status int, contentType, body string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", contentType)
		if status == http.StatusTooManyRequests {
			w.Header().Set("Retry-After", "7")
		}
		w.WriteHeader(status)
		_, _ = io.WriteString(w, strings.ReplaceAll(body, "$KEY", strings.TrimPrefix(r.Header.Get("Authorization"),
			"Bearer ")))
	}
}

// doctored is what a check must be.
type doctored struct {
	check, grade, text, next string
}

// isIn reports where doc has no such check.
func (w *doctored) isIn(t *testing.T, doc *result.CheckUp) {
	t.Helper()
	for i := range doc.Checks {
		k := &doc.Checks[i]
		if string(k.Code) != w.check {
			continue
		}
		next := strings.Join(k.Next, "\n")
		if string(k.Grade) != w.grade || !strings.Contains(k.Text, w.text) || !strings.Contains(next, w.next) ||
			w.next == "" && w.grade == "ok" && next != "" {
			t.Errorf("%s is %s, %q, next %q; want %s, %q, %q", k.Code, k.Grade, k.Text, next, w.grade, w.text, w.next)
		}
		return
	}
	t.Errorf("no check %s", w.check)
}

// lagged reports whether this machine held tokscope up in the long stream: it then says so,
// and nothing of buffers.
func lagged(doc *result.CheckUp) bool {
	for i := range doc.Checks {
		if k := &doc.Checks[i]; k.Code == doctor.Buffers && k.Why == doctor.WhyLagged {
			return true
		}
	}
	return false
}

// noLog is the log of a server whose clients do what it complains of.
var noLog = log.New(io.Discard, "", 0)

// serveHTTPS gives a server without TLS an https address.
func serveHTTPS(h http.Handler) func(*testing.T) string {
	return func(t *testing.T) string {
		s := httptest.NewServer(h)
		t.Cleanup(s.Close)
		return "https" + strings.TrimPrefix(s.URL, "http") + "/v1"
	}
}

// TestDoctorSays holds the grade, the words and the next step of each fault
// that doctor tells apart.
func TestDoctorSays(t *testing.T) {
	t.Parallel()
	ok := paced("uvicorn", 200, atOnce)
	serve := func(h http.Handler) func(*testing.T) string {
		return func(t *testing.T) string {
			s := httptest.NewServer(h)
			t.Cleanup(s.Close)
			return s.URL + "/v1"
		}
	}
	raw := func(scheme string, handle serves) func(*testing.T) string {
		return func(t *testing.T) string {
			s := listen(t, handle)
			t.Cleanup(s.close)
			return scheme + "://" + s.ln.Addr().String() + "/v1"
		}
	}
	elsewhereAPI := http.StripPrefix("/api", api(ok))
	for _, c := range []struct {
		name   string
		target func(*testing.T) string
		args   []string
		code   int
		want   []doctored
	}{
		{"nothing wrong", serve(api(ok)), nil, 0, []doctored{
			{"key", "ok", "from env HOSTILE_KEY", ""}, {"tcp", "ok", "IPv4 127.0.0.1:", ""}, {"models", "ok", "2 models", ""},
			{"http1", "ok", "first token after", ""}, {"http2", "skipped", "https", ""}, {"stream", "ok", "First token after",
				""}, {"buffering", "ok", "none seen", ""}}},
		{"a model that is not listed", serve(api(ok)), []string{"--model", "x"}, 0,
			[]doctored{{"models", "note", "x is not among them", "check the model's name"}}},
		{"nobody listens", func(t *testing.T) string {
			ln := testkit.Must(net.Listen("tcp", "127.0.0.1:0"))(t)
			defer func() { _ = ln.Close() }()
			return "http://" + ln.Addr().String() + "/v1"
		}, nil, 1, []doctored{{"tcp", "bad", "refused", "check that the server runs"},
			{"models", "skipped", "an earlier check failed", ""}, {"stream", "skipped", "", ""}}},
		{"it never answers", raw("http", hangs), []string{"--timeout-first-byte", "150ms"}, 1,
			[]doctored{{"tcp", "ok", "", ""}, {"http1", "bad", "no answer within 150 ms", "overloaded"}}},
		{"wrong key", serve(api(answersWith(401, "application/json",
			`{"error":{"message":"Incorrect API key provided: $KEY"}}`))), nil, 1, []doctored{
			{"http1", "bad", "401", "env HOSTILE_KEY"}, {"stream", "skipped", "", ""}}},
		{"no permission", serve(api(answersWith(403, "application/json", `{}`))), nil, 1,
			[]doctored{{"http1", "bad", "403", ""}}},
		{"wrong path", serve(elsewhereAPI), nil, 1,
			[]doctored{{"models", "bad", "/api/v1 lists models", "/api/v1 as the address"},
				{"http1", "bad", "404", "path of the URL"}}},
		{"rate limit", serve(api(answersWith(429, "application/json", `{}`))), nil, 1,
			[]doctored{{"http1", "bad", "allowed in 7 s", "rate limit"}}},
		{"server error", serve(api(answersWith(500, "text/plain", "oops"))), nil, 1,
			[]doctored{{"http1", "bad", "500", "log"}}},
		{"gateway error", serve(api(answersWith(502, "text/html", "<h1>502 Bad Gateway</h1>"))), nil, 1,
			[]doctored{{"http1", "bad", "502", "unavailable"}}},
		{"a web page", serve(answersWith(200, "text/html", "<p>hi")), nil, 1,
			[]doctored{{"http1", "bad", "web page", "/v1"}}},
		{"not a stream", serve(api(answersWith(200, "application/json", `{"choices":[]}`))), nil, 1,
			[]doctored{{"http1", "bad", "JSON instead of a stream", "streaming"}}},
		{"compressed", raw("http", answers(encoded("gzip", zipped(whole)))), nil, 1,
			[]doctored{{"http1", "bad", "gzip", "compression"}}},
		{"the whole answer at once", serve(api(paced("nginx/1.27", 200, func(int, time.Duration) int { return 0 }))), nil, 1,
			[]doctored{{"buffering", "bad", "chunks", "nginx: proxy_buffering off;"}}},
		{"nginx collects 4 KiB", serve(api(paced("nginx/1.27", 200, full(4096)))), nil, 1, []doctored{
			{"http1", "ok", "headers name nginx", ""}, {"buffering", "bad", "at a time",
				"nginx: proxy_buffering off; (in the location"}}},
		{"nobody says who collects 4 KiB", serve(api(paced("uvicorn", 200, full(4096)))), nil, 1,
			[]doctored{{"buffering", "bad", "at a time", "AWS API Gateway: responseTransferMode: STREAM"}}},
		{"a timer", serve(api(timed("Caddy", 200, 61500*time.Microsecond))), nil, 1,
			[]doctored{{"buffering", "bad", "", "Caddy: flush_interval -1"}}},
		{"expired", raw("https", overTLS(expired(), answers(stream(whole)))), []string{"--cacert", authority}, 1,
			[]doctored{{"tls", "bad", "ended on", "check the certificate and this machine's clock"},
				{"http1", "skipped", "", ""}}},
		{"unknown authority", raw("https", overTLS(good(), answers(stream(whole)))), nil, 1,
			[]doctored{{"tls", "bad", "unknown authority", "--cacert"}}},
		{"wrong host", raw("https", overTLS(elsewhere(), answers(stream(whole)))), []string{"--cacert", authority}, 1,
			[]doctored{{"tls", "bad", "certificate", "the name that is in the certificate"}}},
		{"good certificate", raw("https", overTLS(good(), answers(stream(whole)))), []string{"--cacert", authority}, 0,
			[]doctored{{"tls", "note", "in 0 days", "renewed"}, {"http1", "ok", "", ""}, {"http2", "skipped", "does not offer",
				""}, {"buffering", "skipped", "not known", ""}}},
		{"plain HTTP where TLS is asked for", serveHTTPS(api(ok)), nil, 1,
			[]doctored{{"tls", "bad", "does not speak TLS", "use http://"}}},
		{"TLS where plain HTTP is asked for", func(t *testing.T) string {
			s := httptest.NewUnstartedServer(api(ok))
			s.Config.ErrorLog = noLog
			s.StartTLS()
			t.Cleanup(s.Close)
			return "http" + strings.TrimPrefix(s.URL, "https") + "/v1"
		}, nil, 1, []doctored{{"http1", "bad", "the port speaks TLS", "https://"}}},
	} {
		t.Run(c.name, func(t *testing.T) {
			probetest.TakesTime(t, "real streams of a second")
			t.Parallel()
			target := c.target(t)
			out := commandOf(t, append([]string{"doctor", target, "--json"}, c.args...), false, 0)
			var doc result.CheckUp
			err := result.Unmarshal([]byte(out.stdout), &doc)
			testkit.Given(t, err == nil, "%v in %.500s %s", err, out.stdout, out.stderr)
			if i := slices.IndexFunc(c.want, func(w doctored) bool { return w.check == "buffering" }); i >= 0 && lagged(&doc) {
				if c.want[i].grade == "bad" { // nothing else is, in these rows
					c.code = 0
				}
				c.want[i] = doctored{"buffering", "skipped", "not known", "check again"}
			}
			testkit.Is(t, out.code, c.code, "exit code", out.stderr)
			testkit.Is(t, fits("doctor", out.stdout), nil)
			testkit.Is(t, leaks(out.stdout+out.stderr+out.session), "", "the key is shown")
			testkit.That(t, (doc.Found > 0) == (c.code == 1) && doc.Conclusion != "",
				"%d found, exit code %d, %q", doc.Found, c.code, doc.Conclusion)
			for _, w := range c.want {
				w.isIn(t, &doc)
			}
		})
	}
}
