package app

import (
	"bytes"
	"io"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
)

// Words of the test's client and server that must be found nowhere.
const (
	tapKey    = "sk-ant-h5Kq9-zWm2_Tx7Lp4Rv8"
	tapPrompt = "a prompt that nobody else may read"
	tapAnswer = "an answer that nobody else may read"
)

// init makes this binary, under the name of a client, ask twice as that does.
func init() {
	if filepath.Base(os.Args[0]) != "claude" {
		return
	}
	for _, path := range []string{"/v1/messages?beta=true", "/v1/messages?fails=" + tapKey} {
		req, err := http.NewRequest(http.MethodPost, os.Getenv("ANTHROPIC_BASE_URL")+path,
			strings.NewReader(`{"model":"m","max_tokens":9,"stream":true,"messages":[{"role":"user","content":"`+tapPrompt+`"}]}`))
		if err != nil {
			os.Exit(2)
		}
		req.Header.Set("X-Api-Key", tapKey)
		resp, err := http.DefaultClient.Do(req)
		if err != nil {
			os.Exit(3)
		}
		_, _ = io.Copy(io.Discard, resp.Body)
	}
	os.Exit(7)
}

// TestTapKeepsNoText holds that a client behind `tokscope tap` reaches the base URL that it would
// have asked, with its own key, and that neither this key nor a word of what is said stands in a
// line, a document or any file.
func TestTapKeepsNoText(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("no link to this binary")
	}
	var paths []string
	upstream := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		paths = append(paths, r.URL.Path)
		if r.Header.Get("X-Api-Key") != tapKey {
			t.Error("the key did not pass")
		}
		if r.URL.Query().Has("fails") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"authentication_error","message":"no `+tapKey+`"}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":5,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"` + tapAnswer + `"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}`,
			`{"type":"message_stop"}`,
		} {
			name := strings.SplitN(event, `"`, 5)[3]
			_, _ = io.WriteString(w, "event: "+name+"\ndata: "+event+"\n\n")
		}
	}))
	defer upstream.Close()
	home := t.TempDir()
	client := filepath.Join(home, "claude")
	testkit.OK(t, os.Symlink(testkit.Must(filepath.Abs(os.Args[0]))(t), client))
	for name, value := range map[string]string{"HOME": home, "XDG_STATE_HOME": home, "XDG_CONFIG_HOME": home,
		"CLAUDE_CONFIG_DIR": home, "ANTHROPIC_BASE_URL": upstream.URL + "/team"} {
		t.Setenv(name, value)
	}
	tp := testkit.Must(OpenTap(t.Context(), Tapping{Words: []string{client}, Env: os.Getenv, Version: "v"}))(t)
	if code, err := tp.Run(); code != 7 || err != nil {
		t.Fatalf("exit code %d, %v", code, err)
	}
	testkit.OK(t, tp.End())
	v := tp.View(false)
	if len(v.Turns) != 2 || v.Turns[0].Stream().State != metrics.Done || v.Turns[1].Stream().Fault == nil {
		t.Fatalf("%d turns of %q", len(v.Turns), paths)
	}
	if strings.Join(paths, " ") != "/team/v1/messages /team/v1/messages" {
		t.Errorf("asked %q", paths)
	}
	var said bytes.Buffer
	for i := range v.Turns {
		tp.Record(&v.Turns[i])
		testkit.OK(t, tp.WriteTurn(&said, &v, i, "failed"))
	}
	testkit.OK(t, tp.WriteEnd(&said, &v))
	if notes := tp.Close(); len(notes) > 0 {
		t.Error(notes)
	}
	found, kept := said.String(), 0
	testkit.OK(t, filepath.WalkDir(home, func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() {
			return err
		}
		text, err := os.ReadFile(path)
		kept += strings.Count(string(text), `"kind":"tap"`)
		found += string(text)
		return err
	}))
	if kept != 2 {
		t.Errorf("the history has %d turns", kept)
	}
	for _, word := range []string{tapKey, "zWm2", tapPrompt, tapAnswer, "nobody"} {
		if strings.Contains(found, word) {
			t.Errorf("%q is in what was said or kept", word)
		}
	}
}
