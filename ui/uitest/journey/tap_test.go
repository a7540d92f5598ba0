//go:build !windows

package journey

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"tokscope/metrics/testkit"
)

// tapChild says, to this binary under the name of a client, what it does.
const tapChild = "JOURNEY_TAP_CHILD"

func init() {
	if filepath.Base(os.Args[0]) != "claude" {
		return
	}
	switch base := os.Getenv("ANTHROPIC_BASE_URL"); os.Getenv(tapChild) {
	case "asks":
		for _, fails := range []string{"", "&fails=1", ""} {
			req := canary(base + "/v1/messages")
			req.URL.RawQuery += fails
			resp, err := http.DefaultClient.Do(req)
			if err != nil {
				os.Exit(2)
			}
			_, _ = io.Copy(io.Discard, resp.Body)
		}
	case "loses its tap":
		resp, err := http.DefaultClient.Do(canary(base + "/v1/messages"))
		if err != nil {
			os.Exit(2)
		}
		_, _ = io.ReadFull(resp.Body, make([]byte, 20))
		fmt.Println("ready")
		_, err = io.Copy(io.Discard, resp.Body)
		refused := false
		for end := time.Now().Add(patience); !refused && time.Now().Before(end); time.Sleep(5 * time.Millisecond) {
			_, again := http.DefaultClient.Do(canary(base + "/v1/messages")) // the system may take a moment to close all
			refused = errors.Is(again, syscall.ECONNREFUSED)
		}
		fmt.Println("broken", err != nil, "refused", refused)
	}
	os.Exit(7)
}

// canaries are the places of a request that hold a key.
var canaries = []string{"Authorization", "X-Api-Key", "X-Goog-Api-Key", "Api-Key", "Cookie", "key", "access_token"}

// canaryKey is the key in one of them.
func canaryKey(place string) string { return "canary-" + strings.ToLower(place) + "-0123456789" }

// canary is a request with a word to be found nowhere in each header, field and place.
func canary(url string) *http.Request {
	req, err := http.NewRequest(http.MethodPost, url+"?beta=canary-query", strings.NewReader(
		`{"model":"m","max_tokens":9,"stream":true,"metadata":{"user_id":"canary-user","canary-field":1},"stop_sequences":["canary-stop"],`+
			`"tools":[{"name":"canary-tool","description":"canary-b","input_schema":{"canary-c":1}}],"system":[{"type":"text","text":"canary-d"}],`+
			`"messages":[{"role":"user","content":"canary-e"},{"role":"assistant","content":[{"type":"thinking","thinking":"canary-f",`+
			`"signature":"canary-g"},{"type":"tool_use","id":"canary-h","name":"canary-i","input":{"canary-j":1}}]},`+
			`{"role":"user","content":[{"type":"tool_result","tool_use_id":"canary-k","content":"canary-l"}]}]}`))
	if err != nil {
		panic(err)
	}
	for _, place := range canaries {
		switch key := canaryKey(place); place {
		case "key", "access_token":
			req.URL.RawQuery += "&" + place + "=" + key
		case "Authorization":
			req.Header.Set(place, "Bearer "+key)
		case "Cookie":
			req.Header.Set(place, "a=1; session="+key)
		default:
			req.Header.Set(place, key)
		}
	}
	req.Header.Set("X-Claude-Code-Session-Id", "canary-session")
	req.Header.Set("X-Canary", "canary-header")
	return req
}

// tapped is a command behind the tap, in front of up, with a state folder of its own.
func tapped(t *testing.T, up, child string, args ...string) (cmd *exec.Cmd, state string) {
	state = t.TempDir()
	client := filepath.Join(t.TempDir(), "claude")
	self := testkit.Must(filepath.Abs(os.Args[0]))(t)
	must(t, os.Symlink(self, client))
	cmd = exec.Command(built(t), append(append([]string{"tap"}, args...), "--", client)...)
	cmd.Env = environment(state, tapChild+"="+child, "ANTHROPIC_BASE_URL="+up, "CLAUDE_CONFIG_DIR="+state)
	return cmd, state
}

// hidesCanaries fails when text holds a canary.
func hidesCanaries(t *testing.T, where, text string) {
	t.Helper()
	if i := strings.Index(strings.ToLower(text), "canary"); i >= 0 {
		t.Errorf("%s has …%q…", where, text[max(0, i-80):min(len(text), i+60)])
	}
}

// TestTapTellsNoText: no key and no text of a request or of an answer is in anything that a tap
// prints, hands to a program or keeps, in any form.
func TestTapTellsNoText(t *testing.T) {
	t.Parallel()
	var keys []string
	for _, place := range canaries {
		keys = append(keys, canaryKey(place))
	}
	said := strings.Join(keys, " ")
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Request-Id", "req_1 "+said)
		if r.URL.Query().Has("fails") || r.Header.Get("X-Api-Key") != canaryKey("X-Api-Key") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(http.StatusUnauthorized)
			fmt.Fprintf(w, `{"type":"error","error":{"type":"authentication_error","message":"no key %s"}}`, said)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		for _, event := range []string{
			`{"type":"message_start","message":{"id":"msg_1","model":"m","usage":{"input_tokens":5,"output_tokens":1}}}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"canary-m"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"canary-n ` + said + `"}}`,
			`{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"canary-o","name":"canary-p","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"canary-q\":1}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":7}}`,
			`{"type":"message_stop"}`,
		} {
			fmt.Fprintf(w, "event: %s\ndata: %s\n\n", strings.SplitN(event, `"`, 5)[3], event)
		}
	}))
	defer up.Close()
	for form, turns := range map[string]string{"": "turns in", "--markdown": "turns in", "--json": `"turn":3`,
		"--ndjson": `"turn":3`} {
		files := t.TempDir()
		args := []string{"--exec", "sh -c 'cat >> " + filepath.Join(files, "exec") + "'"}
		if form != "" {
			args = append(args, form)
		}
		if strings.HasSuffix(form, "json") {
			args = append(args, "--out", filepath.Join(files, "out"))
		}
		cmd, state := tapped(t, up.URL, "asks", args...)
		out, _ := cmd.CombinedOutput()
		testkit.Need(t, cmd.ProcessState.ExitCode(), 7, "exit code", out)
		document, _ := os.ReadFile(filepath.Join(files, "out"))
		exec, _ := os.ReadFile(filepath.Join(files, "exec"))
		kept := strings.Join(slices.Collect(maps.Values(filesIn(t, state))), "\n")
		if all := string(out) + strings.ReplaceAll(string(document), `": `, `":`); !strings.Contains(all, turns) ||
			!strings.Contains(string(exec), `"failed"`) || strings.Count(kept, `"kind":"tap"`) != 3 {
			t.Errorf("%s: too little in %d B printed, %d B of a document, %d B for a program, %d B kept", form, len(out),
				len(document), len(exec), len(kept))
		}
		hidesCanaries(t, form+" printed", string(out))
		hidesCanaries(t, form+" document", string(document))
		hidesCanaries(t, form+" program", string(exec))
		hidesCanaries(t, form+" files", kept)
	}
}

// TestKilledTapKeepsNothing: a tap that is killed leaves its client with a broken answer and a
// connection that is refused, and no key or text in any file.
func TestKilledTapKeepsNothing(t *testing.T) {
	t.Parallel()
	up := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Type", "text/event-stream")
		fmt.Fprint(w, "event: message_start\ndata: "+
			"{\"type\":\"message_start\",\"message\":{\"id\":\"canary\",\"model\":\"m\"}}\n\n")
		_ = http.NewResponseController(w).Flush()
		<-r.Context().Done()
	}))
	defer up.Close()
	cmd, state := tapped(t, up.URL, "loses its tap")
	stdout := testkit.Must(cmd.StdoutPipe())(t)
	must(t, cmd.Start())
	lines := bufio.NewScanner(stdout)
	if !lines.Scan() || lines.Text() != "ready" {
		t.Fatalf("the client said %q", lines.Text())
	}
	must(t, cmd.Process.Kill())
	if !lines.Scan() || lines.Text() != "broken true refused true" {
		t.Errorf("the client said %q", lines.Text())
	}
	_ = cmd.Wait()
	for path, text := range filesIn(t, state) {
		hidesCanaries(t, path, text)
	}
}
