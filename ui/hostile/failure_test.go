//go:build !windows

package hostile

import (
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
	"tokscope/probe/probetest"
	"tokscope/ui/uitest/vterm"
)

// failure is one way to fail and what the screen must say: what happened, the
// next step, and the answer where there is one.
type failure struct {
	name string
	row  row
	url  string // instead of the row's server
	says []string
	wide []string // from 100 columns on, beside the answer
}

// jsonError and page are answers of 500.
const (
	jsonError = `{"error":{"message":"CUDA out of memory","type":"server_error","param":null}}`
	page      = "<html><head><title>Oops</title></head>\n<body><h1>upstream died</h1></body></html>\n"
)

var failures = []failure{
	{"nobody listens", row{}, "http://127.0.0.1:1/v1", []string{"✗ the connection was refused",
		"next  check that the server runs", "request to http://127.0.0.1:1/v1", "✗ connecting",
		"no answer: there was no connection"}, nil},
	{"name not found", row{}, "https://no-such-host.invalid/v1", []string{"✗ the name no-such-host.invalid was not found",
		"next  check the spelling", "✗ connecting", "no answer: there was no connection"}, nil},
	{"not TLS", row{sends: stream(whole), secure: true}, "", []string{"✗ the server does not speak TLS on this port",
		"next  use http://", "✗ connecting", "tcp "}, nil},
	{"401", want("", counted("401 Unauthorized", "Content-Type: application/json\r\nWww-Authenticate: Bearer realm=x\r\n",
		`{"error":{"message":"bad key"}}`), "", "", 0), "",
		[]string{"bad key", "next  the key came from env HOSTILE_KEY", "HTTP/1.1 401 Unauthorized",
			"Content-Type: application/json", "not shown: Www-Authenticate", `│ {`, `│   "error": {`},
		[]string{"✓ server answered"}},
	{"404", want("", refused("404 Not Found", `{"error":{"message":"no such model","code":"model_not_found"}}`), "", "",
		0), "",
		[]string{"no such model", "next  check the model's name", "HTTP/1.1 404 Not Found", "model_not_found"},
		[]string{"✓ server answered"}},
	{"429", want("", counted("429 Too Many Requests", "Retry-After: 2\r\nX-Ratelimit-Remaining-Requests: 0\r\n",
		`{"error":{"message":"slow down"}}`), "", "", 0), "",
		[]string{"slow down", "next  the rate limit is reached", "HTTP/1.1 429 Too Many Requests", "Retry-After: 2",
			"X-Ratelimit-Remaining-Requests: 0"}, []string{"✓ server answered"}},
	{"500 with JSON", want("", refused("500 Internal Server Error", jsonError), "", "", 0), "",
		[]string{"CUDA out of memory", "next  the server failed: try again", "HTTP/1.1 500 Internal Server Error",
			`"param": null`}, []string{"✓ server answered"}},
	{"500 with a page", want("", counted("500 Internal Server Error", "Content-Type: text/html\r\nSet-Cookie: a=b\r\n",
		page), "", "", 0), "",
		[]string{"next  the server failed", "HTTP/1.1 500 Internal Server Error", "<h1>upstream died</h1>",
			"not shown: Set-Cookie"}, []string{"✓ server answered"}},
	{"not a stream", want("", counted("200 OK", "Content-Type: text/html\r\n", page), "", "", 0), "",
		[]string{"a web page instead", "next  ", "HTTP/1.1 200 OK", "Content-Type: text/html", "<h1>upstream died</h1>"},
		[]string{"✓ server answered"}},
	{"timeout", want("", waits(20*time.Second), "", "", 0, with("--timeout-first-byte", "300ms")), "",
		[]string{"✗ ", "next  ", "✓ request sent", "✗ waiting for the answer", "until it failed",
			"no answer: no complete response header arrived"}, nil},
	{"cut before a token", want("", sends(eventStream+"Content-Length: 999\r\n\r\n"), "", "", 0), "",
		[]string{"next  ", "HTTP/1.1 200 OK", "no body"}, []string{"✓ server answered"}},
}

// TestFailuresAreShown runs the program against each failure: what happened, the
// next step and the server's answer are on the screen, in a small terminal by
// scrolling or maximized. No key and no cookie is.
func TestFailuresAreShown(t *testing.T) {
	probetest.TakesTime(t, "the built program runs in real time")
	t.Parallel()
	program := testkit.Must(built())(t)
	for _, f := range failures {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			x := f.start(t, program, 120, 40)
			if err := x.Until(patience, "failed", "again"); err != nil {
				err = x.Until(time.Second, "truncated", "again")
				testkit.OK(t, err)
			}
			for _, want := range append(f.says, f.wide...) {
				testkit.Is(t, x.Until(wordsWithin, want), nil)
			}
			testkit.OK(t, x.Resize(80, 24))
			testkit.Is(t, x.Until(wordsWithin, f.says[0]), nil)
			seen := x.Screen()
			for _, want := range f.says {
				for n := 0; n < 60 && !strings.Contains(seen, want); n++ { // the answer scrolls
					was := x.Screen()
					testkit.OK(t, x.Type("\x1b[B"))
					if x.Wait("the next line", wordsWithin, func() bool { return x.Screen() != was }) != nil {
						break // it is at its end
					}
					seen += x.Screen()
				}
				if !strings.Contains(seen, want) {
					t.Errorf("at 80x24 %q is nowhere:\n%s", want, x.Screen())
				}
			}
			testkit.OK(t, x.Signal(syscall.SIGTERM))
			if _, err := x.Exit(patience); err != nil { // before that a sequence may be half written
				t.Fatal(err)
			}
			testkit.Is(t, leaks(x.Written()), "", "the terminal got the key")
			testkit.That(t, !strings.Contains(x.Written(), "a=b") && !strings.Contains(x.Written(), "realm=x"),
				"the terminal got a cookie or a challenge")
			testkit.Is(t, foreignOnTTY(x.Written()), "", "the terminal")
		})
	}
}

// start runs the program against the failure.
func (f *failure) start(t *testing.T, program string, cols, rows int) *vterm.Term {
	t.Helper()
	url, flags := f.url, []string{"--model", "m", "--api-key-env", "HOSTILE_KEY", "--insecure-http"}
	if url == "" {
		srv := listen(t, f.row.handler())
		t.Cleanup(srv.close)
		url = f.row.target(srv.addr())
	}
	cmd := exec.Command(program, append(append(flags, f.row.flags()...), url)...)
	cmd.Env = environment(t.TempDir())
	x := testkit.Must(vterm.Start(cmd, cols, rows))(t)
	t.Cleanup(x.Close)
	return x
}

// TestCountdownToTheRetry holds the wait that a 429 asks for: it counts down,
// says that it is over, and sends nothing by itself.
func TestCountdownToTheRetry(t *testing.T) {
	probetest.TakesTime(t, "the built program runs in real time")
	t.Parallel()
	program := testkit.Must(built())(t)
	asked := make(chan struct{}, 100)
	answer := counted("429 Too Many Requests", "Retry-After: 5\r\n", `{"error":{"message":"slow down"}}`)
	f := failure{row: row{sends: func(c conn) { asked <- struct{}{}; answer(c) }}}
	x := f.start(t, program, 120, 40)
	left := regexp.MustCompile(`wait  (\d) s left of the server's Retry-After`)
	var seen []string
	if err := x.Wait("the end of the wait", patience, func() bool {
		screen := x.Screen()
		if m := left.FindStringSubmatch(screen); m != nil && (len(seen) == 0 || m[1] != seen[len(seen)-1]) {
			seen = append(seen, m[1])
		}
		return strings.Contains(screen, "wait  over: space sends the request again")
	}); err != nil {
		t.Fatal(err)
	}
	testkit.That(t, len(seen) >= 2 && slices.IsSortedFunc(seen, func(a, b string) int { return strings.Compare(b, a) }),
		"it counts %v", seen)
	testkit.Is(t, len(asked), 1, "requests, want the one that was asked for")
	testkit.OK(t, x.Keys(" "))
	testkit.OK(t, x.Until(patience, "stream 2 ", "s left of the server's Retry-After"))
}
