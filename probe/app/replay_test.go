package app

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"tokscope/metrics"
	"tokscope/metrics/testkit"
	"tokscope/probe/client"
	"tokscope/probe/sim"
)

// recordingText is a session file with one request of two chunks.
const recordingText = `{"type":"session","schema":"tokscope/session/v1","version":"1","started":"2026-11-20T14:05:09Z","system":"linux/amd64","bodies_recorded":false}
{"type":"request","id":4,"start_ns":1000000,"wall":"2026-11-20T14:05:09Z","events_recorded":true,"endpoint":{"name":"groq"},"workload":{}}
{"type":"sent","id":4,"at_ns":2000000}
{"type":"event","id":4,"at_ns":42000000,"user_ns":42000000,"read":0,"bytes":60,"stamp":"kernel","data":"{\"choices\":[{\"delta\":{\"content\":\"a\"}}]}"}
{"type":"event","id":4,"at_ns":49000000,"user_ns":49000000,"read":1,"bytes":60,"stamp":"kernel","data":"{\"choices\":[{\"delta\":{\"content\":\"b\"}}]}"}
{"type":"end","id":4,"request":{"id":4,"state":"done","marks":{"start_ns":1000000,"sent_ns":2000000,"end_ns":50000000}}}
`

func recordingFile(t *testing.T) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "session.ndjson")
	testkit.OK(t, os.WriteFile(path, []byte(recordingText), 0o600))
	return path
}

// TestOpenReplay opens one request as History does: complete and paused, with a
// number that no live run has.
func TestOpenReplay(t *testing.T) {
	e := client.New(client.Options{})
	defer e.Close()
	s, path := New(Options{Engine: e}), recordingFile(t)
	if _, open := s.ReplayState(); open || s.ReplayStream().State != metrics.Idle {
		t.Error("a replay is open at the beginning")
	}
	for name, id := range map[string]int{path: 5, path + "x": 4} {
		err := s.OpenReplay(t.Context(), name, id)
		testkit.That(t, err != nil, "%s, request %d: no error", name, id)
	}
	testkit.OK(t, s.OpenReplay(t.Context(), path, 4))
	at, open := s.ReplayState()
	if v := s.ReplayStream(); !open || !at.Paused || at.ID != 4 || v.State != metrics.Done || len(v.Chunks) != 2 ||
		len(s.ReplayRuns()) != 1 {
		t.Errorf("%+v, %d chunks, %v", at, len(v.Chunks), v.State)
	}
	if id := s.ReplayStream().ID; id == e.Number() {
		t.Errorf("run %d has the number of another", id)
	}
	s.ReplayEdge(-1)
	s.ReplayStep()
	if v := s.ReplayStream(); len(v.Chunks) != 1 || v.Now != 42000000 {
		t.Errorf("a step shows %d chunks at %d", len(v.Chunks), v.Now)
	}
	before := s.ReplayVersion()
	s.ReplayFaster(1)
	s.ReplayFaster(-1)
	s.ReplayToggle()
	_, ok := s.ReplayStall(1)
	testkit.That(t, !ok && !s.ReplayNext(1) && s.ReplayVersion() != before, "a stall, another request or no change")
	before = s.ReplayVersion()
	s.CloseReplay()
	if _, open := s.ReplayState(); open || s.ReplayVersion() == before || s.ReplayRuns() != nil {
		t.Error("it is still open")
	}
}

// TestRecordings prints, computes and shares a recording without a screen.
func TestRecordings(t *testing.T) {
	path := recordingFile(t)
	r := Recordings{Version: "test"}
	runs, missing, err := r.ReplayRuns([]string{path, path}, nil, 4)
	testkit.That(t, err == nil && len(runs) == 2 && missing[0] == metrics.ReplayWhole && runs[0].Figures.TTFT.V == 40,
		"%d runs, %v, %v", len(runs), missing, err)
	var out bytes.Buffer
	testkit.OK(t, r.ReplayJSON(&out, []string{"-"}, strings.NewReader(recordingText), 0))
	var doc struct {
		Schema   string
		Requests []struct {
			Request struct{ Figures map[string]any }
		}
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil || doc.Schema != "tokscope/replay/v1" ||
		doc.Requests[0].Request.Figures["ttft_ms"] != 40.0 {
		t.Errorf("%v: %s", err, out.Bytes())
	}
	out.Reset()
	if err := r.ReplayShare(&out, path, nil, false); err != nil || strings.Contains(out.String(), "groq") ||
		!strings.Contains(out.String(), "xxxx") {
		t.Errorf("%v: %s", err, out.String())
	}
}

// TestServeReplay serves a recording until its context ends.
func TestServeReplay(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	r, w := io.Pipe()
	recs := testkit.Must(OpenRecordings([]string{recordingFile(t)}, nil))(t)
	s := Serving{Sim: sim.Options{Addr: "127.0.0.1:0"}, Replay: recs, Out: w, Log: io.Discard,
		Env: func(string) string { return "" }}
	ended := make(chan error, 1)
	go func() { ended <- Serve(ctx, s) }()
	line := make([]byte, 200)
	n := testkit.Must(r.Read(line))(t)
	base := strings.TrimSpace(string(line[:n]))
	for path, want := range map[string]string{"/models": `"object":"list"`,
		"/chat/completions": `{"choices":[{"delta":{"content":"a"}}]}`} {
		method, body := http.MethodGet, ""
		if path != "/models" {
			method, body = http.MethodPost, `{"stream":true}`
		}
		for _, host := range []string{"", "evil.example"} {
			req := testkit.Must(http.NewRequestWithContext(ctx, method, base+path, strings.NewReader(body)))(t)
			req.Host, req.Close = host, true
			res := testkit.Must(http.DefaultClient.Do(req))(t)
			got, _ := io.ReadAll(res.Body)
			_ = res.Body.Close()
			if refused := host != ""; strings.Contains(string(got), want) == refused ||
				(res.StatusCode == http.StatusForbidden) != refused {
				t.Errorf("%s of host %q: %s %s", path, host, res.Status, got)
			}
		}
	}
	cancel()
	testkit.Is(t, <-ended, nil)
	s.Sim.Addr = "0.0.0.0:0"
	testkit.Refuses(t, Serve(t.Context(), s), "--remote")
	s.Sim.Addr, s.ReplayID = "127.0.0.1:0", 9
	var f *metrics.Fault
	if err := Serve(t.Context(), s); !errors.As(err, &f) || !strings.Contains(err.Error(), "request 4") {
		t.Errorf("a request that is not there: %v", err)
	}
}
