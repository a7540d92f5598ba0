//go:build !windows

package journey

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"unicode"

	"tokscope/metrics/testkit"
)

// echoServer notes what it is asked, and echoes the key: in a list of models, in an
// answer to a model of that list, and with all else in an error.
type echoServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

// hostileHeader is the secret of a header of a profile, which the server lists as a model.
const hostileHeader = "w3Nf8-qYs1_Ub6Mc9Je"

func echoes(t *testing.T) *echoServer {
	s := &echoServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := fmt.Sprint(r.URL, r.Header, string(body))
		s.mu.Lock()
		s.asked = append(s.asked, said)
		s.mu.Unlock()
		switch {
		case strings.Contains(said, `"model":"echo`):
			w.Header().Set("Content-Type", "text/event-stream")
			w.Header().Set("X-Echo", r.Header.Get("Authorization"))
			fmt.Fprintf(w, `data: {"choices":[{"index":0,"delta":{"content":%q},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n",
				"you sent "+r.Header.Get("Authorization"))
		case r.Header.Get("X-Team-Token") != "" && r.Method == http.MethodGet:
			fmt.Fprintf(w, `[%q, %q, "echo-one", %q, "echo-two", %q]`, apiKey, hostileHeader, "x/"+hostileHeader, apiKey+"-b")
		default:
			http.Error(w, said, http.StatusBadRequest)
		}
	}))
	t.Cleanup(s.Close)
	return s
}

// all is what it was asked, and forgets it.
func (s *echoServer) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := strings.Join(s.asked, "\n")
	s.asked = nil
	return said
}

// profile returns variables with a profile "work" of the server, whose header has a
// secret, and with the key and a folder for what is kept.
func (s *echoServer) profile(t *testing.T) (env []string, dir string) {
	dir, file := t.TempDir(), filepath.Join(t.TempDir(), "c.toml")
	text := "[profile.work]\nurl = %q\napi_key_env = \"LEAK_KEY\"\nheaders = { \"X-Team-Token\" = %q }\n"
	must(t, os.WriteFile(file, fmt.Appendf(nil, text, s.URL+"/v1", hostileHeader), 0o600))
	return []string{"LEAK_KEY=" + apiKey, "HOSTILE_VARIABLE=" + hostileVariable,
		"TOKSCOPE_STATE_DIR=" + dir, "TOKSCOPE_CONFIG=" + file}, dir
}

// hidesKey fails when text holds a telling part of the key or of another secret.
func hidesKey(t *testing.T, where, text string, others ...string) {
	t.Helper()
	for _, secret := range append(others, apiKey) {
		if i := strings.Index(text, secret[3:min(15, len(secret))]); i >= 0 {
			t.Errorf("%s holds %s: …%q…", where, secret, text[max(0, i-60):min(len(text), i+40)])
		}
	}
}

// keptHides looks at every file that commands have left in dir, and counts them.
func keptHides(t *testing.T, dir string, others ...string) int {
	t.Helper()
	all := filesIn(t, dir)
	for path, text := range all {
		hidesKey(t, path, text, others...)
	}
	return len(all)
}

// TestSecretsAreSentAndNotKept gives secrets in each way to each command that sends. The
// server gets them, and nothing that is printed or kept shows one, although it echoes them.
func TestSecretsAreSentAndNotKept(t *testing.T) {
	t.Parallel()
	s := echoes(t)
	body := filepath.Join(t.TempDir(), "body.json")
	must(t, os.WriteFile(body, []byte(`{"model":"echo","top_k":40,"stream":false,"messages":`+
		`[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}`), 0o600))
	pasted := `curl "` + s.URL + `/v1/chat/completions?sig=` + apiKey + `" -H "Authorization: Bearer $HOSTILE_VARIABLE" ` +
		`-H 'X-Team: blue' -H 'Cookie: a=` + apiKey + `' -d @` + body
	for _, way := range []struct {
		stdin string
		args  []string
		sent  []string
	}{
		{"", []string{s.URL + "/tenant/" + apiKey + "/v1", "--api-key-env", "LEAK_KEY", "--model", "echo"},
			[]string{"/tenant/" + apiKey + "/v1/", "Bearer " + apiKey}},
		{"", []string{"work"}, []string{`"model":"echo-one"`, "X-Team-Token:[" + hostileHeader, "Bearer " + apiKey}},
		{pasted, []string{"--curl", "-", "--curl-reads", "HOSTILE_VARIABLE,@" + body},
			[]string{"/v1/chat/completions?sig=" + apiKey, "Bearer " + hostileVariable, "X-Team:[blue]",
				"Cookie:[a=" + apiKey, `"top_k":40`, `"content":"Be brief."`, `"stream":true`}},
	} {
		env, dir := s.profile(t)
		for _, args := range []string{"probe -n 1", "probe -n 1 --json", "probe -n 1 --ndjson", "--plain",
			"doctor", "doctor --json", "sweep --users 1 -n 2 --json",
			"sweep --users 1 -n 2 --resume " + dir + "/steps", "sweep --users 1 --handover",
			"sweep --users 1 -n 2 --request-lines " + dir + "/lines", "watch -n 1 --ndjson --every 1s"} {
			stdout, stderr, code := command(t, env, way.stdin, append(strings.Fields(args), way.args...)...)
			hidesKey(t, args, stdout+stderr, hostileVariable, hostileHeader)
			said := s.all()
			for _, want := range way.sent {
				testkit.That(t, strings.Contains(said, want) || strings.HasSuffix(args, "--handover"),
					"%s %.80q: code %d, no %s in %s\n%s", args, way.args, code, want, said, stderr)
			}
		}
		n := keptHides(t, dir, hostileVariable, hostileHeader)
		testkit.That(t, n >= 4, "%.80q: only %d files are kept", way.args, n)
	}
}

// TestKeysAsModels holds that neither the list of m nor the palette shows a secret that
// the server lists as a model.
func TestKeysAsModels(t *testing.T) {
	t.Parallel()
	env, dir := echoes(t).profile(t)
	x := start(t, 120, 40, env, "work")
	x.until("space again")
	x.do("m > echo-one | echo-two")
	x.keys("<esc>")
	x.wait("the list to close", func() bool { return !strings.Contains(x.screen(), "echo-two") })
	x.keys(":")
	x.do("model > echo-two")
	x.keys("<esc>")
	x.keys("q")
	hidesKey(t, "the screen", x.written(), hostileHeader)
	keptHides(t, dir, hostileHeader)
}

// Names and commands of the configuration reach the terminal without control
// characters and without keys; a key given as a file's name is not repeated.
func TestConfigShowIsHarmless(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "c.toml")
	text := `[profile."\u001b]0;PWNED\u0007\u202e\u009b"]
url = "https://h/v1"
api_key_cmd = "printf %s ` + apiKey + `"
headers = { "X-A" = "\u001b[2J" }
prices = { "\u001b[31m" = { in = 1.0, out = 2.0 } }
`
	must(t, os.WriteFile(file, []byte(text), 0o600))
	for _, args := range [][]string{{"config", "show", "--config", file}, {"config", "show", "--origin", "--config",
		file}, {"probe", "--api-key-file", apiKey[3:], "https://h/v1"}} {
		stdout, stderr, _ := command(t, nil, "", args...)
		hidesKey(t, fmt.Sprint(args), stdout+stderr)
		for _, r := range stdout + stderr {
			testkit.That(t, r == '\n' || !unicode.In(r, unicode.Cc, unicode.Cf), "%v prints %U", args, r)
		}
		testkit.That(t, args[0] != "config" || strings.Contains(stdout, "PWNED"),
			"%v: the profile is missing in %s", args, stdout)
		testkit.That(t, args[0] != "probe" || strings.Contains(stderr, "22 characters that name no file"),
			"%v: %s", args, stderr)
	}
}
