//go:build !windows

package journey

import (
	"bytes"
	"encoding/json"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"tokscope/probe/probetest"
)

// apiKey is sent to every server below; several of them echo it.
const apiKey = "sk-journey-4f1c9a7e55d2b8"

// A server that misbehaves, and the expected outcome: in JSON, as exit code,
// and in plain words on the screen.
type trouble struct {
	name      string
	responses string   // of the scripted endpoint
	args      []string // of tokscope
	state     string   // of the request
	kind      string   // of its fault, "" when it must end well
	exit      int
	chunks    int    // that must be kept
	says      string // on the screen
}

var troubles = []trouble{
	{name: "stalls", responses: "6 tokens @ 2ms; hang", args: []string{"--timeout-idle", "400ms"}, state: "failed", kind: "timeout", exit: 1, chunks: 6, says: "no data"},
	{name: "never begins", responses: "hang", args: []string{"--timeout-first-byte", "400ms"}, state: "failed", kind: "timeout", exit: 1, says: "sent no"},
	{name: "resets", responses: "6 tokens @ 2ms; stall 20ms; rst", state: "failed", kind: "reset", exit: 1, chunks: 6, says: "reset"},
	{name: "breaks off", responses: "6 tokens @ 2ms; stall 20ms; cut", state: "truncated", kind: "truncated", exit: 1, chunks: 6, says: "the middle"},
	{name: "ends without an end", responses: "6 tokens @ 2ms; end", state: "truncated", kind: "truncated", exit: 1, chunks: 6, says: "truncated"},
	{name: "floods one line", responses: "6 tokens @ 2ms; flood 3000; hang", state: "failed", kind: "too_large", exit: 1, chunks: 6, says: "1 MiB"},
	{name: "compresses", responses: "gzip", state: "failed", kind: "compressed", exit: 1, says: "gzip"},
	{name: "sends a page", responses: "html", state: "failed", kind: "not_a_stream", exit: 1, says: "of a stream"},
	{name: "ignores stream", responses: "json", state: "failed", kind: "not_a_stream", exit: 1, says: "JSON instead"},
	{name: "wants another key", responses: "unauthorized", state: "failed", kind: "auth", exit: 4, says: "401"},
	{name: "limits the rate", responses: "ratelimited", state: "failed", kind: "rate_limit", exit: 1, says: "429"},
	{name: "redirects", responses: "redirect http://other.example/v1", state: "failed", kind: "redirect", exit: 1, says: "other.example"},
	{name: "errs inside a 200", responses: "6 tokens @ 2ms; error; done; end", state: "failed", kind: "in_stream", exit: 1, chunks: 6, says: "error"},
	{name: "breaks the framing", responses: "6 tokens @ 2ms; stall 20ms; broken", state: "failed", kind: "protocol", exit: 1, says: "HTTP"},
	{name: "keeps alive 400 times", responses: "400 comments @ 1ms; 6 tokens @ 2ms; usage", state: "done", exit: 0, chunks: 6, says: "done"},
	{
		name: "sends escape sequences", state: "done", exit: 0, chunks: 3, says: "done",
		responses: `say "\u001b[2J\u001b]0;owned\u0007\u009b31m"; say "a\u202eb\u200b\r\nc\ttab"; say "\u001b]52;c;aGk=\u0007"`,
		args:      []string{"--model", "evil\x1b[31m\x1b]0;owned\amodel\u202e"},
	},
}

// serve starts the scripted endpoint and returns the environment that points
// tokscope to it with the key.
func serve(t *testing.T, text string) []string {
	t.Helper()
	srv, err := probetest.Listen(probetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(srv.Close)
	return []string{"OPENAI_BASE_URL=" + srv.URL(text), "OPENAI_API_KEY=" + apiKey, "TOKSCOPE_DISCOVER=false"}
}

func TestTroubleHeadless(t *testing.T) {
	t.Parallel()
	for _, x := range troubles {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			env := serve(t, x.responses)
			args := append([]string{"probe", "-n", "1", "--json", "--with-text", "--model", "m"}, x.args...)
			stdout, stderr, code := command(t, env, "", args...)
			hidesKey(t, "stdout", stdout)
			hidesKey(t, "stderr", stderr)
			if code != x.exit {
				t.Errorf("exit code %d, want %d; stderr %q", code, x.exit, stderr)
			}
			var doc struct {
				Requests []struct {
					State string
					Fault *struct {
						Kind, Message, Next string
						RetryAfter          float64 `json:"retry_after_ms"`
						Location            string
					}
					Comments int
					Figures  struct{ Chunks int }
				}
			}
			if err := json.Unmarshal([]byte(stdout), &doc); err != nil {
				t.Fatalf("%v in %q", err, stdout)
			}
			r := doc.Requests[0]
			if r.State != x.state {
				t.Errorf("state %q, want %q; fault %+v", r.State, x.state, r.Fault)
			}
			if (r.Fault == nil) != (x.kind == "") || r.Fault != nil && r.Fault.Kind != x.kind {
				t.Errorf("fault %+v, want kind %q", r.Fault, x.kind)
			}
			if r.Figures.Chunks < x.chunks {
				t.Errorf("%d chunks were kept, want %d", r.Figures.Chunks, x.chunks)
			}
			switch x.kind {
			case "rate_limit":
				if r.Fault.RetryAfter <= 0 {
					t.Errorf("Retry-After is lost: %+v", r.Fault)
				}
			case "redirect":
				if !strings.Contains(r.Fault.Location, "other.example") {
					t.Errorf("where the redirect points is lost: %+v", r.Fault)
				}
			}
			if strings.Contains(x.name, "400") && r.Comments != 400 {
				t.Errorf("%d comments", r.Comments)
			}
			summary, _, _ := command(t, env, "", append([]string{"probe", "-n", "1", "--model", "m"}, x.args...)...)
			if strings.ContainsRune(summary, 0x1b) || strings.ContainsAny(summary, "\u202e\u009b\a") {
				t.Errorf("the summary holds raw control characters: %q", summary)
			}
			hidesKey(t, "summary", summary)
		})
	}
}

func TestTroubleOnTheScreen(t *testing.T) {
	t.Parallel()
	for i, x := range troubles {
		t.Run(x.name, func(t *testing.T) {
			t.Parallel()
			cols, rows := 120, 40
			if i%2 == 1 { // what it says must be whole in a small terminal too
				cols, rows = 80, 24
			}
			s := start(t, cols, rows, serve(t, x.responses), append([]string{"--model", "m"}, x.args...)...)
			s.until("tokscope", x.says)
			ended := map[string]string{"done": "done", "failed": "failed", "truncated": "truncated"}[x.state]
			s.until(ended)
			s.until("again") // the footer offers what works now
			s.keys("q")
			if code := s.exit(); code != 0 {
				t.Errorf("exit code %d", code)
			}
			s.restored()
			raw := s.written()
			hidesKey(t, "the terminal", raw)
			for path, data := range s.recordings() {
				hidesKey(t, path, data)
			}
			for _, bad := range []string{"owned", "\x1b]52;", "\u202e"} {
				if bad == "owned" {
					// The word may be shown; as a title it must not be set.
					if regexp.MustCompile(`\x1b\][012];[^\a\x1b]*owned`).MatchString(raw) {
						t.Error("the server set the window's title")
					}
				} else if strings.Contains(raw, bad) {
					t.Errorf("%q reached the terminal", bad)
				}
			}
		})
	}
}

// A picture of the screen holds no key and no escape sequence, also where the
// server echoes the key and sends sequences.
func TestAPictureHidesTheKey(t *testing.T) {
	t.Parallel()
	for _, says := range []string{
		`say "your key is ` + apiKey + ` \u001b[2J\u001b]0;owned\u0007 <b>&amp;"; usage`,
		"unauthorized",
	} {
		s := start(t, 120, 40, serve(t, says), "--model", "m")
		s.until("again")
		s.keys("S")
		s.until("saved ", "-live.svg and .txt")
		s.keys("q")
		s.exit()
		found := 0
		for path, data := range s.recordings() {
			hidesKey(t, path, data)
			if !strings.HasPrefix(filepath.Base(path), "screen-") {
				continue
			}
			found++
			if strings.ContainsAny(data, "\x1b\a") || !strings.Contains(data, "tokscope") {
				t.Errorf("%s holds an escape sequence, or no screen:\n%s", path, data)
			}
		}
		if found != 2 {
			t.Errorf("%d files of the screen", found)
		}
	}
}

// An unreachable server is reported at once, with exit code 5.
func TestNobodyListens(t *testing.T) {
	t.Parallel()
	addr := probetest.Refuses(t)
	stdout, stderr, code := command(t, nil, "", "probe", addr, "-n", "1", "-m", "m")
	if code != 5 || !strings.Contains(stdout+stderr, "refused") {
		t.Errorf("exit code %d\n%s%s", code, stdout, stderr)
	}
	s := start(t, 80, 24, nil, addr)
	s.until("failed", "refused")
	s.keys("q")
	s.exit()
	s.restored()
}

// hidesKey fails when text holds the key or a telling part of it.
func hidesKey(t *testing.T, where, text string) {
	t.Helper()
	if i := strings.Index(text, apiKey[3:15]); i >= 0 {
		t.Errorf("%s holds the key: …%q…", where, text[max(0, i-60):min(len(text), i+40)])
	}
}

// A limit of this machine is not the server's fault: the words name it, and the
// exit code is that of the configuration.
func TestTooManyOpenFiles(t *testing.T) {
	t.Parallel()
	server, err := probetest.Spawn(probetest.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	url := server.URL("prefill 1s; 5 tokens @ 1ms")
	cmd := exec.Command("sh", "-c", `ulimit -n 24; exec "$0" "$@"`, built(t), "probe", url, "-m", "m", "-n", "40", "-c", "40", "--record=false", "--json")
	cmd.Env = environment(t.TempDir())
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	_ = cmd.Run()
	if code := cmd.ProcessState.ExitCode(); code != 4 {
		t.Errorf("exit code %d, stderr %q", code, errs.String())
	}
	var doc struct {
		Requests []struct {
			Fault *struct{ Kind, Message, Next string }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	local := 0
	for _, r := range doc.Requests {
		if f := r.Fault; f != nil && f.Kind == "local" && strings.Contains(f.Message, "too many open files") && strings.Contains(f.Next, "ulimit -n") {
			local++
		} else if f != nil {
			t.Errorf("%+v", *f)
		}
	}
	if local < 10 {
		t.Errorf("%d of 40 requests say that files are too many:\n%s", local, out.String())
	}
}
