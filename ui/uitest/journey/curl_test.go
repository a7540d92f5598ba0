//go:build !windows

package journey

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// What no command may show or send: what a variable holds, and what a file.
const (
	hostileVariable = "variable-9b2e71f0c4"
	hostileFile     = "file-5d83ac6e17"
)

// hostile returns the hostile commands, for that server and with that file.
func hostile(t *testing.T, address, file string) []string {
	data, err := os.ReadFile("testdata/hostile-curl.txt")
	must(t, err)
	commands := strings.NewReplacer("ADDR", address+"/v1", "FILE", file, "KEY", apiKey).Replace(string(data))
	return strings.Split(strings.TrimSpace(commands), "\n----\n")
}

// TestHostileCurlCommands holds that no hostile command sends anything, reads or writes a
// file, or lets a key, a variable or a file be seen, in an output or in what is kept.
func TestHostileCurlCommands(t *testing.T) {
	t.Parallel()
	s := echoes(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte(hostileFile), 0o600))
	for i, text := range hostile(t, s.URL, file) {
		dir := t.TempDir()
		env := []string{"HOSTILE_VARIABLE=" + hostileVariable, "TOKSCOPE_STATE_DIR=" + dir}
		where := fmt.Sprintf("%d %.70s", i, text)
		stdout, stderr, code := command(t, env, text, "probe", "-n", "1", "--json", "--curl", "-")
		hidesKey(t, where, stdout+stderr, hostileVariable, hostileFile)
		keptHides(t, dir, hostileVariable, hostileFile)
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
	s := echoes(t)
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte(hostileFile), 0o600))
	dir := t.TempDir()
	x := start(t, 120, 40, []string{"HOSTILE_VARIABLE=" + hostileVariable, "TOKSCOPE_STATE_DIR=" + dir}, "--max-tokens",
		"10")
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
	hidesKey(t, "the screen", x.written(), hostileVariable, hostileFile)
	keptHides(t, dir, hostileVariable, hostileFile)
	if said := s.all(); said != "" {
		t.Errorf("sent: %s", said)
	}
}
