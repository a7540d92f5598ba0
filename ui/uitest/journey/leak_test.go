//go:build !windows

package journey

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"unicode"
)

// A key in the path of a URL is sent, and neither printed nor recorded.
func TestKeyInThePathOfAURL(t *testing.T) {
	t.Parallel()
	var asked atomic.Int64
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodPost {
			http.NotFound(w, r)
			return
		}
		if strings.HasPrefix(r.URL.Path, "/tenant/"+apiKey+"/v1/") {
			asked.Add(1)
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	dir := t.TempDir()
	env := []string{"LEAK_KEY=" + apiKey, "TOKSCOPE_DISCOVER=false", "TOKSCOPE_STATE_DIR=" + dir}
	target := []string{srv.URL + "/tenant/" + apiKey + "/v1", "--api-key-env", "LEAK_KEY", "--model", "m"}
	for _, args := range [][]string{
		{"probe", "-n", "1"}, {"probe", "-n", "1", "--json"}, {"probe", "-n", "1", "--ndjson"}, {"--plain"},
		{"sweep", "--users", "1", "-n", "2", "--json"}, {"sweep", "--users", "1", "-n", "2", "--resume", filepath.Join(dir, "steps")}, {"sweep", "--users", "1", "--handover"},
		{"doctor"}, {"doctor", "--json"}, {"sweep", "--users", "1", "-n", "2", "--request-lines", filepath.Join(dir, "lines")},
	} {
		stdout, stderr, _ := command(t, env, "", append(args, target...)...)
		hidesKey(t, strings.Join(args, " ")+" stdout", stdout)
		hidesKey(t, strings.Join(args, " ")+" stderr", stderr)
	}
	if n := asked.Load(); n < 7 {
		t.Errorf("%d requests: the commands did not measure", n)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil || len(files) < 2 {
		t.Fatalf("files %v, %v", files, err)
	}
	kept, _ := filepath.Glob(filepath.Join(dir, "history", "*"))
	for _, name := range append(files, kept...) {
		if name == filepath.Join(dir, "history") {
			continue
		}
		data, err := os.ReadFile(name)
		must(t, err)
		hidesKey(t, name, string(data))
	}
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
	for _, args := range [][]string{{"config", "show", "--config", file}, {"config", "show", "--origin", "--config", file}, {"probe", "--api-key-file", apiKey[3:], "https://h/v1"}} {
		stdout, stderr, _ := command(t, nil, "", args...)
		hidesKey(t, fmt.Sprint(args), stdout+stderr)
		for _, r := range stdout + stderr {
			if r != '\n' && unicode.In(r, unicode.Cc, unicode.Cf) {
				t.Errorf("%v prints %U", args, r)
			}
		}
		if args[0] == "config" && !strings.Contains(stdout, "PWNED") {
			t.Errorf("%v: the profile is missing in %s", args, stdout)
		}
		if args[0] == "probe" && !strings.Contains(stderr, "22 characters that name no file") {
			t.Errorf("%v: %s", args, stderr)
		}
	}
}
