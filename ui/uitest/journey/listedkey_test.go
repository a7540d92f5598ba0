//go:build !windows

package journey

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestKeysAsModels has a server list the key and the secret of a header as models,
// first and last. No consumer of the list shows them: the list of m, the palette,
// commands, their JSON, and what is recorded.
func TestKeysAsModels(t *testing.T) {
	t.Parallel()
	built(t)
	const header = "w3Nf8-qYs1_Ub6Mc9Je"
	srv := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			list, _ := json.Marshal([]string{apiKey, header, "model-one", "x/" + header, "model-two", apiKey + "-b"})
			_, _ = w.Write(list)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, `data: {"choices":[{"index":0,"delta":{"content":"a"},"finish_reason":"stop"}]}`+"\n\ndata: [DONE]\n\n")
	}))
	defer srv.Close()
	dir := t.TempDir()
	file := filepath.Join(dir, "c.toml")
	text := fmt.Sprintf("[profile.work]\nurl = %q\napi_key_env = \"LEAK_KEY\"\nheaders = { \"X-Team-Token\" = %q }\n", srv.URL+"/v1", header)
	must(t, os.WriteFile(file, []byte(text), 0o600))
	env := []string{"LEAK_KEY=" + apiKey, "TOKSCOPE_DISCOVER=false", "TOKSCOPE_STATE_DIR=" + dir, "TOKSCOPE_CONFIG=" + file}
	clean := func(where, text string) {
		t.Helper()
		hidesKey(t, where, text)
		if strings.Contains(text, header[2:14]) {
			t.Errorf("%s holds the header's secret: %.300q", where, text)
		}
	}
	for _, args := range [][]string{
		{"probe", "-n", "1"}, {"probe", "-n", "1", "--json"}, {"probe", "-n", "1", "--ndjson"}, {"doctor"}, {"doctor", "--json"},
		{"--plain"}, {"sweep", "--users", "1", "-n", "2", "--json"}, {"watch", "-n", "1", "--ndjson"},
	} {
		stdout, stderr, _ := command(t, env, "", slices.Concat(args, []string{"work"})...)
		clean(fmt.Sprint(args), stdout+stderr)
		if !strings.Contains(stdout, "model-one") && args[0] != "watch" {
			t.Errorf("%v did not take the first model: %.400s%s", args, stdout, stderr)
		}
	}
	x := start(t, 120, 40, env, "work")
	x.until("space again")
	x.do("m > model-one | model-two")
	x.keys("<esc>")
	x.wait("the list to close", func() bool { return !strings.Contains(x.screen(), "model-two") })
	x.keys(":")
	x.do("model > model-two")
	x.keys("<esc>")
	x.keys("q")
	clean("the screen", x.written())
	_ = filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err == nil && !d.IsDir() && path != file {
			data, _ := os.ReadFile(path)
			clean(path, string(data))
		}
		return nil
	})
}
