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
)

// What no command may show or send: what a variable holds, and what a file.
const (
	hostileVariable = "variable-9b2e71f0c4"
	hostileFile     = "file-5d83ac6e17"
)

// curlServer notes what it is asked, and echoes the key and the body in an error, or in
// an answer to the model "echo".
type curlServer struct {
	*httptest.Server
	mu    sync.Mutex
	asked []string
}

func newCurlServer(t *testing.T) *curlServer {
	s := &curlServer{}
	s.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, _ := io.ReadAll(r.Body)
		said := fmt.Sprint(r.URL, r.Header, string(body))
		s.mu.Lock()
		s.asked = append(s.asked, said)
		s.mu.Unlock()
		if !strings.Contains(said, `"echo"`) {
			http.Error(w, said, http.StatusBadRequest)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("X-Echo", r.Header.Get("Authorization"))
		fmt.Fprintf(w, "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":%q},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n",
			"you sent "+r.Header.Get("Authorization"))
	}))
	t.Cleanup(s.Close)
	return s
}

// all is what it was asked, and forgets it.
func (s *curlServer) all() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	said := strings.Join(s.asked, "\n")
	s.asked = nil
	return said
}

// hostile returns the hostile commands, for that server and with that file.
func hostile(t *testing.T, address, file string) []string {
	data, err := os.ReadFile("testdata/hostile-curl.txt")
	must(t, err)
	commands := strings.NewReplacer("ADDR", address+"/v1", "FILE", file, "KEY", apiKey).Replace(string(data))
	return strings.Split(strings.TrimSpace(commands), "\n----\n")
}

// hidesSecrets fails where text shows the key, the variable or the file.
func hidesSecrets(t *testing.T, where, text string) {
	t.Helper()
	hidesKey(t, where, text)
	for _, secret := range []string{hostileVariable, hostileFile} {
		if strings.Contains(text, secret[3:]) {
			t.Errorf("%s holds %s: %.400s", where, secret, text)
		}
	}
}

// keptHides looks at everything that a command has left in dir.
func keptHides(t *testing.T, where, dir string) {
	t.Helper()
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			data, _ := os.ReadFile(path)
			hidesSecrets(t, where+" in "+path, string(data))
		}
		return nil
	})
}

// TestHostileCurlCommands holds that no hostile command sends anything, reads or writes a
// file, or lets a key, a variable or a file be seen, in an output or in what is kept.
func TestHostileCurlCommands(t *testing.T) {
	t.Parallel()
	s := newCurlServer(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte(hostileFile), 0o600))
	for i, text := range hostile(t, s.URL, file) {
		dir := t.TempDir()
		env := []string{"HOSTILE_VARIABLE=" + hostileVariable, "TOKSCOPE_STATE_DIR=" + dir}
		where := fmt.Sprintf("%d %.70s", i, text)
		stdout, stderr, code := command(t, env, text, "probe", "-n", "1", "--json", "--curl", "-")
		hidesSecrets(t, where, stdout+stderr)
		keptHides(t, where, dir)
		if said := s.all(); code != 2 && code != 4 || said != "" || strings.TrimSpace(stderr) == "" {
			t.Errorf("%s: exit code %d, %s\nsent %s", where, code, stderr, said)
		}
	}
	if data, err := os.ReadFile(file); err != nil || string(data) != hostileFile {
		t.Errorf("the file is %q, %v", data, err)
	}
}

// TestHostileCurlOnTheScreen pastes and types the hostile commands where an endpoint is
// chosen. What the terminal gets shows nothing of them.
func TestHostileCurlOnTheScreen(t *testing.T) {
	t.Parallel()
	s := newCurlServer(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte(hostileFile), 0o600))
	dir := t.TempDir()
	x := start(t, 120, 40, []string{"HOSTILE_VARIABLE=" + hostileVariable, "TOKSCOPE_STATE_DIR=" + dir}, "--max-tokens", "10")
	x.until("space again")
	for i, text := range hostile(t, s.URL, file) {
		x.keys("e")
		x.until("paste a curl command")
		if i%7 == 3 && !strings.Contains(text, "\n") { // typed, with a key at its end
			must(t, x.x.Type(text+" "+apiKey))
		} else {
			must(t, x.x.Type("\x1b[200~"+strings.ReplaceAll(text, "\n", "\r")+"\x1b[201~"))
		}
		x.until("···", "characters")
		x.wait("a row", func() bool {
			return strings.Contains(x.screen(), "not used: ") || strings.Contains(x.screen(), "→ use ")
		})
		if strings.Contains(x.screen(), "→ use ") {
			x.keys("<enter>")
			if strings.Contains(text, `["`+apiKey) {
				x.until("prompts are recorded")
				continue
			}
			x.until("esc no")
			x.keys("<esc>")
			x.until("esc back")
		}
		x.keys("<esc>")
		x.wait("the picker to close", func() bool { return !strings.Contains(x.screen(), "···") })
	}
	x.quits()
	hidesSecrets(t, "the screen", x.written())
	keptHides(t, "the screen", dir)
	if said := s.all(); said != "" {
		t.Errorf("sent: %s", said)
	}
}

// TestCurlIsSent sends pasted commands, with what a person has agreed to. The server gets
// it, and nothing that is printed or kept shows a secret, although the server echoes it.
func TestCurlIsSent(t *testing.T) {
	t.Parallel()
	s := newCurlServer(t)
	file := filepath.Join(t.TempDir(), "body.json")
	body := `{"model":"echo","top_k":40,"stream":false,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}]}`
	must(t, os.WriteFile(file, []byte(body), 0o600))
	text := `curl "` + s.URL + `/v1/chat/completions?sig=` + apiKey + `" -H "Authorization: Bearer $HOSTILE_VARIABLE" ` +
		`-H 'X-Team: blue' -H 'Cookie: a=` + apiKey + `' -d @` + file
	for _, args := range []string{"probe -n 1", "probe -n 1 --json", "probe -n 1 --ndjson", "sweep --users 1 -n 2 --json",
		"watch -n 1 --ndjson --every 1s", "doctor --json"} {
		dir := t.TempDir()
		env := []string{"HOSTILE_VARIABLE=" + hostileVariable, "TOKSCOPE_STATE_DIR=" + dir}
		stdout, stderr, code := command(t, env, text, append(strings.Fields(args),
			"--curl", "-", "--curl-reads", "HOSTILE_VARIABLE,@"+file)...)
		hidesSecrets(t, args, stdout+stderr)
		keptHides(t, args, dir)
		said := s.all()
		for _, want := range []string{"/v1/chat/completions?sig=" + apiKey, "Bearer " + hostileVariable, "X-Team:[blue]",
			"Cookie:[a=" + apiKey, `"top_k":40`, `"content":"Be brief."`, `"stream":true`} {
			if !strings.Contains(said, want) {
				t.Errorf("%s: code %d, no %s in %s\n%s", args, code, want, said, stderr)
			}
		}
	}
}
