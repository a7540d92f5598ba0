package app

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/metrics/turn"
	"tokscope/probe/result"
)

// paneKey is a key that must be found nowhere; a canary stands in every other place of a request and an answer.
const paneKey = "sk-canary-h5Kq9zWm2Tx7Lp4Rv8Yb3Nc6"

// paneUpstream answers with canaries, and holds each answer before its end until release is closed.
func paneUpstream(t *testing.T, release <-chan struct{}) *httptest.Server {
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		_, _ = io.Copy(io.Discard, r.Body)
		for _, name := range []string{"X-Canary", "Request-Id", "Server", "Cf-Ray", "Set-Cookie", "Openai-Organization"} {
			w.Header().Set(name, "canary-of-a-header")
		}
		if r.URL.Query().Has("canaryfails") {
			w.Header().Set("Content-Type", "application/json")
			w.WriteHeader(529)
			_, _ = io.WriteString(w, `{"type":"error","error":{"type":"overloaded_error","message":"canary `+paneKey+`"}}`)
			return
		}
		w.Header().Set("Content-Type", "text/event-stream")
		w.Header().Set("Anthropic-Ratelimit-Requests-Limit", "50")
		w.Header().Set("Anthropic-Ratelimit-Requests-Remaining", "49")
		saysTurn(w, `{"type":"message_start","message":{"id":"msg_canary","model":"claude-opus-4-8","usage":{"input_tokens":500,"cache_read_input_tokens":400,"output_tokens":1}}}`,
			`{"type":"ping"}`,
			`{"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":"","signature":"canary"}}`,
			`{"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"canary thinks"}}`,
			`{"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}`,
			`{"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"canary text"}}`,
			`{"type":"canary_event","canary":"canary"}`)
		select {
		case <-release:
		case <-r.Context().Done():
		}
		saysTurn(w, `{"type":"content_block_start","index":2,"content_block":{"type":"tool_use","id":"toolu_canary","name":"canary_tool","input":{}}}`,
			`{"type":"content_block_delta","index":2,"delta":{"type":"input_json_delta","partial_json":"{\"canary\":1}"}}`,
			`{"type":"message_delta","delta":{"stop_reason":"tool_use"},"usage":{"output_tokens":70}}`,
			`{"type":"message_stop"}`)
	}))
	t.Cleanup(s.Close)
	return s
}

// paneAsks sends a request with canaries to the tap.
func paneAsks(t *testing.T, tp *Tap, query, results string) {
	body := `{"model":"claude-opus-4-8","max_tokens":9,"stream":true,"canary":"canary","metadata":{"user_id":"canary_user_session_canary"},
		"tools":[{"name":"canary_tool","description":"canary","input_schema":{"type":"object","properties":{"canary":{}}}}],
		"system":[{"type":"text","text":"canary system"}],"messages":[{"role":"user","content":"canary prompt"}` + results +
		`]}`
	req := testkit.Must(http.NewRequestWithContext(t.Context(), http.MethodPost, tp.About().URL+"/v1/messages?"+query,
		strings.NewReader(body)))(t)
	for _, name := range []string{"X-Api-Key", "Authorization", "Cookie", "X-Canary", "User-Agent", "Anthropic-Beta"} {
		req.Header.Set(name, paneKey)
	}
	resp := testkit.Must(http.DefaultClient.Do(req))(t)
	_, _ = io.Copy(io.Discard, resp.Body)
	_ = resp.Body.Close()
}

// until waits until is is true.
func until(t *testing.T, what string, is func() bool) {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); !is(); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal(what)
		}
	}
}

// shortDir is a folder whose path is short enough for a socket.
func shortDir(t *testing.T) string {
	dir := testkit.Must(os.MkdirTemp("", "tap"))(t)
	t.Cleanup(func() { _ = os.RemoveAll(dir) })
	return dir
}

func openTap(t *testing.T, to, dir string, changed ...string) *Tap {
	o := Tapping{To: to, Env: func(string) string { return "" }, Version: "v",
		Changed: map[string]string{"state-dir": dir}}
	for i := 0; i < len(changed); i += 2 {
		o.Changed[changed[i]] = changed[i+1]
	}
	return testkit.Must(OpenTap(t.Context(), o))(t)
}

// tapDocument is the document of a session without the records of its answers, whose texts are
// not in a file.
func tapDocument(t *testing.T, about turn.Tapped, v turn.View) map[string]any {
	d := result.TapOf("v", about, &v)
	for i := range d.Turns {
		d.Turns[i].Request = result.RequestOf(&metrics.Stream{}, &metrics.Figures{})
	}
	var text bytes.Buffer
	testkit.OK(t, result.Sentences(nil).WriteDocument(&text, d))
	var out map[string]any
	testkit.OK(t, json.Unmarshal(text.Bytes(), &out))
	limits, _ := out["rate_limit"].(map[string]any)
	for _, limit := range limits {
		if limit, ok := limit.(map[string]any); ok {
			delete(limit, "age_ms") // since when depends on when the document is made
		}
	}
	return out
}

// differing returns the fields of two documents that differ.
func differing(got, want map[string]any) (out string) {
	for key, w := range want {
		if g := got[key]; !reflect.DeepEqual(g, w) {
			out += fmt.Sprintf("%s %v, want %v; ", key, g, w)
		}
	}
	return out
}

// TestPanesOfATap holds that two panes find a running tap and show its turns while they run, that
// they see its end, that the file gives the document that the tap gave, and that nothing in it is
// a text, a key, a name or an id.
func TestPanesOfATap(t *testing.T) {
	dir, release := shortDir(t), make(chan struct{})
	upstream := paneUpstream(t, release)
	tp := openTap(t, upstream.URL, dir, "history", "false")
	paneAsks(t, tp, "canaryfails="+paneKey, "")
	asked := make(chan struct{})
	go func() {
		defer close(asked)
		paneAsks(t, tp, "beta=true", "")
	}()
	o := Tapping{Env: os.Getenv, Changed: map[string]string{"state-dir": dir}}
	taps := testkit.Must(RunningTaps(o))(t)
	testkit.Given(t, len(taps) == 1 && taps[0].File == tp.About().File && taps[0].Upstream == upstream.URL,
		"found %+v", taps)
	var panes []*Pane
	for range 2 {
		p := testkit.Must(OpenPane(taps[0].File))(t)
		defer func() { testkit.OK(t, p.Close()) }()
		panes = append(panes, p)
	}
	for _, p := range panes {
		until(t, "no turn that runs is shown", func() bool {
			p.Look()
			v := p.View()
			return p.Live() && len(v.Turns) == 2 && len(v.Turns[1].Stream().Chunks) == 2 && v.Turns[1].Time(turn.Text) > 0
		})
		before := p.View()
		if got := p.Now() - before.Turns[1].Stream().Marks.Start; got < 0 || got > metrics.Stamp(time.Minute) {
			t.Errorf("the turn began %v ago", time.Duration(got))
		}
		if s := before.Turns[1].Stream(); s.State.Ended() || s.Usage.Prompt != 900 || s.Endpoint.Model != "claude-opus-4-8" {
			t.Errorf("the running turn is %v of %+v with %+v", s.State, s.Endpoint, s.Usage)
		}
	}
	close(release)
	<-asked
	paneAsks(t, tp, "beta=true",
		`,{"role":"assistant","content":"canary"},{"role":"user","content":[{"type":"tool_result","tool_use_id":"toolu_canary","content":"canary"}]}`)
	testkit.OK(t, tp.End())
	v, about := tp.View(false), tp.About()
	if notes := tp.Close(); len(notes) > 0 {
		t.Error(notes)
	}
	want := tapDocument(t, about, v)
	want["turns"].([]any)[0].(map[string]any)["path"] = "xxxx" // the names in its query are the client's
	for _, p := range panes {
		until(t, "a pane does not see the end", func() bool { p.Look(); return !p.Live() })
		if got := tapDocument(t, p.About(), p.View()); !reflect.DeepEqual(got, want) {
			t.Errorf("the pane has %s", differing(got, want))
		}
	}
	recs := testkit.Must(OpenRecordings([]string{about.File}, nil))(t)
	if got := tapDocument(t, about, recs[0].View()); !reflect.DeepEqual(got, want) {
		t.Errorf("the file has %s", differing(got, want))
	}
	left := 0
	testkit.OK(t, filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		left++
		if info, err := d.Info(); runtime.GOOS != "windows" && (err != nil || info.Mode() != 0o600) {
			t.Errorf("%s has mode %v", path, info.Mode())
		}
		text := string(testkit.Must(os.ReadFile(path))(t))
		for _, word := range []string{"canary", "Canary", "zWm2"} {
			if i := strings.Index(text, word); i >= 0 {
				t.Errorf("%q is in the file: %.200s", word, text[max(i-100, 0):])
			}
		}
		return nil
	}))
	testkit.Is(t, left, 1, "files are left")
	if taps := testkit.Must(RunningTaps(o))(t); len(taps) > 0 {
		t.Errorf("still found %+v", taps)
	}
}

// TestKeepsOfATap holds which files a tap writes with which settings.
func TestKeepsOfATap(t *testing.T) {
	upstream := paneUpstream(t, closed())
	for record, want := range map[string]struct {
		files int
		text  bool
	}{"": {1, false}, "true": {1, false}, "raw": {1, false}, "text": {1, true}, "false": {0, false}} {
		dir := shortDir(t)
		args := []string{"history", "false"}
		if record != "" {
			args = append(args, "record", record)
		}
		tp := openTap(t, upstream.URL, dir, args...)
		paneAsks(t, tp, "beta=true", "")
		testkit.OK(t, tp.End())
		about := tp.About()
		tp.Close()
		paths := testkit.Must(filepath.Glob(filepath.Join(dir, "*")))(t)
		if len(paths) != want.files || (about.File != "") != (want.files > 0) || about.Texts != want.text {
			t.Errorf("--record=%s: %q, %+v", record, paths, about)
			continue
		}
		if want.files > 0 {
			text := string(testkit.Must(os.ReadFile(about.File))(t))
			testkit.That(t, strings.Contains(text, "canary text") == want.text && !strings.Contains(text, paneKey),
				"--record=%s: wrong texts in %s", record, text)
		}
	}
}

// TestTapWithoutItsFile holds that a tap whose file cannot be made works, and says that it keeps nothing.
func TestTapWithoutItsFile(t *testing.T) {
	dir := filepath.Join(shortDir(t), "file")
	testkit.OK(t, os.WriteFile(dir, nil, 0o600))
	upstream := paneUpstream(t, closed())
	tp := openTap(t, upstream.URL, dir, "history", "false", "record", "text")
	paneAsks(t, tp, "beta=true", "")
	testkit.OK(t, tp.End())
	about := tp.About()
	testkit.That(t, !about.Texts && about.File == "" && len(tp.View(false).Turns) == 1, "%+v", about)
	notes := tp.Close()
	testkit.That(t, len(notes) == 1, "notes %q", notes)
}

func closed() <-chan struct{} {
	c := make(chan struct{})
	close(c)
	return c
}

// TestSocketsOfTaps holds that a socket is its user's alone, that one of a tap that was killed is
// noticed and removed, and that a pane of it is not live.
func TestSocketsOfTaps(t *testing.T) {
	dir := shortDir(t)
	upstream := paneUpstream(t, closed())
	l := testkit.Must(net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, "session-1.sock")}))(t)
	l.SetUnlinkOnClose(false)
	testkit.OK(t, l.Close())
	tp := openTap(t, upstream.URL, dir, "history", "false")
	paneAsks(t, tp, "beta=true", "")
	sockets := func() []string { return testkit.Must(filepath.Glob(filepath.Join(dir, "*.sock")))(t) }
	taps := runningTaps(dir)
	if len(taps) != 1 || !slices.Equal(sockets(), []string{socketOf(taps[0].File)}) {
		t.Fatalf("found %+v, sockets %q", taps, sockets())
	}
	if info := testkit.Must(os.Stat(sockets()[0]))(t); runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("the socket has mode %v", info.Mode())
	}
	p := testkit.Must(OpenPane(taps[0].File))(t)
	defer func() { testkit.OK(t, p.Close()) }()
	testkit.That(t, p.Live(), "the tap is not live")
	tp.untell() // as if it were killed
	until(t, "a killed tap is live", func() bool { return !p.Live() })
	p.Look()
	testkit.Is(t, len(p.View().Turns), 1, "turns")
	testkit.OK(t, tp.End())
	tp.Close()
	// A socket that cannot be made is said, and the tap works.
	long := filepath.Join(dir, strings.Repeat("x", 120))
	tp = openTap(t, upstream.URL, long, "history", "false")
	paneAsks(t, tp, "beta=true", "")
	testkit.OK(t, tp.End())
	notes := tp.Close()
	testkit.That(t, len(notes) == 1 && strings.Contains(notes[0], "cannot follow"), "notes %q", notes)
}
